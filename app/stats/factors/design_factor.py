"""Effects of a factor of the design: a label, an instruction, a profile that is shown.

Arguments: `value` shape (n,), one entry per rating; rows with nan are dropped; `item` and `rater` shape (n,) are labels
of any kind. The factor may vary within or between raters, and within or between items. Alternatives for the same
effect: `mean_difference_lmm` (linear mixed model) and `compare_ordinal` (odds ratio).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.stats.comparison.describe import mean_difference
from app.stats.core.arrays import present
from app.stats.core.clusters import has_few_raters
from app.stats.core.contrast_sides import missing_side, warned_of_few

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Floats, Labels
    from app.stats.core.result import Result


def factor_effect(value: Floats, has_level: Bools, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the mean rating at a level of the factor minus that at the reference level. Unit: rating.

    Pass the ratings of one source for a simple effect. `has_level` shape (n,): True at the level, False at the
    reference. It is `mean_difference`, so that an arm has the same interval and test wherever it is compared.
    """
    number, (at_level, items, raters) = present(value, has_level, item, rater)
    at_level = at_level.astype(bool)
    problem = missing_side(at_level, "the level", "the reference level")
    if problem:
        return problem
    found = mean_difference(number, at_level, item=items, rater=raters, level=level)
    # a factor has no second record for these raters only, which that note points to
    return warned_of_few(replace(found, note="") if has_few_raters(found) else found, at_level, raters)
