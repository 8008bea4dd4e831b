"""Preregistrations of stored studies: the plan is simulated in a process of their own."""

from __future__ import annotations

from app.accounts.leads import Lead
from app.analysis.document.registration import Registration
from app.base.database.engine import Begin
from app.base.processes.side_process import SideProcess
from app.results.registration.preregister import (
    keep_registration,
    register,
    to_register,
)
from app.studies.studies import StudyRow

REST_S = 120
TIMEOUT_S = 240


# One for each web process.
PREREGISTRATION_PROCESS = SideProcess(register, name="attune-preregistration", rest_s=REST_S)


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
