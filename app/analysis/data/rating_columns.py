"""Every column of ratings, declared once: frames, ratings.csv, codebook and queries follow from it.

The answer is one column in ratings.csv (`value`) and one column per kind of answer in frames and in the database.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.design.questions.question import DEVICES

# id: of a rater, item or response · name: text that recurs · text: free text · codes: several joined by | ·
# whole: a whole number or nothing · count: a whole number, 0 for nothing · number: a decimal · time: UTC, microseconds
Type = Literal["id", "name", "text", "codes", "whole", "count", "number", "time"]
Table = Literal["raters", "items", "responses"]


@dataclass(frozen=True, slots=True)
class RatingColumn:
    """One column. `of`: the table whose ids it holds. `allowed`: all that it may hold, where that is a short list.

    `in_file` and `in_frame` are False for the two ways of writing the answer.
    """

    name: str
    type: Type
    label: str
    meaning: str
    database_name: str = ""
    of: Table | None = None
    allowed: tuple[str, ...] = ()
    in_file: bool = True
    in_frame: bool = True

    @property
    def stored_as(self) -> str:
        """Its name in the database."""
        return self.database_name or self.name


COLUMNS = (
    RatingColumn("rater", "id", "Rater", "pseudonym of the rater", "rater_id", "raters"),
    RatingColumn("item", "id", "Item", "id of the item (the situation that is read)", "item_id", "items"),
    RatingColumn("response", "id", "Response", "id of the response", "response_id", "responses"),
    RatingColumn("question", "name", "Question", "key of the question"),
    RatingColumn(
        "value",
        "text",
        "Answer",
        "the answer: a number; the response chosen, tie or neither; codes joined by |; character offsets; or text",
        in_frame=False,
    ),
    RatingColumn("number", "number", "Number", "a rating, a position on a slider, or a rank", in_file=False),
    RatingColumn("outcome", "name", "Outcome", "response, tie, neither or cannot_judge", in_file=False),
    RatingColumn(
        "chosen", "id", "Response chosen", "the response chosen", "chosen_response_id", "responses", in_file=False
    ),
    RatingColumn("codes", "codes", "Codes", "the codes given, joined by |", in_file=False),
    RatingColumn("text", "text", "Text", "a text, or character offsets", in_file=False),
    RatingColumn("strength", "number", "Strength", "how strong the preference is"),
    RatingColumn("turn", "whole", "Turn", "turn of the dialogue, from 1"),
    RatingColumn(
        "left_response", "id", "Left response", "the response that stood left", "left_response_id", "responses"
    ),
    RatingColumn(
        "right_response", "id", "Right response", "the response that stood right", "right_response_id", "responses"
    ),
    RatingColumn("side", "name", "Side", "the side of the response chosen or rated", allowed=("left", "right")),
    RatingColumn("position", "whole", "Position", "place in the rater's order"),
    RatingColumn("condition", "name", "Condition", "under which condition"),
    RatingColumn("shown_label", "name", "Shown label", "what was said of the source"),
    RatingColumn("repeat", "count", "Repeat", "0, or which planned repeat"),
    RatingColumn("rated_at", "time", "Answered", "when the answer was given, UTC"),
    RatingColumn("served_at", "time", "Shown", "when the item was shown, UTC"),
    RatingColumn("active_ms", "whole", "Active time", "milliseconds from shown to done"),
    RatingColumn(
        "device",
        "name",
        "Device",
        "phone, tablet or desktop, by the width of the browser's window; nothing where scripts are off",
        allowed=DEVICES,
    ),
    RatingColumn("comment", "text", "Comment", "a remark on the answer"),
    RatingColumn("exclude", "name", "Excluded", "a reason to leave the answer out of every estimate"),
)
FRAME_COLUMNS = tuple(column for column in COLUMNS if column.in_frame)
FILE_COLUMNS = tuple(column.name for column in COLUMNS if column.in_file)


def names_of(*types: Type) -> tuple[str, ...]:
    """The columns of a frame that have one of these types.

    >>> names_of("time")
    ('rated_at', 'served_at')
    """
    return tuple(column.name for column in FRAME_COLUMNS if column.type in types)
