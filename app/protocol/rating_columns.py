"""All columns of ratings, declared once for frames, ratings.csv, codebook and queries.

The answer is a single column in ratings.csv (`value`), and one column per kind of answer in frames and in the database.
"""

from dataclasses import dataclass
from typing import Literal

from app.protocol.questions.question import DEVICES, LABELLED

# id: of a rater, item or response · name: text that repeats · text: free text · codes: several, joined by | · whole: an
# integer or missing · count: an integer, 0 if missing · number: a decimal · time: UTC, with microseconds
Type = Literal["id", "name", "text", "codes", "whole", "count", "number", "time"]
Table = Literal["raters", "items", "responses"]
# Before the reason in the column `exclude`, where all answers of a rater are left out.
RATER_EXCLUDED = "rater excluded: "
# Marks answers to gold trials, which are excluded from every estimate.
GOLD = "gold"
OUTCOMES = ("response", "tie", "neither", "cannot_judge")


@dataclass(frozen=True, slots=True)
class RatingColumn:
    """One column. `of`: the table that its IDs refer to. `allowed`: the allowed values, if there are only a few.

    `in_file` and `in_frame` are False for one of the two forms of the answer each. `is_given` is True for columns that
    are submitted with each answer; the others are added from the trial or by the server when the answer is stored.
    `is_derived` is True for columns that are written for readers and follow from the others; they are not read back.
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
    is_given: bool = False
    is_derived: bool = False

    @property
    def stored_as(self) -> str:
        """The name of the column in the database."""
        return self.database_name or self.name


COLUMNS = (
    RatingColumn("rater", "id", "Rater", "pseudonym of the rater", "rater_id", "raters"),
    RatingColumn("item", "id", "Item", "ID of the item (the situation that raters read)", "item_id", "items"),
    RatingColumn("response", "id", "Response", "ID of the response", "response_id", "responses", is_given=True),
    RatingColumn("question", "name", "Question", "key of the question", is_given=True),
    RatingColumn(
        "value",
        "text",
        "Answer",
        "the answer: a number; the response chosen, tie or neither; codes joined by |; character offsets; or text",
        in_frame=False,
    ),
    RatingColumn(
        "number",
        "number",
        "Number",
        "a rating, a position on a slider, a rank, or points",
        in_file=False,
        is_given=True,
    ),
    RatingColumn(
        "outcome",
        "name",
        "Outcome",
        "response, tie, neither or cannot_judge",
        allowed=OUTCOMES,
        in_file=False,
        is_given=True,
    ),
    RatingColumn(
        "chosen",
        "id",
        "Response chosen",
        "the response chosen",
        "chosen_response_id",
        "responses",
        in_file=False,
        is_given=True,
    ),
    RatingColumn("codes", "codes", "Codes", "the codes given, joined by |", in_file=False, is_given=True),
    RatingColumn("text", "text", "Text", "a text, or character offsets", in_file=False, is_given=True),
    RatingColumn("strength", "number", "Strength", "how strong the preference is", is_given=True),
    RatingColumn("turn", "whole", "Turn", "the turn of the dialogue, from 1", is_given=True),
    RatingColumn(
        "left_response", "id", "Left response", "the response shown on the left", "left_response_id", "responses"
    ),
    RatingColumn(
        "right_response", "id", "Right response", "the response shown on the right", "right_response_id", "responses"
    ),
    RatingColumn(
        "side", "name", "Side", "the side of the response chosen or rated", allowed=("left", "right"), is_given=True
    ),
    RatingColumn("position", "whole", "Position", "position in the rater's order, from 1"),
    RatingColumn("condition", "name", "Condition", "the condition of the trial"),
    RatingColumn("shown_label", "name", "Shown label", "what the rater was told about the source", is_given=True),
    RatingColumn("repeat", "count", "Repeat", "0 for the first showing, otherwise the number of the planned repeat"),
    RatingColumn("rated_at", "time", "Answered", "when the answer was given, UTC"),
    RatingColumn("served_at", "time", "Shown", "when the item was shown, UTC"),
    RatingColumn(
        "active_ms", "whole", "Active time", "milliseconds on the page, excluding pauses and time in a hidden tab"
    ),
    RatingColumn(
        "device",
        "name",
        "Device",
        "phone, tablet or desktop, by the width of the browser window; empty if JavaScript is off",
        allowed=DEVICES,
        is_given=True,
    ),
    RatingColumn(
        "labels_shown",
        "name",
        "Labels shown",
        "which points of the scale had words on the page: all, ends, some or none; the same on every device",
        allowed=LABELLED,
        is_given=True,
    ),
    RatingColumn(
        "n_keystrokes",
        "whole",
        "Keystrokes",
        "changes typed into a text answer, one per key; empty unless the question asks for `typing_rhythm`",
        is_given=True,
    ),
    RatingColumn(
        "n_pasted", "whole", "Pasted characters", "characters pasted or dropped into a text answer", is_given=True
    ),
    RatingColumn(
        "typing_ms",
        "whole",
        "Typing time",
        "milliseconds from the first to the last key of a text answer",
        is_given=True,
    ),
    RatingColumn(
        "probabilities",
        "text",
        "Probabilities",
        "the probability that a model judge gave to each allowed answer, or only to its own, as JSON; empty for people",
    ),
    RatingColumn("comment", "text", "Comment", "the rater's comment on the answer", is_given=True),
    RatingColumn("exclude", "name", "Excluded", "reason for excluding the answer from all estimates"),
    RatingColumn(
        "wave",
        "whole",
        "Wave",
        "the wave of the answer, from 1; only in studies with waves",
        in_frame=False,
        is_derived=True,
    ),
    RatingColumn(
        "source",
        "name",
        "Source",
        "the source that wrote the response rated, or the response chosen",
        in_frame=False,
        is_derived=True,
    ),
    RatingColumn(
        "value_number",
        "number",
        "Answer as a number",
        "the answer if it is a rating, a position on a slider, a rank or points",
        in_frame=False,
        is_derived=True,
    ),
    RatingColumn(
        "value_label",
        "text",
        "Answer in words",
        "the words of the scale point or code, or the label of the source chosen",
        in_frame=False,
        is_derived=True,
    ),
    RatingColumn(
        "rater_kind", "name", "Kind of rater", "person or model: the rater's kind", in_frame=False, is_derived=True
    ),
    RatingColumn(
        "is_simulated",
        "name",
        "Simulated",
        "true if Attune simulated the rater; such answers enter no result once a person has answered",
        in_frame=False,
        is_derived=True,
    ),
)
FRAME_COLUMNS = tuple(column for column in COLUMNS if column.in_frame)
GIVEN_COLUMNS = tuple(column for column in COLUMNS if column.is_given)
FILE_COLUMNS = tuple(column.name for column in COLUMNS if column.in_file and not column.is_derived)
# Columns of ratings.csv that are written though no answer fills them.
ALWAYS_WRITTEN = ("rater", "item", "response", "question", "value", "rater_kind", "is_simulated")
DERIVED_COLUMNS = tuple(column.name for column in COLUMNS if column.is_derived)


def names_of(*types: Type) -> tuple[str, ...]:
    """Return the frame columns that have one of these types.

    >>> names_of("time")
    ('rated_at', 'served_at')
    """
    return tuple(column.name for column in FRAME_COLUMNS if column.type in types)
