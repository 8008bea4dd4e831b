"""Marking passages without scripts: words are copied into a field, stored as offsets, and shown as words again."""

import html
import re
from collections.abc import Callable
from typing import Any

from sqlalchemy import Engine, text

from tests.kit.rater_pages import Visitor, form_address

MARK = {"key": "mark", "target": "response", "type": "highlight", "text": "Mark the warm words."}
WHY = {"key": "why", "target": "response", "type": "text", "text": "Why?", "min_length": 20, "required": True}
REPLY = "I am sorry.\r\nThat <sounds> hard."
PARTS = {
    "questions": [MARK],
    "design": {"trials": "single"},
    "n_items": 2,
    "texts": [{"key": f"item-{number}", "responses": {"person": REPLY}} for number in range(2)],
}


def spans(engine: Engine) -> list[str]:
    with engine.connect() as db:
        return list(db.execute(text("SELECT text FROM ratings ORDER BY id")).scalars())


def typed(page: Any) -> str:  # noqa: ANN401
    found = re.search(r"<textarea[^>]*>([^<]*)</textarea>", page.text)
    assert found
    return html.unescape(found[1])


def test_copied_words_are_stored_as_offsets_and_shown_as_words(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(**PARTS)
    anna = visitor()
    page = anna.begin()
    address = form_address(page)
    assert anna.rate(page, {"q0r0": "I am sorry\nThat <sounds>"}).status_code == 200
    assert spans(engine) == ["0-10|13-26"]
    assert [REPLY[0:10], REPLY[13:26]] == ["I am sorry", "That <sounds>"]
    again = anna.get(address)
    assert typed(again) == "I am sorry\nThat <sounds>"
    # A browser counts CRLF as one character, so its offsets are one less after it.
    assert re.search(r'value="0-10\|12-25"\s+disabled', again.text)


def test_unmatched_words_are_named_and_input_kept(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(**PARTS)
    anna = visitor()
    page = anna.rate(anna.begin(), {"q0r0": "It gets better"})
    assert page.status_code == 422
    assert "These words are not in the text: It gets better" in page.text
    assert typed(page) == "It gets better"
    assert spans(engine) == []


def test_script_saves_span_offsets(engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(**PARTS)
    anna = visitor()
    save = f"{form_address(anna.begin())}/save"
    assert anna.post(save, data={"slot": "q0r0", "q0r0": "", "q0r0.spans": "12-25"}).status_code == 200
    assert anna.post(save, data={"slot": "q0r0", "q0r0.spans": "12-250"}).status_code == 422
    assert spans(engine) == ["13-26"]


def test_rationale_length_is_stated_and_enforced(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(**{**PARTS, "questions": [WHY]})
    anna = visitor()
    page = anna.begin()
    assert "At least 20 characters." in page.text
    assert "Write at least 20 characters." in anna.rate(page, {"q0r0": "Too short."}).text
    assert anna.rate(page, {"q0r0": "It names what she went through."}).status_code == 200
