"""By judges and people together: effects of factors, and shares of correct answers."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from app.analysis.data.answers import Answers
from app.analysis.data.encoded_study import Ints
from app.analysis.data.question_data import ScaledData
from app.analysis.estimate import Estimate, Scope
from app.analysis.sections.categories import CategoryData, keyed_data
from app.analysis.sections.factors import in_declared_order, named_factors
from app.analysis.sections.judges.model_judges import judges_and_people
from app.analysis.sections.judges.together import Said, combined_estimates, rated_values
from app.analysis.sections.study_data import StudyData


def other_together(study: StudyData) -> Iterator[Estimate]:
    """Yield the estimates by judges and people that need more than the answers to one question.

    `study` has all showings of the judges.
    """
    for data in study.numbers:
        if study.designed_splits_of(data):
            for raters, humans, owns in judges_and_people(data):
                yield from _factors(study, data, humans, owns, {"rater_kind": "model", "raters": [*raters]})
    for asked in study.categories:
        yield from _accuracy(asked)


def _factors(
    study: StudyData, data: ScaledData, humans: Answers, owns: Sequence[Answers], scope: Scope
) -> Iterator[Estimate]:
    """Yield each level that judges were shown too against the first one: a unit is a response at one level."""
    splits, every = study.designed_splits_of(data), (humans, *owns)
    for split in splits:
        for name, names in named_factors(split, splits):
            codes = [split.of(answers) for answers in every]
            of_people, of_judges = codes[0], np.concatenate(codes[1:])
            shown = np.intersect1d(of_people[of_people >= 0], of_judges[of_judges >= 0])
            for level in (order := in_declared_order(shown, names, study.protocol.conditions.get(name)))[1:]:
                people, *judges = (
                    _of_levels(answers, code, level, order[0]) for answers, code in zip(every, codes, strict=True)
                )
                where: Scope = {**scope, "factor": name, "level": names[level], "reference_level": names[order[0]]}
                yield from combined_estimates(data, people, judges, where, "factor_effect")


def _of_levels(answers: Answers, code: Ints, level: int, reference: int) -> Said:
    here = np.isin(code, [level, reference])
    part, is_reference = answers.select(here), code[here] == reference
    return Said(replace(part, unit=2 * part.unit + is_reference), part.value, is_reference)


def _accuracy(asked: CategoryData) -> Iterator[Estimate]:
    """Yield the share of correct answers to a question with a key; those of a judge are averaged over its showings."""
    if not np.isfinite(asked.right).any():
        return
    keyed = keyed_data(asked)
    question = keyed.question.model_copy(update={"level": "interval"})
    data = replace(keyed, question=question, answers=asked.rightness)
    for raters, humans, owns in judges_and_people(data):
        scope: Scope = {"rater_kind": "model", "raters": [*raters]}
        yield from combined_estimates(
            data, rated_values(humans), [rated_values(own) for own in owns], scope, "accuracy"
        )
