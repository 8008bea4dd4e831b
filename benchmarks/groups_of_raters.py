"""Coverage and type I error of differences between two groups of raters, as docs/statistics/coverage.md states them.

python -m benchmarks.groups_of_raters [--runs 1000] [--items 20]. Items and raters are drawn anew in each run: each
answer is right with a probability on the logit scale of a group's mean, an item (SD 0.8) and a rater (SD 0.6), and a
wrong answer is one of the other codes. *p < .05*: without a difference. *Coverage*: group means of 0.4 and 1.2.
"""

import argparse
from collections.abc import Callable

import numpy as np
from scipy.special import expit

from app.stats.accuracy.category_f1 import f1_macro_pseudo_values
from app.stats.arrays import Bools, Floats, Ints
from app.stats.comparison.pools import pool_difference, score_difference
from app.stats.result import Result
from app.stats.spans import f1_pseudo_values

DESIGNS = ((2, 2), (2, 8), (3, 3), (5, 5), (4, 16), (10, 10))
N_CODES, ITEM_SD, RATER_SD, MANY = 3, 0.8, 0.6, 2_000
Answers = tuple[Ints, Ints, Bools, Ints, Ints]


def drawn(rng: np.random.Generator, means: tuple[float, float], sizes: tuple[int, int], n_items: int) -> Answers:
    """Item, rater, whether of the first group, correct code and code given of each answer, shapes (n,)."""
    item, rater = (axis.ravel() for axis in np.indices((n_items, sum(sizes))))
    first = rater < sizes[0]
    level = np.where(first, *means) + rng.normal(0, ITEM_SD, n_items)[item] + rng.normal(0, RATER_SD, sum(sizes))[rater]
    key = (np.arange(n_items) % N_CODES)[item]
    wrong = (key + rng.integers(1, N_CODES, len(key))) % N_CODES
    return item, rater, first, key, np.where(rng.random(len(key)) < expit(level), key, wrong)


def accuracy(answers: Answers) -> Result:
    item, rater, first, key, given = answers
    return pool_difference((given == key) * 1.0, first, unit=item, item=item, rater=rater)


def cells(answers: Answers) -> Floats:
    *_, key, given = answers
    found: Floats = np.eye(N_CODES**2)[key * N_CODES + given]
    return found


def macro_f1(answers: Answers) -> Result:
    item, rater, first, *_ = answers
    return score_difference(cells(answers), f1_macro_pseudo_values, first, unit=item, item=item, rater=rater)


def marks(answers: Answers) -> Floats:
    """Characters hit, marked and of the key: a right answer marks what the key does, another is shifted by its code."""
    item, _, _, key, given = answers
    shift = (given - key) % N_CODES
    long = 5 + item % 7
    return np.column_stack([np.maximum(long - 3 * shift, 0), long, long]).astype(np.float64)


def marked_f1(answers: Answers) -> Result:
    item, rater, first, *_ = answers
    return score_difference(marks(answers), f1_pseudo_values, first, unit=item, item=item, rater=rater)


SCORES: dict[str, tuple[Callable[[Answers], Result], Callable[[Answers], Floats]]] = {
    "pool_accuracy_difference": (accuracy, lambda answers: (answers[4] == answers[3]) * 1.0),
    "pool_f1_difference": (macro_f1, cells),
    "pool_span_f1_difference": (marked_f1, marks),
}


def truth(name: str, means: tuple[float, float]) -> float:
    """The difference in many answers of as many raters to as many items."""
    rng = np.random.default_rng(0)
    answers = drawn(rng, means, (MANY // 2, MANY // 2), MANY // 4)
    sums, first = SCORES[name][1](answers), answers[2]
    if name == "pool_accuracy_difference":
        return float(sums[first].mean() - sums[~first].mean())
    score = f1_macro_pseudo_values if name == "pool_f1_difference" else f1_pseudo_values
    one, other = (score(sums[side]).mean() for side in (first, ~first))
    return float(one - other)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--items", type=int, default=20)
    given = parser.parse_args()
    print("| | raters | p < .05 | coverage |\n|---|---|---|---|")
    for name, (compare, _) in SCORES.items():
        true = truth(name, (0.4, 1.2))
        for sizes in DESIGNS:
            rng = np.random.default_rng(1)
            null = [compare(drawn(rng, (0.8, 0.8), sizes, given.items)) for _ in range(given.runs)]
            told = [compare(drawn(rng, (0.4, 1.2), sizes, given.items)).interval for _ in range(given.runs)]
            known = [one for one in told if one is not None]
            holds = np.mean([one.low <= true <= one.high for one in known])
            error = np.mean([found.p_value is not None and found.p_value < 0.05 for found in null])
            print(f"| `{name}` | {sizes[0]} + {sizes[1]} | {error:.3f} | {holds:.3f} ({len(known)}) |", flush=True)


if __name__ == "__main__":
    main()
