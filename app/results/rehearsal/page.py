"""What the summary and the first page of the report will look like, on simulated answers."""

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
from app.protocol.study import Protocol
from app.results.making.making import LONG_PARTS, Wanted
from app.results.making.task import RefusedError
from app.results.reports.outcomes import LiveReport
from app.studies.own_study import OwnForLong

router = APIRouter()
MAX_SEED = 1_000_000


@router.get("/studies/{slug}/rehearsal")
def show_rehearsal(request: Request, own: OwnForLong, seed: Annotated[int, Query(ge=1, le=MAX_SEED)] = 1) -> Response:
    """The answer that the study will give, if people answered like this."""
    from app.analysis.report.labelled import labelled
    from app.analysis.report.stored_report import read_stored
    from app.results.pages.summary_view import summary_context

    if wait_s := count(request.app.state.begin, [forecast_limit(own.lead.id)]):
        raise TooManyError(f"There were too many simulations. Try again in {minutes(wait_s)}.", retry_after_s=wait_s)
    frame: dict[str, Any] = {"lead": own.lead, "study": own.study, "seed": seed % MAX_SEED + 1}
    try:
        wanted = Wanted("rehearsal", f"rehearsal-{seed}", {"seed": seed}, kind=LONG_PARTS)
        content = request.app.state.making.content(own.study, wanted)
    except (RefusedError, SideProcessError) as error:
        return page(request, "results/rehearsal/rehearsal.html", status=409, problem=str(error), **frame)
    report, sections, stored, n_raters, n_needed = read_stored(content.decode())
    protocol = Protocol.model_validate(stored)
    made = LiveReport("", datetime.now(UTC), report, protocol, FilterOptions({}, {}, {}, {}, {}, has_times=False))
    context = summary_context(labelled(report, protocol.labels), made)
    return page(
        request,
        "results/rehearsal/rehearsal.html",
        problem="",
        n_raters=n_raters,
        n_needed=n_needed,
        sections=sections,
        **frame,
        **context,
    )
