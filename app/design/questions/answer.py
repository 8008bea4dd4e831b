"""Is this text an answer to that question, and which one? The same check for a form, a file and a model judge."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from app.design.questions.models import SliderQuestion
from app.design.questions.scale import number

if TYPE_CHECKING:
    from app.design.questions.models import CategoryQuestion, ScaledQuestion

CANNOT_JUDGE = "cannot_judge"


def scaled_value(question: ScaledQuestion, text: str) -> float | None:
    """The point of the scale that is meant (`4`, `4.0` and ` 4 ` are one), or None where it is off the scale."""
    value = number(text)
    if value is None:
        return None
    if isinstance(question, SliderQuestion):
        return value if _is_step(question, text) else None
    return next((point for point in question.values if point == value), None)


def _is_step(question: SliderQuestion, text: str) -> bool:
    low, high, step = (Decimal(repr(limit)) for limit in (question.min, question.max, question.step))
    try:
        value = Decimal(text.strip())
        return low <= value <= high and (value - low) % step == 0
    except InvalidOperation:
        return False


def picked_codes(question: CategoryQuestion, text: str) -> tuple[str, ...] | None:
    """The codes that are meant, in the order of the protocol; None where one is unknown, doubled, or too many.

    An empty text is the answer "none of them" where several may be picked.
    """
    codes = [code.strip() for code in text.split("|")] if text.strip() else []
    if not question.multiple and len(codes) != 1:
        return None
    if len(set(codes)) != len(codes) or not set(codes) <= set(question.codes):
        return None
    return tuple(code for code in question.codes if code in codes)
