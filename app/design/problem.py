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
        >>> Problem("study.yaml", 7, "sources", "GPT more than once", "sources must have different labels").sentence()
        'study.yaml, line 7: sources must have different labels; found "GPT more than once".'
        >>> Problem("study.yaml", 7, "scale", "low", "each point must be a number").sentence()
        'study.yaml, line 7, column scale: each point must be a number; found "low".'
        """
        row = f", {'line' if self.file.endswith(('.yaml', '.yml')) else 'row'} {self.row}" if self.row else ""
        if self.is_rule and self.allowed.startswith(self.column or ""):
            return f'{self.file}{row}: {self.allowed}; found "{self.found}".'
        column = f", column {self.column}" if self.column else ""
        if self.is_rule:
            return f'{self.file}{row}{column}: {self.allowed}; found "{self.found}".'
        return f'{self.file}{row}{column}: found "{self.found}"; allowed: {self.allowed}.'

    def beside_its_field(self) -> str:
        """The problem for a page that shows it next to the field.

        >>> Problem("study.yaml", 3, "title", "nothing", "a value; this setting is required").beside_its_field()
        'Found: nothing. Expected: a value; this setting is required.'
        >>> Problem("study.yaml", 3, "questions.1.scale", "low", "each point must be a number").beside_its_field()
        'Each point must be a number. Found: low.'
        """
        if self.is_rule:
            return f"{self.allowed[:1].upper()}{self.allowed[1:]}. Found: {self.found}."
        return f"Found: {self.found}. Expected: {self.allowed.rstrip('.')}."

    @property
    def is_rule(self) -> bool:
        """Whether `allowed` is a sentence about a rule (*sources must have ...*), not the values that are allowed."""
        return " must " in self.allowed


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
