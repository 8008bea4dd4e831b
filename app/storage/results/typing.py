"""How raters typed their text answers, where the study counts it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import text

if TYPE_CHECKING:
    from sqlalchemy import Connection

_TYPING = text("""
    SELECT rater_id, count(*) AS n_texts, sum(length(text)) AS n_characters, sum(n_keystrokes) AS n_keystrokes,
           sum(n_pasted) AS n_pasted, sum(typing_ms) AS typing_ms
    FROM ratings
    WHERE study_id = :study AND question = ANY(CAST(:questions AS text[])) AND n_keystrokes IS NOT NULL
      AND text IS NOT NULL
    GROUP BY rater_id
""")


class RaterTyping(NamedTuple):
    """All text answers of one rater whose typing was counted."""

    n_texts: int
    n_characters: int
    n_keystrokes: int
    n_pasted: int
    typing_ms: int

    @property
    def pasted_share(self) -> float:
        """Pasted characters among all that were entered, 0 to 1."""
        n_entered = self.n_pasted + self.n_keystrokes
        return self.n_pasted / n_entered if n_entered else 0.0

    @property
    def keys_per_s(self) -> float | None:
        """Keystrokes per second between the first and the last key; None if that is not known."""
        return self.n_keystrokes / (self.typing_ms / 1000) if self.typing_ms else None


def list_typing(db: Connection, study_id: int, questions: list[str]) -> dict[int, RaterTyping]:
    """By rater ID, of raters whose typing was counted in at least one answer to these questions."""
    rows = db.execute(_TYPING, {"study": study_id, "questions": questions})
    return {row.rater_id: RaterTyping(*(int(value) for value in row[1:])) for row in rows}
