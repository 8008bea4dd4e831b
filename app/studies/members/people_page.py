"""The people of a study: who they are, what they may do, invitations, and a way back in for who lost a password."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.leads import Lead
from app.accounts.roles import IN_WORDS, ROLES, Role
from app.accounts.session import SignedIn
from app.base.rendering.pages import form_page
from app.base.web.cookies import after_showing, redirect_showing, shown_once
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError
from app.base.web.links import base_address
from app.studies.audit import record_act
from app.studies.members.changes import MemberError, change_role, invite, recovery_link, remove
from app.studies.members.members import list_invitations, list_members, revoke_invitation
from app.studies.own_study import Own
from app.studies.studies import StudyRow

router = APIRouter()
Email = Annotated[str, Form(max_length=320)]
ChosenRole = Annotated[Role, Form()]


@router.get("/studies/{slug}/people")
def show_people(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    return _page(request, db, lead, study)


@router.post("/studies/{slug}/people")
def submit_invitation(
    request: Request, db: Db, lead: SignedIn, study: Own, role: ChosenRole, email: Email = ""
) -> Response:
    try:
        token = invite(db, study, lead, email, role)
    except MemberError as error:
        return _page(request, db, lead, study, problem=str(error), email=email, role=role)
    address = _address(request, "show_invitation", token)
    return redirect_showing(request, _people(request, study), f"invitation {email.strip().lower()} {address}")


@router.post("/studies/{slug}/people/leave")
def submit_leaving(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    try:
        remove(db, study, lead, lead.id)
    except MemberError as error:
        return _page(request, db, lead, study, problem=str(error))
    return RedirectResponse(request.app.url_path_for("show_studies"), status_code=303)


@router.post("/studies/{slug}/people/invitations/{number}")
def submit_revocation(request: Request, db: Db, lead: SignedIn, study: Own, number: int) -> Response:
    email = revoke_invitation(db, study.id, number)
    if email is None:
        raise NotFoundError
    record_act(db, lead, study, "invitation withdrawn", email=email)
    return _back(request, study)


@router.post("/studies/{slug}/people/{member}/role")
def submit_role(request: Request, db: Db, lead: SignedIn, study: Own, member: int, role: ChosenRole) -> Response:
    try:
        change_role(db, study, lead, member, role)
    except MemberError as error:
        return _page(request, db, lead, study, problem=str(error))
    return _back(request, study)


@router.post("/studies/{slug}/people/{member}/removal")
def submit_removal(request: Request, db: Db, lead: SignedIn, study: Own, member: int) -> Response:
    try:
        remove(db, study, lead, member)
    except MemberError as error:
        return _page(request, db, lead, study, problem=str(error))
    return _back(request, study)


@router.post("/studies/{slug}/people/{member}/recovery")
def submit_recovery(request: Request, db: Db, lead: SignedIn, study: Own, member: int) -> Response:
    try:
        token = recovery_link(db, study, lead, member)
    except MemberError as error:
        return _page(request, db, lead, study, problem=str(error))
    email = next(one.email for one in list_members(db, study.id) if one.lead_id == member)
    address = _address(request, "show_sign_in_link", token) + "?next=/account"
    return redirect_showing(request, _people(request, study), f"recovery {email} {address}")


def _address(request: Request, handler: str, token: str) -> str:
    base = base_address(request)
    return base + str(request.app.url_path_for(handler, token=token))


def _back(request: Request, study: StudyRow) -> Response:
    return RedirectResponse(_people(request, study), status_code=303)


def _people(request: Request, study: StudyRow) -> str:
    return str(request.app.url_path_for("show_people", slug=study.slug))


def _page(
    request: Request,
    db: Db,
    lead: Lead,
    study: StudyRow,
    *,
    problem: str = "",
    email: str = "",
    role: Role = "editor",
) -> Response:
    # Its kind, for whom it is, and its address.
    link = shown_once(request).split(" ")
    response = form_page(
        request,
        "studies/members/people.html",
        lead=lead,
        study=study,
        members=list_members(db, study.id),
        invitations=list_invitations(db, study.id) if study.may("own") else [],
        roles=ROLES,
        in_words=IN_WORDS,
        problem=problem,
        email=email,
        chosen=role,
        link=link if link[2:] else None,
    )
    return after_showing(request, response)
