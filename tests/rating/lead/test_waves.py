"""Later waves on the lead's pages: the form, the list of raters who are due, and the numbers of the overview."""

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.rating.arrival.arrivals import get_own_arrival_study
from app.rating.life_cycle import open_study
from app.rating.rater_path import Arrival, arrive, finish
from app.rating.review.exclusions import record_exclusion
from app.rating.sessions import get_rating_session
from app.rating.simulation.simulate import go_on, mind_of
from app.studies.audit import list_acts
from app.studies.editor.protocol_edits import get_draft
from app.studies.editor.question_keys import renamed, without_key
from app.studies.members.members import record_member
from app.studies.studies import get_study
from tests.kit.builder import EMPATHY, PREFERENCE, build_study, protocol_of

LONELY = {"key": "lonely", "target": "rater", "type": "slider", "text": "How lonely are you?"}
WAVE = {
    "days": 14,
    "earliest": 12,
    "latest": 16,
    "label": "Two weeks later",
    "reminder": "Part 2 is open.",
    "completion": {"code": "W2CODE"},
}


@pytest.fixture
def study_id(db: Connection, lead: Lead) -> int:
    """An open study with a later wave."""
    return open_with(db, lead, WAVE)


def open_with(db: Connection, lead: Lead, *waves: dict[str, object]) -> int:
    """An open study with later waves."""
    parts = {"questions": [PREFERENCE, EMPATHY, LONELY], "waves": waves, "recruitment": {"platform": "prolific"}}
    study_id = build_study(db, protocol_of("small", **parts), n_items=1)
    record_member(db, study_id, lead.id, "owner")
    open_study(db, "small")
    return study_id


def finished(db: Connection, who: str, days_ago: int) -> None:
    """A rater from Prolific who finished the first wave so many days ago."""
    study = get_own_arrival_study(db, "small")
    assert study is not None
    opened = arrive(db, study, Arrival("prolific", who, {}))
    assert opened is not None
    go_on(db, "small", opened.token, mind_of(db, study.id, 1, who))
    session = get_rating_session(db, "small", opened.token)
    assert session is not None
    assert finish(db, session)
    moved = "UPDATE rating_sessions SET finished_at = finished_at - make_interval(days => :days) WHERE rater_id = :id"
    db.execute(text(moved), {"days": days_ago, "id": session.rater_id})


def test_raters_who_are_due_can_be_downloaded_for_a_reminder(client: TestClient, db: Connection, study_id: int) -> None:
    for who, days in (("early", 3), ("due", 13), ("late", 20)):
        finished(db, who, days)
    found = client.post("/studies/small/raters/waves/2.csv").text.lstrip("\ufeff")
    (row,) = csv.DictReader(io.StringIO(found))
    day = datetime.now(UTC).date() - timedelta(13)
    assert (row["participant_id"], row["state"]) == ("due", "due")
    assert (row["first_day"], row["last_day"]) == (str(day + timedelta(12)), str(day + timedelta(16)))
    assert list_acts(db, study_id)[0].action == "raters due downloaded"
    assert client.post("/studies/small/raters/waves/3.csv").status_code == 404


def test_raters_who_are_excluded_are_not_asked_to_come_back(
    client: TestClient, db: Connection, lead: Lead, study_id: int
) -> None:
    for who in ("kept", "left out"):
        finished(db, who, 13)
    rater = db.execute(text("SELECT rater_id FROM platform_ids WHERE platform_id = 'left out'")).scalar_one()
    record_exclusion(db, study_id, rater, is_excluded=True, reason="Too fast", lead_id=lead.id)
    found = client.post("/studies/small/raters/waves/2.csv").text
    assert "kept" in found
    assert "left out" not in found
    assert "1 due now" in client.get("/studies/small").text


def test_preview_shows_every_page_of_a_later_wave(client: TestClient, study_id: int) -> None:
    def shown(at: str) -> str:
        return client.get("/studies/small/design/preview", params={"at": at}).text

    assert "Welcome back. This is part 2 of the study." in shown("wave2")
    assert "How lonely are you?" in shown("wave2-1")
    assert "W2CODE" in shown("wave2-done")
    assert "Part 2 can be answered from" in shown("done")
    assert "Part 2" not in shown("wave2-done")


def test_overview_and_recruitment_say_who_came_back(client: TestClient, db: Connection, study_id: int) -> None:
    for who, days in (("early", 3), ("due", 13), ("late", 20)):
        finished(db, who, days)
    said = "1 due now, 1 missed it, 1 not due yet"
    overview = client.get("/studies/small").text
    assert "Finished: Two weeks later" in overview
    assert said in overview
    page = client.get("/studies/small/design/recruitment").text
    assert said in page
    assert "&amp;wave=2" in page
    assert "W2CODE" in page
    assert "Part 2 is open." in page


def test_nobody_has_missed_a_wave_that_waits_for_the_one_before(client: TestClient, db: Connection, lead: Lead) -> None:
    open_with(db, lead, {**WAVE, "latest": 40}, {"days": 28, "label": "Four weeks later"})
    finished(db, "slow", 30)
    overview = client.get("/studies/small").text
    assert "1 due now" in overview
    assert "1 not due yet" in overview
    assert "missed" not in overview


def test_wave_is_declared_in_the_form_without_keys(client: TestClient, db: Connection, study_id: int) -> None:
    form = client.get("/studies/small/design/waves").text
    assert "Days after the first wave" in form
    # The number that *Recruitment* and the results have for it, and its own page as the preview.
    assert "Wave 2" in form
    assert "Wave 1" not in form
    assert '<option value="wave2-1" selected' in " ".join(form.split())
    client.post(
        "/studies/small/design/waves",
        data={
            "waves.0.days": "21",
            "waves.0.latest": "30",
            "waves.0.questionnaires.0.questions": ["", "lonely"],
            "waves.0.reminder": "Come back",
        },
    )
    study = get_study(db, "small")
    assert study is not None
    draft = get_draft(db, study).protocol
    assert draft is not None
    (wave,) = draft.waves
    assert (wave.days, wave.latest, wave.reminder) == (21, 30, "Come back")
    assert [page.questions for page in wave.questionnaires] == [("lonely",)]
    assert "How lonely are you?" in client.get("/studies/small/design/waves").text


def test_key_of_a_question_changes_in_its_waves_too() -> None:
    data = {
        "questions": [LONELY],
        "waves": [{"days": 14, "questionnaires": [{"questions": ["lonely"]}]}],
        "analysis": {"primary": [{"question": "lonely@2", "test": "change"}]},
    }
    other = renamed(data, "lonely", "alone")
    assert other["waves"][0]["questionnaires"] == [{"questions": ["alone"]}]
    assert other["analysis"]["primary"] == [{"question": "alone@2", "test": "change"}]
    assert without_key(data, "lonely")["waves"] == [{"days": 14}]
    assert "analysis" not in without_key(data, "lonely")
