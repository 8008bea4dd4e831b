"""Rules that the parts of a study's protocol must keep, and what broke them.

A validator raises `BrokenRuleError` with a sentence about the part: "a scale must have at least two points". Where the
values that are allowed say it better, it raises `ValueError` with them: "a slug other than new".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias


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
