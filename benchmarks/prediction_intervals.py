"""Prediction intervals of a share of choices for a new item and a new rater: coverage and width by simulation.

`nice -n 15 python -m benchmarks.prediction_intervals --write docs/statistics/coverage.md` replaces the section of the
documentation.
"""

from __future__ import annotations

import os

# small matrices: synchronizing several threads takes longer than computing on one
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from app.stats.mixed.heterogeneity import heterogeneity
from benchmarks.prediction_powered import replace_section

if TYPE_CHECKING:
    from app.stats.arrays import Floats
    from app.stats.result import Result

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
    if page:
        text = TEXT.format(heading=HEADING, n=N_STUDIES, rows="\n".join(rows))
        replace_section(page, HEADING, text)


if __name__ == "__main__":
    main()
