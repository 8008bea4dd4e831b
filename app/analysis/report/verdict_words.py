"""Verdicts in words, the same on pages, in documents and on the command line."""

from __future__ import annotations

from app.analysis.estimate import Estimate, Verdict
from app.analysis.report.verdicts import excludes_no_difference, is_undone_by_adjustment
from app.analysis.statistic import Margin, declared
from app.analysis.wording.formatting import TOO_FEW, inconclusive_text

UNDESIRABLE = "High values are undesirable on this scale."
SHORT: dict[Verdict, str] = {
    "clear": "clear",
    "inconclusive": "inconclusive",
    "equivalent": "equivalent",
    "non_inferior": "non-inferior",
    "not_shown": "not shown",
}
ADJUSTMENT = "after adjustment for several tests"


def verdict_text(estimate: Estimate) -> str:
    """The verdict in one or two words; empty if nothing is compared."""
    return SHORT[estimate.verdict] if estimate.verdict else ""


def verdict_sentence(estimate: Estimate, shown: Estimate | None = None, margin: float | None = None) -> str:
    """Say how to read a comparison: the result for a margin, or what makes it inconclusive; empty if it is clear.

    Args:
        estimate: the comparison with its verdict.
        shown: the effect whose interval is shown; default: the estimate itself.
        margin: the margin of a test of equivalence or non-inferiority.
    """
    shown = shown or estimate
    if test := declared(estimate.statistic).margin:
        return _of_margin(estimate, test, margin)
    if estimate.verdict == "inconclusive":
        said = _why_inconclusive(estimate, shown)
        return f"{said} {TOO_FEW}" if shown.ci_reason == "too_few" else said
    return TOO_FEW if estimate.verdict is None and _compares(shown) and shown.ci_reason == "too_few" else ""


def _compares(estimate: Estimate) -> bool:
    return "reference" in estimate.scope


def _why_inconclusive(estimate: Estimate, shown: Estimate) -> str:
    if is_undone_by_adjustment(estimate):
        return f"Inconclusive {ADJUSTMENT}."
    if excludes_no_difference(shown) is False:
        return inconclusive_text(shown, declared(shown.statistic).no_difference or 0.0)
    return "Inconclusive."


def _of_margin(estimate: Estimate, test: Margin, margin: float | None) -> str:
    if estimate.verdict is None:
        return ""
    within = "" if margin is None else f" within the margin of {margin:g} points"
    if estimate.verdict == test.verdict:
        return f"{test.met}{within}."
    adjusted = f" {ADJUSTMENT}" if is_undone_by_adjustment(estimate) else ""
    return f"{test.not_met}{within}{adjusted}."
