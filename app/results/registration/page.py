"""Preregister a study: freeze its protocol and plan with a time and a hash, and take the forms away."""

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.session import SignedIn
from app.base.database.engine import Begin
from app.base.documents.blocks import DataTable, Paragraph
from app.base.processes.side_process import SideProcessError
from app.base.rendering.pages import page
from app.base.web.deps import Db
from app.base.web.errors import BusyError, NotFoundError
from app.results.making.making import LONG_PARTS, Wanted
from app.results.making.page import made_file
from app.results.registration.preregister import list_judges, list_registrations, registration_of
from app.results.reports.outcomes import LiveReport
from app.studies.editor.protocol_edits import has_waiting_change
from app.studies.own_study import Own, OwnExport, OwnForLong
from app.studies.studies import StudyRow

router = APIRouter()
PATIENCE_S = 240


@router.get("/studies/{slug}/preregistration")
def show_preregistration(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    rows = list_registrations(db, study.id)
    return page(
        request,
        "results/registration/preregistration.html",
        lead=lead,
        study=study,
        registrations=rows,
        has_waiting_change=has_waiting_change(db, study.id),
    )


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


# The registered plan compared with what was done, as the report for a paper compares them.


@dataclass(frozen=True, slots=True)
class ComparedPlan:
    """The comparison in sentences, and point by point; there are no points where it cannot be made."""

    sentences: tuple[str, ...]
    table: DataTable | None

    @property
    def short(self) -> str:
        """How many points differ, for the summary; empty if that is not known."""
        return self.sentences[-1] if self.table else ""

    @property
    def points(self) -> list[tuple[tuple[str, ...], bool]]:
        """Each point, and whether it is to be looked at; those first."""
        from app.analysis.document.deviations import NO

        rows = self.table.rows if self.table else ()
        return sorted(((row, row[-1] != NO) for row in rows), key=lambda point: not point[1])


def compared_plan(begin: Begin, study: StudyRow, made: LiveReport, version: int) -> ComparedPlan | None:
    """The comparison of a report by this version of the protocol; None if the study was never registered."""
    with begin() as db:
        registration, judges = registration_of(db, study), list_judges(db, study.id)
    if registration is None:
        return None
    from app.analysis.document.deviations import deviations_section

    blocks = deviations_section(registration, made.report, made.protocol, version, judges).blocks
    table = next((block for block in blocks if isinstance(block, DataTable)), None)
    return ComparedPlan(tuple(block.text for block in blocks if isinstance(block, Paragraph)), table)
