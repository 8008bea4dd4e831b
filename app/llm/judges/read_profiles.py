"""Read a file of rater profiles."""

from __future__ import annotations

from pathlib import Path

from app.base.files.spreadsheet import table_of
from app.base.limits import ON_THIS_COMPUTER, Limits
from app.base.problems import Problems
from app.llm.judges.rater_profiles import ProfileTable, RaterProfile, profiles_of


def read_profiles(path: Path, limits: Limits = ON_THIS_COMPUTER) -> list[RaterProfile]:
    """The profiles of a spreadsheet, read within these limits.

    Raises:
        InvalidInputError: every problem of the file.
    """
    problems = Problems(limits)
    table = table_of(path, problems)
    problems.raise_if_any()
    columns = [*table.columns]
    rows = [
        (int(row), {name: str(table.column(name)[place]) for name in columns}) for place, row in enumerate(table.rows)
    ]
    return profiles_of(ProfileTable(path.name, columns, rows))
