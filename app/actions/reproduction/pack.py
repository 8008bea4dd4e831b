"""A reproduction pack: how a published data set is read, and which results are printed where."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from app.analysis.estimate import Estimate

Part = Literal["estimate", "ci_low", "ci_high"]


@dataclass(frozen=True, slots=True)
class Published:
    """One printed number, and the estimate of the report that reproduces it.

    `tolerance`: half of the last printed digit, or more with a reason in the pack. `where`: where it is printed.
    `method`: how the method of the estimate begins. `part`: the estimate or an end of its interval. `is_last`: whether
    the last of several estimates that match is meant instead of the first.
    """

    words: str
    value: float
    tolerance: float
    where: str
    statistic: str
    question: str
    scope: Mapping[str, Any] = field(default_factory=dict)
    method: str = ""
    unit: str = ""
    part: Part = "estimate"
    is_last: bool = False

    def is_met_by(self, one: Estimate) -> bool:
        """Whether an estimate is the one that reproduces the number."""
        return (
            one.statistic == self.statistic
            and one.question == self.question
            and dict(one.scope) == dict(self.scope)
            and one.method.startswith(self.method)
            and self.unit in {"", one.unit}
        )


@dataclass(frozen=True, slots=True)
class Pack:
    """One published study.

    `data`: what to pass as `--data`, and where its authors published it. `write`: writes the study folder.
    `published`: the printed results; some packs read them from the published files.
    """

    key: str
    citation: str
    data: str
    write: Callable[[Path, Path], Path]
    published: Callable[[Path], Sequence[Published]]
