"""The items that people rate, if a model judge rates all: how they were drawn, and how more are drawn."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.session import SignedIn
from app.base.processes.side_process import SideProcessError
from app.base.rendering.pages import form_page
from app.base.web.deps import Db
from app.rating.life_cycle import OpeningError, grow_sample
from app.results.blinding import is_blinded
from app.results.making.task import RefusedError
from app.results.planning.human_sample import get_human_sample, sizes_of
from app.studies.audit import record_act
from app.studies.own_study import LeadAndStudy, Own, OwnForLong
from app.studies.protocols import get_protocol

router = APIRouter()
BLINDED = (
    "The estimates of this study are hidden until it closes, so the sample cannot follow the answers. "
    "A larger share in a new version adds items at random."
)
TOO_LONG = "Comparing judges and people took too long. Try again."
MAX_ITEMS = 100_000


@router.get("/studies/{slug}/human-sample")
def show_human_sample(request: Request, db: Db, lead: SignedIn, study: Own, added: int | None = None) -> Response:
    """`added`: the stage that has just added items."""
    template, sample = "results/planning/human_sample.html", get_human_sample(db, study)
    return form_page(request, template, lead=lead, study=study, sample=sample, n=None, added=added)


@router.post("/studies/{slug}/human-sample")
def submit_growth(
    request: Request,
    own: OwnForLong,
    n: Annotated[int, Form(ge=1, le=MAX_ITEMS)],
    stage: Annotated[int, Form(ge=0, le=MAX_ITEMS)],
) -> Response:
    """Draw about n more items."""
    problem = _grown(request, own, n, stage)
    if not problem:
        address = request.app.url_path_for("show_human_sample", slug=own.study.slug)
        return RedirectResponse(f"{address}?added={stage + 1}", 303)
    with request.app.state.begin() as db:
        sample = get_human_sample(db, own.study)
    context = {"lead": own.lead, "study": own.study, "sample": sample, "n": n, "added": None}
    return form_page(request, "results/planning/human_sample.html", problem=problem, **context)


def _grown(request: Request, own: LeadAndStudy, n: int, stage: int) -> str:
    """Let the sample grow; why it cannot, or nothing."""
    with request.app.state.begin() as db:
        protocol = get_protocol(db, own.study.id, own.study.protocol_version)
        if problem := get_human_sample(db, own.study).problem:
            return problem
    if is_blinded(own.study, protocol):
        return BLINDED
    try:
        sizes = sizes_of(request.app.state.making, own.study)
        with request.app.state.begin() as db:
            added = grow_sample(db, own.study.slug, sizes, n, stage=stage)
            record_act(db, own.lead, own.study, "human sample grown", items=added, stage=stage + 1)
    except (RefusedError, OpeningError) as error:
        return str(error)
    except SideProcessError:
        return TOO_LONG
    return ""
