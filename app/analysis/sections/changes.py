"""Before and after: the change of a score of the raters in each arm, and the differences between arms."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from app.analysis.data.answers import Answers
from app.analysis.data.encoded_study import Bools, Floats, Ints
from app.analysis.data.question_data import ScaledData
from app.analysis.data.scopes import groups
from app.analysis.data.splits import Split
from app.analysis.estimate import Estimate, Scope
from app.analysis.sections.factors import in_declared_order, named_factors
from app.analysis.sections.study_data import StudyData
from app.analysis.statistic import Bounds, Recorded, Statistic, declare
from app.stats.comparison.change import change, change_difference

SECTION = "contrast"

declare(
    Statistic(
        "change",
        "Change from before to after",
        "points",
        docs="contrasts",
        cites=("student1908",),
        no_difference=0.0,
        bounds=Bounds(times=1),
        tests={"change": Recorded(unit="rater_mean", keys=("before",))},
    ),
    Statistic(
        "change_difference",
        "Difference in change between arms (ANCOVA)",
        "points",
        docs="contrasts",
        cites=("vickers2001",),
        no_difference=0.0,
        bounds=Bounds(times=2),
        tests={"change_difference": Recorded(unit="rater_mean", keys=("before", "factor", "level", "reference_level"))},
    ),
)


def changes(study: StudyData) -> Iterator[Estimate]:
    """Yield each declared change for human raters: overall, by arm, and an analysis of covariance between arms."""
    by_key = {data.question.key: data for data in study.numbers}
    for declared in study.protocol.analysis.changes:
        before, after = by_key[declared.before], by_key[declared.after]
        scores = of_each_rater(before), of_each_rater(after)
        everyone = np.ones(len(scores[0]), dtype=bool)
        yield _change(after, scores, everyone, {"before": declared.before})
        for split in study.designed_splits:
            arm = arms_of_raters(split, len(everyone), study)
            for name, levels in named_factors(split, study.designed_splits):
                order = in_declared_order(arm[arm >= 0], levels, study.protocol.conditions.get(name))
                yield from _by_arm(after, scores, arm, (name, levels, order), declared.before)


def of_each_rater(data: ScaledData) -> Floats:
    """Return the mean answer of each human rater, nan if there is none; shape (n_raters,)."""
    return means_by_rater(groups(data.codes)[0].of(data.answers), len(data.codes.raters.ids))


def means_by_rater(answers: Answers, n_raters: int) -> Floats:
    """Return the mean of each rater's answers, nan if there are none; shape (n_raters,)."""
    mean = pd.Series(answers.value).groupby(answers.rater).mean()
    return np.asarray(mean.reindex(range(n_raters)), dtype=np.float64)


def arms_of_raters(split: Split, n_raters: int, study: StudyData) -> Ints:
    """Return the level of each rater who saw only one level, -1 for all others; shape (n_raters,)."""
    rater = study.codes.rows.rater
    has_level = split.code >= 0
    n_levels = len(split.levels)
    seen = np.bincount(rater[has_level] * n_levels + split.code[has_level], minlength=n_raters * n_levels)
    table = seen.reshape(n_raters, n_levels) > 0
    return np.where(table.sum(axis=1) == 1, table.argmax(axis=1), -1)


def _by_arm(
    data: ScaledData,
    scores: tuple[Floats, Floats],
    arm: Ints,
    factor: tuple[str, list[str], list[int]],
    before: str,
) -> Iterator[Estimate]:
    """Yield changes by arm; nothing for a factor that varies within raters, who then have one change only."""
    name, levels, present = factor
    if len(present) <= 1:
        return
    for level in present:
        yield _change(data, scores, arm == level, {"before": before, "factor": name, "level": levels[level]})
    for level in present[1:]:
        here = (arm == level) | (arm == present[0])
        cluster = data.codes.raters.cluster[here]
        found = change_difference(scores[0][here], scores[1][here], arm[here] == level, cluster=cluster)
        compared: Scope = {"factor": name, "level": levels[level], "reference_level": levels[present[0]]}
        part = _of_raters(data, here & np.isfinite(scores[0] + scores[1]))
        yield data.record(
            found,
            part,
            section=SECTION,
            scope={"before": before, **compared},
            statistic="change_difference",
            unit="rater_mean",
        )


def _change(data: ScaledData, scores: tuple[Floats, Floats], here: Bools, scope: Scope) -> Estimate:
    found = change(scores[0][here], scores[1][here], cluster=data.codes.raters.cluster[here])
    part = _of_raters(data, here & np.isfinite(scores[0] + scores[1]))
    return data.record(found, part, section=SECTION, scope=scope, statistic="change", unit="rater_mean")


def _of_raters(data: ScaledData, has_rater: Bools) -> Answers:
    return data.answers.select(has_rater[data.answers.rater])
