"""The methods of a report: design, materials, raters, questions, exclusions, and each statistic with its reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.document.bibliography import REFERENCES, of_estimate, of_method
from app.analysis.document.blocks import Bullets, Paragraph, Section
from app.analysis.document.design_words import (
    check_sentences,
    condition_sentences,
    consent_sentences,
    design_sentences,
    question_table,
    sources_sentence,
)
from app.analysis.document.monitoring_words import monitoring_sentences
from app.analysis.document.reference import cited
from app.analysis.wording.formatting import GENERALIZES
from app.analysis.wording.statistics_registry import STATISTICS
from app.design.questions.scale import number_text
from app.design.word_lists import and_list, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from app.analysis.document.reference import Reference
    from app.analysis.estimate import Estimate
    from app.analysis.report.report import Report
    from app.analysis.report.sample import Sample
    from app.design.protocol.study import Protocol

KINDS = {"person": "person", "model": "model judge"}


def methods_section(
    report: Report, protocol: Protocol, shown: Iterable[Estimate], arrivals: Mapping[str, int]
) -> Section:
    """The whole section. `arrivals` says how many raters came and why some did not finish, in the order of reading."""
    sample = report.sample
    parts = (
        Section("Design", _paragraph([*design_sentences(protocol), *condition_sentences(protocol)])),
        Section("Materials", _paragraph(_materials(sample, protocol))),
        Section("Raters and consent", _paragraph([*_raters(sample, protocol, arrivals), *consent_sentences(protocol)])),
        Section("Questions", (question_table(protocol),)),
        Section("Checks and exclusions", _paragraph([*check_sentences(protocol), *_excluded(sample)])),
        Section("Statistical analysis", _analysis(protocol, list(shown))),
    )
    about = " ".join(protocol.description.split())
    return Section("Methods", (Paragraph(about),) if about else (), parts)


def _paragraph(sentences: Iterable[str]) -> tuple[Paragraph, ...]:
    return (Paragraph(" ".join(sentences)),)


def _materials(sample: Sample, protocol: Protocol) -> Iterator[str]:
    yield f"Ratings cover {counted(sample.n_items, 'item')}."
    yield sources_sentence(protocol)
    if sample.n_responses:
        parts = [f"{n:,} of {protocol.labels.source(key)}" for key, n in sample.n_responses.items()]
        yield f"Responses to these items: {and_list(parts)}."
    if protocol.about_texts:
        yield " ".join(protocol.about_texts.split())


def _raters(sample: Sample, protocol: Protocol, arrivals: Mapping[str, int]) -> Iterator[str]:
    if protocol.raters.identity == "unknown":
        yield "It is not known which person gave which rating: persons are counted as slots."
    groups = [_group(group.kind, group.pool, group.n, protocol) for group in sample.raters]
    yield f"{counted(sample.n_raters, 'rater')} answered: {and_list(groups)}." if groups else "No rater has answered."
    for n, words in ((sample.n_simulated, "simulated"), (sample.n_imported, "imported from elsewhere")):
        if n:
            yield f"Of these, {n:,} {'is' if n == 1 else 'are'} {words}."
    if arrivals:
        yield f"Participation: {and_list([f'{n:,} {words}' for words, n in arrivals.items()])}."
    if sample.first_day and sample.last_day:
        yield f"Ratings were given from {sample.first_day.isoformat()} to {sample.last_day.isoformat()} (UTC)."


def _group(kind: str, pool: str | None, n: int, protocol: Protocol) -> str:
    is_slot = kind == "person" and protocol.raters.identity == "unknown"
    words = counted(n, "slot" if is_slot else KINDS.get(kind, kind))
    return f"{words} of the pool {protocol.labels.pool(pool)}" if pool else words


def _excluded(sample: Sample) -> Iterator[str]:
    if not sample.excluded:
        yield "No answer was excluded."
        return
    parts = [f"{n:,} ({reason})" for reason, n in sample.excluded.items()]
    yield f"Answers excluded from every estimate, with the reason: {and_list(parts)}."


def _analysis(protocol: Protocol, shown: list[Estimate]) -> tuple[Paragraph | Bullets, ...]:
    return (
        Paragraph(" ".join(_plan(protocol, shown))),
        Paragraph("Statistics in this report, with their references:"),
        Bullets(tuple(_statistics(shown))),
    )


def _plan(protocol: Protocol, shown: list[Estimate]) -> Iterator[str]:
    analysis, labels = protocol.analysis, protocol.labels
    if protocol.reference and len(protocol.sources) > 1:
        yield f"A comparison is source minus reference; the reference is {labels.source(protocol.reference)}."
    for key, cut in analysis.cut.items():
        yield f"The cut-off of {labels.question(key)} is {number_text(cut)}."
    for key, margin in analysis.margin.items():
        yield f"The equivalence margin of {labels.question(key)} is {number_text(margin)} points."
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
    inferred = {GENERALIZES[one.inference] for one in shown if one.ci_low is not None} - {""}
    if inferred:
        yield f"They hold {and_list(sorted(inferred))}, as each sentence says."


def _statistics(shown: list[Estimate]) -> Iterator[str]:
    by_name: dict[str, dict[str, Reference]] = {}
    for one in shown:
        by_name.setdefault(one.statistic, {}).update({found.key: found for found in of_estimate(one)})
    for name, statistic in STATISTICS.items():
        if name in by_name:
            yield f"{statistic.words}{cited([*by_name[name].values()])}."
