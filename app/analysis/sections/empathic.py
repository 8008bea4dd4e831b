"""Empathic accuracy: perceivers' ratings of what a target felt, compared with the target's own account."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from app.analysis.data.answers import Answers
from app.analysis.data.encoded_study import Bools
from app.analysis.data.question_data import ScaledData
from app.analysis.data.scopes import distinct_groups
from app.analysis.estimate import Estimate, Scope
from app.analysis.minimum_data import MOMENTS
from app.analysis.sections.pools import GROUPS, pairs_of_groups
from app.analysis.sections.study_data import StudyData
from app.analysis.statistic import Recorded, Statistic, declare
from app.stats.accuracy.empathic import METHOD, empathic_accuracy, empathic_accuracy_difference
from app.stats.result import undefined

SECTION = "contrast"
MOMENT = ["item", "response", "turn"]
NOBODY = "No target rated their own items. The column rater of items.csv names the target of each item."
NOBODY_WROTE = "No rater rated what they had written themselves."

declare(
    Statistic(
        "empathic_accuracy",
        "Empathic accuracy (mean correlation with the target's own account)",
        "coefficient",
        docs="contrasts",
        cites=("ickes1993", "zaki2008"),
        minimum=MOMENTS,
        tests={"empathic_accuracy": Recorded(unit="rater_mean", keys=("covariate",))},
    ),
    Statistic(
        "pool_empathic_difference",
        "Difference in empathic accuracy between pools (Fisher z)",
        "slope",
        docs="contrasts",
        cites=("ickes1993", "zaki2008"),
        no_difference=0.0,
        tests={"pool_empathic_difference": Recorded(unit="rater_mean", keys=("covariate",), perhaps=GROUPS)},
        is_of_pools=True,
    ),
)


def empathic(study: StudyData) -> Iterator[Estimate]:
    """Yield the mean correlation within target and perceiver, for human raters, pools and model judges."""
    declared = study.protocol.analysis.empathic_accuracy
    if declared is None:
        return
    by_key = {data.question.key: data for data in study.scaled}
    own, data = by_key[declared.felt], by_key[declared.answered]
    # Of raters who wrote with each other, each is the target of their own turns, and perceives those of the partner.
    are_partners = own.question.turns == "own"
    targets, others = own.answers, data.answers
    if not are_partners:
        targets = targets.select(_is_target(own, targets, declared.pool))
        others = others.select(~_is_target(data, others, declared.pool))
    felt = _moments(own, targets).rename(columns={"value": "felt", "rater": "target"}).drop(columns="place")
    for group in distinct_groups(data.codes):
        part = group.of(others)
        both = _moments(data, part).merge(felt, on=MOMENT)
        if group.scope and both.empty:
            continue
        found = undefined("no_pairable_units", NOBODY_WROTE if are_partners else NOBODY, method=METHOD)
        if len(felt):
            target, perceiver = both["target"].to_numpy(), both["rater"].to_numpy()
            found = empathic_accuracy(
                both["felt"].to_numpy(),
                both["value"].to_numpy(),
                target=target,
                perceiver=perceiver,
                cluster=data.codes.raters.cluster[perceiver] if are_partners else None,
            )
        rated = part.select(both["place"].unique())
        scope: Scope = {**group.scope, "covariate": declared.felt}
        yield data.record(found, rated, section=SECTION, scope=scope, statistic="empathic_accuracy", unit="rater_mean")
    for pair in pairs_of_groups(data.codes, data.question.key, study.protocol):
        part, is_first, note = pair.of(others)
        both = _moments(data, part).merge(felt, on=MOMENT)
        first = is_first[both["place"].to_numpy(dtype=np.int64)]
        if first.any() and not first.all():
            gap = empathic_accuracy_difference(
                both["felt"].to_numpy(),
                both["value"].to_numpy(),
                first,
                target=both["target"].to_numpy(),
                perceiver=both["rater"].to_numpy(),
            )
            scope = {**pair.scope, "covariate": declared.felt}
            name = "pool_empathic_difference"
            rated = part.select(both["place"].unique())
            yield data.record(gap.noted(note), rated, section=SECTION, scope=scope, statistic=name, unit="rater_mean")


def _is_target(data: ScaledData, answers: Answers, pool: str | None) -> Bools:
    """Return whether each answer is by the target of what it is about."""
    codes = data.codes
    if pool is not None:
        numbers = [number for number, name in enumerate(codes.raters.pools) if name == pool]
        return np.isin(codes.raters.pool[answers.rater], numbers)
    if "rater" not in codes.items:
        return np.zeros(len(answers.value), dtype=bool)
    named = codes.items["rater"].to_numpy(dtype=object)[answers.item]
    return np.asarray(np.array(codes.raters.ids, dtype=object)[answers.rater] == named, dtype=bool)


def _moments(data: ScaledData, answers: Answers) -> pd.DataFrame:
    """Return one row per answer: item, response, turn, value, rater and position."""
    rows = data.codes.rows
    return pd.DataFrame(
        {
            "item": answers.item,
            "response": rows.response[answers.row],
            "turn": np.nan_to_num(rows.turn[answers.row], nan=-1),
            "value": answers.value,
            "rater": answers.rater,
            "place": np.arange(len(answers.value)),
        }
    )
