"""The rating page as plain text: what a rater reads on it, in the same words and order. Model judges read this text."""

from collections.abc import Iterator

from app.base.language.language import Language
from app.base.language.message import message
from app.protocol.study import Protocol
from app.rating.page.sheet import Block, Passage, Sheet
from app.rating.seats.assignment_view import AssignmentView

# Each line of a situation or response begins with this mark, so that no text of the study can pass for another part.
QUOTE = "> "


def instructions_text(protocol: Protocol, language: Language) -> str:
    """What raters read before their first trial: the title and the instructions, as written (Markdown)."""
    parts = [protocol.title_for_raters, protocol.instructions.strip()]
    if protocol.hides_sources:
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
    if view.image:
        yield language.say(message("Image:"))
        yield from quoted(view.image["alt"])
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
    if note := first.question.note():
        yield language.say(note)
    yield from first.question.how_to_answer(first.display)
    for option in first.defined:
        yield f"{option.words}: {option.definition}"
    about = [language.say(field.about) for field in block.rows if field.about]
    if about:
        yield f"({'; '.join(about)})"
    if first.question.comment:
        yield f"{language.say(message('Comment'))} {language.say(message('(optional)'))}"
