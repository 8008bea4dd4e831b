"""The sheet: the content of a rating page, built from an assignment and its questions."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from app.base.language.language import language_of
from app.base.language.message import Message, message
from app.base.rendering.markdown import response_markdown
from app.protocol.pages.reveal import Stage
from app.protocol.presentation import Presentation, presentation
from app.protocol.questions.display import letter, places_as_read, response_name
from app.protocol.questions.slot import Slot
from app.protocol.study import Protocol
from app.rating.conversations.turns import notes_in
from app.rating.page.fields import Field, fields_of, in_matrices
from app.rating.rater_path import asked_now
from app.rating.seats.assignment_view import AssignmentView

Render = Callable[[str], str | None]
Shape = Literal["side-by-side", "stacked", "one-at-a-time", "alone", "none"]
# From this number of words on, a response has the full width, and the others are shown with a switch.
LONG_WORDS = 250
# A page that shows its texts whole.
NOT_BY_TURNS = Stage()
_PAIR = 2
OWN = message("You")


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a dialogue. `voice` numbers speakers from 0. `is_now`: revealed last. `html`: as in `Passage`."""

    speaker: str
    text: str
    voice: int
    is_now: bool = False
    html: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to read, or its turns. `name` identifies it on the page: item, r0, r1. `html`: how it is shown if not as
    written.
    """

    name: str
    text: str | None
    turns: tuple[Turn, ...]
    html: str | None = None

    @property
    def n_words(self) -> int:
        """Number of words."""
        return sum(len(text.split()) for text in (self.text or "", *(turn.text for turn in self.turns)))


@dataclass(frozen=True, slots=True)
class ResponseCard:
    """A response as shown. `letter` is its short name if there are several."""

    name: Message | str
    letter: str
    label: str | None
    passage: Passage


@dataclass(frozen=True, slots=True)
class Block:
    """One question with everything that it is asked about: one row per response or turn."""

    rows: tuple[Field, ...]

    @property
    def first(self) -> Field:
        """The first row, which provides the text of the question."""
        return self.rows[0]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The content of a page. `stage`: how far its dialogue is revealed. `minutes_left`: for the whole list of pages."""

    shown: Presentation
    situation: Passage
    cards: tuple[ResponseCard, ...]
    blocks: tuple[Block, ...]
    shape: Shape
    layout: Literal["matrix", "separate"] = "matrix"
    stage: Stage = NOT_BY_TURNS
    minutes_left: int | None = None
    offers_pause: bool = False

    @property
    def turn(self) -> int | None:
        """The turn that was revealed last, if a dialogue has more turns to reveal."""
        return self.stage.turn

    @property
    def part_done(self) -> str:
        """The part of the trial that is done, as decimals after its number: of the pages of its turns and the last."""
        return f"{self.stage.n_done / (self.stage.n_turns + 1):.2f}"[1:] if self.stage.n_done else ""

    @property
    def parts(self) -> tuple[tuple[Field, ...], ...]:
        """The rows of each question, or the statements of several questions that are one matrix."""
        return in_matrices([block.rows for block in self.blocks], self.layout)

    @property
    def fields(self) -> tuple[Field, ...]:
        """All fields, in the order of the page."""
        return tuple(field for block in self.blocks for field in block.rows)

    @property
    def wrong(self) -> tuple[Field, ...]:
        """The fields with errors."""
        return tuple(field for field in self.fields if field.error)

    @property
    def as_asked(self) -> Hashable | None:
        """What its questions depend on besides the protocol; None if there are answers or errors."""
        if any(field.is_filled for field in self.fields):
            return None
        slots = [field.slot for field in self.fields]
        return self.shown.scale_turned, tuple((slot.name, slot.nth, slot.n_shown, slot.in_turns) for slot in slots)

    @property
    def has(self) -> frozenset[str]:
        """The types of its questions; only their scripts are loaded."""
        return frozenset(field.question.type for field in self.fields)


def _shape(cards: Sequence[ResponseCard]) -> Shape:
    """The layout of the responses on a wide screen; on a narrow one, several are always shown with a switch."""
    if len(cards) <= 1:
        return "alone" if cards else "none"
    if max(card.passage.n_words for card in cards) >= LONG_WORDS:
        return "one-at-a-time"
    return "side-by-side" if len(cards) == _PAIR else "stacked"


def make_sheet(
    protocol: Protocol,
    view: AssignmentView,
    *,
    asked: tuple[Stage, Sequence[Slot]] | None = None,
    form: Mapping[str, Sequence[str]] | None = None,
    wrong: Mapping[str, Message],
) -> Sheet:
    """The page of an assignment, with the stored answers or with a submitted form; `asked`: if it is known already."""
    shown = presentation(protocol, view.condition)
    stage, slots = asked or asked_now(protocol, view)
    language = language_of(protocol.language)
    fields = fields_of(slots, language, view.answers, form=form, wrong=wrong, is_turned=shown.scale_turned)
    return _sheet(protocol, view, _blocks(protocol, fields), stage, shown)


def reading_sheet(protocol: Protocol, view: AssignmentView) -> Sheet:
    """The texts of a page as raters read them, whole and without any questions."""
    return _sheet(protocol, view, (), NOT_BY_TURNS, presentation(protocol, view.condition))


def _sheet(
    protocol: Protocol, view: AssignmentView, blocks: tuple[Block, ...], stage: Stage, shown: Presentation
) -> Sheet:
    # Responses that are dialogues are revealed below the situation; otherwise the situation is, before the responses.
    turn = stage.turn
    in_responses = any(response["turns"] for response in view.responses)
    n_cards = 0 if turn is not None and not in_responses else len(view.responses)
    places = places_as_read(n_cards, is_right_to_left=language_of(protocol.language).is_right_to_left)
    situation = _passage("item", view.text, view.turns, None if in_responses else turn)
    render = response_markdown if protocol.render == "markdown" else _as_written
    # In their own conversation, raters find themselves; their own text is named so.
    own = language_of(protocol.language).say(OWN) if protocol.writing else None
    notes = notes_in(protocol, view.condition)
    cards = tuple(_card(view, nth, place, turn, render, own, notes) for nth, place in enumerate(places))
    return Sheet(
        shown,
        situation,
        cards,
        blocks,
        _shape(cards),
        protocol.layout,
        stage,
        view.minutes_left,
        offers_pause=view.offers_pause and protocol.design.blocks is None and stage.n_done == 0,
    )


def _blocks(protocol: Protocol, fields: Sequence[Field]) -> tuple[Block, ...]:
    """One block per question, in the order of the protocol."""
    place = {question.key: number for number, question in enumerate(protocol.questions)}

    def of(field: Field) -> int:
        return place[field.question.key]

    return tuple(Block(tuple(rows)) for _, rows in groupby(sorted(fields, key=of), key=of))


def _card(
    view: AssignmentView,
    nth: int,
    place: int,
    last: int | None,
    render: Render,
    own: str | None,
    notes: Message | str | None,
) -> ResponseCard:
    response, n_shown = view.responses[place], len(view.responses)
    label = view.shown_labels[place] if view.shown_labels else None
    passage = _passage(f"r{place}", response["text"], response["turns"], last, render, own, view.own_turns)
    name: Message | str = response_name(nth, n_shown)
    if n_shown == 1 and passage.turns:
        is_own = all(turn.speaker == own for turn in passage.turns)
        name = notes if notes and is_own else message("Conversation")
    elif n_shown == 1 and own:
        name = message("Your text")
    return ResponseCard(name, letter(nth) if n_shown > 1 else "", label, passage)


def _as_written(_: str) -> None:
    """No other form of a text than its own."""


def _passage(
    name: str,
    text: str | None,
    turns: Sequence[Mapping[str, str]] | None,
    last: int | None,
    render: Render = _as_written,
    own: str | None = None,
    own_turns: frozenset[int] = frozenset(),
) -> Passage:
    """The text, or its turns up to the last revealed one. `own`: how the rater's `own_turns` are named."""
    voices: dict[str, int] = {}
    return Passage(
        name,
        text,
        tuple(
            Turn(
                speaker=(speaker := own if own and number in own_turns else str(turn.get("speaker", ""))),
                text=(words := str(turn.get("text", ""))),
                voice=int(number in own_turns) if own_turns else voices.setdefault(speaker, len(voices)),
                is_now=number == last,
                html=render(words),
            )
            for number, turn in enumerate((turns or ())[:last], start=1)
        ),
        render(text) if text and text.strip() else None,
    )
