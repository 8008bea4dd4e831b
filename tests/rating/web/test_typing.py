"""How a text answer was typed: stored with the answer where the study says so, and nowhere else."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine, text

from app.protocol.rater_flags import Typing
from app.rating.review.answers_by_rater import list_typing
from app.rating.review.rater_review import review
from app.rating.review.rater_rows import list_rater_rows
from app.studies.opening_checks import OpeningError
from app.studies.protocols import get_protocol
from tests.kit.rater_pages import Visitor, form_address

WHY = {"key": "why", "target": "item", "type": "text", "text": "Why?", "typing_rhythm": True}
CONSENT = {"consent": {"version": "1", "text": "We count your keystrokes.", "records_typing": True}}
NOTE = "x" * 90


def counted(engine: Engine) -> list[tuple[Any, ...]]:
    with engine.connect() as db:
        found = db.execute(text("SELECT text, n_keystrokes, n_pasted, typing_ms FROM ratings WHERE text IS NOT NULL"))
        return [tuple(row) for row in found]


def test_counts_are_stored_and_shown_as_evidence(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = study(n_items=1, questions=[WHY], flow=CONSENT)
    anna = visitor()
    anna.arrive()
    anna.post("/s/study/consent", data={"consent": "agree"})
    page = anna.post("/s/study/start")
    assert 'name="q0.typing"' in page.text
    assert "typing.js" in page.text
    anna.post(form_address(page), data={"q0": NOTE, "q0.typing": "20,80,500"})
    assert counted(engine) == [(NOTE, 20, 80, 500)]
    anna.post(form_address(page), data={"q0": NOTE})
    assert counted(engine) == [(NOTE, 20, 80, 500)]
    with engine.connect() as db:
        typing = list_typing(db, study_id, ["why"])
        (rater,) = review(get_protocol(db, study_id, 1), list_rater_rows(db, study_id), None, typing)
    assert rater.evidence.typing == Typing(1, 90, 20, 80, 500)
    assert tuple(flag.words for flag in rater.flags) == (
        "Pasted 80% of what was entered in 1 text answer",
        "40 keystrokes per second in 1 text answer",
    )


def test_nothing_is_stored_without_declaration(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1, questions=[{**WHY, "typing_rhythm": False}])
    page = visitor().begin()
    assert "typing" not in page.text
    visitor_page = visitor()
    page = visitor_page.begin("ben")
    visitor_page.post(form_address(page), data={"q0": NOTE, "q0.typing": "20,80,500"})
    assert counted(engine) == [(NOTE, None, None, None)]


def test_study_that_does_not_tell_cannot_be_opened(study: Callable[..., int]) -> None:
    with pytest.raises(OpeningError, match="the consent form does not declare it"):
        study(n_items=1, questions=[WHY])
