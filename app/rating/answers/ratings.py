"""Ratings: one row per answer, and how an answer becomes the row that SQL stores."""

from collections.abc import Mapping
from dataclasses import fields

from app.protocol.questions.form import Answer
from app.protocol.questions.question import SIDES, Given
from app.protocol.rating_columns import GIVEN_COLUMNS, Type

# The columns of an answer, as lists for SQL. They are declared in `app.protocol.rating_columns`.

_SQL_TYPES: dict[Type, str] = {
    "id": "bigint",
    "name": "text",
    "text": "text",
    "codes": "text[]",
    "whole": "integer",
    "count": "integer",
    "number": "float8",
    "time": "timestamptz",
}
# The columns that are fields of `Given`.
OF_ANSWER = tuple(
    column.stored_as for column in GIVEN_COLUMNS if column.stored_as in {field.name for field in fields(Given)}
)
# All columns as lists: names, names prefixed by the alias `g`, and names with types.
NAMES = ", ".join(column.stored_as for column in GIVEN_COLUMNS)
OF_GIVEN = ", ".join(f"g.{column.stored_as}" for column in GIVEN_COLUMNS)
TYPED = ", ".join(f'"{column.stored_as}" {_SQL_TYPES[column.type]}' for column in GIVEN_COLUMNS)

# Marks answers that are saved but not yet submitted; until then they are excluded from every estimate. `submit.sql`
# writes it too, and the mark of gold trials.
NOT_SUBMITTED = "not submitted"


def answer_rows(
    answer: Answer, labels: Mapping[int, str | None] | None = None, n_shown: int = 0
) -> list[dict[str, object]]:
    """An answer as the rows that SQL reads from JSON; a ranking has one row per response.

    Args:
        answer: a validated answer.
        labels: the label shown for the source of each response, by response ID.
        n_shown: number of responses shown.
    """
    slot = answer.slot
    is_of_pair = n_shown == len(SIDES) and slot.place is not None
    return [
        {
            "question": slot.question.key,
            "response_id": response_id,
            "turn": slot.turn,
            **{name: getattr(given, name) for name in OF_ANSWER},
            "shown_label": (labels or {}).get(response_id or 0),
            "labels_shown": slot.question.labelled(),
            "side": SIDES[slot.place or 0] if is_of_pair else given.side,
            "key": answer.mark.key,
            "at_ms": answer.mark.at_ms,
        }
        for response_id, given in slot.question.rows(answer, slot.response_id)
    ]
