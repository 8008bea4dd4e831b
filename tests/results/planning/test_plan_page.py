"""The page *Plan* counts minutes and money as the checklist and *Recruitment* do."""

import re

import pytest
from sqlalchemy import Connection
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.protocol.study import Protocol
from app.rating.arrival.expected_minutes import planned_minutes
from app.studies.members.members import record_member
from tests.kit.builder import EMPATHY, PREFERENCE, build_study, protocol_of

N_TRIALS = 6


@pytest.mark.parametrize(
    ("recruitment", "words"),
    [
        ({}, "at £9.00 per hour, with a platform fee of 33.3%"),
        ({"platform": "prolific", "pay": 3, "currency": "EUR"}, "at €20.00 per hour, with a platform fee of 33.3%"),
        ({"platform": "sona", "pay": 3, "currency": "CHF"}, "at CHF 20.00 per hour."),
    ],
)
def test_plan_counts_minutes_and_pay_of_the_study(
    db: Connection, client: TestClient, lead: Lead, recruitment: dict[str, object], words: str
) -> None:
    """It said 16 minutes where the checklist said 10, and a cost without a currency."""
    design = {"trials": "pairs", "raters_per_trial": 3, "trials_per_rater": N_TRIALS}
    protocol = protocol_of(questions=[PREFERENCE, EMPATHY], design=design, recruitment=recruitment)
    text = {"text": "word " * 119, "responses": {"person": "word " * 59, "model": "word " * 60}}
    study_id = build_study(db, protocol, texts=[{"key": str(n), **text} for n in range(12)])
    record_member(db, study_id, lead.id, "owner")
    shown = client.get("/studies/study/plan").text
    shown_words = " ".join(re.sub(r"<[^>]+>", " ", shown).split())
    minutes = planned_minutes(db, study_id, Protocol.model_validate(protocol), N_TRIALS)
    assert f"Minutes per rater {minutes} Cost" in shown_words
    assert words in shown_words
    if "pay" in recruitment:
        assert re.search(
            rf"Cost \S*\s?{6 * 3 * (1.333 if recruitment['platform'] == 'prolific' else 1):.0f} ", shown_words
        )


def test_plan_does_not_deny_that_more_items_than_it_simulates_reach_the_goal(
    db: Connection, client: TestClient, lead: Lead
) -> None:
    """It said "more than 600 items, if nothing else changes", and below that neither setting reaches the goal alone."""
    design = {"trials": "pairs", "raters_per_trial": 3, "trials_per_rater": N_TRIALS}
    study_id = build_study(db, protocol_of(questions=[PREFERENCE, EMPATHY], design=design))
    record_member(db, study_id, lead.id, "owner")
    asked = {"items": 12, "per_trial": 3, "power": 0.8, "difference": 0.02, "forecast": 1}
    shown = client.get("/studies/study/plan", params=asked).text
    assert "It would take more than" in shown
    assert "is the limiting factor" in shown
    assert "Neither setting reaches the goal alone" not in shown
