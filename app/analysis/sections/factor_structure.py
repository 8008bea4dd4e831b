"""The factor structure of the questions of a composite that asks for it: number of factors and loadings."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from app.analysis.data.question_data import ScaledData
from app.analysis.estimate import Estimate, Scope
from app.analysis.minimum_data import CONSISTENCY
from app.analysis.sections.composites import SECTION, Table
from app.analysis.statistic import Column, PageTable, Recorded, Statistic, declare
from app.analysis.wording.formatting import number
from app.base.words import and_list, spelled_out
from app.protocol.composite import MAX_FACTORS, Composite
from app.protocol.labels import Labels
from app.protocol.study import Protocol
from app.stats.factor_structure import (
    Rotation,
    Structure,
    factor_structure,
    lavaan_model,
    most_factors,
    parallel_analysis,
    problem_of,
)
from app.stats.result import Interval, Method, Procedure, Result, undefined

declare(
    Statistic(
        "n_factors",
        "Number of factors, by parallel analysis",
        "count",
        docs="comparison",
        cites=("horn1965", "humphreys1975"),
        minimum=CONSISTENCY,
        tests={"n_factors": Recorded(keys=())},
    ),
    *(
        Statistic(
            f"factor_loading_{n}",
            "Loading",
            "coefficient",
            variant=f"factor {n}",
            docs="comparison",
            cites=("lawley1971", "bernaards2005"),
            minimum=CONSISTENCY,
        )
        for n in range(1, MAX_FACTORS + 1)
    ),
    Statistic(
        "unique_variance",
        "Unique variance",
        "share",
        docs="comparison",
        cites=("lawley1971",),
        minimum=CONSISTENCY,
    ),
)
LOADINGS = PageTable(
    "Factor loadings",
    (
        Column("Factors", ("n_factors",)),
        *(Column(f"Factor {n}", (f"factor_loading_{n}",)) for n in range(1, MAX_FACTORS + 1)),
        Column("Unique variance", ("unique_variance",)),
    ),
)
NO_FACTOR = "Parallel analysis finds no factor: the questions are hardly correlated."
NO_SHARED = "The bootstrap had too few samples with a solution, so no interval."


def composite_factors(data: ScaledData, table: Table, protocol: Protocol) -> Iterator[Estimate]:
    """Yield the number of factors, and loadings and unique variance of each question, over complete rows of people."""
    composite = protocol.analysis.composites[data.question.key]
    if composite.factors is None:
        return
    part = table.select(~data.codes.raters.is_model[table.at.rater])
    scores, is_of_raters = part.turned, data.is_of_raters

    def record(statistic: str, result: Result, question: str | None = None) -> Estimate:
        scope: Scope = {} if question is None else {"covariate": question}
        return data.record(result, part.at, section=SECTION, scope=scope, statistic=statistic, unit="rating")

    if (problem := problem_of(scores)) is not None:
        yield record("n_factors", undefined(*problem))
        return
    n_rows = int(np.isfinite(scores).all(axis=1).sum())
    parallel = parallel_analysis(scores, seed=part.at.seed)
    n = min(composite.factors or parallel.n_factors, most_factors(scores.shape[1]), MAX_FACTORS)
    counted = Result(float(parallel.n_factors), Method(words="parallel analysis, 95th percentile"))
    if n == 0:
        yield record("n_factors", replace(counted, note=NO_FACTOR).with_counts(n_units=n_rows))
        return
    item = None if is_of_raters else part.at.item
    rater = data.codes.raters.cluster[part.at.rater] if is_of_raters else part.at.rater
    found = factor_structure(scores, n, item=item, rater=rater, rotation=composite.rotation, seed=part.at.seed)
    drawn: Procedure = "bootstrap_units" if is_of_raters else "pigeonhole"
    fitted = (
        ""
        if n == parallel.n_factors
        else f"The loadings are those of {spelled_out(n)} {'factor' if n == 1 else 'factors'}. "
    )
    note = f"{fitted}{_words(found, table, protocol.labels, composite.rotation)}"
    yield record("n_factors", replace(counted, note=note).with_counts(n_units=n_rows))
    for row, question in enumerate(table.questions):
        for column in range(n):
            yield record(f"factor_loading_{column + 1}", _loading(found, row, column, composite, drawn), question.key)
        unique = Result(float(found.unique[row]), Method(words="maximum likelihood")).with_counts(n_units=n_rows)
        yield record("unique_variance", unique, question.key)


def _loading(found: Structure, row: int, column: int, composite: Composite, procedure: Procedure) -> Result:
    method = Method(words=f"maximum likelihood, {composite.rotation}")
    result = Result(float(found.loadings[row, column]), method).with_counts(n_units=found.n_rows)
    if found.low is None or found.high is None:
        return replace(result, interval_reason="not_converged", note=NO_SHARED)
    ends = float(found.low[row, column]), float(found.high[row, column])
    drawn = Method(procedure, f": {method.words}")
    return replace(result, method=drawn, interval=Interval(*ends, drawn, inference="items_and_raters"))


def _words(found: Structure, table: Table, labels: Labels, rotation: Rotation) -> str:
    """What the solution has beside the loadings: improper variances, correlations of factors, and lavaan's syntax."""
    keys = [question.key for question in table.questions]
    said = []
    if found.heywood:
        named = and_list([labels.question(keys[at]) for at in found.heywood])
        said.append(f"Improper solution (Heywood case): no variance is left to {named}; try fewer factors.")
    pairs = zip(*np.triu_indices(len(found.correlations), 1), strict=True)
    correlated = [f"{a + 1} and {b + 1}: {number(found.correlations[a, b], 'coefficient')}" for a, b in pairs]
    if correlated and rotation == "oblimin":
        said.append(f"Correlations of factors {', '.join(correlated)}.")
    said.append(f"In lavaan: {lavaan_model(keys, found).replace(chr(10), '; ')}")
    return " ".join(said)
