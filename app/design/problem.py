"""A problem in the lead's input: where it is, what was found, what is allowed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem. `row` is numbered as in a spreadsheet, with the header in row 1; for YAML it is the line.

    `is_rule`: `allowed` is a sentence about a rule (*sources must have ...*), not the values that are allowed.
    """

    file: str
    row: int | None
    column: str | None
    found: str
    allowed: str
    severity: Literal["error", "warning"] = "error"
    is_rule: bool = False

    def sentence(self) -> str:
        """The problem as a readable sentence.

        >>> Problem("ratings.csv", 7, "value", "6", "1, 2, 3, 4 or 5 (the scale of `quality`)").sentence()
        'ratings.csv, row 7, column value: found "6"; allowed: 1, 2, 3, 4 or 5 (the scale of `quality`).'
        >>> rule = "sources must have different labels"
        >>> Problem("study.yaml", 7, "sources", "GPT more than once", rule, is_rule=True).sentence()
        'study.yaml, line 7: sources must have different labels; found "GPT more than once".'
        >>> Problem("study.yaml", 7, "scale", "low", "each point must be a number", is_rule=True).sentence()
        'study.yaml, line 7, column scale: each point must be a number; found "low".'
        """
        row = f", {'line' if self.file.endswith(('.yaml', '.yml')) else 'row'} {self.row}" if self.row else ""
        is_named = self.is_rule and self.allowed.startswith(self.column or "")
        column = f", column {self.column}" if self.column and not is_named else ""
        if self.is_rule:
            return f'{self.file}{row}{column}: {self.allowed}; found "{self.found}".'
        return f'{self.file}{row}{column}: found "{self.found}"; allowed: {self.allowed}.'

    def beside_its_field(self) -> str:
        """The problem for a page that shows it next to the field.

        >>> Problem("study.yaml", 3, "title", "nothing", "a value; this setting is required").beside_its_field()
        'Found: nothing. Expected: a value; this setting is required.'
        >>> rule = "each point must be a number"
        >>> Problem("study.yaml", 3, "questions.1.scale", "low", rule, is_rule=True).beside_its_field()
        'Each point must be a number. Found: low.'
        """
        if self.is_rule:
            return f"{self.allowed[:1].upper()}{self.allowed[1:]}. Found: {self.found}."
        return f"Found: {self.found}. Expected: {self.allowed.rstrip('.')}."


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
