"""Whether two questions measure different things: the correlation of their ratings, and halo."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from app.analysis.data.question_data import ScaledData
from app.analysis.data.scopes import distinct_groups
from app.analysis.estimate import Estimate, Scope
from app.analysis.minimum_data import ASSOCIATION
from app.analysis.sections.composites import Table
from app.analysis.statistic import Column, PageTable, Statistic, declare
from app.stats.linear.correlation import correlation, halo

SECTION = "dimension"

declare(
    Statistic("correlation", "Correlation", "coefficient", docs="comparison", minimum=ASSOCIATION),
    Statistic(
        "halo",
        "Halo: correlation within the response",
        "coefficient",
        docs="comparison",
        cites=("thorndike1920",),
        minimum=ASSOCIATION,
    ),
)
CORRELATIONS = PageTable(
    "Correlations between questions",
    (Column("Correlation", ("correlation",)), Column("Halo: correlation within the response", ("halo",))),
)


def dimensions(scaled: Sequence[ScaledData], table: Table) -> Iterator[Estimate]:
    """Yield correlation and halo for each pair of questions with one target that any rater answered together.

    `table` has one column per element of `scaled`, in their order.
    """
    if scaled[0].question.target == "rater":
        return
    for group in distinct_groups(scaled[0].codes):
        part = table.select(group.has_rater[table.at.rater])
        answered = np.isfinite(part.rated)
        for first, second in combinations(range(len(scaled)), 2):
            both = answered[:, first] & answered[:, second]
            if not both.any():
                continue
            at, a, b = part.at.select(both), part.rated[both, first], part.rated[both, second]
            found = {"correlation": correlation(a, b, **at.where), "halo": halo(a, b, unit=at.unit, **at.where)}
            for statistic, result in found.items():
                scope: Scope = {**group.scope, "covariate": scaled[second].question.key}
                yield scaled[first].record(result, at, section=SECTION, scope=scope, statistic=statistic, unit="rating")
