"""Who came back for a later wave, who is due, and who has missed it: for the overview, and as a list for reminders."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from sqlalchemy import Connection, text

from app.protocol.study import Protocol
from app.protocol.waves import days_of, end_step, numbered, open_wave, wave_label, welcome_step
from app.studies.studies import list_excluded

_FINISHED = text("""
    SELECT r.key, r.is_simulated, (s.finished_at AT TIME ZONE 'UTC')::date AS finished,
      ARRAY(SELECT step FROM steps d WHERE d.study_id = s.study_id AND d.rating_session_id = s.id
            AND starts_with(d.step, 'wave')) AS passed,
      coalesce((SELECT min(p.platform_id) FROM platform_ids p
                WHERE p.study_id = s.study_id AND p.rater_id = s.rater_id), '') AS platform_id
    FROM rating_sessions s JOIN raters r ON r.study_id = s.study_id AND r.id = s.rater_id
    WHERE s.study_id = :study AND s.state = 'finished' AND r.id <> ALL(:excluded) ORDER BY s.finished_at, s.id
""")
State = Literal["later", "due", "begun", "done", "missed"]


@dataclass(frozen=True, slots=True)
class Return:
    """One rater in one later wave: when it opens and closes for them, and how far they are."""

    rater: str
    platform_id: str
    is_simulated: bool
    wave: int
    opens: date
    closes: date | None
    state: State


@dataclass(frozen=True, slots=True)
class WaveCounts:
    """How many raters who finished the first wave are in which state in a later one."""

    number: int
    label: str
    n_done: int
    n_due: int
    n_missed: int
    n_later: int

    @property
    def in_words(self) -> str:
        """What a lead reads beside the number who came back."""
        named = ((self.n_due, "due now"), (self.n_missed, "missed it"), (self.n_later, "not due yet"))
        return ", ".join(f"{n:,} {words}" for n, words in named if n)


def list_returns(db: Connection, study_id: int, protocol: Protocol, today: date) -> list[Return]:
    """Every rater who finished the first wave and is not excluded, in each later wave."""
    if not protocol.waves:
        return []
    found = []
    excluded = [*list_excluded(db, study_id)]
    for row in db.execute(_FINISHED, {"study": study_id, "excluded": excluded}):
        now = open_wave(protocol.waves, row.finished, today, row.passed)
        for number, _ in numbered(protocol.waves):
            opens, closes = days_of(protocol.waves, number, row.finished)
            state = _state(number, now, row.passed, is_over=closes is not None and today > closes)
            found.append(Return(row.key, row.platform_id, row.is_simulated, number, opens, closes, state))
    return found


def _state(number: int, now: int | None, passed: Sequence[str], *, is_over: bool) -> State:
    if end_step(number) in passed:
        return "done"
    if number == now:
        return "begun" if welcome_step(number) in passed else "due"
    return "missed" if is_over else "later"


def count_returns(db: Connection, study_id: int, protocol: Protocol, today: date) -> list[WaveCounts]:
    """The raters of each later wave by their state."""
    counts = Counter((one.wave, one.state) for one in list_returns(db, study_id, protocol, today))
    return [
        WaveCounts(
            number,
            wave_label(protocol.waves, number),
            n_done=counts[number, "done"],
            n_due=counts[number, "due"] + counts[number, "begun"],
            n_missed=counts[number, "missed"],
            n_later=counts[number, "later"],
        )
        for number, _ in numbered(protocol.waves)
    ]
