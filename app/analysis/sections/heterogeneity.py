"""How far the primary differences between sources differ between items and between raters."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from app.analysis.data.question_data import AnyQuestionData
from app.analysis.estimate import Estimate, Scope
from app.analysis.sections.disagreement import SECTION
from app.analysis.sections.sensitivity import OfPair, primary_pairs
from app.analysis.sections.study_data import StudyData
from app.analysis.statistic import Bounds, Column, PageTable, Statistic, declare
from app.analysis.wording.formatting import number
from app.base.words import counted
from app.stats.mixed import heterogeneity as stats
from app.stats.mixed.lmm_name import LMM
from app.stats.result import Method, Result

# items with the most effect, and as many with the least
MAX_ITEMS = 5
METHOD = Method(words=f"{LMM}: effect on the item, shrunk towards the mean")
# smaller differences between items are those of rounding
FLAT = 1e-9
CITES = ("nagashima2019",)

_statistic = partial(Statistic, docs="comparison")
declare(
    _statistic(
        "difference_new_item",
        "Difference on a new item",
        "points",
        variant="prediction interval",
        bounds=Bounds(times=1),
        cites=CITES,
    ),
    _statistic(
        "difference_new_rater",
        "Difference of a new rater",
        "points",
        variant="prediction interval",
        bounds=Bounds(times=1),
        cites=CITES,
    ),
    _statistic(
        "share_new_item",
        "Share preferred on a new item",
        "share",
        variant="prediction interval",
        cites=CITES,
        is_of_choices=True,
    ),
    _statistic(
        "share_new_rater",
        "Share preferred by a new rater",
        "share",
        variant="prediction interval",
        cites=CITES,
        is_of_choices=True,
    ),
    _statistic(
        "opposite_items_share", "Share of items with the opposite sign", "share", cites=("mathur2019", "nagashima2019")
    ),
    _statistic("item_difference", "Difference on this item", "points", bounds=Bounds(times=1)),
    _statistic("item_share", "Share preferred on this item", "share"),
)
# of single items
OF_ITEMS = ("item_difference", "item_share")
VARIATION = PageTable(
    "How far the primary differences vary, with 95% prediction intervals",
    (
        Column("On a new item", ("difference_new_item", "share_new_item")),
        Column("For a new rater", ("difference_new_rater", "share_new_rater")),
        Column("Items with the opposite sign", ("opposite_items_share",)),
    ),
)


def heterogeneity(study: StudyData) -> Iterator[Estimate]:
    """Yield, of each primary difference of ratings and share of choices, how far it varies, and its extreme items.

    Nothing for studies with too many ratings for a mixed model, unless a full report was requested.
    """
    for data, scope in primary_pairs(study):
        if data.is_light:
            yield from _of_pair(data, scope)


def _of_pair(data: AnyQuestionData, scope: Scope) -> Iterator[Estimate]:
    pair = OfPair.of(data, scope)
    side = None if pair.is_share else pair.is_mine
    found = stats.heterogeneity(pair.value, side, **pair.answers.where)
    name = "share" if pair.is_share else "difference"
    records = [(f"{name}_new_item", found.new_item)]
    if data.codes.raters.are_known:
        records.append((f"{name}_new_rater", found.new_rater))
    records.append(("opposite_items_share", found.opposite))
    for statistic, result in records:
        yield data.record(result, pair.answers, section=SECTION, scope=scope, statistic=statistic, unit="item")
    if found.items is not None and np.ptp(found.items.shrunken) > FLAT:
        yield from _extreme_items(pair, found.items, scope)


def _extreme_items(pair: OfPair, effects: stats.ItemEffects, scope: Scope) -> Iterator[Estimate]:
    """Yield the items with the highest effect, highest first, then those with the lowest, lowest last."""
    ids = pair.data.codes.items["item"].to_numpy(dtype=object)
    order = np.argsort(-effects.shrunken, kind="stable")
    shown = order if len(order) <= 2 * MAX_ITEMS else np.r_[order[:MAX_ITEMS], order[-MAX_ITEMS:]]
    statistic, what = ("item_share", "choice") if pair.is_share else ("item_difference", "rating")
    for place in shown:
        code, plain = int(effects.item[place]), float(effects.plain[place])
        own = pair.answers.select(pair.answers.item == code)
        said = number(plain, "share" if pair.is_share else "points")
        note = f"{counted(len(own.value), what)}{'' if np.isnan(plain) else f'; not shrunk: {said}'}"
        result = Result(float(effects.shrunken[place]), METHOD, n_units=1, note=note)
        named: Scope = {**scope, "subgroup": {"item": str(ids[code])}}
        yield pair.data.record(result, own, section=SECTION, scope=named, statistic=statistic, unit="item")
