"""An estimate with its labels, as the sentences about it need it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.analysis.wording.formatting import number
from app.design.numbers import number_text
from app.design.word_lists import readable

if TYPE_CHECKING:
    from app.analysis.estimate import Estimate
    from app.design.protocol.parts.labels import Labels


@dataclass(frozen=True, slots=True)
class About:
    """An estimate with what is needed to describe it. `value` is the estimate, `scale` the ends of its scale.

    `effect` is the estimate behind a test statistic, such as the difference behind a t. `cut` names the ratings at or
    above the cut, such as "4 (Good) or more".
    """

    estimate: Estimate
    labels: Labels
    value: float
    scale: tuple[float, float] | None = None
    effect: Estimate | None = None
    cut: str = ""

    @property
    def question(self) -> str:
        """The label of the question; for a code, that of its question."""
        return self.labels.question((self.estimate.question or "").partition("=")[0])

    @property
    def source(self) -> str:
        """The label of the source, or "all sources" if none is named."""
        return self._source("source")

    @property
    def reference(self) -> str:
        """The label of the reference source."""
        return self._source("reference")

    def _source(self, part: str) -> str:
        return self.labels.source(self.estimate.scope[part]) if part in self.estimate.scope else "all sources"

    @property
    def code(self) -> str:
        """The label of the code that is compared."""
        key, code = (self.estimate.question or "").partition("=")[0], str(self.estimate.scope.get("category", ""))
        return self.labels.codes.get(key, {}).get(code) or readable(code)

    @property
    def on_scale(self) -> str:
        """The range of the scale, as the end of a sentence."""
        return f" on a scale from {number_text(self.scale[0])} to {number_text(self.scale[1])}" if self.scale else ""

    def level(self, part: str) -> str:
        """Return the label of a level of a factor or an attribute."""
        scope = self.estimate.scope
        return self.labels.level(str(scope.get("factor", "")), str(scope[part]))

    @property
    def factor(self) -> str:
        """The label of the factor or attribute."""
        scope = self.estimate.scope
        name = str(scope.get("factor") or scope.get("attribute"))
        return self.labels.factors.get(name) or self.labels.column(name)

    @property
    def of_source(self) -> str:
        """The source in parentheses, if the estimate is about one source only."""
        return f" ({self.source} only)" if "source" in self.estimate.scope else ""

    def points(self, more: str = "higher", less: str = "lower") -> str:
        """Return the size of the difference, such as "0.50 points higher"."""
        return f"{number(abs(self.value), 'points')} points {more if self.value > 0 else less}"
