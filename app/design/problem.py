"""A problem in the lead's input: where it is, what was found, what is allowed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem. `row` is numbered as in a spreadsheet, with the header in row 1; for YAML it is the line."""

    file: str
    row: int | None
    column: str | None
    found: str
    allowed: str
    severity: Literal["error", "warning"] = "error"

    def sentence(self) -> str:
        """The problem as a readable sentence.

        >>> Problem("ratings.csv", 7, "value", "6", "1, 2, 3, 4 or 5 (the scale of `quality`)").sentence()
        'ratings.csv, row 7, column value: found "6"; allowed: 1, 2, 3, 4 or 5 (the scale of `quality`).'
        """
        row = f", {'line' if self.file.endswith(('.yaml', '.yml')) else 'row'} {self.row}" if self.row else ""
        column = f", column {self.column}" if self.column else ""
        return f'{self.file}{row}{column}: found "{self.found}"; allowed: {self.allowed}.'


class InvalidInputError(Exception):
    """The input has problems; none of it was stored."""

    def __init__(self, problems: list[Problem]) -> None:
        """Store all problems, so that they can be corrected in one go."""
        super().__init__(
            "\n".join(
                [
                    f"{len(problems)} problem{'' if len(problems) == 1 else 's'}",
                    *(problem.sentence() for problem in problems[:10]),
                ]
            )
        )
        self.problems = problems

    def __reduce__(self) -> tuple[type[InvalidInputError], tuple[list[Problem]]]:
        """Pickle with the problems: the input may be read in another process."""
        return InvalidInputError, (self.problems,)


class FolderExistsError(FileExistsError):
    """The folder to write exists and is not empty. Nothing was written."""
