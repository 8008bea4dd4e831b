"""Prediction intervals of a share and of a difference for a new item and a new rater: coverage and width by simulation.

`nice -n 15 python -m benchmarks.prediction_intervals --write docs/statistics/coverage.md` replaces the two sections of
the documentation.
"""

import os

# small matrices: synchronizing several threads takes longer than computing on one
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
from itertools import product
from pathlib import Path

import numpy as np
from scipy import special

from app.stats.arrays import Floats
from app.stats.mixed.heterogeneity import heterogeneity
from app.stats.result import Result
from benchmarks.sections import replace_section

HEADING = "## Prediction intervals of shares"
N_STUDIES, N_NEW = 300, 200
# items, raters, ratings of an item
DESIGNS = ((10, 8, 8), (30, 6, 6), (20, 20, 20), (60, 20, 5))
SHARES, SDS = (0.5, 0.7, 0.9), ((0.5, 0.5), (1.0, 0.7))
TEXT = """{heading}

The 95% prediction intervals of a share of choices (`share_new_item`, `share_new_rater`) in {n} simulated studies for a
row. The log odds of a choice are those of the *share*, plus a normal effect of the item and one of the rater with these
*SDs*. *Coverage* is the mean probability that a new item's share over all raters, or a new rater's over all items, is
in the interval; *width* is its mean. *None* is how often there is no interval, because the components could not be
told.

Created by `python -m benchmarks.prediction_intervals --write docs/statistics/coverage.md`.

| Items | Raters | Choices per item | Share | SDs | New item: coverage | width | New rater: coverage | width | None |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
{rows}
"""
OF_DIFFERENCES = "## Prediction intervals of differences"
# SDs of the difference over items and over raters, in points; the residual of a rating has an SD of 0.8
TAUS = ((0.0, 0.0), (0.0, 0.4), (0.1, 0.1), (0.2, 0.3), (0.5, 0.4))
DIFFERENCE, RESIDUAL = 0.4, 0.8
TEXT_OF_DIFFERENCES = """{heading}

The same for a difference of two sources (`difference_new_item`, `difference_new_rater`) in {n} simulated studies for a
row, in which each rater rates both responses of each of their items. The mean difference is 0.4 points, with these
*SDs* over items and raters; a rating has a residual SD of 0.8. Where the difference does not vary, coverage is the
share of intervals that include it. *Widest* is the largest width.

Created by `python -m benchmarks.prediction_intervals --write docs/statistics/coverage.md`.

| Items | Raters | Raters per item | SDs | New item: coverage | width | widest | New rater: coverage | width | widest |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
{rows}
"""
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(31)


def averaged(log_odds: Floats, sd: float) -> Floats:
    """Return the share over effects with this standard deviation, shape as `log_odds`."""
    shares: Floats = special.expit(log_odds[:, np.newaxis] + sd * _NODES) @ _WEIGHTS / _WEIGHTS.sum()
    return shares


def figures(design: tuple[int, int, int], share: float, sds: tuple[float, float]) -> list[float]:
    """Return coverage and width for a new item, for a new rater, and how often there is no interval."""
    n_items, n_raters, per_item = design
    rng = np.random.default_rng([*design, round(100 * share), *(round(10 * sd) for sd in sds)])
    middle = float(special.logit(share))
    hits: tuple[list[float], list[float]] = ([], [])
    widths: tuple[list[float], list[float]] = ([], [])
    n_none = 0
    for _ in range(N_STUDIES):
        of_item, of_rater = rng.normal(0, sds[0], n_items), rng.normal(0, sds[1], n_raters)
        item = np.repeat(np.arange(n_items), per_item)
        rater = np.concatenate([rng.permutation(n_raters)[:per_item] for _ in range(n_items)])
        chosen = (rng.random(len(item)) < special.expit(middle + of_item[item] + of_rater[rater])) * 1.0
        found = heterogeneity(chosen, None, item=item, rater=rater)
        results: tuple[Result, Result] = (found.new_item, found.new_rater)
        n_none += any(one.interval is None for one in results)
        for place, result in enumerate(results):
            if result.interval is not None:
                new = averaged(middle + rng.normal(0, sds[place], N_NEW), sds[1 - place])
                inside = (result.interval.low <= new) & (new <= result.interval.high)
                hits[place].append(float(inside.mean()))
                widths[place].append(result.interval.high - result.interval.low)
    pairs = [float(np.mean(part)) for place in (0, 1) for part in (hits[place], widths[place])]
    return [*pairs, n_none / N_STUDIES]


def figures_of_differences(design: tuple[int, int, int], taus: tuple[float, float]) -> list[float]:
    """Return coverage, mean and largest width for a new item, then the same for a new rater."""
    n_items, n_raters, per_item = design
    rng = np.random.default_rng([*design, *(round(10 * tau) for tau in taus)])
    found: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
    item = np.repeat(np.arange(n_items), per_item)
    for _ in range(N_STUDIES):
        rater = np.concatenate([rng.permutation(n_raters)[:per_item] for _ in range(n_items)])
        half = (DIFFERENCE + rng.normal(0, taus[0], n_items)[item] + rng.normal(0, taus[1], n_raters)[rater]) / 2
        level = 4 + rng.normal(0, 0.6, n_items)[item] + rng.normal(0, 0.5, n_raters)[rater]
        value = np.concatenate([level + half, level - half]) + rng.normal(0, RESIDUAL, 2 * len(item))
        is_mine = np.repeat([True, False], len(item))
        both = heterogeneity(value, is_mine, item=np.tile(item, 2), rater=np.tile(rater, 2))
        for place, one in enumerate((both.new_item, both.new_rater)):
            if one.interval is not None:
                low, high = one.interval.low, one.interval.high
                new = rng.normal(DIFFERENCE, taus[place], N_NEW)
                found[place].append((float(((low <= new) & (new <= high)).mean()), high - low))
    columns = [np.array(part) for part in found]
    return [float(x) for part in columns for x in (part[:, 0].mean(), part[:, 1].mean(), part[:, 1].max())]


def rows_of_differences() -> list[str]:
    """Simulate and print each row of the table of differences."""
    rows = []
    for design, taus in product(DESIGNS, TAUS):
        numbers = figures_of_differences(design, taus)
        shown = " | ".join(f"{x:.3f}" if place % 3 == 0 else f"{x:.2f}" for place, x in enumerate(numbers))
        rows.append(f"| {' | '.join(map(str, design))} | {taus[0]}, {taus[1]} | {shown} |".replace(" 0.", " ."))
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Simulate, print, and write the section if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    page = parser.parse_args().write
    rows = []
    for design, share, sds in product(DESIGNS, SHARES, SDS):
        item, wide_item, rater, wide_rater, none = figures(design, share, sds)
        numbers = f"{item:.3f} | {wide_item:.2f} | {rater:.3f} | {wide_rater:.2f}".replace("0.", ".")
        place = " | ".join(map(str, design))
        rows.append(f"| {place} | {share:.0%} | {sds[0]}, {sds[1]} | {numbers} | {none:.0%} |")
        print(rows[-1], flush=True)
    differences = rows_of_differences()
    if page:
        for heading, text, found in ((HEADING, TEXT, rows), (OF_DIFFERENCES, TEXT_OF_DIFFERENCES, differences)):
            replace_section(page, heading, text.format(heading=heading, n=N_STUDIES, rows="\n".join(found)))


if __name__ == "__main__":
    main()
