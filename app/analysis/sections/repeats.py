"""Intra-rater agreement, from planned repeats, which enter no other estimate."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from app.analysis.data.answers import UNITS, Answers
from app.analysis.data.encoded_study import Bools
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.data.rater_panel import MAX_RATERS, SECTION
from app.analysis.data.scopes import groups
from app.analysis.estimate import Estimate, Scope
from app.analysis.minimum_data import BEYOND_CHANCE, MIN_REPEATS, enough
from app.analysis.statistic import Statistic, declare
from app.stats.agreement import SelfAgreement, intra_rater_agreement
from app.stats.ratings import Ratings
from app.stats.result import Result

NOT_REPEATED = "nothing was rated twice: the protocol plans no repeats, or none has been rated yet"

declare(
    Statistic("intra_rater_agreement", "Intra-rater agreement", "share", docs="raters", has_repeats=True),
    Statistic(
        "intra_rater_within_one", "Intra-rater agreement within one point", "share", docs="raters", has_repeats=True
    ),
    Statistic(
        "intra_rater_kappa",
        "Intra-rater kappa",
        "coefficient",
        docs="raters",
        cites=("cohen1960",),
        minimum=BEYOND_CHANCE,
        has_repeats=True,
    ),
)


def repeats(data: AnyQuestionData) -> Iterator[Estimate]:
    """Yield the agreement of first and repeated answers, for all human raters and for each rater with repeats.

    The question data must include the repeats.
    """
    question, codes = data.question, data.codes
    if question.target == "rater" or data.is_composite:
        return
    both = groups(codes)[0].of(data.answers)
    is_again = codes.kept["repeat"].to_numpy(dtype=np.float64, na_value=0)[both.row] > 0
    found = intra_rater_agreement(
        _ratings(both, ~is_again), _ratings(both, is_again), weights="none" if data.is_nominal else "quadratic"
    )
    for one in found[: MAX_RATERS + 1]:
        part = both if one.rater is None else both.select(both.rater == one.rater)
        scope: Scope = {} if one.rater is None else {"raters": [codes.raters.ids[one.rater]]}
        for statistic, result in _named(one, has_steps=question.has_points and not data.is_nominal):
            named = replace(result, note=NOT_REPEATED) if result.reason == "no_pairable_units" else result
            yield data.record(
                named, part, section=SECTION, scope=scope, statistic=statistic, unit=UNITS[question.target]
            )


def _named(one: SelfAgreement, *, has_steps: bool) -> Iterator[tuple[str, Result]]:
    yield "intra_rater_agreement", one.percent
    if has_steps:
        yield "intra_rater_within_one", one.within_one
    yield "intra_rater_kappa", enough(one.kappa, one.kappa.n_pairable_units or 0, MIN_REPEATS, "repeats")


def _ratings(answers: Answers, rows: Bools) -> Ratings:
    return Ratings(answers.unit[rows], answers.rater[rows], answers.value[rows])
