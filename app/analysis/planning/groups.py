"""Two groups of raters in a simulated study, compared by the test that is declared.

What a design does not say is assumed: the keys are spread evenly over the codes, and wrong answers over the other
codes; a rater who marks words marks as many beside the key as they miss.
"""

from typing import TypedDict

import numpy as np

from app.stats.accuracy.category_f1 import f1_macro_pseudo_values
from app.stats.arrays import Bools, Floats, Labels
from app.stats.comparison.pools import pool_correlation, pool_difference, score_difference
from app.stats.result import Result
from app.stats.spans import f1_pseudo_values

# What is drawn: the share of the key's words that are marked, in steps of a twentieth; Fisher's z of a perceiver and a
# target in steps of .01, from r = -.96 to r = .995, beyond which few are.
SHARE_OF_KEY, FISHER_Z = np.linspace(0, 1, 21), np.linspace(-2, 3, 501)


class Where(TypedDict):
    """What each answer is about, and whose it is, shape (n,)."""

    unit: Labels
    item: Labels
    rater: Labels


def compared_groups(
    test: str, value: Floats, is_first: Bools, where: Where, *, n_codes: int, rng: np.random.Generator
) -> Result:
    """Return the contrast of two groups of raters.

    Args:
        test: its key.
        value: what is drawn of each answer, shape (n,): its rating; 1 if it is right or given, else 0; the share of the
            key's words that are marked; Fisher's z.
        is_first: whether the answer is of the first group, shape (n,).
        where: shape (n,) each.
        n_codes: number of codes of the question.
        rng: draws which wrong code is given.
    """
    if test == "pool_correlation":
        return pool_correlation(value, is_first, **where)
    if test == "pool_f1_difference":
        key = where["unit"] % n_codes
        given = np.where(value > 0, key, (key + rng.integers(1, n_codes, len(key))) % n_codes)
        return score_difference(np.eye(n_codes**2)[key * n_codes + given], f1_macro_pseudo_values, is_first, **where)
    if test == "pool_span_f1_difference":
        sums = np.column_stack([value, np.ones(len(value)), np.ones(len(value))])
        return score_difference(sums, f1_pseudo_values, is_first, **where)
    return pool_difference(value, is_first, **where)
