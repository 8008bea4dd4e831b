"""How many comparisons that nobody declared have a small p-value, and how many chance would give."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.analysis.estimate import Estimate
from app.analysis.report.verdicts import ALPHA
from app.analysis.sections.subgroups import INTERACTIONS
from app.analysis.sections.subgroups import SECTION as SUBGROUPS
from app.analysis.statistic import declared
from app.analysis.wording.formatting import REASONS
from app.base.numbers import whole
from app.base.words import counted
from app.stats.multiplicity import adjusted

# Differences from the reference are in the first section, those between other sources in the second.
DIFFERENCES = ("comparison", "contrast")


@dataclass(frozen=True, slots=True)
class Explored:
    """The exploratory comparisons of a report, each by its first test: further methods tell the same once more.

    `n_same` tests repeat primary comparisons by other methods. `n_left` comparisons were only tested as if answers
    were independent; `n_few` are of so few items or raters that only further methods, for others than both, test them.
    """

    first: tuple[Estimate, ...]
    n_same: int
    n_left: int
    n_few: int

    @property
    def p_adjusted(self) -> list[float]:
        """The p-values of all comparisons, adjusted as one family by the method of Benjamini and Hochberg (1995)."""
        found = adjusted([one.p_value for one in self.first], "benjamini_hochberg")
        return [p for p in found if p is not None]

    @property
    def n_clear(self) -> int:
        """How many are clear after adjustment."""
        return sum(p < ALPHA for p in self.p_adjusted)

    @property
    def sentences(self) -> Iterator[str]:
        """What a report says of them."""
        if self.n_same == 1:
            yield "1 test repeats the primary comparisons by another method and is no further finding."
        elif self.n_same:
            n = whole(self.n_same)
            yield f"{n} tests repeat the primary comparisons by other methods and are no further findings."
        n_plain = sum((one.p_value or 0.0) < ALPHA for one in self.first)
        if len(self.first) == 1:
            suggests = " It only suggests a hypothesis." if n_plain else ""
            yield f"1 other comparison has p {'<' if n_plain else '≥'} .05 in its first test.{suggests}"
        elif self.first:
            n_expected = round(ALPHA * len(self.first))
            by_chance = f"about {whole(n_expected)}" if n_expected else "fewer than 1"
            yield (
                f"{whole(len(self.first))} other comparisons, each by its first test: {whole(n_plain)} with p < .05, "
                f"by chance {by_chance}; {whole(self.n_clear)} after adjustment (Benjamini-Hochberg). They only "
                "suggest hypotheses."
            )
        if self.n_few:
            yield f"Not counted: {counted(self.n_few, 'comparison')} with {REASONS['too_few']}."
        if self.n_left:
            was = "was" if self.n_left == 1 else "were"
            yield (
                f"Not counted: {counted(self.n_left, 'comparison')} that {was} only tested as if answers were "
                "independent, which finds differences too often."
            )


def explored(estimates: Sequence[Estimate]) -> Explored:
    """Return the comparisons that nobody declared.

    A test against a margin is none of them: it has a small p-value where there is no difference. Whether a difference
    is another one in a subgroup is a comparison of its own, beside the difference there.
    """
    primary = [one for one in estimates if one.role == "primary"]
    tried = [one for one in estimates if _is_tested(one) or _has_few(one)]
    others = [one for one in tried if not any(_compares_same(one, first) for first in primary)]
    groups: dict[tuple[object, ...], list[Estimate]] = defaultdict(list)
    for one in others:
        if declared(one.statistic).margin is None:
            section = DIFFERENCES[0] if one.section in DIFFERENCES else one.section
            is_interaction = section == SUBGROUPS and one.statistic in INTERACTIONS
            key = (section, one.measured, declared(one.statistic).per, is_interaction, str(_compared(one)))
            groups[key].append(one)
    tested = [each for each in groups.values() if any(map(_is_tested, each))]
    found = [next((one for one in each if not one.ignores_clusters), None) for each in tested]
    first = tuple(one for one in found if one is not None and _is_tested(one))
    n_same = sum(map(_is_tested, tried)) - sum(map(_is_tested, others))
    n_left = sum(one is None for one in found)
    return Explored(first, n_same, n_left, len(found) - len(first) - n_left)


def _is_tested(estimate: Estimate) -> bool:
    return estimate.role == "exploratory" and estimate.p_value is not None


def _has_few(estimate: Estimate) -> bool:
    """Whether it may have been tested with a second item or rater on each side; untested, it can be descriptive."""
    return estimate.role != "primary" and estimate.ci_reason == "one_cluster"


def _compares_same(estimate: Estimate, primary: Estimate) -> bool:
    """Whether an estimate is of what the primary one compares, in either direction, perhaps at one cut of its scale."""
    sections = {estimate.section, primary.section}
    is_of_same = len(sections) == 1 or sections <= set(DIFFERENCES)
    # a slope over turns is no difference in levels
    is_of_same = is_of_same and declared(estimate.statistic).per == declared(primary.statistic).per
    return is_of_same and estimate.measured == primary.measured and _compared(estimate) == _compared(primary)


def _compared(estimate: Estimate) -> dict[str, object]:
    """The scope without a cut of the scale, and the two sources without their direction."""
    scope = estimate.scope
    rest = {key: value for key, value in scope.items() if key not in {"cut", "source", "reference"}}
    return {**rest, "sources": {scope.get("source"), scope.get("reference")}}
