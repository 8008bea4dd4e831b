"""Preregistrations of stored studies: the plan is simulated, and the forms are written, in a process of their own."""

from __future__ import annotations

from dataclasses import dataclass

from app.accounts.leads import Lead
from app.analysis.document.registration import Registration, read_registration
from app.base.database.engine import Begin
from app.base.processes.side_process import SideProcess
from app.results.documents.document_formats import FORMATS, zipped
from app.results.registration.preregister import (
    ToRegister,
    keep_registration,
    register,
    registration_files,
    to_register,
)
from app.studies.studies import StudyRow

REST_S = 120
TIMEOUT_S = 240


@dataclass(frozen=True, slots=True)
class ToWrite:
    """A registration whose files are wanted."""

    registration: Registration


def work(job: ToRegister | ToWrite) -> Registration | bytes:
    """Simulate the plan of a study, or write the files of its registration."""
    if isinstance(job, ToRegister):
        return register(job)
    return zipped(registration_files(job.registration, tuple(FORMATS)))


# One for each web process.
PREREGISTRATION_PROCESS = SideProcess(work, name="attune-preregistration", rest_s=REST_S)


def preregister(begin: Begin, study: StudyRow, lead: Lead) -> Registration:
    """Register a stored study as it is now; no transaction is open while the plan is simulated.

    Raises:
        SideProcessError: the process is gone, or took too long. Nothing is registered.
    """
    with begin() as db:
        asked = to_register(db, study)
    made: Registration = PREREGISTRATION_PROCESS.ask(asked, timeout_s=TIMEOUT_S)
    with begin() as db:
        keep_registration(db, study, made, lead)
    return made


def registration_archive(document: str) -> bytes:
    """The files of a stored registration in one archive.

    Raises:
        SideProcessError: the process is gone, or took too long.
    """
    content: bytes = PREREGISTRATION_PROCESS.ask(ToWrite(read_registration(document)), timeout_s=TIMEOUT_S)
    return content
