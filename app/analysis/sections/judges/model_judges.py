"""Whether a model judge can replace human raters: each judge compared with those who rated the same units."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from app.analysis.data.answers import Answers, Choices
from app.analysis.data.encoded_study import Bools, Floats, Ints
from app.analysis.data.question_data import TOO_MANY, AnyQuestionData
from app.analysis.data.scopes import distinct_groups
from app.analysis.estimate import Estimate, Scope, Unit
from app.analysis.minimum_data import ASSOCIATION
from app.analysis.sections.judges.answered import answered_units, bounds_of_missing
from app.analysis.sections.judges.calibration import calibration
from app.analysis.sections.judges.contrasts import judge_contrasts
from app.analysis.sections.judges.jury import jury_of
from app.analysis.sections.judges.length_bias import length_bias
from app.analysis.sections.judges.prompts import prompt_grids
from app.analysis.sections.judges.self_preference import self_preference_estimates
from app.analysis.sections.judges.together import together
from app.analysis.statistic import Bounds, Column, PageTable, Statistic, declare
from app.protocol.study import Protocol
from app.stats.clusters import for_new_items
from app.stats.comparison import describe
from app.stats.linear.correlation import correlation, correlation_difference
from app.stats.raters.alt_test import alternative_annotator_test
from app.stats.raters.profiles import mean_of_others, share_of_others
from app.stats.result import Method, Result, undefined

# Whether a model judge answers the same when it is asked again, on the same sides and on swapped sides.

SWAPPED = "of answers repeated with the sides swapped"
AGAIN = "of answers repeated with the same sides"

_statistic = partial(Statistic, docs="judges")
declare(
    _statistic(
        "judge_correlation",
        "Judge's correlation with the mean of human raters",
        "coefficient",
        minimum=ASSOCIATION,
        ceiling="ceiling_correlation",
    ),
    _statistic(
        "ceiling_correlation",
        "Human ceiling: correlation with the mean of the other raters",
        "coefficient",
        minimum=ASSOCIATION,
    ),
    _statistic("judge_share", "Share of human raters who agree with the judge", "share", ceiling="ceiling_share"),
    _statistic("ceiling_share", "Human ceiling: share of other raters who agree", "share"),
    _statistic(
        "judge_share_consistent",
        "Share of human raters who agree with the judge, where it answered the same on both sides",
        "share",
    ),
    _statistic(
        "correlation_minus_ceiling",
        "Judge's correlation minus the human ceiling",
        "coefficient",
        minimum=ASSOCIATION,
        no_difference=0.0,
    ),
    _statistic(
        "share_minus_ceiling",
        "Share who agree with the judge minus the human ceiling",
        "share_points",
        no_difference=0.0,
    ),
    _statistic("alt_test_winning_rate", "Alternative annotator test: winning rate", "share", cites=("calderon2025",)),
    _statistic(
        "alt_test_advantage_probability",
        "Alternative annotator test: advantage probability",
        "share",
        cites=("calderon2025",),
    ),
    _statistic(
        "alt_test_units_needed",
        "Alternative annotator test: units per rater for 80% power",
        "count",
        cites=("calderon2025",),
    ),
    _statistic(
        "side_effect",
        "Rating on the left minus rating of the same response on the right",
        "points",
        no_difference=0.0,
        bounds=Bounds(times=1),
    ),
    _statistic("side_consistency", "Same answer after swapping sides", "share"),
    _statistic("retest_agreement", "Same answer when asked again on the same sides", "share"),
)
AGAINST_PEOPLE = PageTable(
    "Model judges compared with human raters, with 95% CIs",
    (
        Column("Agreement with people", ("judge_correlation", "judge_share")),
        Column("Human ceiling", ("ceiling_correlation", "ceiling_share")),
        Column("Judge minus ceiling", ("correlation_minus_ceiling", "share_minus_ceiling")),
        Column("Units answered", ("judge_answered",)),
        Column("Least agreement if all had been answered", ("judge_correlation_lowest", "judge_share_lowest")),
        Column("Most", ("judge_correlation_highest", "judge_share_highest")),
        Column("Alternative annotator test: winning rate", ("alt_test_winning_rate",)),
        Column("Advantage probability", ("alt_test_advantage_probability",)),
        Column("Units per rater to pass", ("alt_test_units_needed",)),
    ),
)
BIASES = PageTable(
    "Biases of judges",
    (
        Column("Self-preference, points", ("self_preference",), kind="points"),
        Column("Self-preference, percentage points", ("self_preference",), kind="share_points"),
        Column("Length, points", ("length_bias",), kind="points"),
        Column("Length, percentage points", ("length_bias",), kind="share_points"),
        Column("First side chosen", ("first_side_share",)),
        Column("Left minus right, points", ("side_effect",)),
        Column("Same after swap", ("side_consistency",)),
        Column("Same when asked again", ("retest_agreement",)),
    ),
)


def repeated_answers(data: AnyQuestionData, own: Answers, is_again: Bools, scope: Scope) -> Iterator[Estimate]:
    """Yield which side the judge chose in all showings, what a side adds, and how often a repeated answer is the same.

    Args:
        data: the question data.
        own: all answers of one judge, with repeats.
        is_again: whether each answer is a repeat.
        scope: of the judge.
    """
    unit: Unit = "choice" if isinstance(own, Choices) else "rating"
    if isinstance(own, Choices):
        left = for_new_items(describe.share(own.is_left, item=own.item, rater=own.item, null=0.5))
        yield data.record(left, own, section=SECTION, scope=scope, statistic="first_side_share", unit="choice")
    is_left = _is_left(data, own)
    one, other = _pairs(data, own, is_again)
    is_swapped = is_left[one] + is_left[other] == 1
    if is_swapped.any() and not isinstance(own, Choices) and not data.is_nominal:
        sign = np.where(is_left[one] == 1, 1.0, -1.0)[is_swapped]
        gap = sign * (own.value[one] - own.value[other])[is_swapped]
        items = own.item[one[is_swapped]]
        effect = for_new_items(describe.mean(gap, item=items, rater=items))
        part = own.select(one[is_swapped])
        yield data.record(effect, part, section=SECTION, scope=scope, statistic="side_effect", unit=unit)
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


def _shown(data: AnyQuestionData, own: Answers) -> list[tuple[Any, ...]]:
    """What was shown at each answer, regardless of the sides: unit, pair and condition."""
    rows = data.codes.rows
    left, right = rows.left[own.row], rows.right[own.row]
    condition = data.codes.kept["condition"].iloc[own.row].fillna("").tolist()
    return list(zip(own.unit, np.minimum(left, right), np.maximum(left, right), condition, strict=True))


def averaged(data: AnyQuestionData, own: Answers, is_again: Bools) -> Answers:
    """The first answers of a judge, each with the mean of all answers to the same page on any side."""
    code = pd.factorize(pd.Series(_shown(data, own), dtype=object))[0]
    mean = np.bincount(code, own.value) / np.bincount(code)
    return replace(own, value=mean[code]).select(~is_again)


def _pairs(data: AnyQuestionData, own: Answers, is_again: Bools) -> tuple[Ints, Ints]:
    """Return the positions of first answers and of their repeats: same unit, same pair, same condition."""
    keys = _shown(data, own)
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
    """One judge and some human raters on one question. `humans` has one rating per rater and unit.

    `showings`: the judge's answers; one of each unit if they can be averaged, otherwise one of each unit per showing.
    """

    data: AnyQuestionData
    scope: Scope
    humans: Answers
    showings: tuple[Answers, ...]
    epsilon: float

    @cached_property
    def said_each(self) -> Floats:
        """The judge's value for the unit of each human rating, shape (n_showings, n); nan if there is none."""
        return np.array([self._said_in(showing) for showing in self.showings])

    def _said_in(self, showing: Answers) -> Floats:
        size = int(max(self.humans.unit.max(initial=0), showing.unit.max(initial=0))) + 1
        of_unit = np.full(size, np.nan)
        of_unit[showing.unit[::-1]] = showing.value[::-1]
        return np.asarray(of_unit[self.humans.unit])

    @property
    def said(self) -> Floats:
        """The value of the first showing, which is the mean of all if they can be averaged."""
        first: Floats = self.said_each[0]
        return first

    @cached_property
    def is_answered(self) -> Bools:
        """Whether the judge has a value for the unit of each human rating."""
        return np.asarray(np.isfinite(self.said_each).any(axis=0))

    def record(self, statistic: str, result: Result) -> Estimate:
        """Return an estimate with the counts of the human ratings of units that the judge rated."""
        part = self.humans.select(self.is_answered)
        unit: Unit = "choice" if isinstance(self.humans, Choices) else "rating"
        return self.data.record(result, part, section=SECTION, scope=self.scope, statistic=statistic, unit=unit)


def judges(data: AnyQuestionData, protocol: Protocol) -> Iterator[Estimate]:
    """Yield the estimates for each judge, compared with all human raters and each pool.

    The question data must include all showings to the judges, and no planned repeats of people. A judge's answers to
    the questions of a composite are averaged over showings first, so that each unit has one score.
    """
    if data.question.target == "rater":
        return
    codes, answers = data.codes, data.answers
    first_of_model: dict[int, Answers] = {}
    own_of: dict[int, Answers] = {}
    is_again = codes.kept["repeat"].to_numpy(dtype=np.float64, na_value=0)[answers.row] > 0
    for code in np.flatnonzero(codes.raters.is_model).tolist():
        is_own = answers.rater == code
        every, again = answers.select(is_own), is_again[is_own]
        own = every.select(~again)
        if not len(own.value):
            continue
        showings = _showings(data, every, again)
        own_of[code] = _of_all_showings(every, showings)
        first_of_model.setdefault(int(codes.raters.counts_as[code]), own_of[code])
        scope: Scope = {"rater_kind": "model", "raters": [codes.raters.ids[code]]}
        for judged in _judged(data, scope, showings, is_again):
            yield from _beside(judged)
            if judged.scope == scope:
                yield from _alone(judged, every, protocol)
        yield from repeated_answers(data, every, again, scope)
    yield from prompt_grids(data, own_of)
    yield from _jury(data, is_again, [*first_of_model.values()])


def judges_and_people(data: AnyQuestionData) -> Iterator[tuple[tuple[str, ...], Answers, list[Answers]]]:
    """Yield the IDs of each judge, then of all models if there are several, with people's answers and their own.

    The question data are those of `judges`; runs of one model count once, as in a jury.
    """
    codes, answers = data.codes, data.answers
    is_again = codes.kept["repeat"].to_numpy(dtype=np.float64, na_value=0)[answers.row] > 0
    humans = answers.select(~codes.raters.is_model[answers.rater] & ~is_again)
    humans = humans.select(humans.is_first)
    of_model: dict[int, Answers] = {}
    ids: list[str] = []
    for code in np.flatnonzero(codes.raters.is_model).tolist():
        is_own = answers.rater == code
        every, again = answers.select(is_own), is_again[is_own]
        if not again.all() and len(humans.value):
            own = _of_all_showings(every, _showings(data, every, again))
            of_model.setdefault(int(codes.raters.counts_as[code]), own)
            ids.append(codes.raters.ids[code])
            yield (ids[-1],), humans, [own]
    if len(of_model) > 1:
        yield tuple(ids), humans, [*of_model.values()]


def _judged(data: AnyQuestionData, scope: Scope, showings: tuple[Answers, ...], is_again: Bools) -> Iterator[Judged]:
    """Yield a judge or jury beside all human raters, and beside each pool."""
    answers = data.answers
    for group in distinct_groups(data.codes):
        if not group.is_model:
            humans = answers.within(group.has_rater[answers.rater] & ~is_again)
            pool = group.scope.get("pool") or _only_pool(data, humans)
            of_units = humans.select(humans.is_first)
            yield Judged(data, {**scope, **group.scope}, of_units, showings, EPSILON.get(pool, SKILLED))


def _jury(data: AnyQuestionData, is_again: Bools, owns: Sequence[Answers]) -> Iterator[Estimate]:
    """Yield how far the jury of all models agrees with people, and what it would conclude, if there are two models.

    `owns` are the answers of one run of each model, which count together with people's.
    """
    raters = data.codes.raters
    every = data.answers.select(raters.is_model[data.answers.rater])
    jury = jury_of(every, raters.counts_as[every.rater], is_nominal=data.is_nominal)
    if jury is None:
        return
    scope: Scope = {"rater_kind": "model", "raters": [raters.ids[code] for code in np.unique(every.rater)]}
    for judged in _judged(data, scope, (jury,), is_again):
        yield from _beside(judged)
        if judged.scope == scope:
            yield from judge_contrasts(data, _with_votes(every, raters.counts_as, jury), scope)
            yield from answered_units(data, judged.humans, judged.is_answered, scope)
            yield from together(data, judged.humans, owns, scope)


def _with_votes(every: Answers, counts_as: Ints, jury: Answers) -> Answers:
    """What the jury concludes from: of choices every answer with its model as the rater, otherwise its own answers."""
    return replace(every, rater=counts_as[every.rater]) if isinstance(every, Choices) else jury


def _of_all_showings(every: Answers, showings: Sequence[Answers]) -> Answers:
    """Choices of all showings: a judge that takes the first side has no preference then. Otherwise their means."""
    return every if isinstance(every, Choices) else showings[0]


def _showings(data: AnyQuestionData, every: Answers, is_again: Bools) -> tuple[Answers, ...]:
    """The judge's answers averaged over its showings, or one after the other if they have no order."""
    if not data.is_nominal:
        return (averaged(data, every, is_again),)
    repeat = data.codes.kept["repeat"].to_numpy(dtype=np.float64, na_value=0)[every.row]
    return tuple(every.select(repeat == number) for number in np.unique(repeat))


def _alone(judged: Judged, every: Answers, protocol: Protocol) -> Iterator[Estimate]:
    """Yield what is the same for every pool: biases, calibration, and what the judge did not answer."""
    data, humans, said, scope = judged.data, judged.humans, judged.said, judged.scope
    own = _of_all_showings(every, judged.showings)
    yield from self_preference_estimates(data, humans, own, said, scope, protocol)
    yield from length_bias(data, humans, own, said, scope)
    yield from calibration(data, humans, judged.showings[0], scope)
    yield from judge_contrasts(data, own, scope)
    yield from together(data, humans, [own], scope)
    yield from answered_units(data, humans, judged.is_answered, scope)
    yield from bounds_of_missing(data, humans, said, scope)


def _only_pool(data: AnyQuestionData, humans: Answers) -> str:
    """Return the pool of all human raters of the question if they have the same one, otherwise ""."""
    raters = data.codes.raters
    pools = {raters.pools[k] if k >= 0 else "" for k in np.unique(raters.pool[humans.rater])}
    return pools.pop() if len(pools) == 1 else ""


def _beside(judged: Judged) -> Iterator[Estimate]:
    """Yield how much the judge, and a human rater in its place, agree with the other raters; then the test."""
    humans, together = judged.humans, judged.is_answered
    part, each = humans.select(together), judged.said_each[:, together]
    if judged.data.is_nominal:
        same = share_of_others(part.value, part.unit)
        agreeing = _mean_of_showings(each, part)
        found = {
            "judge_share": describe.share(agreeing, **part.where),
            "ceiling_share": describe.share(same, **part.where),
            "share_minus_ceiling": describe.mean(agreeing - same, **part.where),
        }
        if len(each) > 1:
            is_same = np.isfinite(each).all(axis=0) & (each == each[0]).all(axis=0)
            found["judge_share_consistent"] = describe.share(np.where(is_same, agreeing, np.nan), **part.where)
    else:
        others = mean_of_others(part.value, part.unit)
        found = {
            "judge_correlation": correlation(each[0], others, **part.where),
            "ceiling_correlation": correlation(part.value, others, **part.where),
            "correlation_minus_ceiling": correlation_difference(each[0], part.value, others, **part.where),
        }
    for statistic, result in found.items():
        named = replace(result, note=NOT_SHARED) if result.reason == "no_pairable_units" else result
        yield judged.record(statistic, named)
    if judged.data.codes.raters.are_known:
        yield from _test(judged)


def _mean_of_showings(each: Floats, part: Answers) -> Floats:
    """Return the share of other raters who agree with the judge, as the mean of its showings."""
    shares = np.array([np.where(np.isfinite(said), _share_of_others_who_say(said, part), np.nan) for said in each])
    n_said = np.isfinite(shares).sum(axis=0)
    return np.where(n_said > 0, np.nansum(shares, axis=0) / np.maximum(n_said, 1), np.nan)


def _share_of_others_who_say(judge: Floats, part: Answers) -> Floats:
    """Return for each human rating the share of other raters who agree with the judge; nan without others."""
    is_same = (part.value == judge) * 1.0
    return mean_of_others(is_same, part.unit)


def _test(judged: Judged) -> Iterator[Estimate]:
    """Yield the alternative annotator test over the human raters who rated the same units as the judge."""
    humans = judged.humans.select(judged.is_answered)
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
    judge = np.full((len(judged.showings), len(units)), np.nan)
    judge[:, column] = judged.said_each[:, judged.is_answered]
    test = alternative_annotator_test(
        table, judge, epsilon=judged.epsilon, score="accuracy" if judged.data.is_nominal else "rmse"
    )
    yield judged.record("alt_test_winning_rate", test.winning_rate)
    yield judged.record("alt_test_advantage_probability", test.advantage_probability)
    yield judged.record("alt_test_units_needed", test.units_needed)
