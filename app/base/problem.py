"""A problem in the lead's input: where it is, what was found, what is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem. `row` is numbered as in a spreadsheet, with the header in row 1; for YAML it is the line.

    `is_rule`: `allowed` is a sentence about a rule (*sources must have ...*), not the values that are allowed. `n`: how
    many cells have this problem; `row` is the first of them, and `found` quotes some. `n_columns`: how
    many columns `column` names. `option`: a sentence about the option of the command that helps.
    """

    file: str
    row: int | None
    column: str | None
    found: str
    allowed: str
    severity: Literal["error", "warning"] = "error"
    is_rule: bool = False
    n: int = 1
    option: str = ""
    n_columns: int = 1

    def sentence(self) -> str:
        """The problem as a readable sentence.

        >>> Problem("ratings.csv", 7, "value", "6", "1, 2, 3, 4 or 5 (the scale of `quality`)").sentence()
        'ratings.csv, row 7, column value: found "6"; allowed: 1, 2, 3, 4 or 5 (the scale of `quality`).'
        >>> rule = "sources must have different labels"
        >>> Problem("study.yaml", 7, "sources", "GPT more than once", rule, is_rule=True).sentence()
        'study.yaml, line 7: sources must have different labels; found "GPT more than once".'
        >>> Problem("study.yaml", 7, "scale", "low", "each point must be a number", is_rule=True).sentence()
        'study.yaml, line 7, column scale: each point must be a number; found "low".'
        >>> Problem("r.csv", 2, "a and b", '"0" (9 cells) and "1" (3 cells)', "1 or 2", n=12, n_columns=2).sentence()
        'r.csv, columns a and b, 12 cells from row 2 on: found "0" (9 cells) and "1" (3 cells); allowed: 1 or 2.'
        """
        if self.n > 1:
            start = f" from row {self.row} on" if self.row else ""
            columns = f", column{'' if self.n_columns == 1 else 's'} {self.column}" if self.column else ""
            return f"{self.file}{columns}, {self.n:,} cells{start}: found {self.found}; allowed: {self.allowed}."
        row = f", {'line' if self.file.endswith(('.yaml', '.yml')) else 'row'} {self.row}" if self.row else ""
        is_named = self.is_rule and self.allowed.startswith(self.column or "")
        column = f", column {self.column}" if self.column and not is_named else ""
        if self.is_rule:
            return f'{self.file}{row}{column}: {self.allowed}; found "{self.found}".'
        found = f'"{self.found}"' if self.found or not column else "an empty cell"
        return f"{self.file}{row}{column}: found {found}; allowed: {self.allowed}."

    def on_page(self) -> str:
        """The sentence; only its words if they are about no column and nothing was found.

        >>> Problem("items.csv", 4, "sampling_probability", "", "a probability").on_page()
        'items.csv, row 4, column sampling_probability: found an empty cell; allowed: a probability.'
        >>> Problem("the form", None, None, "", "Choose a question.").on_page()
        'Choose a question.'
        """
        return self.sentence() if self.found or self.column else self.allowed

    def beside_its_field(self) -> str:
        """The problem for a page that shows it next to the field.

        >>> Problem("study.yaml", 3, "title", "nothing", "a value; this setting is required").beside_its_field()
        'Found: nothing. Expected: a value; this setting is required.'
        >>> rule = "each point must be a number"
        >>> Problem("study.yaml", 3, "questions.1.scale", "low", rule, is_rule=True).beside_its_field()
        'Each point must be a number. Found: low.'
        >>> rule = "design.adaptive must be a choice question"
        >>> Problem("study.yaml", 3, "design.adaptive", "empathy", rule, is_rule=True).beside_its_field()
        'Must be a choice question. Found: empathy.'
        >>> rule = "analysis.primary.2.test must be set"
        >>> Problem("study.yaml", 3, "analysis.primary.2", "nothing", rule, is_rule=True).beside_its_field()
        'Test must be set. Found: nothing.'
        """
        if self.is_rule:
            # The page says already where it is, down to the setting itself.
            place, _, rest = self.allowed.partition(" ")
            below = f"{place}.".removeprefix(f"{self.column}.").rstrip(".") if self.column else place
            rule = self.allowed if below == place else f"{below.rpartition('.')[2]} {rest}".strip()
            return f"{rule[:1].upper()}{rule[1:]}. Found: {self.found}."
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


HIDDEN = (
    "The estimates of this study are hidden until it closes, as its design says. Progress, "
    "coverage, raters and the declared looks can be seen."
)


class BlindedError(Exception):
    """The estimates are hidden; the message says until when, and what can be seen."""

    def __init__(self) -> None:
        """The message is always the same."""
        super().__init__(HIDDEN)


# Rules that the parts of a study's protocol must keep, and what broke them.
#
# A validator raises `BrokenRuleError` with a sentence about the part: "a scale must have at least two points". Where
# the values that are allowed say it better, it raises `ValueError` with them: "a slug other than new".


class BrokenRuleError(ValueError):
    """A part of a protocol breaks a rule.

    Attributes:
        rule: a sentence without its full stop.
        found: what broke the rule; None if it is the part as a whole.
        part: where it is, such as `analysis.primary.2.test`; empty if it is the part whose validator raises the error.

    >>> str(BrokenRuleError("a scale must have at least two points", found=1))
    'a scale must have at least two points, found 1'
    """

    def __init__(self, rule: str, found: object = None, part: str = "") -> None:
        """Keep what the sentence is made of."""
        super().__init__(rule, found, part)
        self.rule = rule
        self.found = None if found is None else str(found)
        self.part = part

    def __str__(self) -> str:
        """The whole sentence."""
        return self.rule if self.found is None else f"{self.rule}, found {self.found}"


Broken: TypeAlias = Iterator[BrokenRuleError]


def broken(part: str, rule: str, found: object = None) -> BrokenRuleError:
    """The error of a part whose name begins the sentence.

    >>> str(broken("monitoring.looks", "must end at 1", found=0.9))
    'monitoring.looks must end at 1, found 0.9'
    """
    return BrokenRuleError(f"{part} {rule}", found, part)


class InconsistentPartsError(ValueError):
    """Parts of a protocol do not agree. `broken`: every rule that is broken, so that all can be mended in one go."""

    def __init__(self, broken: Sequence[BrokenRuleError]) -> None:
        """Keep them all."""
        super().__init__(broken)
        self.broken = broken

    def __str__(self) -> str:
        """All sentences."""
        return "; ".join(map(str, self.broken))
