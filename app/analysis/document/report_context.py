"""What a report does not know of itself."""

from dataclasses import dataclass

from app.analysis.document.registration import Registration


@dataclass(frozen=True, slots=True)
class ReportContext:
    """When a report was made, and whether the study still runs.

    `n_skipped` is how many trials raters skipped, None if it is not known.
    `registration` is the plan that the report is compared with; `version` that of the protocol, None for a folder.
    `judges` are the model judges of the study, as a registration has them.
    `origin` is a sentence about the template that the study was started from, empty if there is none.
    """

    made_on: str
    status: str = ""
    registration: Registration | None = None
    version: int | None = None
    origin: str = ""
    n_skipped: int | None = None
    judges: tuple[dict[str, str], ...] = ()
