"""Coverage and width of 95% intervals by size of the arms: simulations for docs/statistics/coverage-by-arm.md.

Every study draws new items and raters. There are 4, 6, 10 or 20 raters; a contrast between raters has arms of equal
size, or two raters against all others. Values are continuous and normal: items and raters differ in level and in their
effect of source or arm, and each rating has noise.
Run: python -m benchmarks.coverage_by_arm [studies per row, default 1,000]
"""

import os

# small matrices: synchronizing several threads takes longer than computing on one
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import special

from app.stats.arrays import Floats, Ints
from app.stats.comparison.describe import mean, mean_difference, share
from app.stats.factors import interaction
from app.stats.result import Result

N_ITEMS, N_STUDIES = 60, 1_000
RATERS = (4, 6, 10, 20)
SMALL_ARM = 2
LOWEST, HIGHEST = 0.93, 0.975
DIFFERENCE, EXTRA, LOGIT = 0.4, 0.3, 0.8
BY_ITEM, BY_RATER = (0.9, 0.5), (0.8, 0.5)
PAGE = Path(__file__).resolve().parent.parent / "docs" / "statistics" / "coverage-by-arm.md"


@dataclass(frozen=True)
class Row:
    """One row of the table: number of studies, number with an interval, coverage of these, and median width."""

    statistic: str
    n_raters: int
    arms: str
    n_studies: int
    n_with: int
    coverage: float
    width: float


@dataclass(frozen=True)
class Study:
    """Design and random effects of one study; every rater rates every item, in both sources if `n` is 2."""

    rng: np.random.Generator
    n_raters: int
    n: int

    def cells(self) -> tuple[Ints, Ints, Ints]:
        item, rater, source = (axis.ravel() for axis in np.indices((N_ITEMS, self.n_raters, self.n)))
        return item, rater, source

    def effects(self) -> tuple[Floats, Floats]:
        """Return random level and slope of each item and each rater, shapes (N_ITEMS, 2) and (n_raters, 2)."""
        return self.rng.normal(0, BY_ITEM, (N_ITEMS, 2)), self.rng.normal(0, BY_RATER, (self.n_raters, 2))


def of_mean(rng: np.random.Generator, n_raters: int, _arm: int) -> tuple[Result, float]:
    study = Study(rng, n_raters, 1)
    item, rater, _ = study.cells()
    by_item, by_rater = study.effects()
    value = by_item[item, 0] + by_rater[rater, 0] + rng.normal(size=len(item))
    return mean(value, item=item, rater=rater), 0.0


def of_share(rng: np.random.Generator, n_raters: int, _arm: int) -> tuple[Result, float]:
    item, rater, _ = Study(rng, n_raters, 1).cells()
    latent = LOGIT + rng.normal(0, 0.7, N_ITEMS)[item] + rng.normal(0, 0.7, n_raters)[rater]
    won = (rng.random(len(item)) < special.expit(latent)).astype(float)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    truth = float(special.expit(LOGIT + np.hypot(0.7, 0.7) * nodes) @ weights / weights.sum())
    return share(won, item=item, rater=rater), truth


def of_difference_within(rng: np.random.Generator, n_raters: int, _arm: int) -> tuple[Result, float]:
    value, source, item, rater = _both_sources(rng, n_raters)
    return mean_difference(value, source == 1, item=item, rater=rater), DIFFERENCE


def of_difference_between(rng: np.random.Generator, n_raters: int, arm: int) -> tuple[Result, float]:
    study = Study(rng, n_raters, 1)
    item, rater, _ = study.cells()
    by_item, by_rater = study.effects()
    treated = rater < arm
    value = by_item[item, 0] + by_rater[rater, 0] + treated * (DIFFERENCE + by_item[item, 1])
    return mean_difference(value + rng.normal(size=len(item)), treated, item=item, rater=rater), DIFFERENCE


def of_interaction_between(rng: np.random.Generator, n_raters: int, arm: int) -> tuple[Result, float]:
    value, source, item, rater = _both_sources(rng, n_raters)
    member = rater < arm
    value = value + EXTRA * member * source
    return interaction(value, source == 1, member, item=item, rater=rater), EXTRA


def _both_sources(rng: np.random.Generator, n_raters: int) -> tuple[Floats, Ints, Ints, Ints]:
    study = Study(rng, n_raters, 2)
    item, rater, source = study.cells()
    by_item, by_rater = study.effects()
    slope = DIFFERENCE + by_item[item, 1] + by_rater[rater, 1]
    value = by_item[item, 0] + by_rater[rater, 0] + source * slope + rng.normal(size=len(item))
    return value, source, item, rater


WITHIN: dict[str, Callable[[np.random.Generator, int, int], tuple[Result, float]]] = {
    "mean": of_mean,
    "share": of_share,
    "mean_difference, raters see both sources": of_difference_within,
}
BETWEEN: dict[str, Callable[[np.random.Generator, int, int], tuple[Result, float]]] = {
    "mean_difference, raters see one source": of_difference_between,
    "interaction with a group of raters": of_interaction_between,
}


def simulated(
    name: str,
    draw: Callable[[np.random.Generator, int, int], tuple[Result, float]],
    n_raters: int,
    arm: int,
    n_studies: int,
) -> Row:
    """Return one row; its seed is derived from its own parameters, so it does not depend on the other rows."""
    rng = np.random.default_rng([n_raters, arm, len(name)])
    held, widths = [], []
    for _ in range(n_studies):
        result, truth = draw(rng, n_raters, arm)
        if result.interval is not None:
            held.append(result.interval.low <= truth <= result.interval.high)
            widths.append(result.interval.high - result.interval.low)
    arms = f"{arm} against {n_raters - arm}" if name in BETWEEN else ""
    return Row(name, n_raters, arms, n_studies, len(held), float(np.mean(held)), float(np.median(widths)))


def rows(n_studies: int) -> list[Row]:
    """Return every row of the table."""
    found = [simulated(name, draw, n, n, n_studies) for name, draw in WITHIN.items() for n in RATERS]
    for name, draw in BETWEEN.items():
        for n in RATERS:
            found += [simulated(name, draw, n, arm, n_studies) for arm in sorted({n // 2, SMALL_ARM}, reverse=True)]
    return found


def page(found: list[Row]) -> str:
    """Return the page in Markdown."""
    n = found[0].n_studies
    error = (0.95 * 0.05 / n) ** 0.5
    head = f"""# Coverage by arm

How often the 95% interval of a statistic holds the true value if items and raters are drawn anew, and its median
width. `python -m benchmarks.coverage_by_arm` makes this page from {n:,} simulated studies per row (Monte Carlo standard
error {error:.3f}).

Each study has {N_ITEMS} items, and every rater rates every item. Standard deviations: items {BY_ITEM[0]}, raters
{BY_RATER[0]}, what items and raters make of the source {BY_ITEM[1]} each, noise 1. Shares are of choices whose log odds
vary by 0.7 over items and over raters.

Contrasts between raters use CR2 variances with Satterthwaite's degrees of freedom; see [comparison](comparison.md).
With one rater in an arm there is no interval.

| statistic | raters | arms | coverage | median width |
|---|---|---|---|---|
"""
    lines = [f"| {r.statistic} | {r.n_raters} | {r.arms} | {r.coverage:.3f} | {r.width:.2f} |" for r in found]
    return head + "\n".join(lines) + "\n"


def main(n_studies: int) -> None:
    found = rows(n_studies)
    text = page(found)
    PAGE.write_text(text, encoding="utf-8")
    print(text)
    outside = [r for r in found if not LOWEST - 0.01 <= r.coverage <= HIGHEST + 0.01]
    print(f"{len(outside)} of {len(found)} rows outside {LOWEST} to {HIGHEST} (with .01 for chance)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else N_STUDIES)
