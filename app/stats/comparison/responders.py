"""Comparisons of few responders per group (six models, eight trainees), with the responder as the unit of analysis."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from app.stats.comparison.rank_tests import asymptotic_p, mann_whitney, rank_biserial
from app.stats.core.arrays import codes, present
from app.stats.core.contrast_sides import missing_side

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Floats, Labels
    from app.stats.core.result import Result


@dataclass(frozen=True, slots=True)
class RespondersCompared:
    """Mann-Whitney tests of responder means.

    Attributes:
        exact: U of the smaller side (named in its note), p over all splits of the observed means.
        asymptotic: the same U, p by the normal approximation corrected for ties but not for continuity.
        rank_biserial: r = 1 - 2 U / (n m) with the sign of the source: positive if it is rated higher.
    """

    exact: Result
    asymptotic: Result
    rank_biserial: Result


def compare_responders(value: Floats, is_treated: Bools, responder: Labels) -> RespondersCompared:
    """Run the Mann-Whitney U test of responder means, source against reference (Mann and Whitney 1947).

    Args:
        value: ratings, shape (n,); nan is dropped.
        is_treated: whether the responder belongs to the source, shape (n,).
        responder: labels, shape (n,); the same label in both groups counts as two responders.
    """
    number, (treated, responders) = present(value, is_treated, responder)
    treated = treated.astype(bool)
    problem = missing_side(treated, "the source", "the reference")
    if problem:
        return RespondersCompared(problem, problem, problem)
    mine, theirs = (responder_means(number[side], responders[side]) for side in (treated, ~treated))
    counts: dict[str, int | None] = {"n_units": len(mine) + len(theirs), "n_ratings": len(number)}
    exact = mann_whitney(mine, theirs)
    r = rank_biserial(mine, theirs).with_counts(**counts)
    if exact.estimate is None:
        return RespondersCompared(exact.with_counts(**counts), exact.with_counts(**counts), r)
    above = exact.estimate
    smaller = min(above, len(mine) * len(theirs) - above)
    note = f"U of the {'source' if smaller == above else 'reference'}, the smaller of the two."
    exact = replace(exact, estimate=smaller, note=note).with_counts(**counts)
    p = asymptotic_p(mine, theirs, is_corrected=False)
    asymptotic = replace(exact, method="mann_whitney: normal approximation", p_value=p)
    return RespondersCompared(exact, asymptotic, r)


def responder_means(value: Floats, responder: Labels) -> Floats:
    """Return the mean rating per responder, in order of first appearance. `value` must not contain nan."""
    code, n = codes(responder)
    return np.asarray(np.bincount(code, value, n) / np.bincount(code, minlength=n))
