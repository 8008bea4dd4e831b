"""What a report does not know of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from app.analysis.document.registration import Registration


class Arm(NamedTuple):
    """How many raters of a condition between raters, or of a pool, arrived and finished."""

    n_arrived: int
    n_finished: int


@dataclass(frozen=True, slots=True)
class Circumstances:
    """When a report was made, whether the study still runs, and how raters took part.

    `arrivals` says how many raters came and why some did not finish, in the order of reading; `arms` the same by
    condition or pool, as written in files; `n_skipped` is how many trials raters skipped, None if it is not known.
    `registration` is the plan that the report is compared with; `version` that of the protocol, None for a folder.
    `origin` is a sentence about the template that the study was started from, empty if there is none.
    """

    made_on: str
    status: str = ""
    arrivals: Mapping[str, int] = field(default_factory=dict)
    registration: Registration | None = None
    version: int | None = None
    origin: str = ""
    arms: Mapping[str, Arm] = field(default_factory=dict)
    n_skipped: int | None = None
