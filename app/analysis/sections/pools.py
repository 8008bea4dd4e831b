"""Comparisons of two groups of raters: pools of people, or models with people, for every kind of question."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from app.analysis.data.answers import Answers
from app.analysis.data.encoded_study import Bools, Codes, Raters
from app.analysis.data.question_data import AnyQuestionData, ChoiceData, ScaledData
from app.analysis.data.scopes import PEOPLE, Group, groups, runs_as_one
from app.analysis.estimate import Estimate, Scope
from app.analysis.minimum_data import ASSOCIATION
from app.analysis.sections.categories import CategoryData, keyed_data
from app.analysis.sections.changes import means_by_rater
from app.analysis.sections.choice import against_reference
from app.analysis.sections.code_differences import tested_codes
from app.analysis.sections.study_data import StudyData
from app.analysis.statistic import Bounds, Column, PageTable, Recorded, Statistic, declare, share_points
from app.protocol.primary import TESTS, PrimaryContrast
from app.protocol.primary_default import primary_contrasts
from app.protocol.study import Protocol
from app.stats.accuracy.category_f1 import f1_macro_pseudo_values
from app.stats.comparison.pools import group_difference, pool_correlation, pool_difference, score_difference
from app.stats.result import Method, Result, undefined

SECTION = "contrast"
MAX_POOLS = 6
# what every record has besides the two groups; a contrast that leaves them open is about all pairs of pools
GROUPS = ("pool", "reference_pool")
KINDS = ("rater_kind", "reference_rater_kind")
NOTHING_SHARED = "The two groups of raters have no item, response or pair in common."


declare(
    Statistic(
        "pool_difference",
        "Difference between pools of raters",
        "points",
        docs="contrasts",
        no_difference=0.0,
        bounds=Bounds(times=1),
        tests={"pool_difference": Recorded(unit=None, keys=(), perhaps=GROUPS)},
        is_of_pools=True,
    ),
    Statistic(
        "pool_correlation",
        "Correlation between pools of raters",
        "coefficient",
        docs="contrasts",
        minimum=ASSOCIATION,
        tests={"pool_correlation": Recorded(unit="response", keys=(), perhaps=GROUPS)},
        is_of_pools=True,
    ),
    Statistic(
        "pool_change_difference",
        "Difference in change between pools of raters",
        "points",
        docs="contrasts",
        cites=("welch1947",),
        no_difference=0.0,
        bounds=Bounds(times=2),
        tests={"pool_change_difference": Recorded(unit="rater_mean", keys=("before",), perhaps=GROUPS)},
        is_of_pools=True,
    ),
    *(
        share_points(key, name, Recorded(unit=None, keys=keys, perhaps=GROUPS), is_of_pools=True)
        for key, name, keys in (
            ("pool_accuracy_difference", "Difference in correct answers between pools", ()),
            ("pool_f1_difference", "Difference in macro F1 between pools", ()),
            ("pool_category_difference", "Difference in share with this code between pools", ("category",)),
            ("pool_preference_difference", "Difference in share preferred between pools", ("source", "reference")),
            ("pool_span_f1_difference", "Difference in F1 of marked characters between pools", ()),
        )
    ),
)
BY_GROUP = PageTable(
    "By attribute of sources, by pool and by rater score",
    (
        Column("Attribute of sources", ("attribute_effect",)),
        Column(
            "Difference between pools",
            (
                "pool_difference",
                "pool_change_difference",
                "pool_accuracy_difference",
                "pool_preference_difference",
                "pool_category_difference",
            ),
        ),
        Column("Difference in F1", ("pool_f1_difference", "pool_span_f1_difference")),
        Column("Correlation between pools", ("pool_correlation",)),
        Column("Points per unit of the score", ("covariate_slope_by_source",)),
    ),
)


class Pair(NamedTuple):
    """Two groups of raters: the first minus the second. `is_declared`: a primary contrast names them."""

    other: Group
    reference: Group
    raters: Raters
    is_declared: bool = False

    @property
    def scope(self) -> Scope:
        """Both groups; all people, who have no part of a scope otherwise, are the kind person."""
        mine, theirs = self.other.scope or PEOPLE, self.reference.scope or PEOPLE
        scope: Scope = {**mine}
        if "pool" in theirs:
            scope["reference_pool"] = theirs["pool"]
        else:
            scope["reference_rater_kind"] = theirs["rater_kind"]
        return scope

    def of(self, answers: Answers) -> tuple[Answers, Bools, str]:
        """The answers of both groups, which are of the first, shape (n,), and a note.

        Runs of models count as `runs_as_one` says.
        """
        first, second = self.other.has_rater[answers.rater], self.reference.has_rater[answers.rater]
        part, is_first = answers.select(first | second), first[first | second]
        rater, notes = part.rater.copy(), set()
        for side in (is_first, ~is_first):
            rater[side], note = runs_as_one(self.raters, part.rater[side])
            notes.add(note)
        return replace(part, rater=rater), is_first, max(notes)

    def shared(self, answers: Answers) -> tuple[Answers, Bools, str]:
        """Like `of`, but nothing if the groups share no unit."""
        part, first, note = self.of(answers)
        if np.intersect1d(part.unit[first], part.unit[~first]).size:
            return part, first, note
        return part.select(np.zeros(len(first), bool)), first[:0], note


def pairs_of_groups(codes: Codes, key: str, protocol: Protocol) -> Iterator[Pair]:
    """Yield the pairs of pools, then models with all people and with each pool.

    Each pair is in the direction of the primary contrasts of the question that name it, otherwise the later pool minus
    the earlier one, or models minus people.
    """
    everyone, *others = groups(codes)
    raters = codes.raters
    named = [group for group in others if "pool" in group.scope]
    judges = [group for group in others if group.is_model]
    declared = [one for one in primary_contrasts(protocol) if _names_groups(one, key)]
    for earlier, later in combinations(named, 2):
        wanted = _declared(Pair(later, earlier, raters), declared)
        if wanted or len(named) <= MAX_POOLS:
            yield from wanted or (Pair(later, earlier, raters),)
    for judge in judges:
        for people in (everyone, *(named if len(named) > 1 else ())):
            yield from _declared(Pair(judge, people, raters), declared) or (Pair(judge, people, raters),)


def _names_groups(contrast: PrimaryContrast, question: str) -> bool:
    """Return whether the contrast compares groups of raters on this question and names one; otherwise it is of all."""
    is_of_pools = contrast.question == question and TESTS[str(contrast.test)].compares == "pools"
    return is_of_pools and bool({*GROUPS, *KINDS} & contrast.named.keys())


def _declared(pair: Pair, declared: Sequence[PrimaryContrast]) -> tuple[Pair, ...]:
    """The directions of a pair that contrasts name; both if they are declared both ways."""
    ways = (pair._replace(is_declared=True), Pair(pair.reference, pair.other, pair.raters, is_declared=True))
    found = (next((way for way in ways if _is_of(one, way.scope)), None) for one in declared)
    return tuple(dict.fromkeys(way for way in found if way is not None))


def _is_of(contrast: PrimaryContrast, scope: Scope) -> bool:
    named = {part: value for part in (*GROUPS, *KINDS) if (value := getattr(contrast, part)) is not None}
    left_open = {"pool", "reference_pool"} - named.keys()
    rest = scope.keys() - named.keys()
    return all(scope.get(part) == value for part, value in named.items()) and rest <= left_open


def pools(data: ScaledData, protocol: Protocol) -> Iterator[Estimate]:
    """Yield, for a scale or score, the mean difference and correlation over shared responses.

    If no response is shared, nothing, or for a declared pair that this is so. Answers about the raters themselves are
    compared between raters.
    """
    for pair in pairs_of_groups(data.codes, data.question.key, protocol):
        if data.question.target == "rater":
            yield from _of_raters(data, data.answers, pair, "pool_difference")
            continue
        answers, first, note = pair.shared(data.answers)
        for statistic, compare in (("pool_difference", pool_difference), ("pool_correlation", pool_correlation)):
            if len(first):
                found = compare(answers.value, first, unit=answers.unit, **answers.where).noted(note)
                yield _record(data, found, answers, pair.scope, statistic)
            else:
                yield from _unshared(data, data.answers, pair, statistic, {})


def pools_on_codes(asked: CategoryData, protocol: Protocol) -> Iterator[Estimate]:
    """Yield the differences in correct answers and macro F1, if there is a key, and in the share of each code."""
    whole = keyed_data(asked)
    tested = tested_codes(asked.question, protocol)
    for pair in pairs_of_groups(asked.codes, asked.question.key, protocol):
        if len(asked.rightness.value):
            yield from _of_shares(whole, asked.rightness, pair, "pool_accuracy_difference", why=asked.without_key)
            if asked.question.target != "rater" and asked.whole is not None:
                yield from _of_f1(asked, whole, pair)
        for name, data in zip(asked.question.codes, asked.by_code, strict=True):
            if name in tested:
                yield from _of_shares(whole, data.answers, pair, "pool_category_difference", {"category": name})


def pools_on_choices(data: ChoiceData, protocol: Protocol) -> Iterator[Estimate]:
    """Yield the difference in the share that prefers each source over the reference; ties count half."""
    for pair in pairs_of_groups(data.codes, data.question.key, protocol):
        for scope, choices in against_reference(data):
            yield from _of_shares(data, choices, pair, "pool_preference_difference", scope)


def pools_on_changes(study: StudyData) -> Iterator[Estimate]:
    """Yield for each declared change how much more, or less, the score of one group of raters changed."""
    by_key = {data.question.key: data for data in study.numbers}
    for declared in study.protocol.analysis.changes:
        before, after = (by_key[key] for key in (declared.before, declared.after))
        n = len(study.codes.raters.ids)
        gap = means_by_rater(after.answers, n) - means_by_rater(before.answers, n)
        changed = replace(after.answers, value=gap[after.answers.rater]).select(
            np.isfinite(gap[after.answers.rater]) & after.answers.is_first
        )
        for pair in pairs_of_groups(after.codes, declared.after, study.protocol):
            yield from _of_raters(after, changed, pair, "pool_change_difference", {"before": declared.before})


def _of_raters(
    data: AnyQuestionData, answers: Answers, pair: Pair, statistic: str, more: Scope | None = None
) -> Iterator[Estimate]:
    part, first, note = pair.of(answers)
    if first.any() and not first.all():
        cluster = data.codes.raters.cluster[part.rater]
        found = group_difference(part.value, first, rater=part.rater, cluster=cluster).noted(note)
        scope: Scope = {**(more or {}), **pair.scope}
        yield data.record(found, part, section=SECTION, scope=scope, statistic=statistic, unit="rater_mean")


def _of_shares(
    data: AnyQuestionData,
    answers: Answers,
    pair: Pair,
    statistic: str,
    more: Scope | None = None,
    why: str = "",
) -> Iterator[Estimate]:
    """Yield the difference between the groups in the mean of answers of 0 or 1; `why` is a note."""
    if data.question.target == "rater":
        yield from _of_raters(data, answers, pair, statistic, more)
        return
    part, first, note = pair.shared(answers)
    if len(first):
        found = pool_difference(part.value, first, unit=part.unit, **part.where).noted(note).noted(why)
        yield _record(data, found, part, {**(more or {}), **pair.scope}, statistic)
    else:
        yield from _unshared(data, answers, pair, statistic, more or {})


def _unshared(data: AnyQuestionData, answers: Answers, pair: Pair, statistic: str, more: Scope) -> Iterator[Estimate]:
    """Yield, for a declared pair of which both groups answered, that they answered about nothing in common."""
    part, first, _ = pair.of(answers)
    if pair.is_declared and first.any() and not first.all():
        found = undefined("no_pairable_units", NOTHING_SHARED, method=Method(words="difference of means"))
        yield _record(data, found, part, {**more, **pair.scope}, statistic)


def _of_f1(asked: CategoryData, data: ScaledData, pair: Pair) -> Iterator[Estimate]:
    names = list(asked.question.codes)
    keyed = np.flatnonzero(np.isfinite(asked.right))
    numbered = replace(asked.answers, value=np.arange(len(asked.right), dtype=np.float64))
    answers, first, note = pair.shared(numbered.select(keyed))
    if not len(first):
        yield from _unshared(data, asked.rightness, pair, "pool_f1_difference", {})
        return
    at = answers.value.astype(np.int64)
    key = np.array([names.index(str(asked.key[row])) for row in at.tolist()])
    cell = key * len(names) + asked.given.argmax(axis=1)[at]
    sums = np.zeros((len(cell), len(names) ** 2))
    sums[np.arange(len(cell)), cell] = 1
    found = score_difference(sums, f1_macro_pseudo_values, first, unit=answers.unit, **answers.where)
    yield _record(data, found.noted(note).noted(asked.without_key), answers, pair.scope, "pool_f1_difference")


def _record(data: AnyQuestionData, found: Result, answers: Answers, scope: Scope, statistic: str) -> Estimate:
    return data.record(found, answers, section=SECTION, scope=scope, statistic=statistic, unit="response")
