"""Estimates about people from a judge's answers to all units and people's answers to some of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from app.analysis.data.answers import Answers, Choices
from app.analysis.data.encoded_study import Bools, Floats, Ints, Sample
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.estimate import Estimate, Scope, Unit
from app.analysis.sections.choice import choices_between
from app.analysis.statistic import Bounds, Column, Kind, PageTable, Statistic, declare
from app.base.words import counted
from app.stats.clusters import kept_within
from app.stats.comparison.prediction_powered import Powered, correlation_over_items, percent_powered, prediction_powered
from app.stats.result import Result

SECTION = "judge"
RANDOM = "This assumes that people rated a random sample of what the judge rated."
STACKED = "The judges count by a regression of people's answers on theirs, fitted to other items."
SHARES, UNTESTED = ("share_preferred", "accuracy"), ("mean", "accuracy")
LEFT_OUT = "because they were not drawn, or their probability is not known"
DRAWN = "The probability of each item to be rated by people is known, and counts."
_BOTH, _ALONE = "judge and people", "people alone, each sampled unit once"
_CITES = ("angelopoulos2023", "egami2023")


def _pair(key: str, name: str, kind: Kind, **more: Any) -> tuple[Statistic, Statistic]:  # noqa: ANN401 - fields of `Statistic`
    """The estimate by judge and people, and the one by people alone."""
    both = Statistic(f"{key}_ppi", name, kind, variant=_BOTH, docs="judges", cites=_CITES, **more)
    return both, Statistic(f"{key}_people", name, kind, variant=_ALONE, docs="judges", **more)


_SHOWN = ("mean", "mean_difference", "share_preferred", "factor_effect", "accuracy")
_SHARE = "Share preferring the source over the reference"
declare(
    *_pair("mean", "Mean", "points", bounds=Bounds(is_level=True)),
    *_pair("mean_difference", "Mean difference", "points", no_difference=0.0, bounds=Bounds(times=1)),
    *_pair("share_preferred", _SHARE, "share", no_difference=0.5),
    *_pair("percent_change", "Percentage difference from the reference", "percent", no_difference=0.0),
    *_pair("factor_effect", "Effect of the factor", "points", no_difference=0.0, bounds=Bounds(times=1)),
    *_pair("accuracy", "Share of correct answers", "share"),
    Statistic("judge_weight", "Weight of the judge's values (lambda)", "ratio", docs="judges", cites=_CITES),
    Statistic("effective_n", "Human ratings that people alone would need", "count", docs="judges", cites=_CITES),
)
TOGETHER = PageTable(
    "Judge and people together, with 95% CIs",
    (
        Column("People alone", tuple(f"{name}_people" for name in _SHOWN)),
        Column("Judge and people", tuple(f"{name}_ppi" for name in _SHOWN)),
        Column("In percent: people alone", ("percent_change_people",)),
        Column("Judge and people, in percent", ("percent_change_ppi",)),
        Column("Weight of the judge", ("judge_weight",)),
        Column("Worth in human ratings", ("effective_n",)),
    ),
)


@dataclass(frozen=True, eq=False)
class Said:
    """Values of answers: `value` may be nan; `is_reference` marks those whose mean is subtracted."""

    answers: Answers
    value: Floats
    is_reference: Bools

    @property
    def known(self) -> Said:
        """Without the answers that have no value."""
        return self.select(np.isfinite(self.value))

    def select(self, here: Bools) -> Said:
        """Only these answers."""
        return Said(self.answers.select(here), self.value[here], self.is_reference[here])


def together(data: AnyQuestionData, humans: Answers, owns: Sequence[Answers], scope: Scope) -> Iterator[Estimate]:
    """Yield means, differences and shares preferred by judges and people, where judges answered more than people did.

    Args:
        data: the question data.
        humans: of all human raters, one answer of each rater and unit.
        owns: of each judge; of a choice the answers of all showings, otherwise one answer per response.
        scope: of the judges.
    """
    for statistic, where, people, judges in asked_together(data, humans, owns):
        yield from combined_estimates(data, people, judges, {**scope, **where}, statistic)


def asked_together(
    data: AnyQuestionData, humans: Answers, owns: Sequence[Answers]
) -> Iterator[tuple[str, Scope, Said, list[Said]]]:
    """Yield each statistic of `together` with its scope, and the answers that it is about of people and of each judge.

    The statistics are keys without `_ppi`; the arguments are those of `together`.
    """
    is_choice = isinstance(humans, Choices)
    if not is_choice and data.is_nominal:
        return
    if not is_choice and data.question.rated != "response":
        yield "mean", {}, rated_values(humans), [rated_values(own) for own in owns]
        return
    if not is_choice:
        for source in data.sources:
            code = data.code_of(source)
            people, *judges = (rated_values(_of(answers, code)) for answers in (humans, *owns))
            yield "mean", {"source": source}, people, judges
    reference = data.reference
    for source in data.sources:
        if reference is not None and source != reference:
            where: Scope = {"source": source, "reference": reference}
            codes = data.code_of(source), data.code_of(reference)
            people, *judges = (_told(answers, *codes) for answers in (humans, *owns))
            yield "share_preferred" if is_choice else "mean_difference", where, people, judges
            if not is_choice and min(people.value.min(initial=0.0), 0.0) == 0:
                yield "percent_change", where, people, judges


def rated_values(answers: Answers, value: Floats | None = None) -> Said:
    """Answers none of which are about a reference."""
    return Said(answers, answers.value if value is None else value, np.zeros(len(answers.value), dtype=np.bool_))


def _of(answers: Answers, *sources: int) -> Answers:
    return answers.select(np.isin(answers.source, sources))


def _told(answers: Answers, mine: int, theirs: int) -> Said:
    """The ratings of two sources, or the choices between them."""
    if isinstance(answers, Choices):
        return rated_values(*choices_between(answers, mine, theirs))
    part = _of(answers, mine, theirs)
    return Said(part, part.value, part.source == theirs)


def combined_estimates(
    data: AnyQuestionData, people: Said, judges: Sequence[Said], where: Scope, statistic: str
) -> Iterator[Estimate]:
    """Yield a statistic by judges and people, by people alone, and the weight and worth of the judges.

    Nothing where `_powered` finds nothing. `statistic` is a key without `_ppi`.
    """
    sample = data.codes.sample
    people, left_out = of_sample(people.known, sample)
    judges = [judge.known for judge in judges]
    powered = _powered(people, judges, sample, statistic)
    if powered is None:
        return
    stacked = STACKED if len(judges) > 1 else ""
    sample_words = tuple(filter(None, (DRAWN if sample else RANDOM, left_out)))
    sentences = (powered.combined.note, *sample_words, _missing(people, judges), stacked)
    note = " ".join(sentence for sentence in sentences if sentence)
    values = {f"{statistic}_people": powered.people, f"{statistic}_ppi": replace(powered.combined, note=note)}
    if statistic in SHARES:
        values = {name: kept_within(value, 0.0, 1.0) for name, value in values.items()}
    if statistic != "percent_change":
        weight = Result(powered.judge_weight, powered.combined.method)
        values |= {"judge_weight": weight, "effective_n": powered.effective_n}
    unit: Unit = "choice" if statistic == "share_preferred" else "rating"
    for name, result in values.items():
        tested = result if statistic not in UNTESTED else replace(result, p_value=None)
        yield data.record(
            tested,
            people.answers,
            section=SECTION,
            scope=where,
            statistic=name,
            unit=unit,
            sample_notes=sample_words,
        )


def _missing(people: Said, judges: Sequence[Said]) -> str:
    """How many units have no answer of a judge, as a sentence; empty if none lack one."""
    judged = units_of(people, judges).judge
    n = int((~np.isfinite(judged)).any(axis=0).sum())
    who = "A judge has" if len(judges) > 1 else "The judge has"
    return f"{who} no answer to {n:,} of {judged.shape[1]:,} units: its mean counts there." if n else ""


def of_sample(people: Said, sample: Sample | None) -> tuple[Said, str]:
    """Return the answers of people to what was drawn for them, and how many others there are, as a sentence."""
    if sample is None:
        return people, ""
    item = people.answers.item
    is_in = ~sample.is_out[item] & np.isfinite(sample.probability[item])
    n = len(np.unique(item[~is_in]))
    return people.select(is_in), f"Ratings of {counted(n, 'item')} are left out, {LEFT_OUT}." if n else ""


def sample_notes(estimates: Sequence[Estimate]) -> list[str]:
    """How items came into the sample, and that ratings are left out, each sentence once."""
    return list(dict.fromkeys(words for one in estimates for words in one.detail.get("sample_notes", ())))


def _powered(people: Said, judges: Sequence[Said], sample: Sample | None, statistic: str) -> Powered | None:
    """Return the estimates over all units that anybody answered; None if people answered none.

    None too if they answered all, unless a sample was drawn: then those of people alone, with a note. Items whose
    probability is not known are no part of it.
    """
    if sample is not None:
        judges = [judge.select(np.isfinite(sample.probability[judge.answers.item])) for judge in judges]
    asked = units_of(people, judges)
    are_all_rated = len(np.unique(asked.unit)) == len(asked.item)
    if not len(people.value) or (are_all_rated and sample is None):
        return None
    null = 0.5 if statistic == "share_preferred" else 0.0
    compute = percent_powered if statistic == "percent_change" else partial(prediction_powered, null=null)
    return compute(
        people.value,
        unit=asked.unit,
        rater=people.answers.rater,
        judge=asked.judge,
        item=asked.item,
        sign=asked.sign,
        chance=None if sample is None else sample.probability[asked.item],
    )


@dataclass(frozen=True, eq=False)
class Units:
    """All units that anybody answered: the judges' values, items and signs, and the unit of each answer of people."""

    unit: Ints
    judge: Floats
    item: Ints
    sign: Floats


def units_of(people: Said, judges: Sequence[Said]) -> Units:
    every = [people, *judges]
    units, at = np.unique(np.concatenate([one.answers.unit for one in every]), return_index=True)
    is_reference = np.concatenate([one.is_reference for one in every])[at]
    return Units(
        np.searchsorted(units, people.answers.unit),
        np.array([_mean_of_units(judge, units) for judge in judges]),
        np.concatenate([one.answers.item for one in every])[at],
        np.where(is_reference, -1.0, 1.0),
    )


def correlation_of(
    data: AnyQuestionData, humans: Answers, owns: Sequence[Answers], source: str, reference: str
) -> tuple[float, int, bool]:
    """Return how far judges and people go together over items in the difference of two sources; see `together`."""
    codes = data.code_of(source), data.code_of(reference)
    people, *judges = (_told(answers, *codes).known for answers in (humans, *owns))
    people, _ = of_sample(people, data.codes.sample)
    people = people.select(np.isin(people.answers.unit, np.concatenate([judge.answers.unit for judge in judges])))
    asked = units_of(people, judges)
    return correlation_over_items(people.value, unit=asked.unit, judge=asked.judge, item=asked.item, sign=asked.sign)


def _mean_of_units(judge: Said, units: Ints) -> Floats:
    """Return the judge's mean value of each unit; nan without one."""
    place = np.searchsorted(units, judge.answers.unit)
    n, total = (np.bincount(place, weights, len(units)) for weights in (None, judge.value))
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)
