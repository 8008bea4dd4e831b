"""A problem in what a lead hands in: where it stands, what was found, what is allowed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem. `row` counts as a spreadsheet does: the header is row 1; for YAML it is the line."""

    file: str
    row: int | None
    column: str | None
    found: str
    allowed: str
    severity: Literal["error", "warning"] = "error"

    def sentence(self) -> str:
        """The problem as a person reads it.

        >>> Problem("ratings.csv", 7, "value", "6", "1, 2, 3, 4 or 5 (the scale of `quality`)").sentence()
        'ratings.csv, row 7, column value: found "6"; allowed: 1, 2, 3, 4 or 5 (the scale of `quality`).'
        """
        row = f", {'line' if self.file.endswith(('.yaml', '.yml')) else 'row'} {self.row}" if self.row else ""
        column = f", column {self.column}" if self.column else ""
        return f'{self.file}{row}{column}: found "{self.found}"; allowed: {self.allowed}.'


class InvalidInputError(Exception):
    """The input has problems; nothing of it was stored."""

    def __init__(self, problems: list[Problem]) -> None:
        """Carry every problem, so that all can be mended in one go."""
        super().__init__("\n".join([f"{len(problems)} problems", *(problem.sentence() for problem in problems[:10])]))
        self.problems = problems

    def __reduce__(self) -> tuple[type[InvalidInputError], tuple[list[Problem]]]:
        """Pickled with its problems: the input may be read in another process."""
        return InvalidInputError, (self.problems,)


class FolderExistsError(FileExistsError):
    """The folder to write is there already and holds something. Nothing was written."""
