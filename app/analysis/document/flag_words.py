"""The rules for flags in words, as the methods of a report and a preregistration name them."""

from __future__ import annotations

from collections.abc import Iterator

from app.base.words import counted
from app.protocol.rater_flags import (
    LONG_RUN,
    MAX_CHANCE,
    MAX_WORDS_PER_MINUTE,
    MIN_POINTS,
    SAME_POINT,
    compared_question,
)
from app.protocol.study import Protocol


def flag_rules(protocol: Protocol) -> Iterator[str]:
    """The rules of `design.rater_flags` that can apply to this study."""
    checks = protocol.checks
    if checks.n_scored:
        of = counted(checks.n_scored, "attention check or gold trial", "attention checks and gold trials")
        yield f"failed at least {checks.flagged_at} of {of}"
    yield f"were shown more than {MAX_WORDS_PER_MINUTE} words per minute"
    yield "took less than a third of the median time per trial"
    if checks.too_fast_sd is not None:
        yield f"took a total time more than {checks.too_fast_sd:g} standard deviations below the mean"
    if protocol.scaled_questions:
        same = f"{SAME_POINT:.0%} or more of at least {MIN_POINTS} ratings"
        yield f"gave the same rating in {same}, or {LONG_RUN} times in a row"
    if protocol.choice_questions:
        yield f"chose one side so often, or so often in a row, that chance has a probability below {MAX_CHANCE}"
    if compared := compared_question(protocol):
        label = protocol.labels.question(compared.key)
        yield f"agreed with the other raters on {label} no more than chance, and less than the median rater"
    if any(question.records_typing for question in protocol.questions):
        yield "pasted most of their text answers, or typed faster than people can"
