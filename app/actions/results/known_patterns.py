"""How each rater answers. Only raters whose ratings changed are read again."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from app.storage.results.answers_by_rater import (
    get_server_start,
    list_answers_by_rater,
    list_model_raters,
    list_rater_states,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from app.actions.results.rater_review import RaterPattern
    from app.storage.results.answers_by_rater import RaterAnswers

# Studies that are kept, and the bytes that their answers may take together: three million ratings.
KEPT, KEPT_BYTES = 8, 60_000_000


class _Known(NamedTuple):
    answers: Mapping[int, RaterAnswers]
    patterns: Mapping[int, RaterPattern]

    @property
    def n_bytes(self) -> int:
        return sum(len(one.points) + len(one.sides) for one in self.answers.values())


class KnownPatterns:
    """The answers and patterns of the studies viewed most recently, without texts and names of raters."""

    def __init__(self) -> None:
        """Start empty."""
        self._guard = Lock()
        self._known: OrderedDict[tuple[object, ...], _Known] = OrderedDict()

    def of(self, db: Connection, study_id: int, question: str) -> Mapping[int, RaterPattern]:
        """The pattern of each rater who answered, by ID; `question` is the one that agreement is about."""
        key = study_id, question, get_server_start(db)
        known = self._known.get(key, _Known({}, {}))
        states = list_rater_states(db, study_id)
        current = {rater: one for rater, one in known.answers.items() if one.is_current(states.get(rater))}
        changed = states.keys() - current.keys()
        if not changed and len(current) == len(known.answers):
            return known.patterns
        read = list_answers_by_rater(db, study_id, question, changed if current else None) if changed else {}
        return self._keep(key, current | read, list_model_raters(db, study_id))

    def _keep(
        self, key: tuple[object, ...], answers: Mapping[int, RaterAnswers], models: set[int]
    ) -> Mapping[int, RaterPattern]:
        from app.actions.results.rater_patterns import patterns_of

        found = _Known(answers, patterns_of(answers, models))
        with self._guard:
            self._known[key] = found
            self._known.move_to_end(key)
            while len(self._known) > 1 and self._is_too_much():
                self._known.popitem(last=False)
        return found.patterns

    def _is_too_much(self) -> bool:
        return len(self._known) > KEPT or sum(one.n_bytes for one in self._known.values()) > KEPT_BYTES


# One for each web process.
KNOWN_PATTERNS = KnownPatterns()
