"""Raters as their lead reviews them: their group, their flags, and the suggested action on the platform."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from app.protocol.rater_flags import Evidence, Flag, Rule, Typing, flags_of
from app.protocol.study import Protocol
from app.rating.review.rater_rows import RaterRow

Group = Literal["people", "imported", "models", "simulated"]
# Raters in these states may still finish; within this time after their last sign of life they probably will.
_UNFINISHED, _STILL_HERE = frozenset({"arrived", "active", "expired"}), timedelta(hours=1)
# Prolific allows rejections only for failed attention checks, and requires two of them unless the study is short.
_MIN_FAILED = 2
# What a flag is about, beside its evidence. Failed checks are named by themselves, also below the number that flags.
_ABOUT: dict[Rule, str] = {
    "speed": "reading speed",
    "time": "time",
    "straight_lining": "straight-lining",
    "side": "sides",
    "agreement": "agreement",
    "typing": "typing",
}


@dataclass(frozen=True, slots=True)
class ReviewedRater:
    """A rater with the flags that their answers raise, each with its evidence."""

    row: RaterRow
    group: Group
    flags: tuple[Flag, ...]
    evidence: Evidence

    @property
    def suggestion(self) -> tuple[str, str]:
        """The suggested action for a submission on Prolific, and the reason; `decide` where there is no suggestion.

        Exclusion from the results is no reason to withhold pay, and none to pay either: the decision is the lead's. So
        it is for a rater who failed a check or is flagged: nobody is approved whose answers are to be looked at first.
        """
        row = self.row
        if row.is_excluded:
            return "decide", f"excluded from the results: {row.reason}" if row.reason else "excluded from the results"
        failed = f"failed {row.n_failed} of {row.n_checks} attention checks"
        if row.n_failed >= _MIN_FAILED:
            return "reject", failed
        if row.state == "finished":
            return self._suggestion_when_finished(failed)
        if row.state in _UNFINISHED and row.last_seen_at and _is_recent(row.last_seen_at):
            return "wait", "was here within the last hour"
        if row.state in {"screened_out", "full"}:
            return "return", "screened out" if row.state == "screened_out" else "no place was free"
        return "return", "did not finish"

    def _suggestion_when_finished(self, failed: str) -> tuple[str, str]:
        reasons = [failed] if self.row.n_failed else []
        about = dict.fromkeys(_ABOUT[flag.rule] for flag in self.flags if flag.rule in _ABOUT)
        reasons += [f"flagged ({', '.join(about)})"] if about else []
        if reasons:
            return "decide", f"finished, but {' and '.join(reasons)}"
        return "approve", "finished the study" + _without(self.row)


def review(
    protocol: Protocol,
    rows: Sequence[RaterRow],
    evidence: Mapping[int, Evidence] | None = None,
    typing: Mapping[int, Typing] | None = None,
) -> list[ReviewedRater]:
    """All raters with their flags; people, model judges and simulated raters are each compared with their own."""
    found, typed, none = evidence or {}, typing or {}, Evidence()
    every = {
        row.id: found.get(row.id, none)._replace(n_checks=row.n_checks, n_failed=row.n_failed, typing=typed.get(row.id))
        for row in rows
    }
    group = {row.id: group_of(row, every[row.id]) for row in rows}
    flags: dict[int, tuple[Flag, ...]] = {}
    for groups in ({"people", "imported"}, {"models"}, {"simulated"}):
        flags |= flags_of(protocol.checks, {rater: one for rater, one in every.items() if group[rater] in groups})
    return [ReviewedRater(row, group[row.id], flags.get(row.id, ()), every[row.id]) for row in rows]


def _without(row: RaterRow) -> str:
    """What a finished rater did not rate, mostly because they were away for so long that others got it."""
    n = row.n_released
    why = "others took over" if row.n_taken_over == n else f"{'was' if n == 1 else 'were'} released"
    return f" without {n} trial{'' if n == 1 else 's'} that {why}" if n else ""


def _is_recent(seen_at: datetime) -> bool:
    return datetime.now(UTC) - seen_at < _STILL_HERE


def group_of(row: RaterRow, evidence: Evidence) -> Group:
    """The rater's group: people, here or invited, imported raters, model judges or simulated ones. Groups never mix."""
    if row.is_simulated:
        return "simulated"
    if row.kind == "model":
        return "models"
    # Without a session, answers came with a file; people without either were invited or listed, and are not here yet.
    return "imported" if row.state is None and (row.is_imported or evidence.n_ratings) else "people"
