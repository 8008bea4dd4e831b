"""What the summary and the first page of the report will look like, on simulated answers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from app.accounts.rate_limits import count, forecast_limit
from app.analysis.data.filter_options import FilterOptions
from app.base.processes.side_process import SideProcessError
from app.base.rendering.pages import page
from app.base.rendering.words import minutes
from app.base.web.errors import TooManyError
from app.rating.trial_run.trial_run import TrialRunError
from app.results.rehearsal.rehearsal import REHEARSAL_PROCESS, TIMEOUT_S, rehearse
from app.results.reports.outcomes import LiveReport
from app.studies.own_study import OwnForLong

router = APIRouter()
MAX_SEED = 1_000_000


@router.get("/studies/{slug}/rehearsal")
def show_rehearsal(request: Request, own: OwnForLong, seed: Annotated[int, Query(ge=1, le=MAX_SEED)] = 1) -> Response:
    """The answer that the study will give, if people answered like this."""
    from app.analysis.report.labelled import labelled
    from app.results.pages.summary_view import summary_context

    if wait_s := count(request.app.state.begin, [forecast_limit(own.lead.id)]):
        raise TooManyError(f"There were too many simulations. Try again in {minutes(wait_s)}.", retry_after_s=wait_s)
    frame: dict[str, Any] = {"lead": own.lead, "study": own.study, "seed": seed % MAX_SEED + 1}
    try:
        with request.app.state.begin() as db:
            rehearsed = rehearse(db, own.study, seed)
        report, sections = REHEARSAL_PROCESS.ask((rehearsed.frames, rehearsed.protocol), timeout_s=TIMEOUT_S)
    except (TrialRunError, SideProcessError) as error:
        return page(request, "results/rehearsal/rehearsal.html", status=409, problem=str(error), **frame)
    made = LiveReport(
        "", datetime.now(UTC), report, rehearsed.protocol, FilterOptions({}, {}, {}, {}, {}, has_times=False)
    )
    context = summary_context(labelled(report, rehearsed.protocol.labels), made)
    return page(
        request,
        "results/rehearsal/rehearsal.html",
        problem="",
        rehearsed=rehearsed,
        sections=sections,
        **frame,
        **context,
    )
