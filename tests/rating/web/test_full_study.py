"""Raters for whom the study has no seat are told before they read the consent form and instructions."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine, text

from app.rating.life_cycle import close_study, pause_study
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.database import rows
from tests.kit.rater_pages import Visitor, form_address, heading

CODES = {"code": "D0NE", "otherwise": {"full": {"code": "FULL1"}}}
CONSENT = {"consent": {"version": "1", "text": "You may stop."}}
SITE = {"key": "site", "target": "rater", "type": "category", "text": "Where?", "codes": ["north", "south"]}
FULL_NOW, WAIT = "All places are taken", "All places are taken right now"


def states(engine: Engine) -> list[str]:
    return [row.state for row in rows(engine, "SELECT state FROM rating_sessions ORDER BY id")]


def agree_and_begin(rater: Visitor, who: str, query: str = "") -> Any:  # noqa: ANN401 - httpx's response
    rater.get(f"/s/study?PROLIFIC_PID={who}{query}")
    rater.post("/s/study/consent", data={"consent": "agree"})
    return rater.post("/s/study/start")


def come(visitor: Callable[[], Visitor], who: str, query: str = "") -> Any:  # noqa: ANN401
    return visitor().get(f"/s/study?PROLIFIC_PID={who}{query}")


@pytest.mark.parametrize("design", [{"raters_per_trial": 1}, {"raters_per_trial": 1, "max_raters": 1}])
def test_late_rater_waits_then_gets_full_study_code(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor], design: dict[str, int]
) -> None:
    """And the lead is told that they found no place, until there is one after all."""
    study(n_items=1, flow=CONSENT, design=design, completion=CODES)
    anna, ben = visitor(), visitor()
    page = agree_and_begin(anna, "anna")
    early = ben.get("/s/study?PROLIFIC_PID=ben")
    assert (early.url.path, heading(early)) == ("/s/study/wait", WAIT)
    assert "FULL1" not in early.text
    assert states(engine) == ["active", "arrived"]
    anna.rate(page)
    late = ben.get("/s/study/rate")
    assert heading(late) == FULL_NOW
    assert "cc=FULL1" in late.text
    assert "You may stop." not in late.text
    assert states(engine) == ["finished", "full"]
    with engine.begin() as db:
        db.execute(text("UPDATE seats SET assignment_id = NULL"))
        db.execute(text("UPDATE admission_seats SET rating_session_id = NULL"))
    assert ben.get("/s/study/rate").url.path == "/s/study/consent"
    assert states(engine) == ["finished", "arrived"]


def test_released_seat_leads_to_consent(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1, flow=CONSENT, design={"raters_per_trial": 1})
    anna, ben = visitor(), visitor()
    agree_and_begin(anna, "anna")
    assert heading(ben.get("/s/study?PROLIFIC_PID=ben")) == WAIT
    anna.post("/s/study/withdraw", data={"withdraw": "stop"})
    assert ben.get("/s/study/wait").url.path == "/s/study/consent"


def test_conditions_at_their_caps_make_study_full(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    told = {
        "kind": "instruction",
        "levels": {"near": "Feel.", "far": "Stay out."},
        "assign": "between",
        "caps": {"near": 1, "far": 1},
    }
    flow = {**CONSENT, "skip_reasons": ["No"]}
    study(n_items=1, flow=flow, conditions={"told": told}, design={"raters_per_trial": 1})
    raters = [visitor(), visitor()]
    pages = [agree_and_begin(rater, f"rater-{n}") for n, rater in enumerate(raters)]
    assert heading(come(visitor, "ben")) == WAIT
    for rater, page in zip(raters, pages, strict=True):
        rater.post(f"{form_address(page)}/skip", data={"reason": "No"})
    assert rows(engine, "SELECT count(*) FROM seats WHERE assignment_id IS NULL") == [(2,)]
    assert heading(come(visitor, "carl")) == FULL_NOW


def test_quota_set_by_link_is_checked_on_arrival(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    design = {"raters_per_trial": 2, "quotas": {"site": {"north": 1, "south": 1}}}
    study(n_items=1, flow=CONSENT, design=design)
    anna, ben = visitor(), visitor()
    anna.rate(agree_and_begin(anna, "anna", "&site=north"))
    assert heading(come(visitor, "carl", "&site=north")) == FULL_NOW
    assert come(visitor, "dora", "&site=south").url.path == "/s/study/consent"
    page = agree_and_begin(ben, "ben", "&site=south")
    assert heading(come(visitor, "eve", "&site=south")) == WAIT
    ben.rate(page)
    assert heading(come(visitor, "finn", "&site=south")) == FULL_NOW


def test_quota_by_question_is_open_until_all_answers_are_full(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    flow = {**CONSENT, "before": [{"questions": ["site"]}]}
    design = {"raters_per_trial": 2, "quotas": {"site": {"north": 1, "south": 1}}}
    study(n_items=1, questions=[PREFERENCE, EMPATHY, SITE], flow=flow, design=design)
    pages, raters = [], []
    for who in ("north", "south"):
        rater = visitor()
        assert rater.get(f"/s/study?PROLIFIC_PID={who}").url.path == "/s/study/consent"
        rater.post("/s/study/consent", data={"consent": "agree"})
        rater.post("/s/study/questions/before-1", data={"q2": who})
        pages.append(rater.post("/s/study/start"))
        raters.append(rater)
    assert heading(come(visitor, "carl")) == WAIT
    for rater, page in zip(raters, pages, strict=True):
        rater.rate(page)
    assert heading(come(visitor, "dora")) == FULL_NOW


def test_answer_without_free_seat_is_told_before_instructions(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    flow = {**CONSENT, "before": [{"questions": ["site"]}]}
    design = {"raters_per_trial": 1, "quotas": {"site": {"north": 1}}}
    study(n_items=1, questions=[PREFERENCE, EMPATHY, SITE], flow=flow, design=design)
    anna = visitor()
    anna.arrive()
    anna.post("/s/study/consent", data={"consent": "agree"})
    assert heading(anna.post("/s/study/questions/before-1", data={"q2": "south"})) == FULL_NOW


@pytest.mark.parametrize(("change", "status"), [(close_study, 410), (pause_study, 403)])
def test_first_visit_to_closed_or_paused_study_stores_nothing(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor], change: Callable[..., None], status: int
) -> None:
    study(n_items=1, flow=CONSENT, completion=CODES)
    with engine.begin() as db:
        change(db, "study")
    page = come(visitor, "anna")
    assert page.status_code == status
    assert ("cc=FULL1" in page.text) == (status == 410)
    assert "Stop taking part" not in page.text
    assert rows(engine, "SELECT count(*) FROM raters") == rows(engine, "SELECT count(*) FROM platform_ids") == [(0,)]


def test_active_rater_gets_code_and_withdrawal_link_at_closing(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=2, flow=CONSENT, completion=CODES)
    anna = visitor()
    page = anna.rate(agree_and_begin(anna, "anna"))
    with engine.begin() as db:
        close_study(db, "study")
    over = anna.rate(page)
    assert (over.status_code, "cc=FULL1" in over.text, 'href="/s/study/withdraw"' in over.text) == (410, True, True)
    assert "D0NE" not in over.text
