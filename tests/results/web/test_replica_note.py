"""Results that are read from a replica say how old they are; the doctor says how far it is behind."""

from contextlib import nullcontext
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import Connection
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.base.database.replica import ReplicaReads
from app.base.health_checks import check_replica
from app.rating.life_cycle import open_study
from app.results.pages.results import replica_note
from tests.kit.lead_studies import rate, study_of


class Lagging(ReplicaReads):
    """A replica that is behind by a given time."""

    def __init__(self, lag_s: float | None) -> None:
        begin: Any = nullcontext
        super().__init__(begin, begin)
        self._found_s = lag_s

    def _measure(self) -> float | None:
        return self._found_s


@pytest.mark.parametrize(
    ("lag_s", "note"),
    [
        (None, ""),
        (0.4, ""),
        (1.2, "As of 1 second ago: these results come from a copy of the database."),
        (8.0, "As of 8 seconds ago: these results come from a copy of the database."),
        (12.0, ""),
    ],
)
def test_note_gives_the_lag_of_a_replica_that_is_read(lag_s: float | None, note: str) -> None:
    assert replica_note(Lagging(lag_s)) == note


def test_without_a_replica_there_is_no_note() -> None:
    assert replica_note(None) == ""


def test_results_page_shows_the_lag(app: FastAPI, client: TestClient, db: Connection, lead: Lead) -> None:
    study_id = study_of(db, lead)
    open_study(db, "small")
    rate(db, study_id, rater="a", n_trials=2)
    app.state.replica = Lagging(8)
    assert "As of 8 seconds ago" in client.get("/studies/small/results").text


@pytest.mark.parametrize(
    ("lag_s", "state", "words"),
    [
        (None, "warning", "does not respond"),
        (12.0, "warning", "12 seconds behind, and 10 are allowed"),
        (3.0, "ok", "3 seconds behind"),
    ],
)
def test_doctor_says_how_far_the_replica_is_behind(lag_s: float | None, state: str, words: str) -> None:
    finding = check_replica(lag_s, 10)
    assert finding.state == state
    assert words in finding.found
