"""Whether a study's data are still those that a report was computed from, without reading them."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from app.storage.results.study_mark import get_decision_mark, get_moment, get_study_mark

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.analysis.data.filters.report_filters import Filters
    from app.storage.studies.studies import StudyRow

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
    """What was seen of the data before they were read, and the name of the report that they gave; empty so far.

    `marked_at` and `took_s` say when and how long the mark was computed.
    """

    key: Key
    moment: str
    mark: str = ""
    n_ratings: int = 0
    name: str = ""
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
        """What can be said at once: with a name if the data are still those of a known report, else without a mark.

        What leads decide (exclusions, the protocol) is always seen; new ratings in a large study perhaps only a few
        seconds later. None in a transaction that has written something itself.
        """
        moment = get_moment(db)
        if moment is None:
            return None
        key = Key(study.id, study.status, study.protocol_version, get_decision_mark(db, study.id), filters)
        known = self._known.get(key)
        if known and (known.moment == moment or known.is_trusted):
            return known
        return Seen(key, moment)

    def look(self, db: Connection, glanced: Seen) -> Seen:
        """The mark of the data now, with a name if they are still those of a known report.

        To be called before the data are read: what is written meanwhile then counts as a change.
        """
        moment, start = get_moment(db) or glanced.moment, time.monotonic()
        mark, n_ratings = get_study_mark(db, glanced.key.study_id)
        now = time.monotonic()
        return self.named(Seen(glanced.key, moment, mark, n_ratings, marked_at=now, took_s=now - start))

    def named(self, seen: Seen) -> Seen:
        """The same with a name if these are the data of a known report."""
        known = self._known.get(seen.key)
        return self.keep(seen, known.name) if known and known.mark == seen.mark else seen

    def is_slow(self, study_id: int) -> bool:
        """Whether the mark of this study takes longer than a page should wait."""
        with self._guard:
            return any(seen.n_ratings > MANY for key, seen in self._known.items() if key.study_id == study_id)

    def keep(self, seen: Seen, name: str) -> Seen:
        """The data seen then gave the report of this name."""
        kept = replace(seen, name=name)
        with self._guard:
            self._known[seen.key] = kept
            self._known.move_to_end(seen.key)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return kept
