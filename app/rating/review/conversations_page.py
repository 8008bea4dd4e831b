"""The conversations or drafts of a study, those to look at first."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from app.accounts.session import SignedIn
from app.base.rendering.pages import page
from app.base.web.deps import Db
from app.rating.review.conversations import conversations_used, list_conversations, reply_problems
from app.studies.own_study import Own
from app.studies.protocols import get_protocol

router = APIRouter()
N_ON_PAGE = 100
MAX_PAGES = 100_000


@router.get("/studies/{slug}/conversations")
def show_conversations(
    request: Request, db: Db, lead: SignedIn, study: Own, at: Annotated[int, Query(ge=1, le=MAX_PAGES)] = 1
) -> Response:
    protocol = get_protocol(db, study.id, study.protocol_version)
    used = conversations_used(db, study.id)
    rows = list_conversations(db, study.id, protocol, n=N_ON_PAGE, skipped=(at - 1) * N_ON_PAGE)
    is_last = at * N_ON_PAGE >= used.n
    kind = protocol.writing.words.kind if protocol.writing else "conversation"
    problems = reply_problems(db, study.id)
    title, is_draft = f"{kind.capitalize()}s", kind == "draft"
    shown = {"rows": rows, "problems": problems, "used": used, "at": at, "is_draft": is_draft, "title": title}
    return page(
        request, "rating/review/conversations.html", status=200, lead=lead, study=study, is_last=is_last, **shown
    )
