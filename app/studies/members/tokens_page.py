"""Tokens of a study for programs that use the API: make one, see which exist, revoke them."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.leads import Lead
from app.accounts.roles import ROLES, Role
from app.accounts.session import SignedIn
from app.base.rendering.pages import form_page
from app.base.web.cookies import after_showing, redirect_showing, shown_once
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError
from app.base.web.links import base_address
from app.studies.members.api_tokens import (
    DAYS,
    LONGEST_NAME,
    ApiTokenError,
    list_api_tokens,
    make_api_token,
    revoke_api_token,
)
from app.studies.own_study import Own
from app.studies.studies import StudyRow

router = APIRouter()
DEFAULT: tuple[Role, int] = ("analyst", 90)


@router.get("/studies/{slug}/settings/api")
def show_tokens(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    return _page(request, db, lead, study)


@router.post("/studies/{slug}/settings/api")
def submit_token(
    request: Request,
    db: Db,
    lead: SignedIn,
    study: Own,
    name: Annotated[str, Form(max_length=1000)] = "",
    role: Annotated[Role, Form()] = DEFAULT[0],
    days: Annotated[int, Form()] = DEFAULT[1],
) -> Response:
    try:
        token = make_api_token(db, study, lead, name=name, role=role, days=days)
    except ApiTokenError as error:
        return _page(request, db, lead, study, problem=str(error), name=name, chosen=(role, days))
    return redirect_showing(request, _address(request, study), token)


@router.post("/studies/{slug}/settings/api/{number}/revocation")
def submit_token_revocation(request: Request, db: Db, lead: SignedIn, study: Own, number: int) -> Response:
    if not revoke_api_token(db, study, lead, number):
        raise NotFoundError
    return RedirectResponse(_address(request, study), status_code=303)


def _address(request: Request, study: StudyRow) -> str:
    return str(request.app.url_path_for("show_tokens", slug=study.slug))


def _page(
    request: Request,
    db: Db,
    lead: Lead,
    study: StudyRow,
    *,
    problem: str = "",
    name: str = "",
    chosen: tuple[Role, int] = DEFAULT,
) -> Response:
    roles = ROLES[ROLES.index(study.role) :] if study.role else ()
    base = base_address(request)
    response = form_page(
        request,
        "studies/members/tokens.html",
        lead=lead,
        study=study,
        tokens=list_api_tokens(db, study.id),
        roles=roles,
        days=DAYS,
        longest_name=LONGEST_NAME,
        address=f"{base}/api/v1/studies/{study.slug}",
        problem=problem,
        name=name,
        chosen=chosen,
        token=shown_once(request),
    )
    return after_showing(request, response)
