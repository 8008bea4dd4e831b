"""Estimates as sentences in the form of a journal article: effect, interval, test and amount of data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import takewhile

from app.analysis.estimate import Estimate
from app.analysis.report.labelled import labelled_estimate
from app.analysis.report.primary import PrimaryResult, places_of
from app.analysis.report.report import Report
from app.analysis.report.verdicts import UNDESIRABLE, effect_behind, is_undone_by_adjustment, verdict_sentence
from app.analysis.statistic import declared
from app.analysis.wording.claims import About, claim_of
from app.analysis.wording.formatting import (
    estimate_text,
    generalizes_text,
    interval_text,
    number,
    of_text,
    outcome_text,
    statistic_text,
    why_text,
)
from app.base.numbers import p_statement, whole
from app.base.words import and_list, number_text
from app.protocol.primary_default import first_question
from app.protocol.questions.registry import ScaledQuestion
from app.protocol.study import Protocol
from app.protocol.waves import first_key, wave_label, wave_of
from app.stats.result import Procedure

# by the start of the method; more specific ones first
TESTS: dict[Procedure | None, str] = {
    "two_way_cr2_t": "cluster-robust t test by items and raters (CR2)",
    "two_way_cluster_t": "t test with two-way clustering by items and raters",
    "two_way_jackknife_t": "t test with two-way clustering by items and raters",
    "item_cr2_t": "cluster-robust t test by items (CR2)",
    "item_cluster_t": "t test with clustering by items",
    "min_f_t": "min F' test by items and responders (CR2)",
    "lmm": "linear mixed model, Satterthwaite degrees of freedom",
    "lmm_satterthwaite": "linear mixed model, Satterthwaite degrees of freedom",
    "clmm_laplace": "cumulative link mixed model",
    "glmm_laplace": "logistic mixed model",
    "t_paired": "paired t test on item means",
    "t_unpaired": "unpaired t test on item means",
    "wilcoxon": "Wilcoxon signed-rank test on item means",
    "mann_whitney": "Mann-Whitney test",
    "chi_square": "chi-square test",
    "wilson_cc": "Wilson interval with continuity correction",
    "ancova_cr2_t": "analysis of covariance",
}
OF_RATERS = "paired t test on raters' scores"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One estimate in words. `claim` is self-contained, `reading` may be empty; `text` combines all parts.

    `holds`: what the interval is valid for, such as `for new items`; empty without an interval.
    """

    estimate: Estimate
    claim: str
    interval: str
    test: str
    counts: str
    reading: str = ""
    holds: str = ""

    @property
    def p(self) -> str:
        """The p-value, with the adjusted one where it is one of several."""
        return p_words(self.estimate)

    @property
    def text(self) -> str:
        """The claim with interval, test and counts in parentheses, followed by how to read it."""
        interval = ", ".join(filter(None, (self.interval, self.holds)))
        basis = "; ".join(filter(None, (interval, self.test, self.counts)))
        return f"{self.claim} ({basis}).{' ' if self.reading else ''}{self.reading}"


@dataclass(frozen=True, slots=True)
class PrimaryAnswer:
    """The answer of the report to one primary contrast. If there are no sentences, `why` gives the reason.

    `published` are the sentences of the test that a publication reports: for comparison, without adjusted p-values.
    """

    result: PrimaryResult
    question: str
    sentences: tuple[Sentence, ...]
    why: str = ""
    published: tuple[Sentence, ...] = ()


def primary_answers(report: Report, protocol: Protocol) -> list[PrimaryAnswer]:
    """Return the answer to each primary contrast, in the order of the protocol. The report is not `labelled`."""
    found = []
    for result in report.primary:
        sentences = tuple(sentence_of(estimate, report.estimates, protocol) for estimate in result.estimates)
        why = "" if sentences else "There are no answers to estimate this from."
        question = outcome_text(result.contrast, protocol.labels)
        found.append(PrimaryAnswer(result, question, sentences, why, _published(result, report, protocol)))
    return found


def _published(result: PrimaryResult, report: Report, protocol: Protocol) -> tuple[Sentence, ...]:
    """Return the sentences of the contrast's published test, which belongs to no family of tests.

    A verdict that only the adjustment within a family made does not belong to it either.
    """
    contrast = result.contrast.as_published
    if contrast is None:
        return ()
    found = (report.estimates[place] for place in places_of(contrast, report.estimates, protocol))
    return tuple(sentence_of(_outside_family(one), report.estimates, protocol) for one in found)


def _outside_family(estimate: Estimate) -> Estimate:
    verdict = None if is_undone_by_adjustment(estimate) else estimate.verdict
    return replace(estimate, p_adjusted=None, verdict=verdict)


def published_line(answers: Iterable[PrimaryAnswer]) -> str:
    """The results of published tests in one line, by test, each beside the interval of the primary result.

    Both say what they hold for, once. Empty if no contrast has a published test.
    """
    by_test: dict[str, list[str]] = {}
    held: dict[str, None] = {}
    for answer in answers:
        primary = {str(one.estimate.scope): one for one in answer.sentences}
        for one in answer.published:
            source = one.estimate.scope.get("source")
            of = f" ({source})" if source and len(answer.published) > 1 else ""
            value = statistic_text(one.estimate) or estimate_text(one.estimate)
            mine = primary.get(str(one.estimate.scope))
            beside = ""
            if mine and mine.interval and one.interval and mine.holds != one.holds:
                beside = f"primary result: {mine.interval}"
                held[mine.holds] = None
            said = f"{answer.question}{of} {value} ({'; '.join(filter(None, (one.p, one.interval, beside)))})"
            by_test.setdefault(", ".join(filter(None, (test_of(one.estimate), one.holds))), []).append(said)
    tests = ". ".join(f"{test[:1].upper()}{test[1:]}: {'; '.join(said)}" for test, said in by_test.items())
    primary_hold = f" Primary results are {and_list(held)}." if held else ""
    return f"As published. {tests}.{primary_hold}" if tests else ""


def sentence_of(estimate: Estimate, among: Iterable[Estimate], protocol: Protocol) -> Sentence:
    """Return the sentence for an estimate; the effect behind a test statistic is looked up in `among`."""
    effect = effect_behind(estimate, among)
    shown = effect or estimate
    if estimate.estimate is None:
        words = declared(estimate.statistic).label
        of = of_text(labelled_estimate(estimate, protocol.labels)) if estimate.scope else ""
        topic = ", ".join(filter(None, (protocol.labels.question(estimate.question or "", estimate.category), of)))
        claim = f"{topic}: {words} not estimable"
        return Sentence(estimate, claim, why_text(estimate).rstrip("."), "", counts_text(estimate))
    scale, cut = scale_ends(estimate.question, protocol), cut_words(estimate, protocol)
    about = About(estimate, protocol.labels, estimate.estimate, scale, effect, cut)
    reading = _reading(estimate, shown, protocol)
    claim = claim_of(about)
    test = test_text(estimate, is_told=bool(statistic_text(estimate)) and statistic_text(estimate) in claim)
    holds = generalizes_text([shown]) if shown.ci_low is not None and shown.ci_high is not None else ""
    return Sentence(estimate, claim, level_text(shown), test, counts_text(estimate), reading, holds)


def scale_ends(key: str | None, protocol: Protocol) -> tuple[float, float] | None:
    """Return the ends of the scale of a question or composite; None if it has no scale."""
    composite = protocol.analysis.composites.get(key or "")
    keys = composite.questions if composite else (key or "",)
    scales = [one.values for key in keys if isinstance(one := protocol.question(key), ScaledQuestion)]
    times = len(keys) if composite and composite.score == "sum" else 1
    if not scales:
        return None
    low, high = (sum(scale[end] for scale in scales) / len(scales) for end in (0, -1))
    return times * low, times * high


def change_text(key: str, protocol: Protocol) -> str:
    """What changes from one question to another: the words that both labels begin or end with.

    That of *Mood before* and *Mood after* is *Mood*; the label of the second if they share none. The name of a later
    wave follows.
    """
    waves = protocol.waves
    label, number = protocol.labels.question(first_key(key, waves)), wave_of(key, waves)
    before = [protocol.labels.question(one.before) for one in protocol.analysis.changes if one.after == key]
    pairs = [*zip(label.split(), before[0].split(), strict=False)] if before else []
    ends = [*zip(label.split()[::-1], before[0].split()[::-1], strict=False)] if before else []
    shared = _same_words(pairs) or _same_words(ends)[::-1]
    words = " ".join(shared).strip(" ,:;-\N{EN DASH}()") or label
    return f"{words} ({wave_label(waves, number)})" if number > 1 else words


def _same_words(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """The first of each pair of words, as long as they are the same."""
    return [one for one, _ in takewhile(lambda both: both[0] == both[1], pairs)]


def cut_words(estimate: Estimate, protocol: Protocol, or_more: str = "{} or more") -> str:
    """Name the ratings at or above the cut with the words of the point; empty without a cut."""
    if "cut" not in estimate.scope:
        return ""
    cut, question = estimate.scope["cut"], protocol.question(estimate.question or "")
    words = dict(question.meanings()).get(number_text(cut), "") if question else ""
    named = f"{number_text(cut)} ({words})" if words else number_text(cut)
    scale = scale_ends(estimate.question, protocol)
    return named if scale and cut >= scale[1] else or_more.format(named)


def level_text(estimate: Estimate) -> str:
    """Format the interval with its level, such as `95% CI 0.75 to 1.01`, or say why there is none."""
    if estimate.ci_low is None or estimate.ci_high is None:
        return interval_text(estimate)
    low, high = estimate.ci_low, estimate.ci_high
    words = interval_text(estimate)
    if estimate.statistic == "category_difference" or (estimate.statistic, estimate.unit) == ("amce", "choice"):
        words = f"{number(low, 'share_points')} to {number(high, 'share_points')} percentage points"
    return f"{100 * (estimate.ci_level or 0.95):.0f}% CI {words}"


def test_text(estimate: Estimate, *, is_told: bool) -> str:
    """Format the test with its p-value, and the adjusted p-value if it differs; empty if there is no test.

    `is_told`: the claim has the test statistic already.
    """
    if estimate.p_value is None:
        return ""
    return ", ".join(
        part for part in (test_of(estimate), "" if is_told else statistic_text(estimate), p_words(estimate)) if part
    )


def test_of(estimate: Estimate) -> str:
    """The name of the test by which an estimate was tested; empty if it has none."""
    if margin := declared(estimate.statistic).margin:
        return margin.test  # its p-value is not that of the difference
    if (estimate.procedure, estimate.unit) == ("t_paired", "rater_mean"):
        return OF_RATERS
    return TESTS.get(estimate.procedure, "")


def p_words(estimate: Estimate) -> str:
    """The p-value, with the adjusted one where it is one of several; empty where nothing was tested."""
    if estimate.p_value is None:
        return ""
    p = p_statement(estimate.p_value)
    return p if estimate.p_adjusted is None else f"{p}, adjusted {p_statement(estimate.p_adjusted)}"


def counts_text(estimate: Estimate) -> str:
    """Format the number of ratings or choices, items and raters."""
    answers = "choices" if estimate.unit == "choice" else "ratings"
    answers = "rankings" if estimate.section == "ranking" and estimate.unit == "choice" else answers
    parts = [(estimate.n_ratings, answers), (estimate.n_items, "items"), (estimate.n_raters, "raters")]
    if estimate.scope.get("level") == "responder":
        parts.append((estimate.n_units, "responders"))
    return ", ".join(f"{whole(n)} {word if n != 1 else word[:-1]}" for n, word in parts if n)


def _reading(estimate: Estimate, shown: Estimate, protocol: Protocol) -> str:
    """Return how to read the estimate: reversed scale, no clear difference, or the result for a margin."""
    parts = []
    question = first_question(protocol, (estimate.question or ""))
    is_composite = (estimate.question or "") in protocol.analysis.composites
    if getattr(question, "reversed", False) and not is_composite:
        parts.append(UNDESIRABLE)
    margin = protocol.analysis.margin_of(estimate.question or "")
    return " ".join((*parts, verdict_sentence(estimate, shown, margin))).strip()
