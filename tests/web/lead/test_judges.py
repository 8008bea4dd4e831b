"""The page of model judges: progress and problems of each, and a stop that the running process sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.actions.models.judge_runs import begin_run
from app.actions.models.judge_settings import JudgeSettings
from app.design.model_outcomes import Outcome
from app.models.endpoint import Endpoint
from app.storage.model_runs.requests import Answered, list_open, record_answered
from app.storage.model_runs.runs import RunRow, is_stopped
from app.storage.studies.studies import get_study
from tests.models_server import KEY
from tests.web.lead.build import study_of

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from starlette.testclient import TestClient

    from app.storage.leads.leads import Lead


@pytest.fixture
def run(db: Connection, lead: Lead) -> RunRow:
    """A judge with one answered and one failed request."""
    study_of(db, lead)
    study = get_study(db, "small")
    assert study
    endpoint = Endpoint("http://127.0.0.1:8000/v1", "a-model", KEY)
    made, _ = begin_run(db, study, endpoint, JudgeSettings(), "a-judge")
    first, second, *_ = list_open(db, made)
    record_answered(db, made, first.id, Answered(Outcome.ANSWERED, tokens_in=120, tokens_out=9, model_version="m-2"))
    record_answered(db, made, second.id, Answered(Outcome.FAILED, "The endpoint answered HTTP <500>."))
    return made


def test_a_judge_is_shown_with_its_progress_and_problems(client: TestClient, run: RunRow) -> None:
    page = client.get("/studies/small/judges").text
    for words in ("a-judge", "a-model", "m-2", "Answered: 1", "120 in prompts", "HTTP &lt;500&gt;.", "Stop a-judge"):
        assert words in page
    assert KEY not in page


def test_a_stop_is_seen_by_the_run(client: TestClient, db: Connection, run: RunRow, lead: Lead) -> None:
    assert client.post(f"/studies/small/judges/{run.id}/stop").status_code == 303
    assert is_stopped(db, run)
    page = client.get("/studies/small/judges").text
    assert f"Stopped by {lead.email}." in page
    assert "Stop a-judge" not in page


def test_a_study_without_judges_says_how_to_start_one(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead)
    page = client.get("/studies/small/judges").text
    assert "No model has judged this study yet." in page
    assert "attune judge small --model NAME" in page
