"""A study's page for its lead: coverage that refreshes itself, opening, closing and new versions, links for raters."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.session import SignedIn
from app.base.language.language import note_on
from app.base.rendering.pages import is_htmx, page
from app.base.web.deps import Db
from app.base.web.errors import PageError
from app.base.web.links import base_address
from app.llm.live.claims import missing_models
from app.rating import life_cycle as design
from app.rating.checklist import get_opening
from app.rating.rater_path import today
from app.rating.recruitment.wave_returns import count_returns
from app.results.overview.progress import get_progress, progress_words
from app.results.overview.progress_chart import ProgressChart
from app.studies import coverage
from app.studies.audit import record_act
from app.studies.editor.design_page import places_of_placeholders
from app.studies.editor.protocol_edits import UnreadableEditError, has_waiting_change, publish
from app.studies.own_study import Own
from app.studies.protocols import get_protocol
from app.studies.rater_links import rater_links
from app.studies.studies import GivenStatus

router = APIRouter()

# Counting is fast up to these numbers; beyond them, a page that is left open should refresh less often.
MANY_TRIALS, MANY_ANSWERS = 5000, 20_000


@router.get("/studies/{slug}")
def show_study(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    protocol = get_protocol(db, study.id, study.protocol_version)
    platform = protocol.recruitment.platform
    links = rater_links(base_address(request), study.rater_token, platform=platform)
    link = next((one for one in links if one.platform == platform), None)
    note = note_on(protocol.language)
    counted = _counted(db, study)
    opening = replace(get_opening(db, study), missing_models=missing_models(protocol, request.app.state.model_servers))
    progress_chart = ProgressChart(get_progress(db, study.id))
    context = {
        "link": link,
        "note": note,
        "opening": opening,
        "checklist": opening.checklist(),
        "progress_chart": progress_chart,
        **counted,
    }
    context["has_waiting_change"] = study.status in {"open", "paused"} and has_waiting_change(db, study.id)
    context["is_final"] = protocol.monitoring.blind_interim
    context["unfilled"] = places_of_placeholders(protocol) if study.opened_at is None else []
    return page(request, "results/overview/study.html", lead=lead, study=study, is_refreshed=False, **context)


@router.get("/studies/{slug}/coverage")
def show_coverage(request: Request, db: Db, study: Own) -> Response:
    if not is_htmx(request):
        return RedirectResponse(f"/studies/{study.slug}", status_code=303)
    return page(request, "results/overview/coverage.html", study=study, is_refreshed=True, **_counted(db, study))


@router.post("/studies/{slug}/status")
def submit_status(
    request: Request,
    db: Db,
    lead: SignedIn,
    study: Own,
    status: Annotated[GivenStatus, Form()],
    as_written: Annotated[tuple[str, ...], Form()] = (),
) -> Response:
    done = RedirectResponse(f"/studies/{study.slug}", status_code=303)
    if status == study.status:  # from a page in another tab
        return done
    protocol = get_protocol(db, study.id, study.protocol_version)
    if status == "open" and (missing := missing_models(protocol, request.app.state.model_servers)):
        raise PageError(" ".join(missing))
    try:
        design.change_status(db, study, status, as_written)
    except design.OpeningError as error:
        raise PageError(str(error)) from error
    record_act(db, lead, study, "status changed", before=study.status, after=status)
    return done


@router.post("/studies/{slug}/design/version")
def submit_version(
    request: Request, db: Db, lead: SignedIn, study: Own, as_written: Annotated[tuple[str, ...], Form()] = ()
) -> Response:
    try:
        version = publish(db, study, as_written)
        record_act(db, lead, study, "new version", version=version)
        if study.opened_at is not None:
            design.use_version(db, study.slug)
    except UnreadableEditError as error:
        raise PageError(" ".join(problem.sentence() for problem in error.problems[:3])) from error
    except design.OpeningError as error:
        raise PageError(str(error)) from error
    return RedirectResponse(request.app.url_path_for("show_design", slug=study.slug), status_code=303)


def _counted(db: Db, study: Own) -> dict[str, Any]:
    counted = coverage.get_coverage(db, study.id)
    protocol = get_protocol(db, study.id, study.protocol_version)
    n_finished = counted.rating_sessions.n_finished
    per_rater = protocol.design.trials_per_rater or (counted.n_rated / n_finished if n_finished else None)
    progress = progress_words(
        counted.n_rated,
        counted.n_seats,
        per_rater=per_rater if study.status != "closed" else None,
        most_left=max((trial.n_seats - trial.n_done for trial in counted.least), default=0),
        n_last_day=counted.n_last_day if study.status == "open" else 0,
        now=datetime.now(UTC),
    )
    counts = coverage.get_counts(db, study.id)
    refresh_s = 5 if counted.n_trials < MANY_TRIALS and counts.n_ratings < MANY_ANSWERS else 30
    return {
        "waves": count_returns(db, study.id, protocol, today()),
        "coverage": counted,
        "counts": counts,
        "refresh_s": refresh_s,
        "progress": progress,
        "labels": protocol.labels,
    }
