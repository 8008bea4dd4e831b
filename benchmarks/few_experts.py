"""Two to four experts against a crowd: type I error and coverage of `pool_difference`, by how the crowd rates.

`nice -n 15 python -m benchmarks.few_experts --write docs/statistics/coverage.md` replaces the section of the
documentation. Only the test itself is computed, in one process, also by the two other rules for degrees of freedom.
"""

import os

# small matrices: synchronizing several threads takes longer than computing on one
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

import numpy as np

from app.stats.arms import Arms
from app.stats.arrays import Floats
from app.stats.comparison.pools import pool_difference
from app.stats.linear import cluster_robust
from app.stats.result import Result
from benchmarks.sections import replace_section
from benchmarks.simulated_nulls import N_ITEMS, Shown, levels, points

HEADING = "## Pools of two to four experts"
N_STUDIES = 1000
ALPHA = 0.05
EFFECT = 0.5
N_EXPERTS = (2, 3, 4)
N_CROWD = (20, 40)
# ratings of each item by the crowd; 0: everyone rates everything
PER_ITEM = (0, 3, 1)
DESIGNS = [
    *((experts, crowd, ratings) for experts in N_EXPERTS for crowd in N_CROWD for ratings in PER_ITEM),
    *((2, 2, 0), (3, 3, 0), (2, 8, 0), (3, 8, 0), (10, 10, 0)),
]
TEXT = """{heading}

`pool_difference` of a few experts, who rate all of {items} items, against a crowd, in {n:,} simulated studies for each
row. Items and raters are drawn anew in each. *p < .05*: ratings from 1 to 5 without a difference. *Coverage*:
unrounded ratings with a difference of {effect}. The Monte Carlo error is {error:.3f}.

The last two columns have p < .05 by two other rules for the degrees of freedom: Satterthwaite's of the observed
variances of both pools and of the items, and those of raters in one working model (the rule of the other contrasts, and
of this one before). Both let a few experts who happen to be alike have a small variance and many degrees of freedom.
The rule chosen is Satterthwaite's too, but each pool's variance counts at the upper limit of its one-sided 75%
interval. It is conservative for two against two.

Created by `python -m benchmarks.few_experts --write docs/statistics/coverage.md`.

| Experts | Crowd | The crowd rates | p < .05 | Coverage | Observed variances | One working model |
| --- | --- | --- | --- | --- | --- | --- |
{rows}
"""


def trials(rng: np.random.Generator, n_experts: int, n_crowd: int, per_item: int) -> Shown:
    """Return the ratings of a study; the source is the pool: 1 the experts, who are the first raters, 0 the crowd."""
    item, expert = (code.ravel() for code in np.indices((N_ITEMS, n_experts)))
    theirs, rater = (code.ravel() for code in np.indices((N_ITEMS, n_crowd)))
    if per_item:
        theirs = np.tile(rng.permutation(N_ITEMS), per_item)
        rater = np.arange(len(theirs)) * n_crowd // len(theirs)
    pool = np.repeat([1, 0], [len(item), len(theirs)])
    return Shown(np.concatenate([item, theirs]), np.concatenate([expert, rater + n_experts]), pool)


def tested(value: Floats, shown: Shown) -> Result:
    return pool_difference(value, shown.is_second, unit=shown.item, **shown.where)


def in_one_working_model(value: Floats, shown: Shown) -> Result:
    """Return the same contrast with the degrees of freedom of arms that are no pools."""
    place = 2 * shown.item + shown.source
    return cluster_robust.linear_contrast(
        value,
        np.column_stack([np.ones(len(value)), shown.is_second]),
        np.array([0.0, 1.0]),
        weight=1 / np.bincount(place)[place],
        arms=Arms.of_two(shown.is_second),
        **shown.where,
    )


def figures(n_experts: int, n_crowd: int, per_item: int, n_studies: int = N_STUDIES) -> list[float]:
    """Return type I error, coverage, and the type I errors of the two other rules, shape (4,)."""
    rng = np.random.default_rng([n_experts, n_crowd, per_item])
    found = []
    for _ in range(n_studies):
        shown = trials(rng, n_experts, n_crowd, per_item)
        level = levels(rng, shown)
        rated, interval = points(level), tested(level + EFFECT * shown.is_second, shown).interval
        with mock.patch.object(cluster_robust, "upper_limit", lambda variance, _df: variance):
            observed = tested(rated, shown)
        holds = interval is not None and interval.low <= EFFECT <= interval.high
        rules = (tested(rated, shown), observed, in_one_working_model(rated, shown))
        rejects = [one.p_value is not None and one.p_value < ALPHA for one in rules]
        found.append([rejects[0], holds, *rejects[1:]])
    return [float(share) for share in np.mean(found, axis=0)]


def _row(design: Sequence[int], shares: Sequence[float]) -> str:
    n_experts, n_crowd, per_item = design
    how = f"each item {'once' if per_item == 1 else f'{per_item} times'}" if per_item else "everything"
    return f"| {n_experts} | {n_crowd} | {how} | {' | '.join(f'{one:.3f}'.removeprefix('0') for one in shares)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=N_STUDIES)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    rows = []
    for design in DESIGNS:
        rows.append(_row(design, figures(*design, options.studies)))
        print(rows[-1], flush=True)
    if options.write:
        error = (ALPHA * (1 - ALPHA) / options.studies) ** 0.5
        text = TEXT.format(
            heading=HEADING, items=N_ITEMS, n=options.studies, effect=EFFECT, error=error, rows="\n".join(rows)
        )
        replace_section(options.write, HEADING, text)


if __name__ == "__main__":
    main()
