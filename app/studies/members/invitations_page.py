"""Joining a study by an invitation: with an account, or by making one."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.accounts import lead_access as access
from app.accounts import passwords
from app.accounts.leads import Lead, get_lead
from app.accounts.roles import IN_WORDS
from app.accounts.session import MaybeLead, log_event, signed_in_answer
from app.accounts.sign_in import check_has_passwords, ways_in
from app.base.rendering.pages import form_page
from app.base.web.deps import Db
from app.base.web.errors import GoneError
from app.studies.members.changes import join
from app.studies.members.members import get_invitation

router = APIRouter()
OVER = "This invitation has been used, withdrawn or has expired. Ask for a new one."


@router.get("/invitations/{token}")
def show_invitation(request: Request, db: Db, lead: MaybeLead, token: str) -> Response:
    return _page(request, db, lead, token)


@router.post("/invitations/{token}")
def submit_invitation_answer(
    request: Request,
    db: Db,
    lead: MaybeLead,
    token: str,
    password: Annotated[str, Form(max_length=5000)] = "",
) -> Response:
    if lead is not None:
        slug = join(db, token, lead)
        if slug is None:
            raise GoneError(OVER)
        return RedirectResponse(request.app.url_path_for("show_study", slug=slug), status_code=303)
    check_has_passwords(request)
    invitation = get_invitation(db, token)
    if invitation is None:
        raise GoneError(OVER)
    try:
        new = access.add_lead(db, invitation.email, password)
    except passwords.AccessError as error:
        return _page(request, db, None, token, problem=str(error))
    join(db, token, new)
    log_event(request, "account created by invitation", new)
    path = str(request.app.url_path_for("show_study", slug=invitation.slug))
    return signed_in_answer(request, access.begin_session(db, new), path)


def _page(request: Request, db: Db, lead: Lead | None, token: str, *, problem: str = "") -> Response:
    invitation = get_invitation(db, token)
    if invitation is None:
        raise GoneError(OVER)
    return form_page(
        request,
        "studies/members/invitation.html",
        lead=lead,
        invitation=invitation,
        token=token,
        has_account=get_lead(db, invitation.email) is not None,
        in_words=IN_WORDS,
        shortest=passwords.SHORTEST,
        problem=problem,
        **ways_in(request),
    )
