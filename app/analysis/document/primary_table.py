"""The primary contrasts as a table: each with its test statistic, degrees of freedom and effect size."""

from collections.abc import Iterator, Sequence

from scipy import special

from app.analysis.document.numbered import Numbered, Reasons, value_cell, with_numbers
from app.analysis.estimate import Estimate
from app.analysis.findings.answers import notes_of_primary
from app.analysis.report.labelled import labelled_estimate, with_telling_interval
from app.analysis.report.report import Report
from app.analysis.report.sentences import test_of
from app.analysis.report.verdicts import effect_behind
from app.analysis.statistic import declared
from app.analysis.wording.formatting import (
    adjustment_note,
    ci_heading,
    estimate_text,
    generalizes_text,
    interval_text,
    name_text,
    number,
    of_text,
    p_cell,
    statistic_text,
)
from app.base.documents.blocks import DataTable
from app.base.numbers import styled
from app.protocol.labels import ItemNouns

HEADER = ("No.", "Question", "Comparison or group", "Estimate ({ci})", "Test statistic", "p", "Effect size")
CAN_BE_EMPTY = ("Test statistic", "Effect size")
# Tests whose two-sided p-value is that of t with the degrees of freedom of the estimate.
T_TESTS = (" t test", " Satterthwaite", " analysis of covariance")
# Differences for which the column *Comparison or group* says enough, without the name of the statistic.
PLAIN = ("mean_difference", "mean_difference_responders", "factor_effect", "attribute_effect", "item_attribute_effect")
# Effect sizes without a unit, for differences in points of a scale, and what each is.
EFFECT_SIZES = {
    "cliffs_delta": "a rater rates the first higher than the second on the same item",
    "cliffs_delta_unpaired": "a rating of the first is higher than one of the second, by any raters and on any items",
}
NOTE = "Effect size: Cliff's delta, the probability that {} minus the probability of the opposite, with its 95% CI."


def primary_table(report: Report, numbers: Numbered) -> DataTable | None:
    """One row per estimate of the primary contrasts; None without. A column that no row fills is left out."""
    found, reasons = report.primary_estimates, Reasons()
    shown = [with_telling_interval(effect_behind(one, report.estimates)) for one in found]
    heading = ci_heading(one for one in shown if not statistic_text(one))
    rows = tuple(
        _row(estimate, one, heading, reasons, report.estimates, numbers)
        for estimate, one in zip(found, shown, strict=True)
    )
    if not rows:
        return None
    kept = [place for place, name in enumerate(HEADER) if name not in CAN_BE_EMPTY or {r[place] for r in rows} != {"–"}]
    sizes = dict.fromkeys(
        NOTE.format(EFFECT_SIZES[size.statistic])
        for one in found
        if (size := next(_effect_sizes(one, report.estimates), None))
    )
    notes = (
        *reasons.notes,
        *notes_of_primary(report),
        *_tests(found, shown, numbers.labels.items),
        *_composites(found, report, numbers),
        *sizes,
    )
    header = tuple(HEADER[place].format(ci=heading) for place in kept)
    cells = tuple(tuple(row[place] for place in kept) for row in rows)
    caption = numbers.caption(f"Primary contrasts: estimates with {heading}s and tests", shown)
    return DataTable(caption, header, cells, notes)


def _tests(found: Sequence[Estimate], shown: Sequence[Estimate], items: ItemNouns) -> Iterator[str]:
    """The tests of the table, and what its intervals generalize to, where this is the same for all."""
    if tests := list(dict.fromkeys(test for one in found if one.p_value is not None and (test := test_of(one)))):
        yield f"{'Test' if len(tests) == 1 else 'Tests'}: {'; '.join(tests)}."
    if holds := generalizes_text((one for one in shown if one.ci_low is not None), items):
        yield f"The intervals hold {holds}."
    if note := adjustment_note(found):
        yield note


def _composites(found: Sequence[Estimate], report: Report, numbers: Numbered) -> Iterator[str]:
    """The internal consistency of each composite that is primary."""
    for key in dict.fromkeys(one.question for one in found):
        alphas = (one for one in report.of("composite", key) if one.statistic == "cronbach_alpha" and not one.scope)
        if key and (alpha := next(alphas, None)) and alpha.estimate is not None:
            interval = f" (95% CI {interval_text(alpha)})" if alpha.ci_low is not None else ""
            said = (
                f"{numbers.labels.question(key)} is a composite, Cronbach's alpha = {estimate_text(alpha)}{interval}."
            )
            yield with_numbers(said, [numbers.number(alpha)])


def _of(estimate: Estimate, shown: Estimate, numbers: Numbered) -> str:
    """What is compared, after the name of the estimate unless it is a plain difference."""
    name = "" if shown.statistic in PLAIN or statistic_text(shown) else name_text(shown)
    return ": ".join(
        filter(None, (name, of_text(labelled_estimate(estimate, numbers.labels)) if estimate.scope else ""))
    )


def _row(
    estimate: Estimate, shown: Estimate, heading: str, reasons: Reasons, among: Sequence[Estimate], numbers: Numbered
) -> tuple[str, ...]:
    value = "–" if statistic_text(shown) else value_cell(shown, heading, reasons)
    size = next(_effect_sizes(estimate, among), None)
    return (
        str(numbers.number(estimate)),
        numbers.labels.question(estimate.question, estimate.category) if estimate.question else "",
        _of(estimate, shown, numbers) or "–",
        value,
        test_statistic(estimate) or "–",
        p_cell(estimate) or "–",
        with_numbers(value_cell(size, ci_heading([size]), reasons), [numbers.number(size)]) if size else "–",
    )


def _effect_sizes(estimate: Estimate, among: Sequence[Estimate]) -> Iterator[Estimate]:
    """The effect sizes of the same comparison of the levels of two sources; a slope over turns is another."""
    if estimate.scope.keys() != {"source", "reference"} or estimate.section != "comparison":
        return
    same = [one for one in among if one.measured == estimate.measured and one.scope == estimate.scope]
    for name in EFFECT_SIZES:
        yield from (one for one in same if one.statistic == name and one.estimate is not None)


def test_statistic(estimate: Estimate) -> str:
    """The test statistic with its degrees of freedom, such as `t(29) = 2.61`; empty without a test.

    For `T_TESTS`, t follows from the two-sided p-value and the degrees of freedom.
    """
    if words := statistic_text(estimate):
        return words
    p, df, value = estimate.p_value, estimate.df, estimate.estimate
    is_two_sided, none = declared(estimate.statistic).margin is None, declared(estimate.statistic).no_difference or 0.0
    is_t = any(words in f" {test_of(estimate)}" for words in T_TESTS)
    if not p or df is None or value is None or not is_two_sided or not is_t:
        return ""
    t = -float(special.stdtrit(df, p / 2))
    return f"t({styled(f'{df:.4g}')}) = {number(t if value > none else -t, 'test')}"
