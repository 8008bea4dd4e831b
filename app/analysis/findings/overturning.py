"""Results that could overturn the main findings, as sentences: above all length, then flagged raters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.findings.main_contrasts import interval_words
from app.analysis.report.verdict_words import verdict_sentence
from app.analysis.wording.formatting import number
from app.design.word_lists import and_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.analysis.estimate import Estimate
    from app.analysis.findings.main_contrasts import MainContrast
    from app.analysis.report.report import Report

# Smaller ratios of lengths are not mentioned.
NOTABLE_RATIO = 1.25
# more than these are counted, and only the first are named
MAX_TOLD = 2


def warnings_of(report: Report, contrasts: Sequence[MainContrast]) -> Iterator[str]:
    """Yield how lengths differ, then one sentence per contrast that length overturns, or one saying that none is."""
    yield from _lengths(report)
    clear = [contrast for contrast in contrasts if contrast.is_clear and contrast.at_equal_length]
    overturned = [contrast for contrast in clear if contrast.is_overturned]
    n_clear, n_untold = len(clear), sum(not _has_interval(contrast) for contrast in clear)
    if len(overturned) > MAX_TOLD:
        yield (
            f"Adjusted for length, {len(overturned)} of {n_clear} clear differences become inconclusive, "
            f"among them {and_list([_name(one, contrasts) for one in overturned[:MAX_TOLD]])}."
        )
    for contrast in overturned if len(overturned) <= MAX_TOLD else ():
        other = contrast.at_equal_length
        assert other is not None  # noqa: S101 - implied by is_overturned
        yield (
            f"{_name(contrast, contrasts)}, adjusted for length: {_number(other)} ({interval_words(other)}; unadjusted "
            f"{_number(contrast.estimate)}). {verdict_sentence(other)}"
        )
    if n_untold:
        which = f"{n_untold} of {n_clear} clear differences" if n_clear > 1 else "the clear difference"
        yield f"Adjusted for length, no interval can be computed for {which}."
    elif clear and not overturned:
        yield "Adjusted for length, every clear difference stays clear."


def _has_interval(contrast: MainContrast) -> bool:
    return contrast.at_equal_length is not None and contrast.at_equal_length.ci_low is not None


def _name(contrast: MainContrast, among: Sequence[MainContrast]) -> str:
    """The label of the question, with the source if the contrasts are of several."""
    return f"{contrast.label} ({contrast.source})" if len({one.source for one in among}) > 1 else contrast.label


def _lengths(report: Report) -> Iterator[str]:
    means = {
        f.scope["source"]: f.estimate
        for f in report.of("text")
        if f.statistic == "text_mean" and f.scope.get("covariate") == "words" and f.estimate and "source" in f.scope
    }
    if len(means) < len(("one", "other")):
        return
    short, long = min(means, key=lambda name: means[name]), max(means, key=lambda name: means[name])
    ratio = means[long] / means[short]
    if ratio >= NOTABLE_RATIO:
        yield (
            f"Responses of {long} are {ratio:.1f} times as long as those of {short} "
            f"(mean {means[long]:.0f} and {means[short]:.0f} words)."
        )


def _number(estimate: Estimate) -> str:
    return number(estimate.estimate or 0.0, "share" if estimate.statistic.startswith("share") else "points")
