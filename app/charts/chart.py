"""The charts of a report: which there are, each with its specification and its table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from app.analysis.report.labelled import labelled
from app.charts.distribution import distribution_spec, distribution_table
from app.charts.forest import forest_spec, forest_table
from app.charts.preference import preference_spec, preference_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from app.analysis.estimate import Estimate
    from app.analysis.report.report import Report
    from app.charts.table import Table
    from app.charts.theme import Spec, Theme, Width
    from app.design.protocol import study as protocol

    class Build(Protocol):
        """What makes a specification."""

        def __call__(self, estimates: Sequence[Estimate], *, title: str, theme: Theme, width: Width) -> Spec | None: ...


PRINT_WIDTH = 560


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart. `key` is unique in a report and fit for a file name and an address."""

    key: str
    section: str
    question: str | None
    title: str
    estimates: tuple[Estimate, ...]
    build: Build
    tabulate: Callable[[Sequence[Estimate]], Table]

    def spec(self, theme: Theme = "light", width: Width = PRINT_WIDTH) -> Spec | None:
        """The Vega-Lite specification; None where there is nothing to draw, and then the table says why."""
        return self.build(self.estimates, title=self.title, theme=theme, width=width)

    @property
    def table(self) -> Table:
        """The same numbers as a table."""
        return self.tabulate(self.estimates)


def charts_of(report: Report, study: protocol.Protocol) -> list[Chart]:
    """Distribution of each rating question, the mean differences, each forced choice: of people, then of judges."""
    shown = labelled(report, study.labels)
    return [chart for is_model in (False, True) for chart in _charts(shown, study, is_model=is_model)]


def _charts(report: Report, study: protocol.Protocol, *, is_model: bool) -> Iterator[Chart]:
    def estimates(section: str, question: str | None = None) -> tuple[Estimate, ...]:
        found = report.of(section, question)
        return tuple(estimate for estimate in found if (estimate.scope.get("rater_kind") == "model") == is_model)

    who, end = (" (model judges)", "-judges") if is_model else ("", "")
    kinds = (
        ("distribution", study.scaled_questions, distribution_spec, distribution_table),
        ("choice", study.choice_questions, preference_spec, preference_table),
    )
    differences = estimates("comparison")
    if differences:
        title = f"Mean differences{who}"
        labels = study.labels
        named = tuple(replace(one, question=labels.question(one.question or "")) for one in differences)
        yield Chart(f"comparison{end}", "comparison", None, title, named, forest_spec, forest_table)
    for section, questions, build, tabulate in kinds:
        for number, question in enumerate(questions, start=1):
            part = estimates(section, question.key)
            if part:
                key, title = f"{section}-{number}{end}", f"{question.text}{who}"
                yield Chart(key, section, question.key, title, part, build, tabulate)
