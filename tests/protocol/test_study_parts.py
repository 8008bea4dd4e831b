"""Parts of a protocol that can be checked on their own."""

import pytest
from pydantic import ValidationError

from app.protocol.checks import AttentionCheck, slot_of_check
from app.protocol.completion import Completion, Ending
from app.protocol.study import Protocol
from tests.kit.builder import protocol_of


@pytest.mark.parametrize("url", ["javascript:alert(1)", "https://", "https://example.org:99999/", "https://[", "done"])
def test_url_that_browsers_cannot_open_is_rejected(url: str) -> None:
    with pytest.raises(ValidationError, match="an address such as"):
        Completion(url=url)


def test_url_is_optional_and_may_have_numeric_port() -> None:
    assert not Completion(url="").url
    assert Completion(url="http://example.org:8080/x").url == "http://example.org:8080/x"


def test_outcome_has_own_ending_or_none() -> None:
    completion = Completion(code="DONE", otherwise={"screened_out": Ending(code="OUT")})
    assert completion.of("screened_out").code == "OUT"
    assert completion.of("failed_checks") == Ending()


def test_slug_new_is_reserved() -> None:
    with pytest.raises(ValidationError, match="a slug other than new"):
        Protocol.model_validate(protocol_of(slug="new"))


@pytest.mark.parametrize(("title", "found"), [("a\x07b", "U\\+0007"), ("a\nb", "U\\+000A")])
def test_title_is_one_line_of_text(title: str, found: str) -> None:
    with pytest.raises(ValidationError, match=f"without control characters, found {found}"):
        Protocol.model_validate(protocol_of(title=title))


@pytest.mark.parametrize("title", [" ", "\u00a0 "])
def test_title_of_spaces_is_refused(title: str) -> None:
    with pytest.raises(ValidationError, match="the title must not be blank, found only spaces"):
        Protocol.model_validate(protocol_of(title=title))


def test_check_is_asked_as_single_answer_question() -> None:
    check = AttentionCheck(key="attend", text="Choose Blue", after=1, codes={"b": "Blue", "r": "Red"}, correct="b")
    slot = slot_of_check(check, 2, "Read closely.")
    assert (slot.name, slot.question.key, slot.question.help) == ("c2", "attend", "Read closely.")


def test_protocol_reports_whether_passages_are_highlighted() -> None:
    marking = {"key": "m", "type": "highlight", "target": "response", "text": "Mark."}
    assert Protocol.model_validate(protocol_of(questions=[marking])).has_highlights
    assert not Protocol.model_validate(protocol_of()).has_highlights
