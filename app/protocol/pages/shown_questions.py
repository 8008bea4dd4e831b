"""Which questions of a page about the rater are asked, given the answers so far (`show_if`)."""

from collections.abc import Callable, Mapping, Sequence

from app.protocol.questions.form import Form, read_answer
from app.protocol.questions.question import AnswerError, Given
from app.protocol.questions.slot import Slot
from app.protocol.study import Protocol

# Answers by the key of their question, written as in ratings.csv; several codes are several answers.
Values = Mapping[str, tuple[str, ...]]


# The form field that names the questions that the page asked: those that depend on others were hidden before.
ASKED = "asked"


def values_of(protocol: Protocol, stored: Sequence[Mapping[str, object]]) -> dict[str, tuple[str, ...]]:
    """The stored answers about the rater, with columns `number`, `outcome`, `codes` and `text`."""
    values = {}
    for row in stored:
        question = protocol.question(str(row["question"]))
        if question is not None:
            parts = {name: row[name] for name in ("number", "outcome", "codes", "text")}
            values[question.key] = _cells(question.cell(Given(**parts), {}), row["codes"])  # type: ignore[arg-type]
    return values


def askable(slots: Sequence[Slot], earlier: Values) -> tuple[Slot, ...]:
    """The slots that may be asked on a page, whatever is answered on it: earlier pages rule out the others.

    Args:
        slots: the slots of the page, in order.
        earlier: the answers of other pages.
    """
    own = {slot.question.key for slot in slots}
    kept: dict[str, Slot] = {}
    for slot in slots:
        rule = slot.question.show_if
        is_open = rule is None or (
            rule.question in kept if rule.question in own else rule.holds(earlier.get(rule.question, ()))
        )
        if is_open:
            kept[slot.question.key] = slot
    return tuple(kept.values())


def shown(slots: Sequence[Slot], earlier: Values, answer: Callable[[Slot], tuple[str, ...]]) -> tuple[Slot, ...]:
    """The slots that are asked now. An answer to a question that is not asked does not count.

    Args:
        slots: the slots of the page, in order.
        earlier: the answers of other pages.
        answer: the answer to a slot of this page so far.
    """
    values, kept = dict(earlier), []
    for slot in slots:
        rule = slot.question.show_if
        if rule is None or rule.holds(values.get(rule.question, ())):
            kept.append(slot)
            values[slot.question.key] = answer(slot)
        else:
            values.pop(slot.question.key, None)
    return tuple(kept)


def shown_in_form(slots: Sequence[Slot], earlier: Values, form: Form) -> tuple[Slot, ...]:
    """The slots that are asked, given the answers in a form."""

    def answer(slot: Slot) -> tuple[str, ...]:
        try:
            given = read_answer(slot, form, ())
        except AnswerError:
            return ()
        return () if given is None else _cells(slot.question.cell(given, {}), given.codes)

    return shown(slots, earlier, answer)


def not_yet_asked(slots: Sequence[Slot], form: Form) -> tuple[Slot, ...]:
    """Those of the slots that the page had hidden, and that are asked now."""
    asked = set(form.get(ASKED, ()))
    return tuple(slot for slot in slots if slot.question.show_if and slot.name not in asked)


def _cells(cell: str, codes: object) -> tuple[str, ...]:
    if isinstance(codes, list | tuple):
        return tuple(map(str, codes))
    return (cell,) if cell else ()
