"""Sheet: one rating page put in order, from an assignment and its questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from app.actions.rating.rating import slots_of, stage_of_page
from app.design.page_slots import places_as_read
from app.design.presentation import Presentation, presentation
from app.design.protocol.study import Protocol
from app.design.questions.question import Target
from app.design.questions.slot import response_name
from app.language.language import language_of
from app.language.message import Message
from app.storage.assignments.assignment_view import AssignmentView
from app.web.rater.trial.fields import Field, fields_of


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a dialogue, with the questions beside it. `voice` counts the speakers from 0.

    `is_now`: it was revealed last.
    """

    speaker: str
    text: str
    voice: int
    fields: tuple[Field, ...]
    is_now: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that is read: one text, or turns. `name` tells the texts of a page apart: item, r0, r1."""

    name: str
    text: str | None
    turns: tuple[Turn, ...]

    @property
    def unasked(self) -> Passage:
        """The text alone, without the questions beside its turns."""
        return replace(self, turns=tuple(replace(turn, fields=()) for turn in self.turns))


@dataclass(frozen=True, slots=True)
class ResponseCard:
    """A response as it is shown, with the questions about it."""

    name: Message
    label: str | None
    passage: Passage
    fields: tuple[Field, ...]

    @property
    def all_fields(self) -> tuple[Field, ...]:
        """The fields beside its turns, then those about it as a whole."""
        return (*(field for turn in self.passage.turns for field in turn.fields), *self.fields)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole page. `is_pair_first`: the protocol asks for the choice before the ratings.

    `turn`: the turn that was revealed last, where a dialogue unfolds and there is more to come.
    """

    shown: Presentation
    situation: Passage
    cards: tuple[ResponseCard, ...]
    pair: tuple[Field, ...]
    item: tuple[Field, ...]
    is_pair_first: bool
    turn: int | None = None

    @property
    def fields(self) -> tuple[Field, ...]:
        """Every field, in the order in which the page has them."""
        cards = [field for card in self.cards for field in card.all_fields]
        middle = [*self.pair, *cards] if self.is_pair_first else [*cards, *self.pair]
        return (*(field for turn in self.situation.turns for field in turn.fields), *middle, *self.item)

    @property
    def wrong(self) -> tuple[Field, ...]:
        """The fields that an error stands at."""
        return tuple(field for field in self.fields if field.error)

    @property
    def has_card_fields(self) -> bool:
        """Whether anything is asked of each response."""
        return any(card.fields for card in self.cards)


def make_sheet(
    protocol: Protocol,
    view: AssignmentView,
    *,
    form: Mapping[str, Sequence[str]] | None = None,
    wrong: Mapping[str, Message],
) -> Sheet:
    """The page of an assignment, with the answers so far, or with a form that came back."""
    shown, turn = presentation(protocol, view.condition), stage_of_page(protocol, view).turn
    language = language_of(protocol.language)
    fields = fields_of(
        slots_of(protocol, view),
        language,
        view.answers,
        form=form,
        wrong=wrong,
        is_turned=shown.scale_turned,
    )
    targets = [question.target for question in protocol.questions]
    by_target = {t: tuple(f for f in fields if f.question.target == t) for t in get_args(Target)}
    # Where responses are dialogues these unfold below the situation; else the situation does, and they come at the end.
    in_responses = any(response["turns"] for response in view.responses)
    n_cards = 0 if turn is not None and not in_responses else len(view.responses)
    places = places_as_read(n_cards, is_right_to_left=language.is_right_to_left)
    cards = tuple(_card(view, nth, place, by_target, turn) for nth, place in enumerate(places))
    return Sheet(
        shown=shown,
        situation=_passage(
            "item",
            view.text,
            view.turns,
            [f for f in by_target["turn"] if f.slot.place is None],
            None if in_responses else turn,
        ),
        cards=cards,
        # A trial has two responses or more, so that one of the two is empty.
        pair=by_target["pair"] + by_target["set"],
        item=by_target["item"],
        is_pair_first=_is_first(targets, "pair", "response") or _is_first(targets, "set", "response"),
        turn=turn,
    )


def _is_first(targets: Sequence[Target], one: Target, other: Target) -> bool:
    """Whether questions of both targets are asked, and those of the one first."""
    return one in targets and other in targets and targets.index(one) < targets.index(other)


def _card(
    view: AssignmentView, nth: int, place: int, by_target: Mapping[str, Sequence[Field]], last: int | None
) -> ResponseCard:
    response = view.responses[place]
    own = {target: [f for f in fields if f.slot.place == place] for target, fields in by_target.items()}
    label = view.shown_labels[place] if view.shown_labels else None
    passage = _passage(f"r{place}", response["text"], response["turns"], own["turn"], last)
    return ResponseCard(response_name(nth, len(view.responses)), label, passage, tuple(own["response"]))


def _passage(
    name: str, text: str | None, turns: Sequence[Mapping[str, str]] | None, fields: Sequence[Field], last: int | None
) -> Passage:
    """The text, or its turns up to the last that is revealed."""
    voices: dict[str, int] = {}
    return Passage(
        name,
        text,
        tuple(
            Turn(
                speaker=(speaker := str(turn.get("speaker", ""))),
                text=str(turn.get("text", "")),
                voice=voices.setdefault(speaker, len(voices)),
                fields=tuple(f for f in fields if f.slot.turn == number),
                is_now=number == last,
            )
            for number, turn in enumerate((turns or ())[:last], start=1)
        ),
    )
