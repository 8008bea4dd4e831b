"""Notes to read before the estimates: what was excluded, which raters are not human, how many tests were run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.protocol.primary_default import primary_contrasts
from app.design.word_lists import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.analysis.data.encoded_study import Codes
    from app.analysis.data.frames import Frames
    from app.analysis.estimate import Estimate
    from app.design.protocol.study import Protocol


ALPHA = 0.05
UNKNOWN_RATERS = (
    "It is not known which person gave which rating: raters are counted as slots, intervals generalize to new items "
    "only, and nothing is reported about single raters."
)


NAME_ONE = "To choose another, name it in analysis.primary of study.yaml before raters begin."
NOTHING_PRIMARY = (
    "The study has no primary contrast: none of its questions compares sources, conditions, pools or times, or has "
    "answers on which raters can agree. Add a question about responses, or say in analysis.changes which "
    "questions about raters are asked before and after, before raters begin."
)


def notes(
    codes: Codes, frames: Frames, estimates: Sequence[Estimate], protocol: Protocol, *, n_simulated: int = 0
) -> Iterator[str]:
    """Yield one sentence per note; `n_simulated` simulated raters were left out."""
    if n_simulated:
        who = "1 simulated rater is" if n_simulated == 1 else f"{n_simulated:,} simulated raters are"
        yield f"{who} left out of all results, because people have rated."
    if codes.n_excluded:
        yield f"Excluded from all estimates: {_rows(codes.n_excluded)} (column exclude)."
    if codes.n_repeats:
        yield f"Planned repeats, used only for intra-rater estimates: {_rows(codes.n_repeats)}."
    if protocol.design.adaptive:
        yield (
            "Pairs of sources were selected adaptively, so some were compared more often than "
            "others. Strengths account for this; shares and agreement describe the pairs that were rated."
        )
    if not codes.raters.are_known:
        yield UNKNOWN_RATERS
    yield from _roles(estimates, protocol)
    yield from _marked_raters(frames)
    if codes.raters.is_model.any():
        n_models = int(codes.raters.is_model.sum())
        models = f"{n_models} of the raters are model judges, reported separately."
        yield f"{models} They are not included in estimates of human raters."


def _roles(estimates: Sequence[Estimate], protocol: Protocol) -> Iterator[str]:
    """Yield what was specified before the data, and how many exploratory tests there are."""
    yield from _undeclared(protocol)
    n_tests = sum(estimate.role == "exploratory" and estimate.p_value is not None for estimate in estimates)
    if n_tests:
        yield f"{counted(n_tests, 'exploratory test')} in addition to the primary contrasts. {false_positives(n_tests)}"


def false_positives(n_tests: int) -> str:
    """How many of several tests would have p < .05 if there were no differences.

    >>> false_positives(33)
    'If no true differences existed, about 2 of these 33 tests would still have p < .05.'
    >>> false_positives(1)
    'If no true difference existed, this test would still have p < .05 with a probability of 5%.'
    """
    if n_tests == 1:
        return "If no true difference existed, this test would still have p < .05 with a probability of 5%."
    n = round(ALPHA * n_tests)
    about = f"about {n:,}" if n else "fewer than 1"
    return f"If no true differences existed, {about} of these {n_tests:,} tests would still have p < .05."


def _undeclared(protocol: Protocol) -> Iterator[str]:
    """Yield that the design names no primary contrast, what is shown in its place, and what to do."""
    if protocol.analysis.primary:
        return
    contrasts = primary_contrasts(protocol)
    if not contrasts:
        yield NOTHING_PRIMARY
        return
    label = protocol.labels.question(contrasts[0].question)
    yield (
        "The design names no primary contrast, so the first question that can be compared is shown as the primary one: "
        f"{label}. {NAME_ONE}"
    )


def _marked_raters(frames: Frames) -> Iterator[str]:
    """Yield notes about simulated and imported raters."""
    said = {"is_simulated": "are simulated", "is_imported": "rated elsewhere; their ratings were imported"}
    for mark, words in said.items():
        n = int(frames.raters[mark].fillna(False).astype(bool).sum()) if mark in frames.raters else 0
        if n:
            yield f"{n} of {len(frames.raters)} raters {words}."


def _rows(n: int) -> str:
    return "1 answer" if n == 1 else f"{n:,} answers"
