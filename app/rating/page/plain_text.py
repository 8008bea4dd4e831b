"""The rating page as plain text: what a rater reads on it, in the same words and order. Model judges read this text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from app.base.language.language import Language
from app.base.language.message import message, messages
from app.protocol.questions.category import CategoryQuestion
from app.protocol.questions.choice import ChoiceQuestion
from app.protocol.questions.highlight import HighlightQuestion
from app.protocol.questions.ranking import RankingQuestion
from app.protocol.questions.rating import RatingQuestion
from app.protocol.questions.slider import SliderQuestion
from app.protocol.questions.text import TextQuestion
from app.protocol.study import Protocol
from app.rating.page.fields import Field
from app.rating.page.options import Option, scale_options
from app.rating.seats.assignment_view import AssignmentView

if TYPE_CHECKING:
    from app.rating.page.sheet import Block, Passage, Sheet

# Each line of a situation or response begins with this mark, so that no text of the study can pass for another part.
QUOTE = "> "
CANNOT_JUDGE = message("Cannot judge")


@dataclass(frozen=True, slots=True)
class Offer:
    """One answer that a question offers: the sign by which it is named in the text, its words and its value."""

    sign: str
    words: str
    value: str

    @property
    def line(self) -> str:
        """The line of the text that offers it."""
        return f"- {self.sign}" if self.words in {"", self.sign} else f"- {self.sign}: {self.words}"


def offers_of(options: Sequence[Option]) -> tuple[Offer, ...]:
    """The answers by the number shown on the page, or by their words; by their place if those are not unique."""
    signs = [option.sign or option.words for option in options]
    if len(set(signs)) < len(signs):
        signs = [str(number) for number in range(1, len(signs) + 1)]
    return tuple(
        Offer(sign, option.words if option.has_words else "", option.value)
        for sign, option in zip(signs, options, strict=True)
    )


def offers_of_field(field: Field) -> tuple[Offer, ...]:
    """The answers that a field offers, with "cannot judge" if the question allows it."""
    offers = offers_of(field.options)
    if getattr(field.question, "cannot_judge", False):
        words = field.language.say(CANNOT_JUDGE)
        offers = (*offers, Offer(words, words, "cannot_judge"))
    return offers


def instructions_text(protocol: Protocol, language: Language) -> str:
    """What raters read before their first trial: the title and the instructions, as written (Markdown)."""
    parts = [protocol.title_for_raters, protocol.instructions.strip()]
    is_blind = protocol.design.blind and protocol.design.trials not in {"single", "dialogue"}
    if is_blind and not any(factor.kind == "shown_label" for factor in protocol.conditions.values()):
        parts.append(language.say(message("The responses appear in random order, without saying who wrote them.")))
    return "\n\n".join(part for part in parts if part)


def trial_text(sheet: Sheet, view: AssignmentView, language: Language) -> str:
    """The page of a trial: instruction of the condition, situation, responses, and questions with their answers."""
    parts = [sheet.shown.instruction] if sheet.shown.instruction and not view.is_revisit else []
    parts += ["\n".join(_situation(sheet, view, language))]
    is_numbered = _asks_turns(sheet)
    for card in sheet.cards:
        heading = " – ".join(part for part in (language.say(card.name), card.label) if part)
        parts.append("\n".join([heading, "", *_passage(card.passage, language, is_numbered=is_numbered)]))
    parts += ["\n".join(_block(number, block, language)) for number, block in enumerate(sheet.blocks, start=1)]
    return "\n\n".join(parts)


def _asks_turns(sheet: Sheet) -> bool:
    return sum(field.slot.turn is not None for field in sheet.fields) > 1


def _situation(sheet: Sheet, view: AssignmentView, language: Language) -> Iterator[str]:
    speakers = {turn.get("speaker", "") for turn in view.turns or ()}
    # The turns of a single speaker are not a conversation.
    is_told = not view.turns or (len(speakers) == 1 and any(speakers))
    yield language.say(message("Situation") if is_told else message("Conversation"))
    yield ""
    if view.content_note:
        yield language.say(message("Content note:"))
        yield from quoted(view.content_note)
    if view.profile and sheet.shown.profile_shown:
        yield language.say(message("About the person:"))
        yield from quoted(view.profile)
    yield from _passage(sheet.situation, language, is_numbered=_asks_turns(sheet))


def _passage(passage: Passage, language: Language, *, is_numbered: bool) -> Iterator[str]:
    if passage.turns:
        for number, turn in enumerate(passage.turns, start=1):
            if is_numbered or turn.speaker:
                yield f"{f'{language.say(number)}. ' if is_numbered else ''}{turn.speaker}".rstrip()
            yield from quoted(turn.text)
    elif passage.text and passage.text.strip():
        yield from quoted(passage.text)
    else:
        yield language.say(message("(empty)"))


def quoted(text: str) -> Iterator[str]:
    """The lines of a text, each with the mark."""
    for line in text.splitlines() or [""]:
        yield f"{QUOTE}{line}".rstrip()


def _block(number: int, block: Block, language: Language) -> Iterator[str]:
    """A question with everything that it is asked about, and the answers that it offers."""
    first = block.first
    optional = "" if first.question.required else f" {language.say(message('(optional)'))}"
    yield f"{language.say(number)}. {first.question.text}{optional}"
    if first.question.help:
        yield first.question.help
    if isinstance(first.question, TextQuestion) and (least := first.question.min_length):
        yield language.say(messages("At least %(n)s character.", "At least %(n)s characters.", least))
    yield from _answers(first, language)
    about = [language.say(field.about) for field in block.rows if field.about]
    if about:
        yield f"({'; '.join(about)})"
    if first.question.comment:
        yield f"{language.say(message('Comment'))} {language.say(message('(optional)'))}"


def _answers(field: Field, language: Language) -> Iterator[str]:
    """The answers that a question offers, or how it is answered."""
    question = field.question
    match question:
        case RatingQuestion() | CategoryQuestion():
            yield from _offered(field)
        case ChoiceQuestion():
            yield from _offered(field)
            if question.strength:
                yield language.say(message("How strong is your preference?"))
                yield from (offer.line for offer in offers_of(scale_options(question.strength, language)))
        case SliderQuestion():
            ends = [question.min_words or language.say(question.min), question.max_words or language.say(question.max)]
            yield " – ".join(reversed(ends) if field.is_turned else ends)
            yield language.say(message("Number from %(min)s to %(max)s", min=question.min, max=question.max))
            yield from _offered(field)
        case RankingQuestion():
            n = field.slot.n_shown
            yield language.say(message("Give each response a rank from 1 (first) to %(n)s (last).", n=n))
            if question.ties:
                yield language.say(message("Responses you find equally good can share a rank."))
            yield "; ".join(language.say(row.about) for row in field.rows)
        case HighlightQuestion():
            yield language.say(message("Copy the words here from the text, one passage per line."))
        case TextQuestion():
            pass
        case _:
            assert_never(question)


def _offered(field: Field) -> Iterator[str]:
    for offer in offers_of_field(field):
        yield offer.line
