"""The results of a report: primary contrasts in sentences, then tables and charts by topic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.analysis.document.numbered import MAX_ROWS, Numbered, with_numbers
from app.analysis.document.primary_table import primary_table
from app.analysis.estimate import Estimate
from app.analysis.findings.agreement_summary import agreement_sentence, needed_by_question
from app.analysis.findings.judge_conclusions import changes_sentence
from app.analysis.findings.robustness import HEADER, HEADER_WIDTHS, LOWEST, robustness_rows
from app.analysis.findings.summary import Summary
from app.analysis.report.brief import brief
from app.analysis.report.labelled import labelled
from app.analysis.report.report import Report
from app.analysis.report.sentences import primary_answers, published_line
from app.analysis.statistic import declared
from app.base.documents.blocks import Block, Bullets, DataTable, Figure, Paragraph, Section
from app.protocol.study import Protocol

# the parts of the charts, in the order of reading
TOPICS = {
    "comparison": "Ratings and differences between sources",
    "preference": "Preference",
    "agreement": "Agreement between raters",
    "conditions": "Conditions",
    "turns": "Over turns",
    "judges": "Model judges",
    "raters": "Raters",
}
OF_TOPIC = {
    "comparison": ("distribution", "comparison", "category", "contrast", "composite"),
    "preference": ("choice", "ranking"),
    "agreement": ("agreement",),
    "judges": ("judge",),
}


@dataclass(frozen=True, slots=True)
class PlacedFigure:
    """A chart with the part of the results that it belongs to."""

    part: str
    figure: Figure


def primary_answers_blocks(report: Report, protocol: Protocol, summary: Summary, numbers: Numbered) -> list[Block]:
    """The answers to the primary questions, each with the numbers of its estimates, and published tests beside them."""
    said = tuple(
        with_numbers(one.english, [numbers.number(finding.decided) for finding in one.findings])
        for one in summary.answers
    )
    answers = [Bullets(said) if len(said) > 1 else Paragraph(*said)] if said else []
    published = published_line(primary_answers(report, protocol))
    return [*answers, *([Paragraph(published)] if published else [])]


def results_section(
    report: Report, protocol: Protocol, summary: Summary, figures: Sequence[PlacedFigure], numbers: Numbered
) -> Section:
    """Primary contrasts first, whose sentences are in the summary, then what else is shown, topic by topic."""
    first = primary_section(report, numbers)
    topics = (_topic(topic, report, protocol, summary, figures, numbers) for topic in TOPICS)
    return Section("Results", (), tuple(section for section in (first, *topics) if section.blocks))


def primary_section(report: Report, numbers: Numbered) -> Section:
    """The table of the primary contrasts; empty without any."""
    is_declared = any(result.is_declared for result in report.primary)
    title = "Primary contrasts" if is_declared else "Main contrast (none is declared)"
    return Section(title, tuple(filter(None, (primary_table(report, numbers),))))


def _topic(
    topic: str,
    report: Report,
    protocol: Protocol,
    summary: Summary,
    figures: Sequence[PlacedFigure],
    numbers: Numbered,
) -> Section:
    blocks: list[Block] = list(_said(topic, report, protocol, summary))
    rows = list(_rows(topic, report, protocol, summary))
    blocks += [numbers.table(TOPICS[topic], rows)] if rows else []
    if topic == "comparison" and (ways := robustness_rows(summary.ways)):
        n_more = len(ways) - MAX_ROWS
        notes = (LOWEST, *((f"{n_more:,} more rows are in report.json.",) if n_more > 0 else ()))
        shown = ways[:MAX_ROWS]
        blocks.append(DataTable("What could change the primary differences", HEADER, shown, notes, HEADER_WIDTHS))
    blocks += [placed.figure for placed in figures if placed.part == topic]
    return Section(TOPICS[topic], tuple(blocks))


def _said(topic: str, report: Report, protocol: Protocol, summary: Summary) -> Iterator[Paragraph]:
    if topic == "agreement" and summary.agreement:
        yield Paragraph(agreement_sentence(summary.agreement))
        shown = labelled(report, protocol.labels)
        if needed := needed_by_question(shown, summary.agreement):
            yield Paragraph(needed)
    if topic == "judges" and summary.judges:
        yield Paragraph(" ".join(one.sentence for one in summary.judges))
        if summary.conclusions:
            yield Paragraph(changes_sentence(summary.conclusions))


def _rows(topic: str, report: Report, protocol: Protocol, summary: Summary) -> list[Estimate]:
    """The estimates of a topic's table: of the brief report, then what could change them."""
    if topic == "agreement":
        return _agreement(_first_of_kind(one for one in report.of("agreement") if declared(one.statistic).agreement))
    if topic == "judges":
        ceilings = {declared(one.statistic).ceiling for one in report.of("judge")} - {""}
        compared = [one for one in report.of("judge") if one.statistic in ceilings or declared(one.statistic).ceiling]
        return [one for one in compared if one.asked]
    shown = brief(report, protocol).estimates
    found = [one for one in shown if one.section in OF_TOPIC.get(topic, ())]
    return [*found, *_beside(topic, summary)]


def _first_of_kind(estimates: Iterable[Estimate]) -> list[Estimate]:
    """Of persons, pooled or by source; of several methods the first, which is the main one."""
    firsts: dict[tuple[object, ...], Estimate] = {}
    for one in estimates:
        if one.scope.keys() <= {"source"}:
            firsts.setdefault((one.asked, one.statistic, str(one.scope)), one)
    return list(firsts.values())


def _agreement(found: Sequence[Estimate]) -> list[Estimate]:
    """Of all questions, the pooled estimates before those by source; of many sources only the main coefficient."""
    pooled, by_source = ([one for one in found if bool(one.scope) == is_of_source] for is_of_source in (False, True))
    if len(found) > MAX_ROWS:
        by_source = [one for one in by_source if declared(one.statistic).agreement == "main"]
    return [*pooled, *by_source]


def _beside(topic: str, summary: Summary) -> Iterable[Estimate]:
    """Adjusted for length and without flagged raters, of the topic's contrasts."""
    for contrast in summary.contrasts:
        is_mine = contrast.is_share == (topic == "preference")
        if topic in {"comparison", "preference"} and is_mine:
            beside = (contrast.at_equal_length, contrast.without_flagged)
            yield from (one for one in beside if one is not None)
