"""Attrition: which raters left before the end, by arm, and how far that could change the differences between arms."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from app.analysis.data.answers import Answers, answers_at
from app.analysis.data.encoded_study import Bools, Floats
from app.analysis.data.flow import is_by_condition
from app.analysis.data.participants import came_back, ended_raters
from app.analysis.data.question_data import ScaledData, record_of
from app.analysis.data.rater_panel import SECTION
from app.analysis.data.scopes import groups
from app.analysis.estimate import Estimate, Scope
from app.analysis.sections.changes import of_each_rater
from app.analysis.sections.factors import reference_first
from app.analysis.sections.study_data import StudyData
from app.analysis.statistic import Bounds, Statistic, declare
from app.protocol.cells import cell_of
from app.protocol.waves import SECOND, numbered, wave_of
from app.stats import attrition as stats

PAGE = "participants"
LEE = ("lee2009",)

declare(
    Statistic("attrition_share", "Left before the end", "share", docs="raters", page=PAGE),
    Statistic(
        "attrition_difference",
        "Difference in attrition",
        "share_points",
        docs="raters",
        cites=("newcombe1998b",),
        no_difference=0.0,
        page=PAGE,
    ),
    Statistic("lee_lower", "Lee's lower bound", "points", docs="raters", cites=LEE, bounds=Bounds(times=2), page=PAGE),
    Statistic("lee_upper", "Lee's upper bound", "points", docs="raters", cites=LEE, bounds=Bounds(times=2), page=PAGE),
)


def attrition(study: StudyData) -> Iterator[Estimate]:
    """Yield attrition by arm and between arms; where randomized arms differ in it, bounds of each difference."""
    ended = ended_raters(study.frames, study.protocol)
    if ended is None:
        return
    yield from _of_wave(study, ended, 1)
    for number, _ in numbered(study.protocol.waves):
        known = came_back(study.frames, ended, study.protocol.waves, number)
        if len(known):
            yield from _of_wave(study, known, number)


def _of_wave(study: StudyData, ended: pd.DataFrame, wave: int) -> Iterator[Estimate]:
    """Yield the estimates of one wave: `is_finished` says who reached its end."""
    of_wave: Scope = {"wave": wave} if wave >= SECOND else {}
    answers = _everything(study)
    name = "condition" if is_by_condition(study.protocol) else "pool"
    arms = sorted(ended["arm"].unique())
    parts: list[Scope] = [{}]
    if len(arms) > 1:
        parts += [{"condition": arm} if name == "condition" else {"pool": arm} for arm in arms]
    for scope in parts:
        own = ended["arm"].isin([*scope.values()] or arms)
        share = stats.attrition_share(*_counts(ended, own))
        part = answers.select(_are_of(study, ended[own])[answers.rater])
        named: Scope = {**scope, **of_wave}
        yield record_of(None, share, part, section=SECTION, scope=named, statistic="attrition_share", unit="rater_mean")
    if name == "pool":
        for reference, pool in combinations(arms, 2):
            compared: Scope = {"pool": pool, "reference_pool": reference, **of_wave}
            yield _difference(study, ended, ended["arm"] == pool, ended["arm"] == reference, compared)
    for scope, mine, theirs in _compared(ended, study) if name == "condition" else ():
        yield _difference(study, ended, mine, theirs, {**scope, **of_wave})
        if _counts(ended, mine)[0] * theirs.sum() != _counts(ended, theirs)[0] * mine.sum():
            yield from _bounds(study, ended, (mine, theirs), scope, wave)


def _everything(study: StudyData) -> Answers:
    about_items = np.flatnonzero(study.codes.rows.item >= 0)
    return groups(study.codes)[0].of(answers_at(study.codes, "item", about_items, np.zeros(len(about_items))))


def _are_of(study: StudyData, ended: pd.DataFrame) -> Bools:
    return np.isin(np.asarray(study.codes.raters.ids, dtype=object), ended["rater"].to_numpy(dtype=object))


def _counts(ended: pd.DataFrame, here: pd.Series[bool]) -> tuple[int, int]:
    """How many left, and of how many."""
    return int((here & ~ended["is_finished"]).sum()), int(here.sum())


def _compared(ended: pd.DataFrame, study: StudyData) -> Iterator[tuple[Scope, pd.Series[bool], pd.Series[bool]]]:
    """Yield each level of each factor between raters with its raters, and those of the reference level."""
    for name, factor in study.protocol.conditions.items():
        if factor.assign == "between":
            level = ended["arm"].map(lambda arm, name=name: cell_of(arm).level(name))
            reference, *others = reference_first(factor.levels, factor.reference_level)
            for other in others:
                scope: Scope = {"factor": name, "level": other, "reference_level": reference}
                yield scope, level == other, level == reference


def _difference(
    study: StudyData, ended: pd.DataFrame, mine: pd.Series[bool], theirs: pd.Series[bool], scope: Scope
) -> Estimate:
    (left, n), (left_there, n_there) = _counts(ended, mine), _counts(ended, theirs)
    found = stats.attrition_difference((left, left_there), (n, n_there))
    answers = _everything(study)
    part = answers.select(_are_of(study, ended[mine | theirs])[answers.rater])
    return record_of(
        None, found, part, section=SECTION, scope=scope, statistic="attrition_difference", unit="rater_mean"
    )


def _bounds(
    study: StudyData,
    ended: pd.DataFrame,
    arms: tuple[pd.Series[bool], pd.Series[bool]],
    scope: Scope,
    wave: int,
) -> Iterator[Estimate]:
    """Yield the bounds of each difference between the two arms: of mean ratings, and of declared changes."""
    mine, theirs = arms
    is_treated = _are_of(study, ended[mine])
    has_finished = _are_of(study, ended[(mine | theirs) & ended["is_finished"]])
    n_assigned = int(mine.sum()), int(theirs.sum())
    for data, score, more in _scores(study, wave):
        found = stats.lee_bounds(np.where(has_finished, score, np.nan), is_treated, n_assigned)
        answers = groups(data.codes)[0].of(data.answers)
        part = answers.select((has_finished & np.isfinite(score))[answers.rater])
        named: Scope = {**more, **scope}
        for statistic, bound in (("lee_lower", found.lower), ("lee_upper", found.upper)):
            yield data.record(bound, part, section=SECTION, scope=named, statistic=statistic, unit="rater_mean")


def _scores(study: StudyData, wave: int) -> Iterator[tuple[ScaledData, Floats, Scope]]:
    by_key = {data.question.key: data for data in study.numbers}
    for data in study.numbers if wave == 1 else ():
        if data.question.target != "rater":
            yield data, of_each_rater(data), {}
    for declared in study.protocol.analysis.changes:
        if wave_of(declared.after, study.protocol.waves) != wave:
            continue
        after = by_key[declared.after]
        yield after, of_each_rater(after) - of_each_rater(by_key[declared.before]), {"before": declared.before}
