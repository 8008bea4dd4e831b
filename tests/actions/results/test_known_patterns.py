"""Patterns are computed once for the same ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import event

from app.actions.results.known_patterns import KEPT, KnownPatterns
from tests.builder import build_study, protocol_of

if TYPE_CHECKING:
    from sqlalchemy import Connection


def test_patterns_of_the_same_ratings_are_computed_once(db: Connection) -> None:
    study = build_study(db, protocol_of(), n_items=1)
    statements: list[str] = []
    event.listen(db, "before_cursor_execute", lambda *given: statements.append(given[2]))
    known = KnownPatterns()
    first, n_first = known.of(db, study, "empathy"), len(statements)
    assert known.of(db, study, "empathy") is first
    assert len(statements) == n_first + 1, "only the state is read again"
    for number in range(KEPT):
        known.of(db, study, f"other-{number}")
    assert known.of(db, study, "empathy") is not first
