"""How a request to a language model can end."""

from enum import StrEnum
from typing import Literal


class Outcome(StrEnum):
    """The outcome of one request. Only `answered` yields ratings or a text."""

    ANSWERED = "answered"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    CUT_OFF = "cut_off"
    TOO_LONG = "too_long"
    FAILED = "failed"


# Outcomes for the pages and the command line.
OUTCOME_WORDS = {
    Outcome.ANSWERED: "Answered",
    Outcome.UNPARSED: "Unparsed: not an answer to the questions",
    Outcome.REFUSED: "Refused by the model",
    Outcome.CUT_OFF: "Cut off at the limit of tokens",
    Outcome.TOO_LONG: "Too long for the model's context",
    Outcome.FAILED: "Failed: no answer from the endpoint",
}
# Without an answer that could be stored: asked again when the run continues.
ASKED_AGAIN = frozenset({Outcome.FAILED})
Purpose = Literal["judge", "respond"]
# Why a request is made: the first about its item, a repair, the next step of a prompt, another length of the text, or
# the first one once more because a person asked for it.
RequestKind = Literal["first", "repair", "step", "length", "redo"]
# What a person decided about a generated text.
Decision = Literal["accepted", "edited", "rejected"]
