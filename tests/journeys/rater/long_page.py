"""A page with five questions about two responses of 120 words, and the window of a phone."""

from tests.kit.builder import EMPATHY, PREFERENCE

# 24 words of average length, five times
WORDS = " ".join(
    ["I can hear how tired you are after this week, and it makes sense that the quiet flat feels so heavy to you now."]
    * 5
)
TEXTS = [{"key": "i", "text": "It is quiet here. " * 12, "responses": {"person": WORDS, "model": WORDS}}]
MANY = [
    PREFERENCE,
    *({**EMPATHY, "key": f"empathy-{n}", "text": f"How empathetic is it, number {n}?"} for n in range(4)),
]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
