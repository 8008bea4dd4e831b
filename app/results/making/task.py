"""What a maker is given, and how it says that something cannot be made."""

from dataclasses import dataclass
from pathlib import Path

from app.base.database.engine import Begin
from app.results.reports.outcomes import Tell
from app.studies.studies import StudyRow


class RefusedError(ValueError):
    """It cannot be made of this study, for the reason in the message."""


@dataclass(frozen=True, slots=True)
class Task:
    """Something to be made.

    Attributes:
        begin: opens transactions on the primary.
        reading: the same where results are read from, which may be a replica.
        study: the study that it is made of.
        path: the file to write.
        tell: takes how far it is.
    """

    begin: Begin
    reading: Begin
    study: StudyRow
    path: Path
    tell: Tell
