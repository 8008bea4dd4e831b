"""A primary contrast in words, before there is an estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.report.primary_records import RECORDED
from app.analysis.wording.statistics_registry import STATISTICS
from app.design.protocol.primary_default import primary_contrasts
from app.design.word_lists import readable

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.design.protocol.parts.primary import PrimaryContrast
    from app.design.protocol.study import Protocol

# tests that share their statistic with another one
HOW = {
    "mean_difference_lmm": "linear mixed model",
    "share_preferred_wilson_cc": "Wilson interval with continuity correction",
}


def contrast_lines(protocol: Protocol) -> list[str]:
    """Each primary contrast with its one test."""
    return [contrast_words(contrast, protocol) for contrast in primary_contrasts(protocol)]


def contrast_words(contrast: PrimaryContrast, protocol: Protocol) -> str:
    """Question, test and what is compared, such as `Empathy: Mean difference (source: GPT-4)`."""
    labels = protocol.labels
    says: dict[str, Callable[[str], str]] = {
        "source": labels.source,
        "reference": labels.source,
        "pool": labels.pool,
        "reference_pool": labels.pool,
        "attribute": labels.column,
        "covariate": labels.column,
        "factor": lambda name: labels.factors.get(name) or readable(name),
        "level": lambda level: labels.level(contrast.factor or "", level),
    }
    named = [f"{part.replace('_', ' ')}: {says.get(part, str)(value)}" for part, value in contrast.named.items()]
    if contrast.reference is None and contrast.source and protocol.reference:
        named.append(f"reference: {labels.source(protocol.reference)}")
    of = f" ({'; '.join(named)})" if named else ""
    beside = f"; beside it, as published: {test_words(contrast.published)}" if contrast.published else ""
    return f"{labels.question(contrast.question)}: {test_words(str(contrast.test))}{of}{beside}"


def test_words(test: str) -> str:
    """The name of a test."""
    statistic = RECORDED[test].statistic
    words = STATISTICS[statistic].words if statistic in STATISTICS else "Krippendorff's alpha"
    return f"{words}, {HOW[test]}" if test in HOW else words
