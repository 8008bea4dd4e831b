"""Whether a study's data are still those that a report was computed from, without reading them."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection

from app.results.data.study_mark import get_decision_mark, get_moment, get_study_mark
from app.studies.studies import StudyRow

if TYPE_CHECKING:
    from app.analysis.data.report_filters import Filters

KEPT = 64
# The mark of a million ratings takes a third of a second of processor time, which a page should not wait for. In a
# study of more than so many ratings, a mark is therefore trusted for ten times as long as it took.
MANY, TRUSTED = 100_000, 10


class Key(NamedTuple):
    """What decides, beside the ratings, which report a study has; `decisions` is the mark of what leads decided."""

    study_id: int
    status: str
    protocol_version: int
    decisions: str
    filters: Filters


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of the data before they were read, and the name of what was made of them; empty so far.

    If it `is_behind`, the name is that of the last attempt, and the data have changed since. `marked_at` and `took_s`
    say when and how long the mark was computed.
    """

    key: Key
    moment: str
    mark: str = ""
    n_ratings: int = 0
    name: str = ""
    is_behind: bool = False
    marked_at: float = 0.0
    took_s: float = 0.0

    @property
    def is_trusted(self) -> bool:
        """Whether the mark is so recent, for its cost, that it is not computed again."""
        return self.n_ratings > MANY and time.monotonic() - self.marked_at < TRUSTED * self.took_s


class KnownMarks:
    """The marks of the reports computed most recently, by study and filters."""

    def __init__(self) -> None:
        """Start empty."""
        self._guard = Lock()
        self._known: OrderedDict[Key, Seen] = OrderedDict()

    def glance(self, db: Connection, study: StudyRow, filters: Filters) -> Seen | None:
        """What can be said at once: with a name if the last attempt is known to be current or behind, else no mark.

        What leads decide (exclusions, the protocol) is always seen; new ratings in a large study perhaps only a few
        seconds later. None in a transaction that has written something itself.
        """
        moment = get_moment(db)
        if moment is None:
            return None
        key = Key(study.id, study.status, study.protocol_version, get_decision_mark(db, study.id), filters)
        known = self._known.get(key)
        if known and (known.moment == moment or known.is_trusted or known.is_behind):
            return known
        return Seen(key, moment)

    def look(self, db: Connection, glanced: Seen) -> Seen:
        """The mark of the data now, with the name of the last attempt if there is one.

        To be called before the data are read: what is written meanwhile then counts as a change.
        """
        moment, start = get_moment(db) or glanced.moment, time.monotonic()
        mark, n_ratings = get_study_mark(db, glanced.key.study_id)
        now = time.monotonic()
        return self.named(Seen(glanced.key, moment, mark, n_ratings, marked_at=now, took_s=now - start))

    def named(self, seen: Seen) -> Seen:
        """The same with the name of the last attempt, which is behind if it had other data."""
        known = self._known.get(seen.key)
        if known is None:
            return seen
        return self.keep(seen, known.name, is_behind=known.is_behind or known.mark != seen.mark)

    def is_slow(self, study_id: int) -> bool:
        """Whether the mark of this study takes longer than a page should wait."""
        with self._guard:
            return any(seen.n_ratings > MANY for key, seen in self._known.items() if key.study_id == study_id)

    def keep(self, seen: Seen, name: str, *, is_behind: bool = False) -> Seen:
        """The last attempt has this name, and the data seen then, or earlier ones."""
        kept = replace(seen, name=name, is_behind=is_behind)
        with self._guard:
            self._known[seen.key] = kept
            self._known.move_to_end(seen.key)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return kept
