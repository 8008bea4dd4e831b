"""How often a declared bound is ever crossed although sources do not differ, with raters and items crossed.

Raters come one after the other and rate items by both sources; the source's difference varies at random between raters
and between items, with mean zero. At each look the mean difference is tested with its two-way cluster t test.
Run: python -m benchmarks.sequential [number of studies]
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.stats.comparison.describe import mean_difference
from app.stats.sequential import Spending, boundaries, nominal_p

LOOKS = {2: (0.5, 1.0), 4: (0.25, 0.5, 0.75, 1.0)}
SPENDINGS: tuple[Spending, ...] = ("obrien_fleming", "pocock")
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Design:
    """Sizes, and standard deviations of the source's difference between raters and between items (residual 1)."""

    n_items: int
    n_raters: int
    items_per_rater: int
    sd_rater: float
    sd_item: float


DESIGNS = (
    Design(40, 40, 10, 0.3, 0.3),
    Design(40, 40, 40, 0.3, 0.3),
    Design(100, 24, 25, 0.5, 0.2),
    Design(20, 60, 10, 0.2, 0.5),
)


def p_values(design: Design, looks: Sequence[float], rng: np.random.Generator) -> list[float]:
    """Simulate one study without a difference; return the p-value of each look."""
    n, m = design.n_raters, design.items_per_rater
    rater = np.repeat(np.arange(n), m)
    item = np.concatenate([rng.permutation(design.n_items)[:m] for _ in range(n)])
    half = 0.5 * (design.sd_rater * rng.normal(size=n)[rater] + design.sd_item * rng.normal(size=design.n_items)[item])
    level = rng.normal(size=n)[rater] + rng.normal(size=design.n_items)[item]
    value = np.concatenate([level + sign * half + rng.normal(size=n * m) for sign in (1, -1)])
    is_model = np.repeat([True, False], n * m)
    both_rater, both_item = np.tile(rater, 2), np.tile(item, 2)
    found = []
    for look in looks:
        has_come = both_rater < round(look * n)
        at_look = (value[has_come], is_model[has_come])
        result = mean_difference(*at_look, item=both_item[has_come], rater=both_rater[has_come])
        found.append(1.0 if result.p_value is None else result.p_value)
    return found


def ever_crossing_rate(design: Design, looks: Sequence[float], spending: Spending, *, n: int, seed: int) -> float:
    """Return the share of studies without a difference that cross a bound at any look."""
    thresholds = [nominal_p(bound) for bound in boundaries(looks, alpha=ALPHA, spending=spending)]
    rng = np.random.default_rng(seed)
    crossed = [np.less_equal(p_values(design, looks, rng), thresholds).any() for _ in range(n)]
    return float(np.mean(crossed))


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print("| items | raters | items per rater | SD raters, items | looks | O'Brien-Fleming | Pocock | .05 each time |")
    print("|---|---|---|---|---|---|---|---|")
    for design in DESIGNS:
        for n_looks, looks in LOOKS.items():
            rates = [ever_crossing_rate(design, looks, spending, n=n, seed=1) for spending in SPENDINGS]
            rng = np.random.default_rng(1)
            naive = float(np.mean([min(p_values(design, looks, rng)) <= ALPHA for _ in range(n)]))
            cells = " | ".join(f"{rate:.3f}" for rate in (*rates, naive))
            sizes = f"{design.n_items} | {design.n_raters} | {design.items_per_rater}"
            print(f"| {sizes} | {design.sd_rater}, {design.sd_item} | {n_looks} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
