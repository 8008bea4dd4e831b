"""Snapshots: keep the results under a name, and open their address, also after the study was deleted."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.session import SignedIn
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError, PageError
from app.results.pages.report_query import OwnReportQuery
from app.results.snapshots.deleted import refuse_deleted
from app.results.snapshots.stored import find_snapshot
from app.studies.own_study import OwnForLong
from app.studies.rights import check_right
from app.studies.studies import get_study

router = APIRouter()
DELETED = "Ratings in these results were deleted because a rater withdrew. Open the results again, then save them."
OTHER_VERSION = "The study has a new version since these results were computed. Open the results again, then save them."


@router.post("/studies/{slug}/snapshots")
def submit_snapshot(
    request: Request, own: OwnForLong, asked: OwnReportQuery, name: Annotated[str, Form()] = ""
) -> Response:
    """Keep the results that the page showed, with its filters."""
    from app.results.snapshots.snapshots import MAX_NAME, DeletedAnswersError, OtherVersionError, save_snapshot

    name = " ".join(name.split())
    if not 0 < len(name) <= MAX_NAME:
        raise PageError(f"Give the snapshot a name of up to {MAX_NAME} characters.")
    state = request.app.state
    made = asked.whole_report(request, own)
    try:
        token = save_snapshot(state.begin, own.study, made, name, own.lead)
    except OtherVersionError:
        raise PageError(OTHER_VERSION) from None
    except DeletedAnswersError:
        raise PageError(DELETED) from None
    return RedirectResponse(_address(request, own.study.slug, token), status_code=303)


@router.get("/snapshots/{token}")
def show_snapshot(request: Request, db: Db, lead: SignedIn, token: str) -> Response:
    """The address to cite: it leads to the snapshot, or says that its study was deleted."""
    place = find_snapshot(db, token)
    if place is None:
        raise NotFoundError
    refuse_deleted(place)
    study = check_right(request, get_study(db, place.slug or "", lead.id))
    return RedirectResponse(_address(request, study.slug, token), status_code=303)


def _address(request: Request, slug: str, token: str) -> str:
    return f"{request.app.url_path_for('show_results', slug=slug)}?snapshot={token}"
