"""How each rater answers, computed once for the same ratings, not at each view."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

from app.storage.results.rater_patterns import get_ratings_state, list_rater_patterns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from app.storage.results.rater_patterns import RaterPattern

KEPT = 8


class KnownPatterns:
    """The most recent patterns, by the state of the ratings. They hold no text and no name of a rater."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._guard = Lock()
        self._known: OrderedDict[tuple[object, ...], Mapping[int, RaterPattern]] = OrderedDict()

    def of(self, db: Connection, study_id: int, question: str) -> Mapping[int, RaterPattern]:
        """The pattern of each rater, by rater ID; `question` is the one that agreement is about."""
        # The state is read first: a rating that arrives in between is found again by the next view.
        key = study_id, question, *get_ratings_state(db, study_id)
        known = self._known.get(key)
        return known if known is not None else self._keep(key, list_rater_patterns(db, study_id, question))

    def _keep(self, key: tuple[object, ...], found: Mapping[int, RaterPattern]) -> Mapping[int, RaterPattern]:
        with self._guard:
            self._known[key] = found
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return found


# One for each web process.
KNOWN_PATTERNS = KnownPatterns()
