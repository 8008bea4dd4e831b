"""Composites: one score from several questions, as a question of its own, and its internal consistency."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import pandas as pd

from app.analysis.data.answers import Answers, scaled_answers
from app.analysis.data.encoded_study import Bools, Codes, Floats
from app.analysis.data.question_data import ScaledData
from app.analysis.data.scopes import distinct_groups
from app.analysis.estimate import Estimate, Scope
from app.analysis.minimum_data import CONSISTENCY
from app.analysis.statistic import Column, PageTable, Statistic, declare
from app.protocol.composite import Composite
from app.protocol.questions.registry import ScaledQuestion
from app.protocol.questions.slider import SliderQuestion
from app.stats.result import Result
from app.stats.scales import alpha_if_dropped, cronbach_alpha, item_rest_correlations, omega

SECTION = "composite"
STEPS = 100

declare(
    Statistic(
        "cronbach_alpha",
        "Cronbach's alpha",
        "coefficient",
        docs="comparison",
        cites=("cronbach1951",),
        minimum=CONSISTENCY,
        is_of_mean=True,
    ),
    Statistic(
        "omega", "McDonald's omega", "coefficient", docs="comparison", cites=("mcdonald1999",), minimum=CONSISTENCY
    ),
    Statistic(
        "cronbach_alpha_without",
        "Cronbach's alpha without the question",
        "coefficient",
        docs="comparison",
        cites=("cronbach1951",),
        minimum=CONSISTENCY,
        is_of_mean=True,
    ),
    Statistic(
        "item_rest_correlation",
        "Correlation with the other questions",
        "coefficient",
        docs="comparison",
        minimum=CONSISTENCY,
    ),
)
CONSISTENCIES = PageTable(
    "Composite scores",
    (
        Column("Cronbach's alpha", ("cronbach_alpha",)),
        Column("Omega", ("omega",)),
        Column("Correlation with the rest", ("item_rest_correlation",)),
    ),
)


@dataclass(frozen=True, eq=False)
class Table:
    """Answers to several questions: one row per rater and rated unit, nan for missing answers.

    `at` has one answer per row; `rated` and `turned` have shape (n, k); in `turned`, undesirable questions are
    reversed.
    """

    questions: tuple[ScaledQuestion, ...]
    at: Answers
    rated: Floats
    turned: Floats

    def select(self, rows: Bools) -> Table:
        """Return the rows selected by a mask."""
        return Table(self.questions, self.at.select(rows), self.rated[rows], self.turned[rows])


def table_of(codes: Codes, questions: Sequence[ScaledQuestion]) -> Table:
    """Return the answers to questions with one target; the mean if a rater rated a unit several times."""
    parts = [scaled_answers(codes, question) for question in questions]
    whole = _joined(parts)
    rows = codes.rows
    keys = pd.DataFrame({"item": whole.item, "response": rows.response[whole.row], "turn": rows.turn[whole.row]})
    unit = keys.groupby(list(keys), sort=False, dropna=False).ngroup().to_numpy().astype(np.int64)
    cell = pd.factorize(unit * (int(whole.rater.max(initial=0)) + 1) + whole.rater)[0]
    if questions[0].target == "turn":
        whole = replace(whole, unit=unit)
    column = np.repeat(np.arange(len(parts)), [len(part.value) for part in parts])
    n, k = int(cell.max(initial=-1)) + 1, len(parts)
    count = np.bincount(cell * k + column, minlength=n * k)
    total = np.bincount(cell * k + column, whole.value, n * k)
    rated = np.divide(total, count, out=np.full(n * k, np.nan), where=count > 0).reshape(n, k)
    ends = np.array([sum(_ends(question)) for question in questions])
    turned = np.where([question.reversed for question in questions], ends - rated, rated)
    first = np.flatnonzero(~pd.Series(cell).duplicated().to_numpy())
    return Table(tuple(questions), whole.select(first), rated, turned)


def _joined(parts: Sequence[Answers]) -> Answers:
    return Answers(*(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(Answers)))


def composite_question(name: str, composite: Composite, questions: Sequence[ScaledQuestion]) -> SliderQuestion:
    """Return the composite as a question with a fine scale between the lowest and the highest possible score."""
    times = len(questions) if composite.score == "sum" else 1
    low, high = (
        times * float(np.mean(side)) for side in zip(*(_ends(question) for question in questions), strict=True)
    )
    step = (high - low) / STEPS
    return SliderQuestion(
        key=name, type="slider", target=questions[0].target, text=composite.text or name, min=low, max=high, step=step
    )


def _ends(question: ScaledQuestion) -> tuple[float, float]:
    """Return the lowest and the highest value."""
    declared = question.values  # noqa: PD011 - an attribute of the question
    return declared[0], declared[-1]


def composite_answers(table: Table, composite: Composite) -> Answers:
    """Return the score of each row with enough answers: the mean of the reversed answers, or the corresponding sum."""
    answered = np.isfinite(table.turned)
    n = answered.sum(axis=1)
    is_enough = n >= composite.n_needed
    times = table.turned.shape[1] if composite.score == "sum" else 1
    score = times * np.where(answered, table.turned, 0)[is_enough].sum(axis=1) / n[is_enough]
    at = table.at.select(is_enough)
    cell = pd.Series(at.unit * (int(at.rater.max(initial=0)) + 1) + at.rater)
    return replace(at, value=score, is_first=~cell.duplicated().to_numpy())


def composites(data: ScaledData, table: Table) -> Iterator[Estimate]:
    """Yield Cronbach's alpha and omega of the questions, and alpha without each of them, over complete rows."""
    for group in distinct_groups(data.codes):
        part = table.select(group.has_rater[table.at.rater])
        if group.scope and not len(part.at.value):
            continue
        found: list[tuple[str, Result, Scope]] = [
            ("cronbach_alpha", cronbach_alpha(part.turned), {}),
            ("omega", omega(part.turned, **data.clusters_of(part.at)), {}),
        ]
        dropped, rest = alpha_if_dropped(part.turned), item_rest_correlations(part.turned)
        for question, without, correlation in zip(table.questions, dropped, rest, strict=True):
            scope: Scope = {"covariate": question.key}
            found += [("cronbach_alpha_without", without, scope), ("item_rest_correlation", correlation, scope)]
        for statistic, result, scope in found:
            yield data.record(
                result,
                part.at,
                section=SECTION,
                scope={**group.scope, **scope},
                statistic=statistic,
                unit="rating",
            )
