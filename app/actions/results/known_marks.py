"""Whether a study's data are still those that a report was computed from, without reading them."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING

from app.storage.results.study_mark import get_moment, get_study_mark

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.analysis.data.filters.report_filters import Filters
    from app.storage.studies.studies import StudyRow

    Key = tuple[int, str, int, Filters]

KEPT = 64


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of the data before they were read, and the name of the report that they gave; empty so far."""

    key: Key
    moment: str
    mark: str
    name: str = ""


class KnownMarks:
    """The marks of the reports computed most recently, by study and filters."""

    def __init__(self) -> None:
        """Start empty."""
        self._guard = Lock()
        self._known: OrderedDict[Key, Seen] = OrderedDict()

    def look(self, db: Connection, study: StudyRow, filters: Filters) -> Seen | None:
        """The state of the data now, with a name if it is still that of a known report.

        None in a transaction that has written something itself. To be called before the data are read: what is written
        meanwhile then counts as a change.
        """
        moment, key = get_moment(db), (study.id, study.status, study.protocol_version, filters)
        if moment is None:
            return None
        known = self._known.get(key)
        if known and known.moment == moment:
            return known
        seen = Seen(key, moment, get_study_mark(db, study.id))
        if known and known.mark == seen.mark:
            return self.keep(seen, known.name)
        return seen

    def keep(self, seen: Seen, name: str) -> Seen:
        """The data seen then gave the report of this name."""
        kept = replace(seen, name=name)
        with self._guard:
            self._known[seen.key] = kept
            self._known.move_to_end(seen.key)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return kept
