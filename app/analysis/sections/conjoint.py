"""Conjoint designs: the effects of randomized attributes of the responses on ratings and choices."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from app.analysis.data.answers import Answers
from app.analysis.data.encoded_study import Floats, Ints
from app.analysis.data.question_data import AnyQuestionData, ChoiceData, ScaledData
from app.analysis.data.scopes import groups
from app.analysis.estimate import Estimate, Scope, Unit
from app.analysis.sections.study_data import StudyData
from app.analysis.statistic import Bounds, Recorded, Statistic, declare
from app.protocol.labels import Attribute
from app.stats.arrays import Labels
from app.stats.factors import amce
from app.stats.linear.cluster_robust import METHOD
from app.stats.result import undefined
from app.stats.trade_off import trade_offs

SECTION = "contrast"
MAX_LEVELS = 12
_TWO = 2

declare(
    Statistic(
        "amce",
        "Average marginal component effect",
        "points",
        docs="contrasts",
        cites=("hainmueller2014",),
        no_difference=0.0,
        kind_of_share="share_points",
        bounds=Bounds(times=1, is_share_of_choices=True),
        tests={"amce": Recorded(unit=None, keys=("attribute", "level", "reference_level"))},
    ),
    Statistic(
        "trade_off",
        "Trade-off ratio (effect in units of another attribute's)",
        "ratio",
        docs="contrasts",
        cites=("fieller1954", "hainmueller2014"),
        no_difference=1.0,
        tests={"trade_off": Recorded(unit=None, keys=("attribute", "level", "reference_level", "covariate"))},
    ),
)


def conjoint(study: StudyData) -> Iterator[Estimate]:
    """Yield average marginal component effects of the declared attributes and their ratios, for human raters."""
    declared = study.protocol.analysis.conjoint
    attributes = _levels(study.frames.responses, declared, study.protocol.attributes)
    for data in study.numbers if declared else ():
        if data.question.target == "response":
            yield from _of_ratings(data, attributes)
    for votes in study.choices if declared else ():
        yield from _of_choices(votes, attributes)


@dataclass(frozen=True, eq=False)
class _Attributes:
    """The level of each response by attribute (None if missing), reference levels, and attributes left out with why."""

    known: dict[str, Labels]
    references: dict[str, str]
    left_out: dict[str, str]


def _levels(responses: pd.DataFrame, names: tuple[str, ...], declared: Mapping[str, Attribute]) -> _Attributes:
    known: dict[str, Labels] = {}
    left_out: dict[str, str] = {}
    references = {name: one.reference_level for name, one in declared.items() if one.reference_level is not None}
    for name in names:
        if name not in responses:
            left_out[name] = f"responses.csv has no column {name}."
            continue
        n_levels = responses[name].nunique()
        if n_levels < _TWO:
            left_out[name] = f"{name} has {'one level only' if n_levels else 'no level'}: there is nothing to compare."
        elif n_levels > MAX_LEVELS:
            left_out[name] = f"{name} has {n_levels} levels; at most {MAX_LEVELS} can be compared."
        elif name in references and references[name] not in set(responses[name].dropna().astype(str)):
            left_out[name] = f"No response has the reference level {references[name]} of {name}."
        else:
            known[name] = responses[name].astype(object).where(responses[name].notna(), None).to_numpy()
    return _Attributes(known, references, left_out)


def _of_ratings(data: ScaledData, attributes: _Attributes) -> Iterator[Estimate]:
    answers = groups(data.codes)[0].of(data.answers)
    yield from _records(data, answers, answers.value, data.codes.rows.response[answers.row], attributes)


def _of_choices(votes: ChoiceData, attributes: _Attributes) -> Iterator[Estimate]:
    """Yield effects on choices, as two rows per choice, one per response shown: 1 chosen, 0 not chosen, 1/2 tie."""
    choices = groups(votes.codes)[0].of(votes.answers)
    both = choices.select((choices.one_response >= 0) & (choices.other_response >= 0))
    chosen = votes.codes.rows.chosen[both.row]
    is_tie = (both.outcome == 1) * 0.5
    value = np.concatenate([np.where(chosen == side, 1.0, is_tie) for side in (both.one_response, both.other_response)])
    twice = both.select(np.tile(np.arange(len(both.value)), 2))
    yield from _records(votes, twice, value, np.concatenate([both.one_response, both.other_response]), attributes)


def _records(  # one argument per part of the record
    data: AnyQuestionData,
    answers: Answers,
    value: Floats,
    response: Ints,
    attributes: _Attributes,
) -> Iterator[Estimate]:
    unit: Unit = "choice" if hasattr(answers, "outcome") else "rating"
    shown = {name: level[response] for name, level in attributes.known.items()}
    has_all = np.all([pd.notna(level) for level in shown.values()], axis=0) if shown else np.zeros(len(value), bool)
    part = answers.select(has_all)
    levels = {name: level[has_all] for name, level in shown.items()}
    for effect in amce(value[has_all], levels, references=attributes.references, **part.where):
        scope: Scope = {"attribute": effect.attribute, "level": effect.level, "reference_level": effect.reference_level}
        record = data.record(effect.effect, part, section=SECTION, scope=scope, statistic="amce", unit=unit)
        # Each choice is in two rows, one per response.
        yield replace(record, n_ratings=len(np.unique(part.row)))
    for one in trade_offs(value[has_all], levels, references=attributes.references, **part.where):
        attribute, level, reference_level = one.of
        scope = {"attribute": attribute, "level": level, "reference_level": reference_level}
        scope["covariate"] = one.against[0]
        record = data.record(one.ratio, part, section=SECTION, scope=scope, statistic="trade_off", unit=unit)
        yield replace(record, n_ratings=len(np.unique(part.row)))
    for name, why in attributes.left_out.items():
        scope = {"attribute": name, "level": "", "reference_level": ""}
        found = undefined("no_variation", why, method=METHOD)
        yield data.record(found, answers, section=SECTION, scope=scope, statistic="amce", unit=unit)
