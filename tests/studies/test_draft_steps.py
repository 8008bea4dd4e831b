"""The steps to an open study say what is there, what is missing, and what is done."""

from typing import Any

import pytest
from sqlalchemy import Connection, text

from app.accounts.leads import Lead
from app.protocol.study import Protocol
from app.studies.draft_steps import steps_of, with_steps
from app.studies.editor.protocol_edits import Change, save_change
from app.studies.members.members import record_member
from app.studies.studies import get_study
from tests.kit.builder import build_study, protocol_of

CONSENT = {"version": "1", "text": "You may stop at any time."}


def states(**parts: Any) -> dict[str, str]:  # noqa: ANN401 - any part of a protocol
    steps = steps_of(Protocol.model_validate(protocol_of(**parts)), has_texts=True)
    return {one.key: one.state for one in steps}


@pytest.mark.parametrize(
    ("step", "parts", "state"),
    [
        ("consent", {}, "empty"),
        ("consent", {"flow": {"consent": {**CONSENT, "text": "Ask [name and email address]."}}}, "to do"),
        ("consent", {"flow": {"consent": CONSENT}}, "done"),
        ("analysis", {}, "to do"),
        ("analysis", {"analysis": {"primary": ["empathy"]}}, "done"),
        ("recruitment", {}, "empty"),
        ("recruitment", {"recruitment": {"platform": "prolific"}}, "to do"),
        ("recruitment", {"recruitment": {"platform": "prolific"}, "completion": {"code": "C0DE"}}, "done"),
        ("recruitment", {"design": {"links": "personal"}}, "done"),
        ("questions", {}, "done"),
        ("questions", {"instructions": "[Say here what raters read and judge.]"}, "to do"),
        ("coverage", {}, "to do"),
    ],
)
def test_step_has_its_true_state(step: str, parts: dict[str, Any], state: str) -> None:
    assert states(**parts)[step] == state


def test_stored_draft_knows_its_texts_ratings_and_problems(db: Connection, lead: Lead) -> None:
    study_id = build_study(db, protocol_of("small"), n_items=1)
    record_member(db, study_id, lead.id, "owner")

    def found() -> tuple[dict[str, str], bool]:
        study = get_study(db, "small", lead.id)
        assert study
        draft = with_steps(db, study).draft
        assert draft
        return {one.key: one.state for one in draft.steps}, draft.has_ratings

    assert found() == (states(), False)
    study = get_study(db, "small", lead.id)
    assert study
    save_change(db, study, lead, 0, Change(lambda data: data, lambda data: data | {"questions": []}))
    assert found()[0]["questions"] == "to do"
    db.execute(text("DELETE FROM items"))
    assert (found()[0]["texts"], found()[0]["assignment"]) == ("empty", "empty")
