"""The primary differences between sources analysed again: without one rater, one item, or answers excluded by rules."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd

from app.analysis.data.answers import Answers, Choices
from app.analysis.data.encoded_study import Bools, Floats, Ints
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.data.scopes import groups
from app.analysis.estimate import Estimate, Scope
from app.analysis.sections.belief import beliefs_of
from app.analysis.sections.choice import is_between, outcomes
from app.analysis.sections.study_data import StudyData
from app.analysis.sections.without_flagged import headline
from app.analysis.wording.formatting import CURRENT_WORDING
from app.base.words import counted
from app.protocol.primary import TESTS
from app.protocol.primary_default import primary_contrasts
from app.stats.choice import preference_shares as stats

# Without one of fewer, the rest is too few to tell anything.
MIN_LEFT_OUT = 4
FLAGGED = "without_flagged"
# what a choice counts for the share preferred, by its outcome: ties are half, neither is not counted
POINTS = {stats.WON: 1.0, stats.TIE: 0.5, stats.LOST: 0.0}


def sensitivity(study: StudyData) -> Iterator[Estimate]:
    """Yield each primary difference of ratings, and share of choices, under each other way to analyse it.

    The estimates are those of the two-way clustered t test (`without_flagged.headline`). Of all raters and items, the
    two are left out without which the estimate is lowest and highest: these bound the leave-one-out estimates.
    """
    for data, scope in primary_pairs(study):
        pair = OfPair.of(data, scope)
        for way, kept, note in _ways(pair, study):
            found = headline(data, pair.answers.select(kept), {**scope, "sensitivity": way})
            yield replace(found, note=". ".join(filter(None, (note, found.note))))


def primary_pairs(study: StudyData) -> Iterator[tuple[AnyQuestionData, Scope]]:
    """Yield each question about responses with each two sources that a primary contrast compares, once."""
    every: list[AnyQuestionData] = [*study.numbers, *study.choices]
    asked = {data.question.key: data for data in every}
    done = set()
    for contrast in primary_contrasts(study.protocol):
        data = asked.get(contrast.question)
        if data is None or data.question.target == "rater" or TESTS[str(contrast.test)].compares != "sources":
            continue
        reference = contrast.reference or data.reference
        # a filter may leave out a source that the contrast names
        if reference is None or reference not in data.sources:
            continue
        for source in data.sources:
            pair = (contrast.question, source, reference)
            if contrast.source in {None, source} and source != reference and pair not in done:
                done.add(pair)
                yield data, {"source": source, "reference": reference}


@dataclass(frozen=True, eq=False)
class OfPair:
    """The answers of persons about two sources, what each counts for the effect, and whether it is of the source."""

    data: AnyQuestionData
    answers: Answers
    value: Floats
    is_mine: Bools

    @classmethod
    def of(cls, data: AnyQuestionData, scope: Scope) -> Self:
        """Return the answers about the pair of sources that the scope names."""
        persons = groups(data.codes)[0].of(data.answers)
        mine, theirs = data.code_of(scope["source"]), data.code_of(scope["reference"])
        if isinstance(persons, Choices):
            choices = persons.select(is_between(persons, mine, theirs))
            value = np.array([POINTS.get(int(one), np.nan) for one in outcomes(choices, mine)], dtype=np.float64)
            return cls(data, choices, value, np.ones(len(value), dtype=np.bool_))
        answers = persons.select((persons.source == mine) | (persons.source == theirs))
        return cls(data, answers, answers.value, np.asarray(answers.source == mine))

    @property
    def is_share(self) -> bool:
        """Whether the effect is a share of choices."""
        return isinstance(self.answers, Choices)


def _ways(pair: OfPair, study: StudyData) -> Iterator[tuple[str, Bools, str]]:
    """Yield each way with the answers that it keeps and a note; only ways that leave something out."""
    data, answers = pair.data, pair.answers
    items = data.codes.items["item"].to_numpy(dtype=object)
    are_known = data.codes.raters.are_known
    for name, code, ids in (("rater", answers.rater, None), ("item", answers.item, items)):
        if name == "rater" and not are_known:
            continue
        for way, left_out in _extremes(name, code, pair.value, pair.is_mine):
            yield way, np.asarray(code != left_out), f"left out: item {ids[left_out]}" if ids is not None else ""
    yield from (way for way in exclusions(pair, study) if way[0] != FLAGGED)


def exclusions(pair: OfPair, study: StudyData) -> Iterator[tuple[str, Bools, str]]:
    """Yield each way to leave answers out by a rule, with the answers that it keeps and a note.

    Only ways that leave some out, and some of each source in.
    """
    data, answers = pair.data, pair.answers
    copies, is_early = _copies(data, answers), _early(data, answers)
    believed, flagged = _believed_person(pair, study), _of_raters(pair, study.flagged)
    before = _of_raters(pair, study.raters_before(data))
    ways = (
        (FLAGGED, ~flagged, "raters who are flagged are left out"),
        (CURRENT_WORDING, ~before, f"without {counted(int(before.sum()), 'answer')} to an earlier wording"),
        ("without_duplicates", ~copies, f"{int(copies.sum())} ratings of a text that the source has twice"),
        ("first_half", is_early, "the first half of each rater's trials"),
        ("believed_person", believed, "only responses that the rater took for those of a person"),
    )
    for way, kept, note in ways:
        sides = (pair.is_mine, ~pair.is_mine) if (~pair.is_mine).any() else (pair.is_mine,)
        if not kept.all() and all((kept & side).any() for side in sides):
            yield way, kept, note


def _of_raters(pair: OfPair, raters: Collection[str]) -> Bools:
    is_of = np.isin(np.asarray(pair.data.codes.raters.ids, dtype=object), list(raters))
    return np.asarray(is_of[pair.answers.rater])


def _believed_person(pair: OfPair, study: StudyData) -> Bools:
    """Whether the rater believed that a person wrote the response; all answers where that was not asked."""
    for asked in study.categories if not pair.is_share else ():
        beliefs = beliefs_of(study.protocol, asked)
        if beliefs is not None:
            return np.asarray(beliefs.about(pair.answers) == 0)
    return np.ones(len(pair.value), dtype=np.bool_)


def _extremes(name: str, code: Ints, value: Floats, is_mine: Bools) -> Iterator[tuple[str, int]]:
    """Yield the codes without which the estimate is lowest and highest."""
    known = np.isfinite(value)
    present = np.unique(code[known])
    if len(present) < MIN_LEFT_OUT:
        return
    size = int(code.max()) + 1
    means = []
    for side in (is_mine & known, ~is_mine & known):
        n = side.sum() - np.bincount(code[side], minlength=size)
        total = value[side].sum() - np.bincount(code[side], weights=value[side], minlength=size)
        means.append(np.divide(total, n, out=np.full(size, np.nan), where=n > 0))
    rest = means[0] - (means[1] if (~is_mine).any() else 0.0)
    left = rest[present]
    if np.isfinite(left).all() and len(np.unique(left)) > 1:
        yield f"{name}_lowest", int(present[left.argmin()])
        yield f"{name}_highest", int(present[left.argmax()])


def _copies(data: AnyQuestionData, answers: Answers) -> Bools:
    """Whether an answer is about a text that another response of the same source has earlier in the table."""
    responses = data.codes.responses
    none = np.zeros(len(answers.row), dtype=np.bool_)
    if responses.text is None or isinstance(answers, Choices):
        return none
    table = pd.DataFrame({"text": responses.text.to_numpy(), "source": responses.source})
    is_copy = table.duplicated().to_numpy() & (responses.text.str.len().to_numpy() > 0)
    response = data.codes.rows.response[answers.row]
    return np.where(response >= 0, is_copy[response], none)


def _early(data: AnyQuestionData, answers: Answers) -> Bools:
    """Whether an answer is from the first half of its rater's trials, by their positions."""
    position = data.codes.kept["position"].to_numpy(dtype=np.float64, na_value=np.nan)[answers.row]
    if not np.isfinite(position).all():
        return np.zeros(len(position), dtype=np.bool_)
    middle = pd.Series(position).groupby(answers.rater).transform("median").to_numpy()
    return np.asarray(position <= middle)
