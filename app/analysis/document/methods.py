"""The methods of a report, from the protocol and the data alone: design, materials, raters, questions, analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.document.bibliography import REFERENCES, of_estimate, of_method
from app.analysis.document.blocks import Bullets, Paragraph, Section
from app.analysis.document.contrast_words import contrast_words
from app.analysis.document.design_words import (
    GENERALIZATION,
    check_sentences,
    condition_sentences,
    consent_sentences,
    design_sentences,
    exclusion_rule,
    inference_sentences,
    sample_size_sentence,
    sources_sentence,
)
from app.analysis.document.monitoring_words import monitoring_sentences
from app.analysis.document.question_words import composite_sentences, decision_sentences, question_table
from app.analysis.document.rater_words import missing_sentences, participation_sentences, rater_sentences
from app.analysis.document.reference import cited
from app.analysis.report.labelled import labelled_estimate
from app.analysis.report.sentences import test_of
from app.analysis.wording.formatting import of_text
from app.analysis.wording.statistics_registry import STATISTICS
from app.design.word_lists import and_list, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from app.analysis.document.circumstances import Circumstances
    from app.analysis.document.reference import Reference
    from app.analysis.estimate import Estimate
    from app.analysis.report.primary import PrimaryResult
    from app.analysis.report.report import Report
    from app.analysis.report.sample import Sample
    from app.design.protocol.study import Protocol


def methods_section(report: Report, protocol: Protocol, shown: Iterable[Estimate], about: Circumstances) -> Section:
    """The whole section; `shown` are the estimates that the report shows."""
    sample = report.sample
    parts = (
        Section("Design", _paragraph(_design(protocol, about.origin))),
        Section("Materials", _paragraph(_materials(sample, protocol))),
        Section(
            "Raters and consent",
            _paragraph(
                [
                    *rater_sentences(sample, protocol),
                    *participation_sentences(protocol, about),
                    sample_size_sentence(protocol),
                    *consent_sentences(protocol),
                ]
            ),
        ),
        Section("Questions", (question_table(protocol), *_composites(protocol))),
        Section(
            "Checks, exclusions and missing data",
            _paragraph(
                [
                    *check_sentences(protocol),
                    exclusion_rule(protocol),
                    *_excluded(sample),
                    *missing_sentences(sample, protocol, about.n_skipped),
                ]
            ),
        ),
        Section("Statistical analysis", tuple(_analysis(report, protocol, list(shown)))),
    )
    own_words = " ".join(protocol.description.split())
    return Section("Methods", (Paragraph(own_words),) if own_words else (), parts)


def _paragraph(sentences: Iterable[str]) -> tuple[Paragraph, ...]:
    return (Paragraph(" ".join(sentences)),)


def _design(protocol: Protocol, origin: str) -> Iterator[str]:
    if origin:
        yield origin
    yield from design_sentences(protocol)
    yield from condition_sentences(protocol)


def _materials(sample: Sample, protocol: Protocol) -> Iterator[str]:
    yield f"Ratings cover {counted(sample.n_items, 'item')}."
    yield sources_sentence(protocol, sample.n_responses if sample.n_items else None)
    if protocol.about_texts:
        yield " ".join(protocol.about_texts.split())


def _composites(protocol: Protocol) -> tuple[Paragraph, ...]:
    sentences = " ".join(composite_sentences(protocol))
    return (Paragraph(sentences),) if sentences else ()


def _excluded(sample: Sample) -> Iterator[str]:
    if not sample.excluded:
        yield "No answer was excluded."
        return
    parts = [f"{n:,} ({reason})" for reason, n in sample.excluded.items()]
    yield f"Answers excluded from every estimate, with the reason: {and_list(parts)}."


def _analysis(report: Report, protocol: Protocol, shown: list[Estimate]) -> Iterator[Paragraph | Bullets]:
    if report.primary:
        declared = any(result.is_declared for result in report.primary)
        yield Paragraph("Primary contrasts:" if declared else "No primary contrast was declared. Main contrast:")
        yield Bullets(tuple(_contrast(result, protocol) for result in report.primary))
    yield Paragraph(" ".join(_plan(protocol, shown)))
    yield Paragraph("Statistics in this report, with their references:")
    yield Bullets(tuple(_statistics(shown)))


def _contrast(result: PrimaryResult, protocol: Protocol) -> str:
    """The contrast with the test that was used, and its degrees of freedom."""
    tested = [one for one in result.estimates if test_of(one)]
    dfs = dict.fromkeys(f"{one.df:.4g}" for one in tested if one.df is not None)
    compared = [of_text(labelled_estimate(one, protocol.labels)) for one in result.estimates if one.scope]
    parts = (
        contrast_words(result.contrast, protocol),
        "; ".join(dict.fromkeys(compared)),
        and_list(dict.fromkeys(map(test_of, tested))) + (f", df = {and_list(dfs)}" if dfs else ""),
    )
    return f"{'. '.join(part[:1].upper() + part[1:] for part in parts if part)}."


def _plan(protocol: Protocol, shown: list[Estimate]) -> Iterator[str]:
    yield from decision_sentences(protocol)
    yield from inference_sentences(protocol)
    holm, bh = ([REFERENCES[key]] for key in ("holm1979", "benjamini1995"))
    yield (
        f"P-values of the primary contrasts are adjusted as one family by Holm's method{cited(holm)}, all others by "
        f"the Benjamini-Hochberg method within their kind of test{cited(bh)}."
    )
    yield from monitoring_sentences(protocol)
    yield from _intervals(shown)


def _intervals(shown: list[Estimate]) -> Iterator[str]:
    methods = (of_method(one.method) for one in shown if one.ci_low is not None)
    found = {method[0]: method[1] for method in methods if method}
    if found:
        yield f"Intervals: {and_list([f'{words}{cited(to)}' for words, to in found.items()])}."
        yield GENERALIZATION


def _statistics(shown: list[Estimate]) -> Iterator[str]:
    by_name: dict[str, dict[str, Reference]] = {}
    for one in shown:
        by_name.setdefault(one.statistic, {}).update({found.key: found for found in of_estimate(one)})
    for name, statistic in STATISTICS.items():
        if name in by_name:
            yield f"{statistic.words}{cited([*by_name[name].values()])}."
