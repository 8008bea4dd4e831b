"""Questions, composites, cut-off values and margins in words, for the methods of a report and for a preregistration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.document.blocks import DataTable
from app.design.numbers import number_text
from app.design.questions.kinds.category import CategoryQuestion
from app.design.questions.kinds.choice import ChoiceQuestion
from app.design.questions.kinds.rating import RatingQuestion
from app.design.questions.kinds.slider import SliderQuestion
from app.design.word_lists import and_list, counted, or_list, spelled_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.design.protocol.study import Protocol
    from app.design.questions.kinds.registry import AnyQuestion
    from app.design.questions.scale import Scale

TARGETS = {
    "response": "each response",
    "pair": "the pair",
    "set": "the set of responses",
    "item": "the item",
    "turn": "each turn",
    "rater": "the rater",
}
# more scales than these are counted where all of them are meant
MAX_SCALES = 2


def question_table(protocol: Protocol) -> DataTable:
    """Every question as raters read it, with its answers."""
    labels = protocol.labels
    rows = tuple(
        (labels.question(one.key), TARGETS[one.target], " ".join(one.text.split()), _answers_cell(one, protocol))
        for one in protocol.questions
    )
    return DataTable("Questions", ("Question", "About", "Wording", "Answers"), rows, widths=(3, 2, 6, 6))


def _answers_cell(question: AnyQuestion, protocol: Protocol) -> str:
    """The possible answers, and whether the question is optional or depends on the condition or an earlier answer."""
    parts = [answers_words(question)]
    if not question.required:
        parts.append("optional")
    if question.condition:
        parts.append(f"asked only in {protocol.labels.condition(question.condition)}")
    if rule := question.show_if:
        parts.append(f"asked only if {protocol.labels.question(rule.question)} {rule.in_words}")
    return "; ".join(parts)


def answers_words(question: AnyQuestion) -> str:
    """The possible answers to a question."""
    if isinstance(question, RatingQuestion):
        turned = "; high values are undesirable" if question.reversed else ""
        return f"{_points(question.scale)} ({question.level}){turned}"
    if isinstance(question, SliderQuestion):
        ends = ((question.min, question.min_words), (question.max, question.max_words))
        low, high = (f"{number_text(end)} ({words})" if words else number_text(end) for end, words in ends)
        return f"slider from {low} to {high}"
    if isinstance(question, CategoryQuestion):
        codes = ", ".join(words or code for code, words in question.codes.items())
        return f"{codes} (several possible)" if question.multiple else codes
    if isinstance(question, ChoiceQuestion):
        return _choice_words(question)
    return {"ranking": "the order of the responses", "highlight": "marked words"}.get(question.type, "free text")


def _choice_words(question: ChoiceQuestion) -> str:
    others = [{"tie": "about the same"}.get(word, word) for word in question.words]
    answers = or_list(["one of the two responses", *others]) if others else "one of the two responses (no ties)"
    return f"{answers}; strength of preference: {_points(question.strength)}" if question.strength else answers


def _points(scale: Scale) -> str:
    return ", ".join(f"{number_text(point.value)} {point.words}".strip() for point in scale.points)


def composite_sentences(protocol: Protocol) -> Iterator[str]:
    """Each composite with its questions."""
    name = protocol.labels.question
    for key, one in protocol.analysis.composites.items():
        reversed_ = [name(asked) for asked in one.questions if getattr(protocol.question(asked), "reversed", False)]
        turned = f", with {and_list(reversed_)} reverse-scored" if reversed_ else ""
        is_partial = one.n_needed < len(one.questions)
        least = f" It needs answers to at least {one.n_needed} of them." if is_partial else ""
        of = f"{counted(len(one.questions), 'question')}: {and_list(map(name, one.questions))}"
        yield f"{name(key)} is the {one.score} of {of}{turned}.{least}"


def decision_sentences(protocol: Protocol) -> Iterator[str]:
    """The reference, what counts as high, and margins."""
    analysis, labels = protocol.analysis, protocol.labels
    if protocol.reference and len(protocol.sources) > 1:
        yield f"Differences are source minus reference; the reference is {labels.source(protocol.reference)}."
    yield from _cuts(protocol)
    margins = dict.fromkeys([*analysis.margin, *(one.question for one in analysis.primary if one.margin)])
    for key in margins:
        yield f"The margin of {labels.question(key)} is {number_text(analysis.margin_of(key) or 0)} points."


def _cuts(protocol: Protocol) -> Iterator[str]:
    """Which ratings count as high; questions with the same answers share a sentence."""
    alike: dict[str, list[str]] = {}
    for key, cut in protocol.analysis.cut.items():
        alike.setdefault(_high(protocol, key, cut), []).append(key)
    scales = {one.key for one in protocol.scaled_questions if one.target != "rater"}
    for words, keys in alike.items():
        is_every = len(keys) > MAX_SCALES and {*keys} == scales
        on = f"all {spelled_out(len(keys))} scales" if is_every else and_list(map(protocol.labels.question, keys))
        yield f"Ratings of {words} counted as high on {on}."


def _high(protocol: Protocol, key: str, cut: float) -> str:
    """The ratings at or above the cut: the points of a scale, otherwise a number."""
    question = protocol.question(key)
    points = question.values if isinstance(question, RatingQuestion) else ()
    high = [number_text(value) for value in points if value >= cut]
    return or_list(high) if high else f"{number_text(cut)} or more"
