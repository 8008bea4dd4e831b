"""What several sentences say of estimates: their test, interval, scale and cut; and published tests in one line."""

from collections.abc import Iterable
from itertools import takewhile

from app.analysis.estimate import Estimate
from app.analysis.report.labelled import with_telling_interval
from app.analysis.report.primary import PrimaryResult, places_of
from app.analysis.report.report import Report
from app.analysis.report.verdicts import effect_behind
from app.analysis.statistic import declared
from app.analysis.wording.formatting import (
    estimate_text,
    generalizes_text,
    interval_text,
    kind_of,
    outcome_text,
    statistic_text,
    why_text,
)
from app.base.numbers import p_statement
from app.base.words import and_list, capitalized, number_text
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
    "three_way_cluster_t": "t test with clustering by items, raters and sources",
    "min_f_t": "min F' test by items and responders (CR2)",
    "lmm": "linear mixed model, Satterthwaite degrees of freedom",
    "lmm_satterthwaite": "linear mixed model, Satterthwaite degrees of freedom",
    "clmm_laplace": "cumulative link mixed model",
    "glmm_laplace": "logistic mixed model",
    "t_paired": "paired t test on item means",
    "t_unpaired": "unpaired t test on item means",
    "t_welch": "Welch's t test on raters' means",
    "wilcoxon": "Wilcoxon signed-rank test on item means",
    "mann_whitney": "Mann-Whitney test",
    "chi_square": "chi-square test",
    "stuart_maxwell": "Stuart-Maxwell test",
    "wilson_cc": "Wilson interval with continuity correction",
    "ancova_cr2_t": "analysis of covariance",
}
OF_RATERS = "paired t test on raters' scores"


def published_line(report: Report, protocol: Protocol) -> str:
    """The results of published tests in one line, by test, each beside the interval of the primary result.

    Both say what they hold for, once. Empty if no contrast has a published test. The report is not `labelled`.
    """
    by_test: dict[str, list[str]] = {}
    held: dict[str, None] = {}
    for result in report.primary:
        published = published_tests(result, report, protocol)
        primary = {str(one.scope): _interval(one, report, protocol) for one in result.estimates}
        question = outcome_text(result.contrast, protocol.labels)
        for one in published:
            source = one.scope.get("source")
            of = f" ({source})" if source and len(published) > 1 else ""
            value = statistic_text(one) or estimate_text(one)
            interval, holds = _interval(one, report, protocol)
            mine, mine_holds = primary.get(str(one.scope), ("", ""))
            beside = ""
            if mine and interval and mine_holds != holds:
                beside = f"primary result: {mine}"
                held |= {mine_holds: None} if mine_holds else {}
            said = f"{question}{of} {value} ({'; '.join(filter(None, (p_words(one), interval, beside)))})"
            by_test.setdefault(", ".join(filter(None, (test_of(one), holds))), []).append(said)
    tests = ". ".join(f"{capitalized(test)}: {'; '.join(said)}" for test, said in by_test.items())
    primary_hold = f" Primary results are {and_list(held)}." if held else ""
    return f"As published. {tests}.{primary_hold}" if tests else ""


def published_tests(result: PrimaryResult, report: Report, protocol: Protocol) -> list[Estimate]:
    """The estimates of the test that a publication reports for a contrast; it is adjusted as exploratory ones are."""
    contrast = result.contrast.as_published
    if contrast is None:
        return []
    return [report.estimates[place] for place in places_of(contrast, report.estimates, protocol)]


def _interval(estimate: Estimate, report: Report, protocol: Protocol) -> tuple[str, str]:
    """The interval of the effect with its level, or why there is none, and what it is valid for."""
    if estimate.estimate is None:
        return why_text(estimate).rstrip("."), ""
    shown = with_telling_interval(effect_behind(estimate, report.estimates))
    is_told = shown.ci_low is not None and shown.ci_high is not None
    return level_text(shown), generalizes_text([shown], protocol.labels.items) if is_told else ""


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
    words = interval_text(estimate)
    if kind_of(estimate) == "share_points":
        words = f"{words} percentage points"
    return f"{100 * (estimate.ci_level or 0.95):.0f}% CI {words}"


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
