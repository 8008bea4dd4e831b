"""Preregister a study: freeze its protocol and plan with a time and a hash, and take the forms away."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.session import SignedIn
from app.base.processes.side_process import SideProcessError
from app.base.rendering.pages import page
from app.base.web.deps import Db
from app.base.web.errors import BusyError, NotFoundError
from app.results.making.making import LONG_PARTS, Wanted
from app.results.making.page import made_file
from app.results.registration.registrations import list_registrations
from app.studies.own_study import Own, OwnExport, OwnForLong

router = APIRouter()
PATIENCE_S = 240


@router.get("/studies/{slug}/preregistration")
def show_preregistration(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    rows = list_registrations(db, study.id)
    return page(request, "results/registration/preregistration.html", lead=lead, study=study, registrations=rows)


@router.post("/studies/{slug}/preregistration")
def submit_preregistration(request: Request, own: OwnForLong) -> Response:
    """Keep the registration that a job makes; no transaction is open while it simulates the plan."""
    from app.analysis.document.registration import read_registration
    from app.results.registration.preregister import keep_registration

    wanted = Wanted("preregistration", "preregistration", kind=LONG_PARTS)
    try:
        made = request.app.state.making.content(own.study, wanted, patience_s=PATIENCE_S)
    except SideProcessError as error:
        raise BusyError("The plan could not be simulated in time. Nothing was registered. Try again.") from error
    with request.app.state.begin() as db:
        keep_registration(db, own.study, read_registration(made.decode()), own.lead)
    return RedirectResponse(request.app.url_path_for("show_preregistration", slug=own.study.slug), status_code=303)


@router.get("/studies/{slug}/preregistration/{number}.zip")
def export_preregistration(request: Request, own: OwnExport, number: int) -> Response:
    """Both forms in every format, with preregistration.json."""
    with request.app.state.begin() as db:
        numbers = [row.number for row in list_registrations(db, own.study.id)]
    if number not in numbers:
        raise NotFoundError
    part = f"preregistration-{number}.zip"
    wanted = Wanted("registration", part, {"number": number}, f"{own.study.slug}-{part}", is_lasting=True)
    return made_file(request, own.study, wanted)
