"""Which charts a report gets, each with its name in addresses, its title, its table and its specification."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from app.charts import distribution, forest, preference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.analysis.report import Report
    from app.charts.table import Table
    from app.charts.theme import Spec
    from app.design.protocol import Protocol


@dataclass(frozen=True, slots=True)
class Chart:
    """`question` is None for a chart over several; `spec` takes `theme` and `width` and gives None for no data."""

    name: str
    title: str
    question: str | None
    table: Table
    spec: Callable[..., Spec | None]


def charts_of(report: Report, protocol: Protocol) -> list[Chart]:
    """The charts in the order of reading. A name is made of the question's place: its key may be any text."""
    return [chart for chart in _all(report, protocol) if chart.table.rows]


def _all(report: Report, protocol: Protocol) -> Iterator[Chart]:
    differences = [figure for figure in report.of("comparison") if not _is_apart(figure.scope)]
    yield Chart(
        "differences", "Differences between sources", None, forest.forest_table(differences),
        partial(forest.forest_spec, differences, title="Differences between sources"),
    )  # fmt: skip
    for place, question in enumerate(protocol.questions, start=1):
        given = report.of("distribution", question.key)
        title = question.text
        yield Chart(
            f"distribution-{place}", title, question.key, distribution.distribution_table(given),
            partial(distribution.distribution_spec, given, title=title),
        )  # fmt: skip
        chosen = report.of("choice", question.key)
        yield Chart(
            f"preference-{place}", title, question.key, preference.preference_table(chosen),
            partial(preference.preference_spec, chosen, title=title),
        )  # fmt: skip


def _is_apart(scope: dict[str, object]) -> bool:
    return "pool" in scope or "rater_kind" in scope
