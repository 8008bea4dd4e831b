"""A number that counts suffice for, without what it is computed with."""

from __future__ import annotations

from dataclasses import dataclass

from app.stats.result import Result


@dataclass(frozen=True, slots=True)
class CountedResult:
    """One statistic of a question, of one source or of all (None), if it is compared against the reference."""

    question: str
    source: str | None
    statistic: str
    result: Result
    reference: str | None = None
