"""One pool of persons against another on the same responses."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from app.analysis.data.scopes import groups
from app.stats.comparison.pool_correlation import pool_correlation
from app.stats.comparison.pools import pool_difference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.data.question_data import ScaledSheet
    from app.analysis.estimate import Estimate

SECTION = "contrast"
MAX_POOLS = 6


def pools(sheet: ScaledSheet) -> Iterator[Estimate]:
    """Mean difference and correlation over the responses that both pools rated; nothing where they share none."""
    named = [group for group in groups(sheet.codes) if "pool" in group.scope]
    if sheet.question.target == "rater" or len(named) > MAX_POOLS:
        return
    for reference, other in combinations(named, 2):
        answers = sheet.answers
        first, second = other.has_rater[answers.rater], reference.has_rater[answers.rater]
        part, is_first = answers.select(first | second), first[first | second]
        if not np.intersect1d(part.unit[is_first], part.unit[~is_first]).size:
            continue
        scope = {**other.scope, "reference_pool": reference.scope["pool"]}
        for statistic, compare in (("pool_difference", pool_difference), ("pool_correlation", pool_correlation)):
            found = compare(part.value, is_first, unit=part.unit, **part.where)
            yield sheet.record(found, part, section=SECTION, scope=scope, statistic=statistic, unit="response")
