"""The number of words of the stored texts, counted as `protocol.dialogue.n_words` counts them."""

# A word ends at a space, tab or line break: other space characters differ between the database and Python.
_PATTERN = r"[^ \t\n\r\f\v]+"


def n_words(table: str) -> str:
    """The SQL expression for the words of a row of items or responses: of its text, or of all its turns."""
    return f"""coalesce(regexp_count({table}.text, '{_PATTERN}'), (
      SELECT sum(regexp_count(turn ->> 'text', '{_PATTERN}')) FROM jsonb_array_elements({table}.turns) AS turn
    ), 0)"""  # noqa: S608 - names of our own tables


def said(table: str) -> str:
    """The SQL expression for the text of a row of items or responses, or for all its turns, one a line."""
    return f"""coalesce({table}.text, (
      SELECT string_agg(turn ->> 'text', E'\\n' ORDER BY place)
      FROM jsonb_array_elements({table}.turns) WITH ORDINALITY AS said (turn, place)
    ), '')"""  # noqa: S608 - names of our own tables
