"""The questions of a page as fields of a model's answer, and the answer as the form that a rater would send."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, assert_never

from app.actions.trial_page.options import scale_options
from app.actions.trial_page.plain_text import QUOTE, offers_of, offers_of_field
from app.design.questions.form import read_answers
from app.design.questions.kinds.category import CategoryQuestion
from app.design.questions.kinds.choice import ChoiceQuestion
from app.design.questions.kinds.highlight import HighlightQuestion
from app.design.questions.kinds.ranking import RankingQuestion
from app.design.questions.kinds.rating import RatingQuestion
from app.design.questions.kinds.slider import SliderQuestion
from app.design.questions.kinds.text import TextQuestion
from app.language.language import ENGLISH
from app.models.answers import UnparsedError, read_reply
from app.models.asked import Asked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.actions.trial_page.fields import Field
    from app.actions.trial_page.plain_text import Offer
    from app.actions.trial_page.sheet import Sheet
    from app.design.questions.form import Answer
    from app.models.asked import Kind
    from app.models.probabilities import AnswerProbability

# Questions that models are not asked; the dry run and the docs name them.
NOT_ASKED = (
    "questions about the rater",
    "questions that are asked when a trial is shown again at the end",
    "comments on answers",
)


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """One field of the answer, the field of the form that it fills, and the form's value for each sign."""

    asked: Asked
    form_name: str
    values: Mapping[str, str] = field(default_factory=dict)


def questions_of(sheet: Sheet) -> tuple[PageQuestion, ...]:
    """The fields of a model's answer to a page; they are numbered like the questions of the plain text."""
    return tuple(
        question
        for number, block in enumerate(sheet.blocks, start=1)
        for one in block.rows
        for question in _questions(f"q{number}", one)
    )


def _questions(number: str, one: Field) -> Iterator[PageQuestion]:
    name = "_".join([number, *one.row_name.split()]) if not one.slot.turn else _turn_name(number, one)
    about = one.language.say(one.about) if one.about else ""
    words = f"question {number[1:]}{f', {about}' if about else ''}"
    question = one.question
    required = question.required
    match question:
        case RatingQuestion() | ChoiceQuestion():
            yield _chosen(name, words, one.name, offers_of_field(one), is_required=required)
            if isinstance(question, ChoiceQuestion) and question.strength:
                strength = offers_of(scale_options(question.strength, one.language))
                words = f"{words}: strength of the preference, null without one"
                yield _chosen(f"{name}_strength", words, f"{one.name}.strength", strength, is_required=False)
        case CategoryQuestion():
            offers = offers_of_field(one)
            kind: Kind = "several_of" if question.multiple else "one_of"
            signs = tuple(offer.sign for offer in offers)
            asked = Asked(name, words, kind, signs, required)
            yield PageQuestion(asked, one.name, {offer.sign: offer.value for offer in offers})
        case SliderQuestion():
            offers = offers_of_field(one)
            asked = Asked(name, words, "number", tuple(offer.sign for offer in offers), required)
            yield PageQuestion(asked, one.name, {offer.sign: offer.value for offer in offers})
        case RankingQuestion():
            for row in one.rows:
                about = f"{words}: rank of {one.language.say(row.about)}"
                yield _chosen(f"{name}_{row.letter}", about, row.name, offers_of(one.options), is_required=required)
        case TextQuestion():
            yield PageQuestion(Asked(name, words, "text", (), required), one.name)
        case HighlightQuestion():
            yield PageQuestion(Asked(name, words, "passages", (), required), one.name)
        case _:
            assert_never(question)


def _turn_name(number: str, one: Field) -> str:
    row = one.row_name.split()
    letters = row[:1] if len(row) > 1 else []
    return "_".join([number, *letters, "turn", str(one.slot.turn)])


def _chosen(name: str, about: str, form_name: str, offers: Sequence[Offer], *, is_required: bool) -> PageQuestion:
    asked = Asked(name, about, "one_of", tuple(offer.sign for offer in offers), is_required)
    return PageQuestion(asked, form_name, {offer.sign: offer.value for offer in offers})


def answers_of(sheet: Sheet, questions: Sequence[PageQuestion], text: str, shown: Sequence[int]) -> tuple[Answer, ...]:
    """What a model answered, checked like the form of a rater.

    Args:
        sheet: the page.
        questions: from `questions_of`.
        text: what the model wrote.
        shown: the IDs of the responses as shown, left first.

    Raises:
        UnparsedError: it is no answer to all required questions.
    """
    found = read_reply(text, [one.asked for one in questions])
    form = {one.form_name: _form_values(one, found[one.asked.name]) for one in questions if one.asked.name in found}
    answers = read_answers([one.slot for one in sheet.fields], form, shown)
    if answers.wrong:
        names = {one.form_name.partition(".")[0]: one.asked.name for one in reversed(questions)}
        raise UnparsedError(
            " ".join(f"The field {names[slot]}: {ENGLISH.say(words)}" for slot, words in answers.wrong.items())
        )
    # An empty text is no answer.
    return tuple(answer for answer in answers.given if answer.text != "")


def probabilities_by_slot(
    questions: Sequence[PageQuestion], found: Mapping[str, AnswerProbability], keys: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    """The probability of each allowed answer as written in ratings.csv, or only of the one given, by slot.

    Args:
        questions: from `questions_of`; of a choice with its strength, the choice counts.
        found: the probabilities of a reply, by field.
        keys: the ID of the response on each side.
    """
    by_slot = {}
    for one in questions:
        probability = found.get(one.asked.name)
        if probability is None or one.asked.kind != "one_of" or one.form_name.endswith(".strength"):
            continue
        by_sign = probability.allowed or {probability.sign or "": probability.given}
        by_value = {one.values[sign]: p for sign, p in by_sign.items() if sign in one.values}
        by_slot[one.form_name] = {keys.get(value, value): round(p, 6) for value, p in by_value.items()}
    return {slot: probabilities for slot, probabilities in by_slot.items() if probabilities}


def _form_values(one: PageQuestion, given: Sequence[str]) -> list[str]:
    if one.asked.kind == "passages":
        lines = [line.removeprefix(QUOTE).strip() for passage in given for line in passage.splitlines()]
        return ["\n".join(line for line in lines if line)]
    return [one.values.get(sign, sign) for sign in given] or [""]
