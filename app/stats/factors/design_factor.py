"""Effects of a factor of the design: a label, an instruction, a profile that is shown.

Arguments: `value` shape (n,), one entry per rating; rows with nan are dropped; `item` and `rater` shape (n,) are labels
of any kind. The factor may vary within or between raters, and within or between items: `linear_contrast` determines the
degrees of freedom accordingly. Alternatives for the same effect: `mean_difference_lmm` (linear mixed model) and
`compare_ordinal` (odds ratio).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.stats.core.arms import Arms
from app.stats.core.arrays import present
from app.stats.core.contrast_sides import missing_side, warned_of_few
from app.stats.linear.cluster_robust import linear_contrast

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Floats, Labels
    from app.stats.core.result import Result


def factor_effect(value: Floats, has_level: Bools, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the mean rating at a level of the factor minus that at the reference level. Unit: rating.

    Pass the ratings of one source for a simple effect. `has_level` shape (n,): True at the level, False at the
    reference. Formula: difference of the two means by least squares, CR2 errors by item and rater.
    """
    number, (at_level, items, raters) = present(value, has_level, item, rater)
    at_level = at_level.astype(bool)
    problem = missing_side(at_level, "the level", "the reference level")
    if problem:
        return problem
    X = np.column_stack([~at_level, at_level]).astype(np.float64)
    found = linear_contrast(
        number, X, np.array([-1.0, 1.0]), item=items, rater=raters, arms=Arms.of_two(at_level), level=level
    )
    return warned_of_few(found, at_level, raters)


def factor_interaction(
    value: Floats, has_level: Bools, is_treated: Bools, *, item: Labels, rater: Labels, level: float = 0.95
) -> Result:
    """Return the effect of the factor on ratings of the source minus that on those of the reference. Unit: rating.

    `is_treated` shape (n,): whether the rating is of the source. Unlike `interaction`, the interval is valid if each
    rater has only one level of the factor.
    """
    number, (at_level, treated, items, raters) = present(value, has_level, is_treated, item, rater)
    at_level, treated = at_level.astype(bool), treated.astype(bool)
    for side in (treated, ~treated):
        problem = missing_side(at_level[side], "the level", "the reference level")
        if problem:
            return problem
    X = np.column_stack([np.ones(len(number)), treated, at_level, treated & at_level])
    contrast = np.array([0.0, 0.0, 0.0, 1.0])
    found = linear_contrast(number, X, contrast, item=items, rater=raters, arms=Arms.of_two(at_level), level=level)
    return warned_of_few(found, at_level, raters)
