"""Effects of an attribute of the items that a primary contrast names, such as altered stories against standard ones."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from app.analysis.data.answers import Answers
from app.analysis.data.encoded_study import Bools, Codes, Ints
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.data.scopes import PEOPLE, groups, runs_as_one
from app.analysis.data.splits import MAX_LEVELS
from app.analysis.estimate import Estimate, Scope
from app.analysis.sections.categories import keyed_data
from app.analysis.sections.choice import against_reference
from app.analysis.sections.code_differences import of_two, tested_codes
from app.analysis.sections.factors import reference_first
from app.analysis.sections.study_data import StudyData
from app.analysis.statistic import Bounds, Recorded, Statistic, declare, share_points
from app.protocol.primary import TESTS, PrimaryContrast
from app.protocol.primary_default import primary_contrasts
from app.stats.factors import factor_effect, interaction
from app.stats.result import Method, undefined

SECTION = "contrast"
KEYS = ("attribute", "level", "reference_level")
METHOD = Method(words="difference of means")
NO_COLUMN = "items.csv has no column {}."
TOO_MANY = "The items have {} values of {}; at most {} can be compared."
ONE_LEVEL = "All items that were rated have the same value of {}."
NO_PAIRS = "No value of {} has items at both levels of {}."


declare(
    Statistic(
        "item_attribute_effect",
        "Effect of an attribute of the items",
        "points",
        docs="contrasts",
        no_difference=0.0,
        bounds=Bounds(times=1),
        tests={"item_attribute_effect": Recorded(keys=KEYS)},
    ),
    *(
        share_points(key, f"Effect of an attribute of the items on {what}", Recorded(keys=(*keys, *KEYS)))
        for key, what, keys in (
            ("item_attribute_accuracy", "correct answers", ()),
            ("item_attribute_category", "this code", ("category",)),
            ("item_attribute_interaction", "the difference in this code", ("category", "source", "reference")),
            ("item_attribute_preference", "the share preferred", ("source", "reference")),
        )
    ),
)


def item_attributes(study: StudyData) -> Iterator[Estimate]:
    """Yield each level against the first for every attribute of items that a primary contrast names.

    For human raters, or the pool or kind of raters that the contrast names. Items with the same value of
    `analysis.matched_items` are versions of one: they form one cluster, and those without both versions are left out.
    """
    done: set[tuple[object, ...]] = set()
    for contrast in primary_contrasts(study.protocol):
        if TESTS[str(contrast.test)].compares != "item_attribute":
            continue
        for data, answers, statistic, scope in _asked(study, contrast):
            place = (contrast.question, contrast.attribute, statistic, *scope.items())
            if place not in done:
                done.add(place)
                yield from _levels(study, data, answers, contrast, statistic, scope)


Asked = tuple[AnyQuestionData, Answers, str, Scope]


def _asked(study: StudyData, contrast: PrimaryContrast) -> Iterator[Asked]:
    """Yield the answers of these raters in the form that their kind of question compares."""
    named: Scope = {}
    if contrast.pool:
        named["pool"] = contrast.pool
    if contrast.rater_kind:
        named["rater_kind"] = contrast.rater_kind
    wanted = {} if named == PEOPLE else named
    found = next((group for group in groups(study.codes) if group.scope == wanted), None)
    for kind in (_of_scales, _of_codes, _of_choices):
        for data, answers, statistic, scope in kind(study, contrast):
            mine = answers.select(np.zeros(len(answers.value), dtype=bool)) if found is None else found.of(answers)
            yield data, mine, statistic, {**scope, **named}


def _of_scales(study: StudyData, contrast: PrimaryContrast) -> Iterator[Asked]:
    source = contrast.source
    for data in study.numbers:
        if data.question.key == contrast.question:
            mine = data.answers if source is None else data.answers.of_source(data.code_of(source))
            yield data, mine, "item_attribute_effect", {} if source is None else {"source": source}


def _of_codes(study: StudyData, contrast: PrimaryContrast) -> Iterator[Asked]:
    for asked in study.categories:
        if asked.question.key != contrast.question:
            continue
        whole = keyed_data(asked)
        if contrast.test == "item_attribute_accuracy":
            yield whole, asked.rightness, "item_attribute_accuracy", {}
            continue
        tested = tested_codes(asked.question, study.protocol)
        for name, one in zip(asked.question.codes, asked.by_code, strict=True):
            if name not in tested:
                continue
            if contrast.test == "item_attribute_category":
                yield whole, one.answers, "item_attribute_category", {"category": name}
                continue
            for source in one.sources:
                reference = contrast.reference or study.protocol.reference
                if reference in one.sources and source != reference and contrast.source in {None, source}:
                    scope: Scope = {"category": name, "source": source, "reference": str(reference)}
                    part, _ = of_two(one, one.answers, source, str(reference))
                    yield one, part, "item_attribute_interaction", scope


def _of_choices(study: StudyData, contrast: PrimaryContrast) -> Iterator[Asked]:
    for votes in study.choices:
        for scope, choices in against_reference(votes) if votes.question.key == contrast.question else ():
            if contrast.source in {None, scope["source"]}:
                yield votes, choices, "item_attribute_preference", scope


def _levels(
    study: StudyData, data: AnyQuestionData, answers: Answers, contrast: PrimaryContrast, statistic: str, of: Scope
) -> Iterator[Estimate]:
    name = str(contrast.attribute)
    answers, note = _with_runs_as_one(study.codes, answers, statistic)
    declared = study.protocol.attributes.get(name)
    code, names = _level_of_items(study.codes, name)
    at = code[answers.item]
    present = [names[k] for k in np.unique(at[at >= 0]).tolist()]
    levels = reference_first(present, declared.reference_level if declared else None)
    problem = _problem(study.codes, name, levels)
    if problem:
        scope: Scope = {**of, "attribute": name, "level": str(contrast.level or ""), "reference_level": ""}
        found = undefined("no_pairable_units", problem, method=METHOD)
        yield data.record(found, answers, section=SECTION, scope=scope, statistic=statistic, unit="rating")
        return
    for level in levels[1:]:
        scope = {**of, "attribute": name, "level": level, "reference_level": levels[0]}
        here = np.isin(at, [names.index(level), names.index(levels[0])])
        part, is_level = answers.select(here), at[here] == names.index(level)
        cluster, has_both = _matched(study, part, is_level)
        part, is_level, cluster = part.select(has_both), is_level[has_both], cluster[has_both]
        if len(part.value) and statistic == "item_attribute_interaction":
            is_mine = part.source == data.code_of(str(of["source"]))
            found = interaction(part.value, is_mine, is_level, item=cluster, rater=part.rater).noted(note)
        elif len(part.value):
            found = factor_effect(part.value, is_level, item=cluster, rater=part.rater, is_of_items=True).noted(note)
        else:
            why = NO_PAIRS.format(study.protocol.analysis.matched_items, name)
            found = undefined("no_pairable_units", why, method=METHOD)
        yield data.record(found, part, section=SECTION, scope=scope, statistic=statistic, unit="rating")


def _with_runs_as_one(codes: Codes, answers: Answers, statistic: str) -> tuple[Answers, str]:
    """The answers with the mean of a model's runs as its answer, and a note if the runs are of one model.

    Where sources are compared, the runs are one rater and keep their answers, which are of different responses.
    """
    rater, note = runs_as_one(codes.raters, answers.rater)
    mine = replace(answers, rater=rater)
    is_kept = np.array_equal(rater, answers.rater) or statistic == "item_attribute_interaction"
    return (mine if is_kept else mine.per_item), note


def _level_of_items(codes: Codes, name: str) -> tuple[Ints, list[str]]:
    """The level of each item, -1 for none, and the levels in alphabetical order."""
    if name not in codes.items:
        return np.full(len(codes.items), -1), []
    column = codes.items[name].astype(object)
    names = sorted({str(value) for value in column.dropna()})
    return np.array([-1 if pd.isna(value) else names.index(str(value)) for value in column]), names


def _problem(codes: Codes, name: str, levels: list[str]) -> str:
    """Why the levels cannot be compared; empty if they can."""
    if name not in codes.items:
        return NO_COLUMN.format(name)
    if len(levels) > MAX_LEVELS:
        return TOO_MANY.format(len(levels), name, MAX_LEVELS)
    return ONE_LEVEL.format(name) if len(levels) < 2 else ""  # noqa: PLR2004 - two are compared


def _matched(study: StudyData, part: Answers, is_level: Bools) -> tuple[Ints, Ints]:
    """The cluster of each answer, and the positions of those whose cluster has both levels; all without matching."""
    column = study.protocol.analysis.matched_items
    everything = np.arange(len(part.value))
    if column is None or column not in study.codes.items:
        return part.item, everything
    stem, _ = pd.factorize(study.codes.items[column].astype(object))
    cluster = np.asarray(stem, dtype=np.int64)[part.item]
    both = set(cluster[is_level].tolist()) & set(cluster[~is_level].tolist()) - {-1}
    return cluster, everything[np.isin(cluster, [*both])]
