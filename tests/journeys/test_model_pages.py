"""Pages of model judges and generated responses: accessible, without sideways scrolling, and used by a lead."""

import pytest
from fastapi import FastAPI
from playwright.sync_api import Page, expect
from sqlalchemy import Engine

from app.accounts.lead_access import add_lead, new_link
from app.llm.client.endpoint import Endpoint
from app.llm.client.servers import ModelServer
from app.llm.judges.judge_runs import begin_run
from app.llm.judges.judge_settings import JudgeSettings
from app.llm.runs.runs import record_stop
from app.studies.studies import get_study
from tests.journeys.axe import LIGHT_AND_DARK_PHONE, check_in
from tests.journeys.lead_steps import PASSWORD, sign_in
from tests.kit.lead_studies import study_of
from tests.llm.web.test_generated import add_run
from tests.results.web.test_human_sample import rated_study

pytestmark = pytest.mark.browser
WAIT_MS = 60_000
ADDRESS = "http://127.0.0.1:8000/v1"


def prepared(engine: Engine) -> str:
    """A study with a judge and two runs that wrote texts; the token of a sign-in link."""
    with engine.begin() as db:
        lead = add_lead(db, "lead@example.org", PASSWORD)
        study_of(db, lead)
        study = get_study(db, "small")
        assert study
        begin_run(db, study, Endpoint(ADDRESS, "a-model"), JudgeSettings(), "a-judge")
        add_run(db, "warm", "Be warm.", ("As an AI, I care about what happened to you.", "So sorry."))
        add_run(db, "brief", "Be brief.", ("I care about what happened.", "Sorry."))
        return new_link(db, lead)


def test_the_human_sample_grows_and_says_by_how_much(engine: Engine, page: Page) -> None:
    with engine.begin() as db:
        lead = add_lead(db, "lead@example.org", PASSWORD)
        rated_study(db, lead, design={"human_sample": {"share": 0.4, "grows_to": 0.6}})
        token = new_link(db, lead)
    sign_in(page, token)
    page.goto("/studies/small/judges")
    page.get_by_role("link", name="Human sample").click()
    expect(page.get_by_role("heading", name="Human sample")).to_be_visible()
    tabs = page.get_by_role("navigation", name="This study")
    expect(tabs.get_by_role("link", name="Overview")).to_have_attribute("aria-current", "page")
    expect(page.get_by_label("Items to add, about")).to_have_value("6")
    check_in(LIGHT_AND_DARK_PHONE, page)
    page.get_by_role("button", name="Add items").click()
    expect(page.get_by_role("status")).to_contain_text("added in stage 2", timeout=WAIT_MS)
    expect(page.get_by_role("row", name="2: added later")).to_be_visible()
    check_in(LIGHT_AND_DARK_PHONE, page)


def test_pages_of_models_are_accessible_and_a_text_is_edited(engine: Engine, page: Page, built_app: FastAPI) -> None:
    token = prepared(engine)
    with engine.begin() as db:
        small = get_study(db, "small")
    assert small
    built_app.state.model_servers = (
        ModelServer(name="Local", base_url=ADDRESS, models=("a-model",), max_tokens=10**6, price_in=0.5),
    )
    sign_in(page, token)
    for address in ("judges", "model-runs/1/requests", "generated", "generated/new", "generated/3/compare?other=2"):
        page.goto(f"/studies/small/{address}")
        check_in(LIGHT_AND_DARK_PHONE, page)
    page.goto("/studies/small/judges/new")
    page.get_by_label("Name of the judge").fill("second")
    page.get_by_role("button", name="Estimate").click()
    expect(page.get_by_role("status")).to_contain_text("requests: about")
    expect(page.get_by_role("status")).to_be_in_viewport()
    check_in(LIGHT_AND_DARK_PHONE, page)
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_text("Waiting to start")).to_be_visible()
    with engine.begin() as db:
        record_stop(db, begin_run(db, small, Endpoint(ADDRESS, "a-model"), JudgeSettings(), "second")[0], "Stopped.")
    expect(page.get_by_role("button", name="Continue second")).to_be_visible(timeout=WAIT_MS)
    page.goto("/studies/small/generated/2")
    first = page.get_by_role("article").first
    first.get_by_role("textbox").fill("I care about what happened to you.")
    first.get_by_role("button", name="Accept").click()
    expect(page.get_by_text("As the model wrote it", exact=True)).to_be_visible()
    check_in(LIGHT_AND_DARK_PHONE, page)
    page.get_by_role("button", name="Add 1 text to the study").click()
    expect(page).to_have_url("/studies/small/items")
