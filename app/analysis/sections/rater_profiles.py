"""The profile of each rater: severity, consistency, agreement with others, straight-lining and side preference.

Profiles are reasons to look at a rater, not to exclude one: exclusion rules are declared in the protocol before the
study opens.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import cast

from app.analysis.data.answers import UNITS, Choices
from app.analysis.data.question_data import TOO_MANY, AnyQuestionData, ScaledData
from app.analysis.data.rater_panel import Panel
from app.analysis.estimate import Estimate
from app.analysis.minimum_data import ANSWERS_OF_RATER, ASSOCIATION, MIN_ANSWERS_OF_RATER, RATINGS_OF_RATER, enough
from app.analysis.statistic import Statistic, declare
from app.stats.clusters import for_new_items
from app.stats.comparison import describe
from app.stats.linear.correlation import correlation
from app.stats.raters.profiles import habits, mean_of_others, profiles, share_of_others, side_habits
from app.stats.raters.severity import METHOD, rater_severity
from app.stats.result import Method, Result, undefined

ALONE = "no other rater rated the same units"
BY_ROW = Method(words="answers in the order they were given")

_statistic = partial(Statistic, docs="raters")
declare(
    _statistic(
        "leave_one_out_correlation", "Correlation with the mean of the others", "coefficient", minimum=ASSOCIATION
    ),
    _statistic("leave_one_out_share", "Share of other raters who agree", "share", minimum_of_rater=ANSWERS_OF_RATER),
    _statistic("severity", "Severity (points below the other raters)", "points", minimum_of_rater=RATINGS_OF_RATER),
    _statistic(
        "rater_severity",
        "Severity (log odds of a lower rating)",
        "points",
        cites=("linacre1989",),
        minimum_of_rater=RATINGS_OF_RATER,
    ),
    _statistic("consistency", "Inconsistency (residual SD)", "points", minimum_of_rater=RATINGS_OF_RATER),
    _statistic("longest_run", "Longest run of identical answers", "count"),
    _statistic("modal_share", "Share of the most frequent answer", "share", minimum_of_rater=ANSWERS_OF_RATER),
    _statistic("answer_entropy", "Entropy of the answers in bits", "points", minimum_of_rater=ANSWERS_OF_RATER),
    _statistic("answer_sd", "SD of the rater's answers", "points", minimum_of_rater=RATINGS_OF_RATER),
    _statistic("longest_side_run", "Longest run of the same side", "count"),
)


def severities(data: ScaledData) -> Iterator[Estimate]:
    """Yield the severity of each human rater on the scale of the ordinal model, if the protocol asks for it."""
    if data.question.target == "rater" or data.is_composite or data.is_nominal:
        return
    panel = Panel.of(data)
    answers = panel.answers
    if not data.is_light:
        yield panel.record(None, "rater_severity", undefined("not_run", TOO_MANY, method=METHOD), unit="rating")
        return
    for one in rater_severity(answers.value, unit=answers.unit, rater=answers.rater):
        code = int(str(one.rater))
        if code in panel.by_rater:
            n = len(panel.by_rater[code].value)
            shown = enough(one.severity, n, MIN_ANSWERS_OF_RATER, "ratings by this rater")
            yield panel.record(code, "rater_severity", shown, unit="rating")


def raters(data: AnyQuestionData, flagged: Iterable[str] = ()) -> Iterator[Estimate]:
    """Yield agreement with the others, overall and per rater, and profiles; nothing for questions about the rater."""
    if data.question.target == "rater" or data.is_composite:
        return
    panel = Panel.of(data, flagged)
    yield from _shares_with_others(panel) if data.is_nominal else _profiles(panel)
    yield from _sides(panel) if isinstance(panel.answers, Choices) else _habits(panel)


def _profiles(panel: Panel) -> Iterator[Estimate]:
    """Yield the correlation with the mean of the others, overall and per rater; severity and consistency."""
    answers = panel.answers
    others = mean_of_others(answers.value, answers.unit)
    whole = correlation(answers.value, others, **answers.where)
    whole = replace(whole, note=_both(whole.note, panel.note))
    yield panel.record(None, "leave_one_out_correlation", whole, unit="rating")
    found = profiles(
        answers.value, unit=answers.unit, rater=answers.rater, named=panel.raters, is_modelled=panel.data.is_light
    )
    for profile in found:
        code = int(str(profile.rater))
        n = len(panel.by_rater[code].value)
        for statistic, result in (("severity", profile.severity), ("consistency", profile.consistency)):
            shown = enough(result, n, MIN_ANSWERS_OF_RATER, "ratings by this rater")
            yield panel.record(code, statistic, shown, unit="rating")
        yield panel.record(code, "leave_one_out_correlation", profile.leave_one_out, unit="rating")


def _shares_with_others(panel: Panel) -> Iterator[Estimate]:
    """Yield the share of the other raters who gave the same answer, overall and per rater."""
    answers = panel.answers
    same = share_of_others(answers.value, answers.unit)
    whole = describe.share(same, **answers.where)
    unit = UNITS[panel.data.question.target]
    yield panel.record(None, "leave_one_out_share", _known(whole, panel.note), unit=unit)
    for code in panel.raters.tolist():
        own = answers.rater == code
        alone = for_new_items(describe.share(same[own], item=answers.item[own], rater=answers.item[own]))
        yield panel.record(code, "leave_one_out_share", _known(alone), unit=unit)


def _habits(panel: Panel) -> Iterator[Estimate]:
    for code, own in panel.each():
        habit = habits(own.value, own.rater)[0]
        yield _run(panel, code, "longest_run", habit.longest_run, habit.n)
        for statistic, value in (("modal_share", habit.modal_share), ("answer_entropy", habit.entropy)):
            yield panel.record(code, statistic, Result(value, Method(words=statistic), n_units=habit.n), unit="rating")
        if not panel.data.is_nominal:
            yield panel.record(code, "answer_sd", describe.sd(own.value, **own.where), unit="rating")


def _sides(panel: Panel) -> Iterator[Estimate]:
    """Yield the side preference of each rater with an exact sign test; nothing if the sides are unknown."""
    for code, own in panel.each():
        for side in side_habits(cast("Choices", own).is_left, own.rater):
            share = Result(side.n_first / side.n, Method("sign_test"), p_value=side.p_value, n_units=side.n)
            shown = enough(share, side.n, MIN_ANSWERS_OF_RATER, "choices of one of the two by this rater")
            yield panel.record(code, "first_side_share", shown, unit="choice")
            yield _run(panel, code, "longest_side_run", side.longest_run, side.n)


def _run(panel: Panel, code: int, statistic: str, length: int, n: int) -> Estimate:
    result = Result(float(length), BY_ROW, n_units=n)
    if not panel.has_order:
        result = undefined("no_pairable_units", "the order of the answers is not known", method=BY_ROW, n_units=n)
    return panel.record(code, statistic, result, unit="choice" if statistic == "longest_side_run" else "rating")


def _known(result: Result, more: str = "") -> Result:
    """Give the reason if no other rater rated the same units."""
    if result.reason == "no_pairable_units":
        return undefined("no_pairable_units", _both(ALONE, more), method=result.method, n_units=0)
    return replace(result, note=_both(result.note, more))


def _both(*notes: str) -> str:
    return "; ".join(note for note in notes if note)
