"""The context of the section template: charts, tables, and all estimates with their recipes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.analysis.estimate import Estimate
from app.analysis.findings.main_contrasts import main_contrasts
from app.analysis.findings.participants import participant_tables
from app.analysis.findings.robustness import HEADER, LOWEST, other_ways, robustness_rows
from app.analysis.findings.sample_balance import balance_sentences
from app.analysis.findings.specifications import curve_sentences, curves
from app.analysis.model_code.scripts import ABOUT_CODE, NO_CODE, Script, scripts_of
from app.analysis.report.report import Report
from app.analysis.sections.judges.balance import BALANCE
from app.analysis.wording.formatting import adjustment_note
from app.protocol.labels import Labels
from app.protocol.primary_default import by_importance
from app.protocol.study import Protocol
from app.results.charts.chart import Chart, about_responses, charts_of, plane_axes
from app.results.charts.table import Table
from app.results.pages.report_query import ReportQuery
from app.results.pages.sections.estimate_tables import all_rows, estimate_groups
from app.results.pages.sections.part_tables import Block, blocks_of
from app.results.pages.sections.parts import Part, part_of
from app.results.pages.sections.rater_tables import each_rater, without_flagged
from app.results.pages.sections.text_details import texts

# Maximum number of charts of single questions on a page; for others, the user selects the question.
MAX_OF_QUESTIONS = 6
MAX_RATERS = 15
MAX_RECIPES = 400
ALL = "estimates"
# where a link from the summary leads
CHANGES = "other-analyses"
WITH_CODE, WITHOUT_CODE = ("comparison", "preference"), ("conditions", "subgroups", "turns")


@dataclass(frozen=True, slots=True)
class Plane:
    """The form that chooses the two questions of the plane: key and label of each, and the two that are shown.

    `is_other` says that the page shows other questions than its address names, because those cannot be shown.
    """

    questions: tuple[tuple[str, str], ...]
    x: str
    y: str
    is_other: bool


def plane_of(report: Report, labels: Labels, wanted: tuple[str, str] | None) -> Plane | None:
    """Return the form; None if there are no other questions to choose."""
    known, axes = plane_axes(report, wanted)
    if axes is None or (len(known) <= len(axes) and wanted in {None, axes}):
        return None
    return Plane(tuple((key, labels.question(key)) for key in known), *axes, wanted not in {None, axes})


def part_context(part: Part, report: Report, shown: Report, protocol: Protocol, asked: ReportQuery) -> dict[str, Any]:
    """The template's context; `shown` is `labelled`, and both reports have only the selected question, if any."""
    key = asked.question or None
    charts = [chart for chart in charts_of(report, protocol, asked.axes) if chart.part == part.key]
    chosen = [chart for chart in charts if key is None or chart.question in {None, key}]
    of_each = [chart for chart in chosen if chart.question is not None]
    of_questions = about_responses(of_each, protocol)[:MAX_OF_QUESTIONS]
    left_out = [chart for chart in of_each if chart not in of_questions]
    ranks = {question: rank for rank, question in enumerate(by_importance(protocol))}
    by_rank = sorted(part.estimates, key=lambda f: ranks.get(f.question or "", -1))
    own = [f for f in by_rank if key is None or f.question is None or f.question == key]
    is_all = part.key == ALL
    rows = [] if is_all else all_rows(own[:MAX_RECIPES], protocol.labels)
    return {
        "part": part,
        "plane": plane_of(report, protocol.labels, asked.axes) if any(one.key == "plane" for one in charts) else None,
        "charts": [chart for chart in chosen if chart.question is None] + of_questions,
        "left_out": _questions_of(left_out, protocol.labels),
        "blocks": [] if is_all else [*_blocks(part, own, report, shown, protocol)],
        "groups": estimate_groups(own, protocol.labels) if is_all else [],
        "extremes": [],
        "units": [],
        "about_code": ABOUT_CODE,
        "scripts": _scripts(part, report, protocol),
        "no_code": NO_CODE if part.key in WITHOUT_CODE and _has_primary(part) else "",
        "rows": rows,
        "adjustment": adjustment_note(own if is_all else own[:MAX_RECIPES]),
        "n_more_recipes": max(0, len(own) - MAX_RECIPES),
    }


def _scripts(part: Part, report: Report, protocol: Protocol) -> list[Script]:
    """The models of the primary contrasts as code, on the pages that have the contrasts."""
    shown = scripts_of(report, protocol) if part.key in WITH_CODE and _has_primary(part) else []
    return [script for script in shown if script.has_models]


def _has_primary(part: Part) -> bool:
    return any(estimate.role == "primary" for estimate in part.estimates)


def _questions_of(charts: Sequence[Chart], labels: Labels) -> list[tuple[str, str]]:
    keys = dict.fromkeys(chart.question for chart in charts if chart.question)
    return [(key, labels.question(key)) for key in keys]


def _with_sentences(block: Block, part: Part, protocol: Protocol) -> Block:
    """What the balance of a sample says is below its table."""
    if block.caption != BALANCE.caption:
        return block
    return replace(block, notes=(*balance_sentences(part.estimates, protocol.labels), *block.notes))


def _blocks(part: Part, own: Sequence[Estimate], report: Report, shown: Report, protocol: Protocol) -> Iterator[Block]:
    yield from (_with_sentences(block, part, protocol) for block in blocks_of(part.key, own, protocol.labels))
    if part.key in {"comparison", "preference"}:
        ways = other_ways(main_contrasts(shown, protocol), shown)
        rows = robustness_rows([one for one in ways if part_of(one.contrast.estimate) == part.key])
        if rows:
            more = Table(HEADER, rows[MAX_RECIPES:]) if len(rows) > MAX_RECIPES else None
            notes = (
                LOWEST,
                *curve_sentences([one for one in curves(shown, protocol.labels) if part_of(one.estimate) == part.key]),
            )
            yield Block(
                "What could change the primary differences", Table(HEADER, rows[:MAX_RECIPES]), more, notes, CHANGES
            )
    if part.key == "participants":
        for caption, header, lines, notes in participant_tables(report, shown, protocol):
            yield Block(caption, Table(header, tuple(lines)), None, notes)
    if part.key == "text":
        by_question: dict[str | None, list[Estimate]] = {}
        for estimate in own:
            by_question.setdefault(estimate.measured, []).append(estimate)
        for key, estimates in by_question.items():
            name = protocol.labels.question(key) if key else "All responses"
            for caption, table, notes in texts(estimates):
                yield Block(f"{name}: {caption[:1].lower()}{caption[1:]}", table, None, notes)
    if part.key == "raters":
        yield from _raters(own, shown, protocol)


def _raters(own: Sequence[Estimate], shown: Report, protocol: Protocol) -> Iterator[Block]:
    """Main results with and without flagged raters, then one row per rater, for one question to limit the length."""
    yield from _with_and_without(own, shown, protocol.labels)
    of_each = [f for f in own if f.scope.keys() == {"raters"}]
    first = next((f for f in of_each if f.question), None)
    table = each_rater([f for f in of_each if f.measured in {None, first and first.measured}])
    if table.rows:
        name = protocol.labels.question(first.question or "", first.category) if first else "All questions"
        head, rest = table.rows[:MAX_RATERS], table.rows[MAX_RATERS:]
        more = Table(table.header, rest) if rest else None
        first_of = ", fastest first" if any(f.statistic == "median_seconds" for f in of_each) else ""
        yield Block(f"Rater by rater{first_of}: {name}", Table(table.header, head), more, ())


def _with_and_without(own: Sequence[Estimate], shown: Report, labels: Labels) -> Iterator[Block]:
    rows = []
    for key, category in dict.fromkeys((f.question, f.category) for f in own):
        mine = [f for f in own if (f.question, f.category) == (key, category)]
        found = without_flagged(mine, [f for f in shown.estimates if (f.question, f.category) == (key, category)])
        rows += [(labels.question(key, category) if key else "All questions", *row) for row in found.rows]
    if rows:
        header = ("Question", "Result", "For", "All raters", "Without flagged raters")
        yield Block("Main results with and without flagged raters", Table(header, tuple(rows)), None, ())
