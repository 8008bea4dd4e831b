"""Personal links for raters, one by one or for a whole list, as a file for a mail merge."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, File, Form, Request, UploadFile
from starlette.responses import Response

from app.accounts.session import SignedIn
from app.base.problem import InvalidInputError
from app.base.rendering.pages import page
from app.base.web.csv_file import csv_file
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError
from app.base.web.links import base_address
from app.rating.arrival.arrivals import get_own_study_door
from app.rating.arrival.invitations import InviteError, invite_raters
from app.rating.recruitment.invited_people import invited_people
from app.studies.audit import record_act
from app.studies.own_study import Own
from app.studies.protocols import get_protocol

router = APIRouter()


@router.get("/studies/{slug}/raters/invitations")
def show_rater_invitations(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    return _page(request, db, lead, study)


@router.post("/studies/{slug}/raters/invitations")
def submit_rater_invitations(
    request: Request,
    db: Db,
    lead: SignedIn,
    study: Own,
    people: Annotated[str, Form()] = "",
    pool: Annotated[str, Form(max_length=200)] = "",
    file: Annotated[UploadFile | None, File()] = None,
) -> Response:
    door = get_own_study_door(db, study.slug)
    if door is None:
        raise NotFoundError
    content = file.file.read() if file is not None and file.filename else b""
    try:
        text = content.decode("utf-8-sig") if content else people
        found = invited_people(text)
        links = dict(invite_raters(db, door, [row[0] for row in found.rows], pool or None))
    except UnicodeDecodeError:
        return _page(request, db, lead, study, problem="The file is not UTF-8 text. Save it as CSV (UTF-8).")
    except InvalidInputError as error:
        return _page(request, db, lead, study, problem=error.problems[0].sentence(), people=people)
    except InviteError as error:
        return _page(request, db, lead, study, problem=str(error), people=people)
    record_act(db, lead, study, "raters invited", n_raters=len(links), pool=pool)
    addresses = _addresses(request, study, links)
    if len(addresses) == 1:
        return _page(request, db, lead, study, link=next(iter(addresses.items())))
    rows = [[*row, addresses[row[0]]] for row in found.rows]
    return csv_file(f"{study.slug}-invitations.csv", [*found.columns, "link"], rows)


def _addresses(request: Request, study: Own, links: dict[str, str]) -> dict[str, str]:
    """The personal link of each rater, from its token."""
    base = base_address(request)
    return {key: f"{base}/s/{study.rater_token}?invite={token}" for key, token in links.items()}


def _page(
    request: Request,
    db: Db,
    lead: SignedIn,
    study: Own,
    *,
    problem: str = "",
    people: str = "",
    link: tuple[str, str] | None = None,
) -> Response:
    design = get_protocol(db, study.id, study.protocol_version).design
    return page(
        request,
        "rating/recruitment/rater_invitations.html",
        status=422 if problem else 200,
        lead=lead,
        study=study,
        pools=list(design.pools),
        is_personal=design.links == "personal",
        problem=problem,
        people=people,
        link=link,
    )
