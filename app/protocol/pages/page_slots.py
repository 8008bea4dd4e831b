"""The questions on a page: one slot per question and thing that it is asked about."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.protocol.allocation.trials import PAIR
from app.protocol.cells import applies
from app.protocol.questions.display import places_as_read
from app.protocol.questions.of_set import MIN_SET
from app.protocol.questions.question import Target
from app.protocol.questions.registry import Question
from app.protocol.questions.slot import Slot
from app.protocol.study import Protocol

# In the order in which the page asks about them.
_TARGETS: tuple[Target, ...] = ("turn", "response", "pair", "set", "item")


@dataclass(frozen=True, slots=True)
class Shown:
    """The content of a page that questions depend on. Texts of a dialogue are its turns; in pairs, left comes first.

    `own_turns`: the numbers of the turns that the rater wrote, in the conversation that they had.
    """

    response_ids: tuple[int, ...] = ()
    n_item_turns: int = 0
    n_response_turns: tuple[int, ...] = ()
    condition: str = ""
    item_texts: tuple[str, ...] = ()
    response_texts: tuple[tuple[str, ...], ...] = ()
    is_right_to_left: bool = False
    own_turns: frozenset[int] = frozenset()

    def has_turn(self, question: Question, turn: int) -> bool:
        """Whether the question is about this turn of a response."""
        return question.turns == "all" or (question.turns == "own") == (turn in self.own_turns)


def slots_of_trial(protocol: Protocol, shown: Shown) -> tuple[Slot, ...]:
    """Every slot of a rating page, in the order of the page."""
    return tuple(slot for target in _TARGETS for slot in _slots(protocol, target, shown))


def slots_of_rater(protocol: Protocol, condition: str = "") -> tuple[Slot, ...]:
    """The slots of the questions about the rater that are asked in this rater's condition."""
    return tuple(_slots(protocol, "rater", Shown(condition=condition)))


def _slots(protocol: Protocol, target: Target, shown: Shown) -> Iterator[Slot]:
    for number, question in enumerate(protocol.questions):
        if question.target != target or not applies(question.condition, shown.condition):
            continue
        for slot in _slots_of_question(f"q{number}", question, shown):
            yield _with_passages(slot, shown) if question.measure == "passages" else slot


def _slots_of_question(name: str, question: Question, shown: Shown) -> Iterator[Slot]:
    n_shown = len(shown.response_ids)
    places = places_as_read(n_shown, is_right_to_left=shown.is_right_to_left)
    if question.target == "response":
        for nth, place in enumerate(places):
            own = shown.response_ids[place]
            yield Slot(f"{name}r{place}", question, place=place, response_id=own, nth=nth, n_shown=n_shown)
    elif question.target == "turn" and any(shown.n_response_turns):
        for nth, place in enumerate(places):
            turns = range(1, shown.n_response_turns[place] + 1)
            for turn in (one for one in turns if shown.has_turn(question, one)):
                yield Slot(
                    f"{name}r{place}t{turn}",
                    question,
                    place=place,
                    response_id=shown.response_ids[place],
                    turn=turn,
                    nth=nth,
                    n_shown=n_shown,
                )
    elif question.target == "turn":
        for turn in range(1, shown.n_item_turns + 1):
            yield Slot(f"{name}t{turn}", question, turn=turn)
    elif question.target == "set" and n_shown >= MIN_SET:
        yield Slot(name, question, n_shown=n_shown, shown=shown.response_ids)
    elif question.target in {"item", "rater"} or (question.target == "pair" and n_shown == PAIR):
        yield Slot(name, question)


def _with_passages(slot: Slot, shown: Shown) -> Slot:
    texts = shown.item_texts if slot.place is None else shown.response_texts[slot.place]
    if slot.turn is not None:
        return replace(slot, passages=texts[slot.turn - 1 : slot.turn])
    n_turns = shown.n_item_turns if slot.place is None else shown.n_response_turns[slot.place]
    return replace(slot, passages=texts, in_turns=n_turns > 0)
