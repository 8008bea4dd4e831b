"""Raters who leave: coverage of Lee's bounds with the interval of Imbens and Manski, beside that of finishers alone.

`nice -n 15 python -m benchmarks.attrition --write docs/statistics/coverage.md` replaces the section of the
documentation.
"""

import argparse
from itertools import product
from pathlib import Path

import numpy as np
from scipy import stats

from app.stats.attrition import lee_bounds
from benchmarks.sections import replace_section

HEADING = "## Raters who leave"
N_STUDIES = 2_000
RATERS, SHARES = (20, 40, 100), ((0.95, 0.8), (0.95, 0.6), (0.7, 0.5))
LEAVING = {"low scores": 1.0, "partly by score": 0.5, "at random": 0.0}
TEXT = """{heading}

Lee's bounds (`lee_lower`, `lee_upper`) in {n:,} simulated studies for a row, of two arms without a difference among
raters who would finish in either. *Finished* is the share of the reference and of the arm. The arm loses its raters
with the lowest scores, partly by score (correlation .5), or at random. *Coverage* is of the 95% interval for that
difference; *finishers* is the coverage of the t interval of those who finished.

Created by `python -m benchmarks.attrition --write docs/statistics/coverage.md`.

| Leave the arm | Raters per arm | Finished | Coverage | Finishers | Distance of the bounds (SD) |
| --- | --- | --- | --- | --- | --- |
{rows}
"""


def coverage(n: int, shares: tuple[float, float], link: float) -> tuple[float, float, float]:
    """Return coverage of the interval, of the t interval of finishers, and the mean distance of the bounds."""
    rng = np.random.default_rng([n, *(round(100 * share) for share in shares), round(10 * link)])
    is_treated = np.arange(2 * n) < n
    # raters who would finish in both arms are those who would finish in the arm: their mean is the same in both
    held, hits, others, gaps = 0, 0, 0, []
    for _ in range(N_STUDIES):
        score = rng.normal(size=2 * n)
        stays = link * score + (1 - link**2) ** 0.5 * rng.normal(size=2 * n)
        least = stats.norm.ppf(1 - np.where(is_treated, shares[1], shares[0]))
        finished = stays > least
        found = lee_bounds(np.where(finished, score, np.nan), is_treated, (n, n))
        interval = found.lower.interval
        if interval is None:
            continue
        held += 1
        hits += interval.low <= 0 <= interval.high
        one, other = score[finished & is_treated], score[finished & ~is_treated]
        low, high = stats.ttest_ind(one, other, equal_var=False).confidence_interval()
        others += low <= 0 <= high
        gaps.append((found.upper.estimate or 0.0) - (found.lower.estimate or 0.0))
    return hits / held, others / held, float(np.mean(gaps))


def main() -> None:
    """Simulate, print, and write the section if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    rows = []
    for (name, link), n, shares in product(LEAVING.items(), RATERS, SHARES):
        mine, theirs, gap = coverage(n, shares, link)
        said = [f"{share:.3f}".removeprefix("0") for share in (mine, theirs)]
        rows.append(f"| {name} | {n} | {shares[0]:.0%}, {shares[1]:.0%} | {' | '.join(said)} | {gap:.2f} |")
        print(rows[-1], flush=True)
    page = parser.parse_args().write
    if page:
        text = TEXT.format(heading=HEADING, n=N_STUDIES, rows="\n".join(rows))
        replace_section(page, HEADING, text)


if __name__ == "__main__":
    main()
