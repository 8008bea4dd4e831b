"""All routers of the application, in the order in which addresses are matched."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from fastapi import FastAPI

from app import api
from app.accounts import account_page, sign_in
from app.base.files.input_limits import MEBIBYTE
from app.base.help import pages as help_pages
from app.base.rendering.pages import language_now
from app.base.web import health, metrics
from app.llm.judges import judges_page
from app.llm.methods import methods_page
from app.llm.runs import requests_page, run_rows
from app.llm.writers import generated_page, generated_texts_page
from app.rating import study_settings_page
from app.rating.arrival import consent_page, privacy_page, start_page
from app.rating.arrival import page as arrival_page
from app.rating.conversations import conversation_page, draft_page, dyad_page
from app.rating.page import image_page, problem_page, rate, skip_page
from app.rating.page.kept_page import KeptPages
from app.rating.preview import preview_page
from app.rating.prolific import prolific_page
from app.rating.question_editor import page as questions_page
from app.rating.recruitment import messages_page, platform_files, recruitment_page
from app.rating.review import conversations_page, raters_page, seen_trials_page
from app.rating.second_study import second_study_page
from app.rating.steps import checks_page, last_pages, pause_page, practice_page, questionnaires_page
from app.rating.steps import messages_page as messages_from_lead
from app.rating.walk_through import walk_through_page
from app.rating.walk_through.walk_through import conditions_of, steps_ahead
from app.rating.withdrawal import withdraw_page
from app.results.charts import page as charts_page
from app.results.downloads import page as downloads_page
from app.results.items import image_page as item_image_page
from app.results.items import page as items_page
from app.results.making import page as making_page
from app.results.overview import page as overview_page
from app.results.pages import results
from app.results.planning import page as plan_page
from app.results.planning import sample_page
from app.results.registration import page as preregistration_page
from app.results.rehearsal import page as rehearsal_page
from app.results.snapshots import page as snapshots_page
from app.studies import home_page
from app.studies.creation import new_sheet_page, new_study_page
from app.studies.editor import overview_page as design_page
from app.studies.editor import section_page, text_page
from app.studies.imports import sheet_ratings_page, texts_page
from app.studies.members import invitations_page, openid_page, people_page, tokens_page
from app.studies.rights import right_of
from app.studies.walk_throughs import is_walk_through
from app.webhooks import page as webhooks_page

# The beginning of the paths whose handlers read uploaded files as they arrive.
UPLOADS = re.compile(
    r"/studies/new(/|$)|/studies/[^/]+/raters/demographics$|/api/v1/studies/[^/]+/(studies|items|ratings)$"
)
# A conversation of 200 turns of 50,000 characters.
MAX_REVIEWED = 64 * MEBIBYTE
# FastAPI asks each router in turn, so the page that every answer comes from is first.
RATERS = (
    rate,
    arrival_page,
    consent_page,
    questionnaires_page,
    start_page,
    checks_page,
    practice_page,
    conversation_page,
    draft_page,
    dyad_page,
    skip_page,
    problem_page,
    image_page,
    messages_from_lead,
    pause_page,
    last_pages,
    withdraw_page,
    privacy_page,
)
# Those that accept files have their own limit and precede those with a study's slug.
FILES = (new_study_page, new_sheet_page, texts_page, sheet_ratings_page, item_image_page)
LEADS = (
    home_page,
    openid_page,
    sign_in,
    account_page,
    invitations_page,
    overview_page,
    # Fixed addresses of the design come before the address with the name of a section.
    design_page,
    preregistration_page,
    preview_page,
    walk_through_page,
    text_page,
    questions_page,
    recruitment_page,
    section_page,
    items_page,
    raters_page,
    seen_trials_page,
    conversations_page,
    people_page,
    study_settings_page,
    judges_page,
    methods_page,
    generated_page,
    generated_texts_page,
    run_rows,
    requests_page,
    tokens_page,
    webhooks_page,
    plan_page,
    sample_page,
    rehearsal_page,
    messages_page,
    platform_files,
    prolific_page,
    results,
    charts_page,
    downloads_page,
    making_page,
    snapshots_page,
)


def include(app: FastAPI, *, max_upload_bytes: int) -> None:
    """Add the routers; `max_upload_bytes` is the limit for routes that accept files."""
    for page in RATERS:
        app.include_router(page.router, prefix="/s")
    app.include_router(walk_through_page.raters_router, prefix="/s")
    app.include_router(health.router)
    app.include_router(metrics.router)
    app.state.pages.environment.globals["help_for"] = help_pages.help_for
    app.state.pages.environment.globals["kept_page"] = KeptPages(language_now)
    app.state.pages.environment.globals["is_walk_through"] = is_walk_through
    app.state.pages.environment.globals["steps_ahead"] = steps_ahead
    app.state.pages.environment.globals["walk_conditions"] = conditions_of
    app.include_router(help_pages.router)
    api.include(app, max_upload_bytes=max_upload_bytes)
    app.state.pages.environment.globals["right_of"] = right_of
    for page in FILES:
        app.include_router(page.router, max_body_size=max_upload_bytes)
    app.include_router(second_study_page.router, max_body_size=MAX_REVIEWED)
    for page in LEADS:
        app.include_router(page.router)


def paths_of(routes: Iterable[Any]) -> Iterator[str]:
    """The paths of all routes, including those of included routers.

    Args:
        routes: FastAPI's routes; those of included routers have no public type.
    """
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from paths_of(inner.routes)
        elif hasattr(route, "path"):
            yield route.path
