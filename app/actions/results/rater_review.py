"""Raters as their lead reviews them: their group, their flags, and the suggested action on the platform."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

from app.design.protocol.parts.checks import is_flagged, too_fast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.design.protocol.study import Protocol
    from app.storage.results.rater_rows import RaterRow
    from app.storage.results.typing import RaterTyping

Group = Literal["people", "imported", "models", "simulated"]
# Raters in these states may still finish; within this time after their last sign of life they probably will.
_UNFINISHED, _STILL_HERE = frozenset({"arrived", "active", "expired"}), timedelta(hours=1)
# Minimum number of ratings or choices for a pattern.
_MIN_POINTS, _MIN_SIDES = 12, 10
_STRAIGHT, _ONE_SIDED = 0.9, 0.9
# Lengths of runs that attentive raters rarely produce: ten choices of the same side have a chance of 1 in 500.
_LONG_RUN, _LONG_SIDE_RUN = 20, 10
# Prolific allows rejections only for failed attention checks, and requires two of them unless the study is short.
_MIN_FAILED = 2
# Most of what was entered was pasted, in texts of more than a few words. Nobody types 25
# keys per second for long.
_PASTED, _MIN_ENTERED, _MAX_KEYS_PER_S = 0.5, 50, 25


class RaterPattern(NamedTuple):
    """How a rater answers. `agreement`: correlation with the mean of the others over `n_compared` ratings, or None.

    `n_most` of `n_points` ratings have the same value; `n_left` of `n_sides` choices are the response on the left.
    """

    n_compared: int = 0
    agreement: float | None = None
    longest_run: int = 0
    longest_side_run: int = 0
    n_ratings: int = 0
    n_points: int = 0
    n_most: int = 0
    n_sides: int = 0
    n_left: int = 0


@dataclass(frozen=True, slots=True)
class ReviewedRater:
    """A rater with the flags that their answers raise, each with its evidence."""

    row: RaterRow
    group: Group
    flags: tuple[str, ...]
    pattern: RaterPattern
    typing: RaterTyping | None = None

    @property
    def suggestion(self) -> tuple[str, str]:
        """The suggested action for a submission on Prolific, and the reason; `decide` where there is no suggestion.

        Exclusion from the results is no reason to withhold pay, and none to pay either: the decision is the lead's.
        """
        row = self.row
        if row.is_excluded:
            return "decide", f"excluded from the results: {row.reason}" if row.reason else "excluded from the results"
        if row.n_failed >= _MIN_FAILED:
            return "reject", f"failed {row.n_failed} of {row.n_checks} attention checks"
        if row.state == "finished":
            return "approve", "finished the study" + _without(row)
        if row.state in _UNFINISHED and row.last_seen_at and _is_recent(row.last_seen_at):
            return "wait", "was here within the last hour"
        if row.state in {"screened_out", "full"}:
            return "return", "screened out" if row.state == "screened_out" else "all seats were taken"
        return "return", "did not finish"


def review(
    protocol: Protocol,
    rows: Sequence[RaterRow],
    patterns: Mapping[int, RaterPattern] | None = None,
    typing: Mapping[int, RaterTyping] | None = None,
) -> list[ReviewedRater]:
    """All raters with their flags."""
    found = patterns or {}
    times = {row.key: float(row.active_ms) for row in rows if row.state == "finished" and row.active_ms}
    fast = too_fast(protocol.checks, times)
    reviewed = []
    for row in rows:
        pattern = found.get(row.id, RaterPattern())
        typed = (typing or {}).get(row.id)
        flags = (
            *_flags(protocol, row, is_fast=row.key in fast),
            *_habit_flags(pattern),
            *_pattern_flags(pattern),
            *_typing_flags(typed),
        )
        reviewed.append(ReviewedRater(row, group_of(row), flags, pattern, typed))
    return reviewed


def _without(row: RaterRow) -> str:
    """What a finished rater did not rate, because they were away for so long that others got it."""
    n = row.n_taken_over
    return f" without {n} trial{'' if n == 1 else 's'} that others took over" if n else ""


def _is_recent(seen_at: datetime) -> bool:
    return datetime.now(UTC) - seen_at < _STILL_HERE


def group_of(row: RaterRow) -> Group:
    """The rater's group: people who arrived, imported raters, model judges or simulated raters. Groups never mix."""
    if row.is_simulated:
        return "simulated"
    if row.kind == "model":
        return "models"
    return "people" if row.state is not None else "imported"


def _pattern_flags(pattern: RaterPattern) -> Iterator[str]:
    if pattern.agreement is not None and pattern.agreement < 0 and pattern.n_compared >= _MIN_POINTS:
        r = f"{pattern.agreement:.2f}".replace("-", "\u2212")
        yield f"Rates against the others: correlation {r} over {pattern.n_compared} ratings"
    if pattern.longest_run >= _LONG_RUN:
        yield f"{pattern.longest_run} equal ratings in a row"
    if pattern.longest_side_run >= _LONG_SIDE_RUN:
        yield f"Chose the same side {pattern.longest_side_run} times in a row"


def _typing_flags(typed: RaterTyping | None) -> Iterator[str]:
    if typed is None or typed.n_keystrokes + typed.n_pasted < _MIN_ENTERED:
        return
    texts = f"{typed.n_texts} text answer{'' if typed.n_texts == 1 else 's'}"
    if typed.pasted_share >= _PASTED:
        yield f"Pasted {typed.pasted_share:.0%} of what was entered in {texts}"
    if typed.keys_per_s is not None and typed.keys_per_s > _MAX_KEYS_PER_S:
        yield f"{typed.keys_per_s:.0f} keystrokes per second in {texts}"


def _flags(protocol: Protocol, row: RaterRow, *, is_fast: bool) -> list[str]:
    flags = []
    if is_flagged(protocol.checks, row.n_failed):
        flags.append(f"Failed {row.n_failed} of {row.n_checks} checks")
    if is_fast:
        flags.append(f"Total time more than {protocol.checks.too_fast_sd:g} SD below the mean")
    return flags


def _habit_flags(pattern: RaterPattern) -> Iterator[str]:
    if pattern.n_points >= _MIN_POINTS and pattern.n_most / pattern.n_points >= _STRAIGHT:
        yield f"{pattern.n_most} of {pattern.n_points} ratings use the same scale point"
    if pattern.n_sides >= _MIN_SIDES:
        n_most = max(pattern.n_left, pattern.n_sides - pattern.n_left)
        if n_most / pattern.n_sides >= _ONE_SIDED:
            side = "left" if pattern.n_left == n_most else "right"
            yield f"Chose the {side} side in {n_most} of {pattern.n_sides} choices"
