"""Whether a model judge can replace human raters: each judge compared with those who rated the same units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

import numpy as np

from app.analysis.data.answers import Answers, Choices
from app.analysis.data.encoded_study import Bools, Floats, Ints
from app.analysis.data.question_data import TOO_MANY, AnyQuestionData
from app.analysis.data.scopes import distinct_groups
from app.analysis.estimate import Estimate, Scope, Unit
from app.analysis.minimum_data import ASSOCIATION
from app.analysis.sections.coefficients import level_of
from app.analysis.sections.judges.calibration import calibration
from app.analysis.sections.judges.length_bias import length_bias
from app.analysis.sections.judges.self_preference import self_preference_estimates
from app.analysis.statistic import Column, PageTable, Statistic, declare
from app.protocol.study import Protocol
from app.stats.clusters import for_new_items
from app.stats.comparison import describe
from app.stats.linear.correlation import correlation
from app.stats.raters.alt_test import alternative_annotator_test
from app.stats.raters.profiles import mean_of_others, share_of_others
from app.stats.result import Method, Result, undefined

# Whether a model judge answers the same when it is asked again, on the same sides and on swapped sides.

SWAPPED = "of answers repeated with the sides swapped"
AGAIN = "of answers repeated with the same sides"

declare(
    Statistic(
        "judge_correlation",
        "Judge's correlation with the mean of human raters",
        "coefficient",
        docs="judges",
        minimum=ASSOCIATION,
        ceiling="ceiling_correlation",
    ),
    Statistic(
        "ceiling_correlation",
        "Human ceiling: correlation with the mean of the other raters",
        "coefficient",
        docs="judges",
        minimum=ASSOCIATION,
    ),
    Statistic(
        "judge_share", "Share of human raters who agree with the judge", "share", docs="judges", ceiling="ceiling_share"
    ),
    Statistic("ceiling_share", "Human ceiling: share of other raters who agree", "share", docs="judges"),
    Statistic(
        "alt_test_winning_rate",
        "Alternative annotator test: winning rate",
        "share",
        docs="judges",
        cites=("calderon2025",),
    ),
    Statistic(
        "alt_test_advantage_probability",
        "Alternative annotator test: advantage probability",
        "share",
        docs="judges",
        cites=("calderon2025",),
    ),
    Statistic(
        "alt_test_units_needed",
        "Alternative annotator test: units per rater for 80% power",
        "count",
        docs="judges",
        cites=("calderon2025",),
    ),
    Statistic("side_consistency", "Same answer after swapping sides", "share", docs="judges"),
    Statistic("retest_agreement", "Same answer when asked again on the same sides", "share", docs="judges"),
)
AGAINST_PEOPLE = PageTable(
    "Model judges compared with human raters, with 95% CIs",
    (
        Column("Agreement with people", ("judge_correlation", "judge_share")),
        Column("Human ceiling", ("ceiling_correlation", "ceiling_share")),
        Column("Alternative annotator test: winning rate", ("alt_test_winning_rate",)),
        Column("Advantage probability", ("alt_test_advantage_probability",)),
        Column("Units per rater to pass", ("alt_test_units_needed",)),
    ),
)
BIASES = PageTable(
    "Biases of judges",
    (
        Column("Self-preference", ("self_preference",)),
        Column("Length", ("length_bias",)),
        Column("Same after swap", ("side_consistency",)),
        Column("Same when asked again", ("retest_agreement",)),
    ),
)


def repeated_answers(data: AnyQuestionData, own: Answers, is_again: Bools, scope: Scope) -> Iterator[Estimate]:
    """Yield which side the judge chose, and how often a repeated answer is the same.

    Args:
        data: the question data.
        own: all answers of one judge, with repeats.
        is_again: whether each answer is a repeat.
        scope: of the judge.
    """
    unit: Unit = "choice" if isinstance(own, Choices) else "rating"
    if isinstance(own, Choices):
        first = own.select(~is_again)
        left = for_new_items(describe.share(first.is_left, item=first.item, rater=first.item, null=0.5))
        yield data.record(left, first, section=SECTION, scope=scope, statistic="first_side_share", unit="choice")
    is_left = _is_left(data, own)
    one, other = _pairs(data, own, is_again)
    is_swapped = is_left[one] + is_left[other] == 1
    is_same_side = (is_left[one] == is_left[other]) | (np.isnan(is_left[one]) & np.isnan(is_left[other]))
    for statistic, kept, words in (
        ("side_consistency", is_swapped, SWAPPED),
        ("retest_agreement", is_same_side, AGAIN),
    ):
        if kept.any():
            same = (own.value[one[kept]] == own.value[other[kept]]) * 1.0
            items = own.item[one[kept]]
            share = for_new_items(describe.share(same, item=items, rater=items))
            result = replace(share, method=share.method.with_words(f": {words}"))
            part = own.select(one[kept])
            yield data.record(result, part, section=SECTION, scope=scope, statistic=statistic, unit=unit)


def _is_left(data: AnyQuestionData, own: Answers) -> Floats:
    """Return 1 if the response rated, or the first response of a pair, was on the left, 0 if on the right, else nan."""
    if isinstance(own, Choices):
        return own.one_is_left
    rows = data.codes.rows
    left, response = rows.left[own.row], rows.response[own.row]
    return np.where((left >= 0) & (response >= 0), (left == response) * 1.0, np.nan)


def _pairs(data: AnyQuestionData, own: Answers, is_again: Bools) -> tuple[Ints, Ints]:
    """Return the positions of first answers and of their repeats: same unit, same pair, same condition."""
    rows = data.codes.rows
    left, right = rows.left[own.row], rows.right[own.row]
    condition = data.codes.kept["condition"].iloc[own.row].fillna("").tolist()
    keys = list(zip(own.unit, np.minimum(left, right), np.maximum(left, right), condition, strict=True))
    order = sorted(range(len(keys)), key=lambda place: (keys[place], is_again[place]))
    pairs = [
        (first, other)
        for _, group in groupby(order, key=keys.__getitem__)
        for first, *others in [list(group)]
        for other in others
        if not is_again[first] and is_again[other]
    ]
    one, another = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return one, another


SECTION = "judge"
# The advantage of the judge in the alternative annotator test: Calderon, Reichart and Dror (2025).
EPSILON = {"crowd": 0.1, "expert": 0.2}
SKILLED = 0.15
# The cost of the test is raters x raters x units.
MAX_CELLS = 200_000_000
NOT_SHARED = "no unit was rated by the judge and two or more people"


@dataclass(frozen=True, eq=False)
class Judged:
    """One judge and some human raters on one question. `humans` has one rating per rater and unit."""

    data: AnyQuestionData
    scope: Scope
    humans: Answers
    judge: Answers
    epsilon: float

    @cached_property
    def said(self) -> Floats:
        """The judge's value for the unit of each human rating; nan if there is none."""
        size = int(max(self.humans.unit.max(initial=0), self.judge.unit.max(initial=0))) + 1
        of_unit = np.full(size, np.nan)
        of_unit[self.judge.unit[::-1]] = self.judge.value[::-1]
        return np.asarray(of_unit[self.humans.unit])

    @property
    def is_nominal(self) -> bool:
        """Whether the answers have no order."""
        return level_of(self.data) == "nominal"

    def record(self, statistic: str, result: Result) -> Estimate:
        """Return an estimate with the counts of the human ratings of units that the judge rated."""
        part = self.humans.select(np.isfinite(self.said))
        unit: Unit = "choice" if isinstance(self.humans, Choices) else "rating"
        return self.data.record(result, part, section=SECTION, scope=self.scope, statistic=statistic, unit=unit)


def judges(data: AnyQuestionData, protocol: Protocol) -> Iterator[Estimate]:
    """Yield the estimates for each judge, compared with all human raters and each pool.

    The question data must include planned repeats.
    """
    if data.question.target == "rater" or data.is_composite:
        return
    codes, answers = data.codes, data.answers
    is_again = codes.kept["repeat"].to_numpy(dtype=np.float64, na_value=0)[answers.row] > 0
    for code in np.flatnonzero(codes.raters.is_model).tolist():
        own = answers.select((answers.rater == code) & ~is_again)
        if not len(own.value):
            continue
        scope: Scope = {"rater_kind": "model", "raters": [codes.raters.ids[code]]}
        for group in distinct_groups(codes):
            if not group.is_model:
                humans = answers.within(group.has_rater[answers.rater] & ~is_again)
                pool = group.scope.get("pool") or _only_pool(data, humans)
                judged = Judged(
                    data, {**scope, **group.scope}, humans.select(humans.is_first), own, EPSILON.get(pool, SKILLED)
                )
                yield from _beside(judged)
                if not group.scope:
                    yield from self_preference_estimates(judged.data, judged.humans, own, judged.said, scope, protocol)
                    yield from length_bias(judged.data, judged.humans, own, judged.said, scope)
                    yield from calibration(judged.data, judged.humans, own, scope)
        yield from repeated_answers(data, answers.select(answers.rater == code), is_again[answers.rater == code], scope)


def _only_pool(data: AnyQuestionData, humans: Answers) -> str:
    """Return the pool of all human raters of the question if they have the same one, otherwise ""."""
    raters = data.codes.raters
    pools = {raters.pools[k] if k >= 0 else "" for k in np.unique(raters.pool[humans.rater])}
    return pools.pop() if len(pools) == 1 else ""


def _beside(judged: Judged) -> Iterator[Estimate]:
    """Yield how much the judge, and a human rater in its place, agree with the other raters; then the test."""
    humans, said = judged.humans, judged.said
    together = np.isfinite(said)
    part, judge = humans.select(together), said[together]
    if judged.is_nominal:
        same = share_of_others(part.value, part.unit)
        of_judge = describe.share(_share_of_others_who_say(judge, part), **part.where)
        found = {"judge_share": of_judge, "ceiling_share": describe.share(same, **part.where)}
    else:
        others = mean_of_others(part.value, part.unit)
        found = {
            "judge_correlation": correlation(judge, others, **part.where),
            "ceiling_correlation": correlation(part.value, others, **part.where),
        }
    for statistic, result in found.items():
        named = replace(result, note=NOT_SHARED) if result.reason == "no_pairable_units" else result
        yield judged.record(statistic, named)
    if judged.data.codes.raters.are_known:
        yield from _test(judged)


def _share_of_others_who_say(judge: Floats, part: Answers) -> Floats:
    """Return for each human rating the share of other raters who agree with the judge; nan without others."""
    is_same = (part.value == judge) * 1.0
    return mean_of_others(is_same, part.unit)


def _test(judged: Judged) -> Iterator[Estimate]:
    """Yield the alternative annotator test over the human raters who rated the same units as the judge."""
    humans = judged.humans.select(np.isfinite(judged.said))
    raters, row = np.unique(humans.rater, return_inverse=True)
    units, column = np.unique(humans.unit, return_inverse=True)
    if len(raters) ** 2 * len(units) > MAX_CELLS and not judged.data.full:
        nothing = undefined("not_run", TOO_MANY, method=Method("alt_test"))
        yield judged.record("alt_test_winning_rate", nothing)
        yield judged.record("alt_test_advantage_probability", nothing)
        yield judged.record("alt_test_units_needed", nothing)
        return
    table = np.full((len(raters), len(units)), np.nan)
    table[row, column] = humans.value
    judge = np.full(len(units), np.nan)
    judge[column] = judged.said[np.isfinite(judged.said)]
    test = alternative_annotator_test(
        table, judge, epsilon=judged.epsilon, score="accuracy" if judged.is_nominal else "rmse"
    )
    yield judged.record("alt_test_winning_rate", test.winning_rate)
    yield judged.record("alt_test_advantage_probability", test.advantage_probability)
    yield judged.record("alt_test_units_needed", test.units_needed)
