"""The methods of a report, from the protocol and the data alone: design, materials, raters, questions, analysis."""

from collections.abc import Iterable, Iterator

from app.analysis.data.flow import is_by_condition
from app.analysis.data.simulated import ARE_SIMULATED
from app.analysis.document.bibliography import REFERENCES, of_estimate, of_procedure
from app.analysis.document.design_words import (
    GENERALIZATION,
    NO_SPEED,
    check_sentences,
    condition_sentences,
    consent_sentences,
    contrast_words,
    decision_sentences,
    design_sentences,
    drawn_sentences,
    exclusion_rule,
    flag_rules,
    has_trials,
    inference_sentences,
    monitoring_sentences,
    question_table,
    sample_size_sentence,
    sources_sentence,
)
from app.analysis.document.report_context import ReportContext
from app.analysis.estimate import Estimate
from app.analysis.findings.participants import arm_name
from app.analysis.findings.summary import Summary
from app.analysis.report.labelled import labelled_estimate
from app.analysis.report.primary import PrimaryResult
from app.analysis.report.report import Report, Sample
from app.analysis.report.sentences import test_of
from app.analysis.statistic import declared
from app.analysis.wording.formatting import UNADJUSTED, number, of_text
from app.base.documents.blocks import Bullets, DataTable, Paragraph, Section
from app.base.documents.reference import Reference, cited
from app.base.numbers import styled, whole
from app.base.words import and_list, capitalized, counted, spelled_out
from app.protocol.allocation.trials import kind_of_trials
from app.protocol.labels import ItemNouns
from app.protocol.study import Protocol

# Who took part, who left early, and which answers are missing, for the methods of a report.


def rater_sentences(sample: Sample, protocol: Protocol) -> Iterator[str]:
    """How many raters of which kind and pool answered, and when."""
    if not sample.raters:
        yield sample.all_excluded or "No rater has answered."
        return
    is_unknown = protocol.raters.identity == "unknown"
    if is_unknown:
        yield "It is not known which person gave which rating, so ratings are counted by slots."
    people = [group for group in sample.raters if group.kind != "model"]
    n_people, n_judges = sum(group.n for group in people), sample.n_raters - sum(group.n for group in people)
    groups = [(n_people, "rater slot" if is_unknown else "rater"), (n_judges, "model judge")]
    who = and_list([f"{spelled_out(n)} {word}{'' if n == 1 else 's'}" for n, word in groups if n])
    marks = [(sample.n_simulated, "simulated"), (sample.n_imported, "imported from elsewhere")]
    told = [f"{'all' if n == sample.n_raters else f'{whole(n)}'} {words}" for n, words in marks if n]
    pools = [f"{whole(group.n)} {_of_pool(group.pool, protocol)}" for group in people]
    of_pools = f": {and_list(pools)}" if any(group.pool for group in people) else ""
    started = who if who[0].isalpha() else f"a total of {who}"
    in_brackets = f" ({', '.join(told)})" if told else ""
    yield f"{capitalized(started)} took part{in_brackets}{of_pools}."
    if sample.first_day and sample.last_day:
        first, last = sample.first_day.isoformat(), sample.last_day.isoformat()
        yield f"Ratings were given {f'on {first}' if first == last else f'from {first} to {last}'} (UTC)."


def _of_pool(pool: str | None, protocol: Protocol) -> str:
    return f"of the pool {protocol.labels.pool(pool)}" if pool else "of no pool"


def missing_sentences(sample: Sample, protocol: Protocol, n_skipped: int | None) -> Iterator[str]:
    """How many answers are missing on rated pages, overall and by arm, and how many trials were skipped."""
    n_missing, n_expected = (sum(n[at] for n in sample.missing.values()) for at in (0, 1))
    if n_skipped:
        yield f"Raters skipped {counted(n_skipped, 'trial')}; skipped trials were offered to other raters."
    if not n_expected:
        return
    if not n_missing:
        yield "No answer is missing in the trials rated."
        return
    share = number(n_missing / n_expected, "share")
    parts = [f"{arm_name(arm, protocol)} {whole(n)} of {whole(of)}" for arm, (n, of) in sample.missing.items() if arm]
    kind = "condition" if is_by_condition(protocol) else "pool"
    by_arm = f" (by {kind}: {', '.join(parts)})" if len(parts) > 1 else ""
    yield f"In the trials rated, {whole(n_missing)} of {whole(n_expected)} answers ({share}) are missing{by_arm}."
    yield "Estimates use all answers that were given; missing answers are not imputed."


def methods_section(
    report: Report,
    protocol: Protocol,
    shown: Iterable[Estimate],
    about: ReportContext,
    composites: DataTable | None = None,
) -> Section:
    """The whole section; `shown` are the estimates that the report shows, `composites` the table of composites."""
    sample = report.sample
    parts = (
        Section("Design", _paragraph(_design(protocol, report.sample, about.origin))),
        Section("Materials", _paragraph(_materials(sample, protocol))),
        Section(
            "Raters and consent",
            _paragraph(
                [
                    *rater_sentences(sample, protocol),
                    sample_size_sentence(protocol),
                    *consent_sentences(protocol),
                ]
            ),
        ),
        Section("Questions", tuple(filter(None, (question_table(protocol), composites)))),
        Section(
            "Checks, exclusions and missing data",
            _paragraph(
                [
                    *check_sentences(protocol, has_times=_has_times(report)),
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


def _design(protocol: Protocol, sample: Sample, origin: str) -> Iterator[str]:
    if origin:
        yield origin
    n_of_item, n_left = divmod(sum(sample.n_responses.values()), max(sample.n_items, 1))
    # where the mean is no whole number, items differ
    counts = [n_of_item, n_of_item + 1] if n_left else [n_of_item]
    kind = kind_of_trials(protocol, counts) if any(counts) else None
    yield from design_sentences(protocol, kind, is_rated_elsewhere=bool(sample.raters) and not _is_rated_here(sample))
    yield from drawn_sentences(sample.n_drawn, sample.n_drawn_from)
    yield from condition_sentences(protocol)


def _is_rated_here(sample: Sample) -> bool:
    """Whether people rated in Attune: it is known who arrived, and not all of them were imported."""
    n_people = sum(group.n for group in sample.raters if group.kind != "model")
    return sample.flow is not None and sample.n_imported < n_people


def _materials(sample: Sample, protocol: Protocol) -> Iterator[str]:
    yield f"Ratings cover {counted(sample.n_items, *protocol.labels.items[:2])}."
    yield sources_sentence(protocol, sample.n_responses if sample.n_items else None)
    if protocol.about_texts:
        yield " ".join(protocol.about_texts.split())


def _excluded(sample: Sample) -> Iterator[str]:
    if not sample.excluded:
        yield "No answer was excluded."
        return
    parts = [f"{whole(n)} ({reason})" for reason, n in sample.excluded.items()]
    yield f"Answers excluded from every estimate, with the reason: {and_list(parts)}."


def _analysis(report: Report, protocol: Protocol, shown: list[Estimate]) -> Iterator[Paragraph | Bullets]:
    if report.primary:
        declared = any(result.is_declared for result in report.primary)
        yield Paragraph("Primary contrasts:" if declared else "No primary contrast was declared. Main contrast:")
        yield Bullets(tuple(_contrast(result, protocol) for result in report.primary))
    yield Paragraph(" ".join(_plan(report, protocol, shown)))


def _contrast(result: PrimaryResult, protocol: Protocol) -> str:
    """The contrast with the test that was used, or else with its interval, and the degrees of freedom."""
    tested = [one for one in result.estimates if one.p_value is not None]
    untested = [] if tested else [one for one in result.estimates if one.ci_low is not None]
    intervals = [method[0] for one in untested if (method := of_procedure(one.procedure))]
    dfs = dict.fromkeys(styled(f"{one.df:.4g}") for one in tested or untested if one.df is not None)
    compared = [of_text(labelled_estimate(one, protocol.labels)) for one in result.estimates if one.scope]
    how = and_list(dict.fromkeys(filter(None, map(test_of, tested)) if tested else intervals))
    parts = (
        contrast_words(result.contrast, protocol),
        "; ".join(dict.fromkeys(compared)),
        ("" if tested or not how else "no test: ") + how + (f", df = {and_list(dfs)}" if how and dfs else ""),
    )
    return f"{'. '.join(capitalized(part) for part in parts if part)}."


def _plan(report: Report, protocol: Protocol, shown: list[Estimate]) -> Iterator[str]:
    yield from decision_sentences(protocol)
    yield from inference_sentences(protocol)
    yield from _adjustment(report)
    yield from monitoring_sentences(protocol)
    yield from _intervals(shown, protocol.labels.items)


# by publication: the role of the tests that are adjusted, and how
ADJUSTMENTS = {
    "holm1979": ("primary", "P-values of the primary contrasts are adjusted as one family by Holm's method"),
    "benjamini1995": (
        "exploratory",
        "P-values of exploratory tests are adjusted by the Benjamini-Hochberg method within their kind of test",
    ),
}


def adjustment_keys(report: Report) -> list[str]:
    """The publications of the adjustments for several tests that the report has made."""
    adjusted = {one.role for one in report.estimates if one.p_adjusted is not None}
    return [key for key, (role, _) in ADJUSTMENTS.items() if role in adjusted]


def _adjustment(report: Report) -> Iterator[str]:
    """How p-values are adjusted, and that intervals are not; nothing if no family has several tests."""
    keys = adjustment_keys(report)
    yield from (f"{ADJUSTMENTS[key][1]}{cited([REFERENCES[key]])}." for key in keys)
    if keys:
        yield UNADJUSTED


def _intervals(shown: list[Estimate], items: ItemNouns) -> Iterator[str]:
    methods = (of_procedure(one.procedure) for one in shown if one.ci_low is not None)
    found = {method[0]: method[1] for method in methods if method}
    if found:
        yield f"Intervals: {and_list([f'{words}{cited(to)}' for words, to in found.items()])}."
        yield GENERALIZATION.format(items=items.several)


def statistics_cited(shown: Iterable[Estimate]) -> Iterator[str]:
    """Each statistic of these estimates that has references, with them."""
    by_name: dict[str, dict[str, Reference]] = {}
    for one in shown:
        by_name.setdefault(one.statistic, {}).update({found.key: found for found in of_estimate(one)})
    for name, references in by_name.items():
        if references:
            yield f"{declared(name).label}{cited([*references.values()])}."


# The limits of a report: which checks failed, what could not be computed, what is exploratory.

DOUBTFUL_P = 0.05


def limits_section(report: Report, protocol: Protocol, summary: Summary) -> Section:
    """Sentences, one each."""
    return Section("Limits", (Bullets(tuple(_limits(report, protocol, summary))),))


def _limits(report: Report, protocol: Protocol, summary: Summary) -> Iterator[str]:
    if only := report.filters.in_words(protocol.labels):
        yield f"This report is of a part of the answers only: {only}."
    # the document says at its top that all ratings are simulated
    yield from (note for note in report.notes if not (report.is_simulated and note.endswith(ARE_SIMULATED)))
    yield from _checks(report, protocol)
    if summary.failed:
        yield summary.failed


def _has_times(report: Report) -> bool:
    """Whether the report's raters have times; also where it has no record of them."""
    whole = (one for one in report.of("rater") if one.statistic == "median_seconds" and not one.scope)
    return all(one.estimate is not None for one in whole if one.n_raters)


def _checks(report: Report, protocol: Protocol) -> Iterator[str]:
    """What the raters' checks and the models' assumptions say."""
    for one in report.of("rater"):
        is_of_all = one.statistic == "flagged_share" and not one.scope and any(flag_rules(protocol))
        if is_of_all and one.estimate is not None:
            n = round(one.estimate * (one.n_units or 0))
            are = "is" if n == 1 else "are"
            yield (
                f"{whole(n)} of {whole(one.n_units)} raters {are} flagged: {one.note}." if n else "No rater is flagged."
            )
            if not _has_times(report) and has_trials(protocol):
                yield NO_SPEED
    odds = [one for one in report.estimates if one.statistic == "proportional_odds_trend" and one.p_value is not None]
    failed = [one for one in odds if (one.p_value or 1) < DOUBTFUL_P and "rater_kind" not in one.scope]
    if failed:
        n, of = len(failed), len(odds)
        level = styled(".05")
        yield f"The proportional odds assumption of the ordinal model is in doubt in {n} of {of} tests (p < {level})."
