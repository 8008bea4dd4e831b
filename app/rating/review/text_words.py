"""The number of words of the stored texts, counted as `protocol.dialogue.n_words` counts them."""

from __future__ import annotations

# A word ends at a space, tab or line break: other space characters differ between the database and Python.
_PATTERN = r"[^ \t\n\r\f\v]+"


def n_words(table: str) -> str:
    """The SQL expression for the words of a row of items or responses: of its text, or of all its turns."""
    return f"""coalesce(regexp_count({table}.text, '{_PATTERN}'), (
      SELECT sum(regexp_count(turn ->> 'text', '{_PATTERN}')) FROM jsonb_array_elements({table}.turns) AS turn
    ), 0)"""  # noqa: S608 - names of our own tables
