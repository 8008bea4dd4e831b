"""The results of a report: primary contrasts in sentences, then tables and charts by topic."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from app.analysis.document.body_tables import means_tables, needed_table
from app.analysis.document.numbered import MAX_ROWS, Numbered, with_numbers
from app.analysis.document.primary_table import primary_table
from app.analysis.estimate import Estimate
from app.analysis.findings.agreement_summary import agreement_sentence
from app.analysis.findings.judge_conclusions import HEADER as OF_CONCLUSIONS
from app.analysis.findings.judge_conclusions import changes_sentence, conclusion_rows
from app.analysis.findings.participants import flow_sentences, participant_tables
from app.analysis.findings.robustness import HEADER, LOWEST, robustness_rows
from app.analysis.findings.sample_balance import balance_sentences
from app.analysis.findings.specifications import CURVES, curve_sentences, curves
from app.analysis.findings.summary import Summary
from app.analysis.report.brief import brief
from app.analysis.report.labelled import labelled
from app.analysis.report.report import Report
from app.analysis.report.sentences import published_line
from app.analysis.report.verdicts import effect_behind
from app.analysis.sections.heterogeneity import VARIATION
from app.analysis.statistic import declared
from app.base.documents.blocks import Block, Bullets, DataTable, Figure, Paragraph, Section
from app.base.numbers import whole
from app.protocol.study import Protocol

# the parts of the charts, in the order of reading
TOPICS = {
    "participants": "Participants",
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
# how far the primary differences vary over items and raters
VARIES = {key for column in VARIATION.columns for key in column.statistics}


# topics whose tables are in the appendix
IN_APPENDIX = {"comparison", "agreement"}
# Where a document shows a chart. `first`: with the primary contrasts. `first_if_primary`: there if a difference between
# sources is primary, otherwise in the appendix.
Place = Literal["first", "first_if_primary", "body", "appendix", "nowhere"]


# more answers are a list that nobody reads
MAX_BULLETS = 12
CHANGES = "What could change the primary differences: each of them by other analyses of the same answers"

CONCLUSIONS = "Main conclusions by people, by each model judge alone, and by both."


@dataclass(frozen=True, slots=True)
class PlacedFigure:
    """A chart with the part of the results that it belongs to, and its place in the document."""

    part: str
    place: Place
    figure: Figure


def primary_answers_blocks(report: Report, protocol: Protocol, summary: Summary, numbers: Numbered) -> list[Block]:
    """The answers to the primary questions, each with the numbers of its estimates, and published tests beside them."""
    said = tuple(
        with_numbers(one.english, [numbers.number(finding.decided) for finding in one.findings])
        for one in summary.answers
    )
    if (n_more := len(said) - MAX_BULLETS) > 0:
        said = (*said[:MAX_BULLETS], f"{n_more} more primary contrasts are in the table below.")
    answers = [Bullets(said) if len(said) > 1 else Paragraph(*said)] if said else []
    published = published_line(report, protocol)
    return [*answers, *([Paragraph(published)] if published else [])]


@dataclass(frozen=True, slots=True)
class Found:
    """What the sections of the results are made from."""

    report: Report
    protocol: Protocol
    summary: Summary
    figures: Sequence[PlacedFigure]
    numbers: Numbered

    def figures_of(self, topic: str, *, is_body: bool) -> list[Block]:
        """The figures of a topic that the body shows, or the appendix."""
        in_topic = [placed for placed in self.figures if placed.part == topic and (placed.place == "body") == is_body]
        first = {one.key for one in first_figures(self.report, self.figures)}
        return [placed.figure for placed in in_topic if placed.figure.key not in first]


def results_section(found: Found) -> Section:
    """What the body shows beside the primary contrasts, topic by topic; the appendix has the rest."""
    topics = (Section(title, tuple(_body(topic, found))) for topic, title in TOPICS.items())
    return Section("Results", (), tuple(section for section in topics if section.blocks))


def primary_section(report: Report, numbers: Numbered, figures: Sequence[PlacedFigure] = ()) -> Section:
    """The table of the primary contrasts and their figures; empty without any."""
    is_declared = any(result.is_declared for result in report.primary)
    title = "Primary contrasts" if is_declared else "Main contrast (none is declared)"
    first = first_figures(report, figures)
    return Section(title, tuple(filter(None, (primary_table(report, numbers), *first))))


def first_figures(report: Report, figures: Sequence[PlacedFigure]) -> list[Figure]:
    """The figures that show the primary contrasts; that of all differences in ratings if one of them is primary."""
    effects = [effect_behind(one, report.estimates) for one in report.primary_estimates]
    has_differences = any(one.statistic == "mean_difference" for one in effects)
    first = {"first", "first_if_primary"} if has_differences else {"first"}
    return [placed.figure for placed in figures if placed.place in first]


def appendix_sections(found: Found) -> Iterator[Section]:
    """Estimates and figures that the body has no room for, topic by topic, without those that it shows."""
    for topic, title in TOPICS.items():
        if blocks := tuple(_beyond_body(topic, found)):
            yield Section(f"{title}: all estimates" if topic in IN_APPENDIX else title, blocks)


def _body(topic: str, found: Found) -> Iterator[Block]:
    yield from _said(topic, found)
    if topic == "participants":
        # the diagram says the same
        has_diagram = bool(found.figures_of(topic, is_body=True))
        said = "" if has_diagram else " ".join(flow_sentences(found.report.sample.flow, found.protocol))
        yield from [Paragraph(said)] if said else []
        named = labelled(found.report, found.protocol.labels)
        for caption, header, rows, notes in participant_tables(found.report, named, found.protocol):
            yield DataTable(caption, header, tuple(rows), notes)
    if topic == "comparison":
        yield from means_tables(found.report, found.protocol, found.numbers)
    if topic not in IN_APPENDIX:
        yield from _estimates(topic, found)
    yield from found.figures_of(topic, is_body=True)


def _beyond_body(topic: str, found: Found) -> Iterator[Block]:
    if topic == "agreement" and found.summary.agreement:
        named = labelled(found.report, found.protocol.labels)
        if needed := needed_table(named, found.summary.agreement):
            yield needed
    if topic in IN_APPENDIX:
        yield from _estimates(topic, found)
    if topic == "comparison" and (ways := robustness_rows(found.summary.ways)):
        n_more = len(ways) - MAX_ROWS
        named = labelled(found.report, found.protocol.labels)
        told = curve_sentences(curves(named, found.protocol.labels))
        more = (f"{whole(n_more)} more rows are in report.json.",) if n_more > 0 else ()
        notes = (LOWEST, *more, *told, *((CURVES,) if told else ()))
        shown = ways[:MAX_ROWS]
        yield DataTable(f"{CHANGES}.", HEADER, shown, notes)
    yield from found.figures_of(topic, is_body=False)


def _estimates(topic: str, found: Found) -> Iterator[DataTable]:
    """The estimates of a topic that have not been shown yet."""
    rows = _rows(topic, found.report, found.protocol, found.summary)
    others = [one for one in rows if not found.numbers.has(one)]
    # that agreement could not be estimated is said in the body, with the reason
    if others and (topic != "agreement" or any(one.estimate is not None for one in others)):
        yield found.numbers.table(TOPICS[topic], others)


def _said(topic: str, found: Found) -> Iterator[Block]:
    summary = found.summary
    if topic == "agreement" and summary.agreement:
        yield Paragraph(agreement_sentence(summary.agreement))
    if topic == "judges" and summary.judges:
        yield Paragraph(" ".join(one.sentence for one in summary.judges))
        if summary.conclusions:
            yield Paragraph(changes_sentence(summary.conclusions))
            rows = conclusion_rows(summary.conclusions)
            yield DataTable(CONCLUSIONS, OF_CONCLUSIONS, rows)
        if balanced := balance_sentences(found.report.of("judge"), found.protocol.labels):
            yield Paragraph(" ".join(balanced))


def _rows(topic: str, report: Report, protocol: Protocol, summary: Summary) -> list[Estimate]:
    """The estimates of a topic's table: of the brief report, then what could change them."""
    if topic == "agreement":
        return _agreement(_first_of_kind(one for one in report.of("agreement") if declared(one.statistic).agreement))
    if topic == "judges":
        ceilings = {declared(one.statistic).ceiling for one in report.of("judge")} - {""}
        compared = [one for one in report.of("judge") if one.statistic in ceilings or declared(one.statistic).ceiling]
        balanced = [one for one in report.of("judge") if one.statistic == "sample_balance"]
        return [*(one for one in compared if one.measured), *balanced]
    shown = brief(report, protocol).estimates
    found = [one for one in shown if one.section in OF_TOPIC.get(topic, ())]
    varies = [one for one in report.estimates if topic == "comparison" and one.statistic in VARIES]
    return [*found, *_beside(topic, summary), *varies]


def _first_of_kind(estimates: Iterable[Estimate]) -> list[Estimate]:
    """Of persons, pooled or by source; of several methods the first, which is the main one."""
    firsts: dict[tuple[object, ...], Estimate] = {}
    for one in estimates:
        if one.scope.keys() <= {"source"}:
            firsts.setdefault((one.measured, one.statistic, str(one.scope)), one)
    return list(firsts.values())


def _agreement(found: Sequence[Estimate]) -> list[Estimate]:
    """Of all questions, the pooled estimates before those by source; of many sources only the main coefficient."""
    pooled, by_source = ([one for one in found if bool(one.scope) == is_of_source] for is_of_source in (False, True))
    if len(found) > MAX_ROWS:
        by_source = [one for one in by_source if declared(one.statistic).agreement == "main"]
    return [*pooled, *by_source]


def _beside(topic: str, summary: Summary) -> Iterable[Estimate]:
    """Adjusted for length and without flagged raters, of the topic's contrasts without a table of other analyses."""
    analysed = [way.contrast for way in summary.ways]
    for contrast in summary.contrasts:
        if contrast in analysed:
            continue
        is_mine = contrast.is_share == (topic == "preference")
        if topic in {"comparison", "preference"} and is_mine:
            beside = (contrast.at_equal_length, contrast.without_flagged)
            yield from (one for one in beside if one is not None)
