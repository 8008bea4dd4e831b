"""The report of a study as a document for a paper: summary, methods, results, limits, recipes, references."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from app import __version__
from app.analysis.data.simulated import SIMULATED_ONLY, SIMULATED_ONLY_SENTENCE
from app.analysis.document.bibliography import REFERENCES, references_of
from app.analysis.document.body_tables import composite_table
from app.analysis.document.design_words import drawn_keys, monitoring_keys
from app.analysis.document.deviations import deviations_section
from app.analysis.document.findings import (
    Found,
    PlacedFigure,
    appendix_sections,
    primary_answers_blocks,
    primary_section,
    results_section,
)
from app.analysis.document.methods import adjustment_keys, limits_section, methods_section, statistics_cited
from app.analysis.document.numbered import Numbered
from app.analysis.document.report_context import ReportContext
from app.analysis.estimate import Estimate
from app.analysis.findings.robustness import robustness_sentence
from app.analysis.findings.specifications import STATISTICS as SPECIFICATIONS
from app.analysis.findings.summary import Summary, summary_of
from app.analysis.model_code.scripts import ABOUT_CODE, MODELS_AS_CODE, scripts_of
from app.analysis.report.labelled import labelled
from app.analysis.report.recipe import software
from app.analysis.report.report import Report
from app.analysis.report.report_tables import command_of
from app.base.documents.blocks import Bullets, Code, DataTable, Document, Paragraph, Section
from app.base.documents.reference import Reference
from app.base.numbers import restyled, whole
from app.base.words import and_list
from app.protocol.study import Protocol

# How the numbers of a report can be got again: data, software, and a recipe for each number with all its digits.

_METHOD_HEAD = ("Method", "Statistic", "How", "Formula", "Seed")
# Lines of code that a document shows: more are pages that nobody reads.
MAX_CODE = 400
BRACKETS = "Numbers in square brackets are those of the recipes in the appendix."
_ROWS_HEAD = ("Rows", "Condition", "Hash of the answers")


def reproduction_section(report: Report, numbers: Numbered) -> Section:
    """Data hash, software, and the list of recipes. Numbers in square brackets in the text are those of the list.

    Most numbers share their method and their rows with others, so that each method and each set of rows is told once.
    """
    shown = list(numbers.shown.values())
    methods, rows = _names("M", map(_method, shown)), _names("R", map(_rows, shown))
    text = (
        f"The numbers were computed by {software()} from the data whose SHA-256 stands below the title. Each number "
        "in this report has a row in the first table below, which refers to its method and to the rows of ratings.csv "
        "that it was computed from. The same recipes, and every estimate that is not shown, are in report.json."
    )
    how = (
        f"To print every estimate again from the same answers: {command_of(report, 'STUDY')}, where STUDY is the slug "
        "of the study or the path of its folder. To recompute one record of report.json: attune analyze STUDY --again "
        "RECORD.json."
    )
    recipes = tuple(
        (str(number), digits(one), methods[_method(one)], rows[_rows(one)]) for number, one in enumerate(shown, 1)
    )
    tables = (
        DataTable("Recipe for each number", ("No.", "All digits", "Method", "Rows"), recipes, is_small=True),
        DataTable("Methods", _METHOD_HEAD, tuple((name, *key) for key, name in methods.items()), is_small=True),
        DataTable("Rows", _ROWS_HEAD, tuple((name, *key) for key, name in rows.items()), is_small=True),
    )
    said = (Paragraph(text), Paragraph(how), Paragraph("Statistics, with their references:"))
    return Section("How each number was computed", (*said, Bullets(tuple(statistics_cited(shown))), *tables))


def _names(letter: str, keys: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """A short name for each different key, in the order in which they come first."""
    return {key: f"{letter}{number}" for number, key in enumerate(dict.fromkeys(keys), 1)}


def _method(estimate: Estimate) -> tuple[str, ...]:
    seed = estimate.recipe.get("seed")
    return estimate.statistic, estimate.method, estimate.recipe["formula"], "–" if seed is None else str(seed)


def _rows(estimate: Estimate) -> tuple[str, ...]:
    return estimate.recipe["filter"], str(estimate.recipe["answers"])


def digits(estimate: Estimate) -> str:
    """The estimate with its interval as JSON and CSV write them."""
    value = f"none ({estimate.reason})" if estimate.estimate is None else repr(estimate.estimate)
    if estimate.ci_low is None:
        return value
    return (
        f"{value} ({estimate.ci_low!r} to {estimate.ci_reason if estimate.ci_high is None else repr(estimate.ci_high)})"
    )


def study_report(
    report: Report, protocol: Protocol, figures: Sequence[PlacedFigure], about: ReportContext
) -> tuple[Document, list[Reference]]:
    """The document with the publications that it cites. The report is not `labelled`."""
    report, numbers = _in_style(report), Numbered(protocol.labels, protocol.raters.identity == "known")
    summary = summary_of(labelled(report, protocol.labels), protocol)
    first = _summary(report, protocol, summary, numbers)
    primary = primary_section(report, numbers, figures)
    composites = composite_table(report, protocol, numbers)
    found = Found(report, protocol, summary, figures, numbers)
    results, beyond = results_section(found), tuple(appendix_sections(found))
    code = model_code_section(report, protocol)
    shown = list(numbers.shown.values())
    references = _cited(
        references_of(shown),
        [
            *_told(report),
            *adjustment_keys(report),
            *monitoring_keys(protocol),
            *drawn_keys(protocol, report.sample.n_drawn),
            *(one.cites for one in summary.objections),
        ],
    )
    sections = (
        replace(first, parts=(primary,) if primary.blocks else ()),
        methods_section(report, protocol, shown, about, composites),
        results,
        *_objections(summary),
        limits_section(report, protocol, summary),
        deviations_section(about.registration, report, protocol, about.version, about.judges),
        Section("References", (Bullets(tuple(one.in_list for one in references), is_small=True),)),
        Section("Appendix", (), (*beyond, *code, reproduction_section(report, numbers)), starts_page=True),
    )
    warning, mark = (SIMULATED_ONLY_SENTENCE, SIMULATED_ONLY) if report.is_simulated else ("", "")
    return Document(protocol.title, _lines(report, about), sections, warning, mark), references


def model_code_section(report: Report, protocol: Protocol) -> Iterator[Section]:
    """The models of the primary contrasts as code, or where it is if it is long; nothing if none has any."""
    found = [Code(one.name, one.text) for one in scripts_of(report, protocol) if one.has_models]
    n_lines = sum(one.text.count("\n") for one in found)
    if n_lines > MAX_CODE:
        names = and_list([one.name for one in found])
        left_out = f"They have {whole(n_lines)} lines and are not printed here: {names} are in the report's archive."
        yield Section(MODELS_AS_CODE, (Paragraph(f"{ABOUT_CODE} {left_out}"),))
    elif found:
        yield Section(MODELS_AS_CODE, (Paragraph(ABOUT_CODE), *found))


def first_page(report: Report, protocol: Protocol) -> tuple[Section, ...]:
    """What a reader of the document sees first: the summary and the table of the primary contrasts."""
    report, numbers = _in_style(report), Numbered(protocol.labels, protocol.raters.identity == "known")
    summary = summary_of(labelled(report, protocol.labels), protocol)
    return _summary(report, protocol, summary, numbers), primary_section(report, numbers)


def _in_style(report: Report) -> Report:
    """The report with the numbers in its notes, which were written with the estimates, in the style of now."""

    def each(estimates: Iterable[Estimate]) -> tuple[Estimate, ...]:
        return tuple(replace(one, note=restyled(one.note)) if one.note else one for one in estimates)

    primary = tuple(replace(result, estimates=each(result.estimates)) for result in report.primary)
    notes = tuple(restyled(note) for note in report.notes)
    return replace(report, estimates=each(report.estimates), primary=primary, notes=notes)


def _summary(report: Report, protocol: Protocol, summary: Summary, numbers: Numbered) -> Section:
    said = " ".join(filter(None, (*summary.warnings, robustness_sentence(summary.ways))))
    last = [Paragraph(said)] if said else []
    answers = primary_answers_blocks(report, protocol, summary, numbers)
    if report.sample.all_excluded:
        answers = [Paragraph(report.sample.all_excluded)]
    return Section("Summary", (Paragraph(summary.question), *answers, *last))


def _objections(summary: Summary) -> Iterator[Section]:
    """What a reviewer may object to, with the number of this study and what to do; nothing if there is nothing."""
    said = tuple(
        f"{one.says} {one.advice.removesuffix('.')} ({REFERENCES[one.cites].in_text})." for one in summary.objections
    )
    if said:
        yield Section("Objections to expect", (Bullets(said),))


def _lines(report: Report, about: ReportContext) -> tuple[str, ...]:
    made = f"Report of the study {report.study}, made by Attune {__version__} on {about.made_on}."
    return (*filter(None, (made, about.status)), f"Data hash {report.data_hash}.", BRACKETS)


def _told(report: Report) -> set[str]:
    """What tables cite that are not of single estimates."""
    cited = {"lee_lower": ("lee2009", "imbens2004"), "attrition_difference": ("newcombe1998b",)}
    cited |= dict.fromkeys(SPECIFICATIONS, ("simonsohn2020",))
    found = {one.statistic for one in report.of("rater")}
    return {key for statistic, keys in cited.items() if statistic in found for key in keys}


def _cited(found: list[Reference], more: Sequence[str]) -> list[Reference]:
    keys = {reference.key for reference in found} | {*more}
    return [reference for key, reference in REFERENCES.items() if key in keys]
