"""Estimate the true category from raters with different error rates, as a sensitivity analysis of the shares."""

from collections.abc import Iterator

import numpy as np

from app.analysis.data.answers import NEITHER, UNITS, Answers, Choices
from app.analysis.data.encoded_study import Floats, Ints
from app.analysis.data.question_data import TOO_MANY, AnyQuestionData
from app.analysis.data.rater_panel import MAX_RATERS, SECTION
from app.analysis.data.scopes import groups
from app.analysis.estimate import Estimate, Scope
from app.analysis.minimum_data import MIN_ANSWERS_OF_RATER, enough
from app.analysis.sections.choice import is_between, outcomes
from app.analysis.statistic import Statistic, declare
from app.protocol.questions.registry import PreferenceQuestion
from app.stats.arrays import codes
from app.stats.raters.dawid_skene import DawidSkene, dawid_skene
from app.stats.result import Method, Result, undefined

METHOD = Method("em", ": Dawid and Skene (1979), from the majority")
NOTE = "assumes one true category per unit, which need not exist for matters of taste"
NOTHING = "no unit was rated by two raters, so errors cannot be estimated"
# Values of LOST, WON and TIE; of no and yes.
CHOSEN, YES = np.array([0.0, 1.0, 0.5]), np.array([0.0, 1.0])
# The cost of the fit is units x raters x categories.
MAX_CATEGORIES = 12

declare(
    Statistic("dawid_skene_share", "Share by the Dawid-Skene model", "share", docs="raters", cites=("dawid1979",)),
    Statistic(
        "dawid_skene_changed_share",
        "Share of units where Dawid-Skene differs from the majority",
        "share",
        docs="raters",
        cites=("dawid1979",),
    ),
    Statistic("dawid_skene_accuracy", "Expected accuracy (Dawid-Skene)", "share", docs="raters", cites=("dawid1979",)),
)


def truth(data: AnyQuestionData) -> Iterator[Estimate]:
    """Yield estimates for forced choices and nominal questions; other scales have no true category."""
    if isinstance(data.answers, Choices):
        yield from _of_choices(data, data.answers)
    elif data.question.target != "rater" and not isinstance(data.question, PreferenceQuestion):
        values = np.asarray(data.question.values)
        if data.is_nominal and len(values) <= MAX_CATEGORIES:
            yield from _of_codes(data, values)


def _of_choices(data: AnyQuestionData, answers: Choices) -> Iterator[Estimate]:
    """Yield for each source the estimated share of items on which it truly beats the reference, ties as half."""
    persons = groups(data.codes)[0].of(answers)
    for source in data.sources:
        if data.reference is not None and source != data.reference:
            mine = data.code_of(source)
            between = is_between(persons, mine, data.code_of(data.reference)) & (persons.outcome != NEITHER)
            pairs = persons.select(between)
            scope: Scope = {"source": source, "reference": data.reference}
            yield from _of(data, pairs, outcomes(pairs, mine), scope, CHOSEN)


def _of_codes(data: AnyQuestionData, values: Floats) -> Iterator[Estimate]:
    """Yield the accuracy of each rater and, for yes-no questions, the share that is truly yes."""
    persons = groups(data.codes)[0].of(data.answers)
    declared = persons.select(np.isin(persons.value, values))
    worth = YES if len(values) == len(YES) else np.zeros(len(values))
    yield from _of(data, declared, np.searchsorted(values, declared.value), {}, worth)


def _of(data: AnyQuestionData, answers: Answers, category: Ints, scope: Scope, worth: Floats) -> Iterator[Estimate]:
    """Yield the share by the value of the categories if they have one, the share of changed units, and accuracies."""
    names = ("dawid_skene_share", "dawid_skene_changed_share") if worth.any() else ("dawid_skene_changed_share",)
    unit = UNITS[data.question.target]
    fit = _fit(data, answers, category, len(worth))
    for name in names:
        if isinstance(fit, Result):
            result = fit
        else:
            value = float(fit.prior @ worth) if name == "dawid_skene_share" else _changed(fit, answers, category)
            result = Result(value, METHOD, n_units=len(fit.posterior), note=NOTE)
        yield data.record(result, answers, section=SECTION, scope=scope, statistic=name, unit=unit)
    if not isinstance(fit, Result):
        yield from _accuracies(data, answers, fit, scope)


def _fit(data: AnyQuestionData, answers: Answers, category: Ints, n_categories: int) -> DawidSkene | Result:
    """Return the fit, or the result with the reason why there is none."""
    if not data.is_light:
        return undefined("not_run", TOO_MANY, method=METHOD)
    if not answers.counts["n_pairable_units"]:
        return undefined("no_pairable_units", NOTHING, method=METHOD, n_units=0)
    fit = dawid_skene(answers.unit, answers.rater, category, n_categories=n_categories)
    if fit is None or not fit.is_converged:
        return undefined("not_converged", "The fit did not converge.", method=METHOD)
    return fit


def _changed(fit: DawidSkene, answers: Answers, category: Ints) -> float:
    """Return the share of units whose most likely category is not among those with the most votes."""
    unit, n = codes(answers.unit)
    counts = np.zeros(fit.posterior.shape)
    np.add.at(counts, (unit, category), 1)
    return float(np.mean(counts[np.arange(n), fit.category] < counts.max(axis=1)))


def _accuracies(data: AnyQuestionData, answers: Answers, fit: DawidSkene, scope: Scope) -> Iterator[Estimate]:
    rater, _ = codes(answers.rater)
    size = np.bincount(rater)
    for place in np.sort(np.argsort(-size, kind="stable")[:MAX_RATERS]).tolist():
        own = answers.select(rater == place)
        ids = [data.codes.raters.ids[int(own.rater[0])]]
        n = int(size[place])
        accuracy = Result(float(fit.accuracy[place]), METHOD, n_units=n, note=NOTE)
        result = enough(accuracy, n, MIN_ANSWERS_OF_RATER, "answers by this rater")
        yield data.record(
            result,
            own,
            section=SECTION,
            scope={**scope, "raters": ids},
            statistic="dawid_skene_accuracy",
            unit=UNITS[data.question.target],
        )
