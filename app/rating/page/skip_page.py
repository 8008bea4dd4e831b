"""Skip an item, with a reason."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.base.language.message import message
from app.base.web.deps import Db
from app.base.web.errors import PageError
from app.protocol.questions.form import read_page_ms
from app.rating.answers.skips import SkipReasonError, skip
from app.rating.deps import FormFields, Own
from app.rating.http_responses import go
from app.rating.page.rate import follow
from app.rating.rater_path import may_rate

router = APIRouter()


class ReasonError(PageError):
    """The reason is missing, or the study does not accept it any more. The status makes scripts load the page again."""

    status = 409
    title = message("This item was not skipped")


@router.post("/{slug}/rate/{token}/skip")
def submit_skip(request: Request, slug: str, db: Db, own: Own, form: FormFields) -> Response:
    session, view = own
    if not may_rate(db, session, view):
        return go(request, "show_current", slug=slug)
    try:
        skip(db, session, view, next(iter(form.get("reason", ())), ""), read_page_ms(form))
    except SkipReasonError:
        raise ReasonError(message("Please go back and choose a reason for skipping this item.")) from None
    return follow(request, slug, db, session, view)
