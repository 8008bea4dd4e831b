"""Privacy: what a study stores, open to everyone; and a copy of their data for raters who have finished or stopped."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.base.language.message import message
from app.base.web.deps import Db
from app.base.web.errors import ForbiddenError, NotFoundError
from app.base.web.file_responses import data_file
from app.protocol.stored_data import stored_data
from app.rating.arrival.arrivals import get_arrival_study
from app.rating.deps import AnySession
from app.rating.http_responses import rater_page
from app.rating.withdrawal.rater_data import get_rater_data
from app.studies.protocols import get_protocol
from app.studies.studies import get_keep_until

router = APIRouter()
NOT_YET = message("You can download your data once you have finished or stopped.")
ELSEWHERE = message("Your data can be downloaded only in the browser in which you started, or with a personal link.")


@router.get("/{slug}/privacy")
def show_privacy(request: Request, slug: str, db: Db) -> Response:
    study = get_arrival_study(db, slug)
    if study is None or study.status == "draft":
        raise NotFoundError
    protocol = get_protocol(db, study.id, study.protocol_version, study.sha256)
    return rater_page(
        request,
        "privacy.html",
        slug,
        protocol,
        stored=stored_data(protocol),
        keep_until=get_keep_until(db, study.id),
        backup_days=request.app.state.backup_days,
    )


@router.get("/{slug}/my-data.json")
def export_own_data(db: Db, session: AnySession) -> Response:
    if session.is_moved:
        raise ForbiddenError(ELSEWHERE)
    if not session.has_ended:
        raise ForbiddenError(NOT_YET)
    return data_file("my-data.json", get_rater_data(db, session.study_id, session.rater_id, is_own=True))
