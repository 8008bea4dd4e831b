"""The value of each answer, by the type of its question."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from app.base.files.cells import Mask, Places
from app.base.files.table import Column
from app.base.words import number, number_text, or_list
from app.protocol.dialogue import turns_from_json
from app.protocol.questions.of_set import MIN_SET, SetQuestion
from app.protocol.questions.question import Given
from app.protocol.questions.registry import PreferenceQuestion, Question
from app.protocol.questions.scale import Scale
from app.protocol.questions.spans import read_spans
from app.protocol.study import Protocol
from app.studies.folder.ratings.targets import AMBIGUOUS, UNKNOWN, Sheet, Study, Targets

Shown = frozenset[str]
Passages = tuple[tuple[str, ...], bool]


# Forced choices: the chosen response, tie or neither, within the pair that was compared.


def check_choices(
    question: PreferenceQuestion, rows: Mask, sheet: Sheet, targets: Targets, answers: dict[str, Column]
) -> None:
    """Fill in outcome, chosen and strength for these rows."""
    value = sheet.table.stripped("value")
    is_word = rows & np.isin(value, question.words)
    answers["outcome"][is_word] = value[is_word]
    pair = _pair(rows & sheet.ok, sheet, targets)
    picks = rows & sheet.ok & ~is_word
    chosen = _chosen(sheet, pair, targets)
    ambiguous = picks & (chosen == AMBIGUOUS)
    sheet.reject(ambiguous, "value", "a response ID, because both responses in this pair are from that source")
    _reject_unknown(question, picks & (chosen == UNKNOWN), pair, sheet, targets)
    picks &= sheet.ok
    answers["outcome"][picks] = "response"
    answers["chosen"][picks] = targets.replies.at(chosen)[picks]
    if question.strength is not None:
        _check_strength(question.strength, rows, picks, sheet, answers["strength"])


def _reject_unknown(
    question: PreferenceQuestion, where: Mask, pair: tuple[Places, Places], sheet: Sheet, targets: Targets
) -> None:
    """Name the sources of the pair: there are few of them, so that many wrong rows stay few kinds of problem."""
    places = np.flatnonzero(where)
    sources = np.sort([targets.replies.source[side[places]] for side in pair], axis=0).T
    for kind in np.unique(sources, axis=0) if len(places) else ():
        same = np.zeros_like(where)
        same[places[(sources == kind).all(axis=1)]] = True
        names = dict.fromkeys(targets.replies.sources[code] for code in kind)
        sheet.reject(same, "value", f"{or_list([*names, *question.words])}, or the ID of one of the two responses")


def _pair(rows: Mask, sheet: Sheet, targets: Targets) -> tuple[Places, Places]:
    """Return the two responses of each row: as named, otherwise those of an item that has exactly two."""
    named = targets.left >= 0
    n_responses = targets.replies.count(targets.item)
    for count in np.unique(n_responses[rows & ~named]):
        if count != 2:  # noqa: PLR2004 - two responses
            where = rows & ~named & (n_responses == count)
            allowed = f"the two responses compared, because the item has {count}"
            sheet.reject(where, "left_response" if count else "item", allowed)
    first, second = targets.replies.first_two(targets.item)
    return np.where(named, targets.left, first), np.where(named, targets.right, second)


def _chosen(sheet: Sheet, pair: tuple[Places, Places], targets: Targets) -> Places:
    """Return the position of the response that the value names by ID or source; UNKNOWN if it is not in the pair."""
    by_id = sheet.table.places("value", targets.replies.index)
    source = sheet.table.places("value", targets.replies.sources)
    first, second = pair
    is_id = (by_id >= 0) & ((by_id == first) | (by_id == second))
    of_first, of_second = (_is_of(side, source, targets) for side in pair)
    chosen = np.where(of_first, first, np.where(of_second, second, UNKNOWN))
    chosen = np.where(of_first & of_second, AMBIGUOUS, chosen)
    return np.where(is_id, by_id, chosen)


def _is_of(response: Places, source: Places, targets: Targets) -> Mask:
    same = np.zeros(len(response), dtype=bool)
    known = (response >= 0) & (source >= 0)
    same[known] = targets.replies.source[response[known]] == source[known]
    return same


def _check_strength(scale: Scale, rows: Mask, picks: Mask, sheet: Sheet, strengths: Column) -> None:
    given = rows & (sheet.table.stripped("strength") != "")
    points = sheet.table.mapped("strength", lambda text: _point(scale, text))
    off = np.array([point is None for point in points], dtype=bool)
    allowed = or_list(number_text(value) for value in scale.values)
    sheet.reject(given & ~picks, "strength", "nothing, because no response was chosen")
    sheet.reject(given & picks & off, "strength", allowed)
    strengths[given] = points[given]


def _point(scale: Scale, text: str) -> float | None:
    value = number(text)
    return value if value in scale.values else None


# Sets: the numbers that one rater gave to the responses of one item, checked together.


def check_sets(question: SetQuestion, rows: Mask, sheet: Sheet, study: Study, targets: Targets) -> None:
    """Check that every answer is complete, with one number per response, and that its numbers fit each other."""
    rows = rows & sheet.ok
    context = {name: sheet.table.stripped(name)[rows] for name in ("condition", "repeat")}
    table = pd.DataFrame({"rater": targets.rater[rows], "item": targets.item[rows], **context})
    table["repeat"] = table["repeat"].replace("", "0")
    places, sets = np.flatnonzero(rows), _Sets(question, study.protocol, targets)
    for _, group in table.groupby(list(table.columns), sort=False):
        _check_set(question, places[group.index.to_numpy()], sheet, targets, sets)


def _check_set(question: SetQuestion, at: Places, sheet: Sheet, targets: Targets, sets: _Sets) -> None:
    response = targets.response[at]
    if len(np.unique(response)) < len(at):
        return  # A second number for one response is reported separately.
    if allowed := sets.problem(int(targets.item[at[0]]), frozenset(targets.replies.keys[response])):
        _reject(sheet, at[:1], "response", allowed)
        return
    misfit = question.misfit([int(number(text) or 0) for text in sheet.table.stripped("value")[at]])
    if misfit is not None:
        row = sheet.table.rows[at[misfit.first]]
        _reject(sheet, at[[misfit.place]], "value", misfit.allowed.format(row=row))


def _reject(sheet: Sheet, at: Places, name: str, allowed: str) -> None:
    where = np.zeros(len(sheet.table), dtype=bool)
    where[at] = True
    sheet.reject(where, name, allowed)


class _Sets:
    """Knows which responses of an item are shown together."""

    def __init__(self, question: SetQuestion, protocol: Protocol, targets: Targets) -> None:
        self._question = question
        self._keys, self._item = targets.replies.keys, targets.replies.item
        named = [*protocol.design.listed, *(gold.responses for gold in protocol.checks.gold if gold.responses)]
        self._named = {frozenset(keys) for keys in named}
        self._all: dict[int, Shown] = {}

    def problem(self, item: int, given: Shown) -> str | None:
        """Return which responses are allowed instead of these; None if these are shown together."""
        if item not in self._all:
            self._all[item] = frozenset(self._keys[self._item == item])
        whole = self._all[item]
        if len(given) >= MIN_SET and (given == whole or given in self._named):
            return None
        if len(whole) < MIN_SET:
            few = f"an item with at least {MIN_SET} responses; this item has {len(whole)}"
            return f"{few}: add a response to it, or delete this answer"
        missing, asked = or_list(sorted(whole - given)), self._question
        return f"{asked.noun} of all responses to the item; {asked.lacks} for {missing}"


# Highlights: the passages of each answer lie within the text that it marks.


def check_passages(question: Question, rows: Mask, sheet: Sheet, study: Study, targets: Targets) -> None:
    """Reject answers that mark characters beyond the text, or a turn that it does not have."""
    marked, turn = sheet.table.stripped("value"), sheet.table.stripped("turn")
    known: dict[tuple[int, int], Passages | None] = {}
    for at in np.flatnonzero(rows & sheet.ok).tolist():
        text = int(targets.item[at]), -1 if question.target == "item" else int(targets.response[at])
        if text not in known:
            known[text] = _passages(study, *text)
        found = known[text]
        if found is not None and question.target == "turn":
            found = _turn(found, str(turn[at]))
        allowed = None if found is None else beyond(str(marked[at]), *found)
        if allowed:
            where = np.zeros(len(sheet.table), dtype=bool)
            where[at] = True
            sheet.reject(where, "value", allowed)


def beyond(marked: str, passages: tuple[str, ...], in_turns: bool) -> str:  # noqa: FBT001 - a pair with `passages`
    """Return what is allowed if a mark is not within the passages, else an empty text.

    >>> beyond("0-3|9-12", ("I am so sorry",), False), beyond("9-99", ("I am so sorry",), False)
    ('', 'passages within the text, which has 13 characters')
    """
    if read_spans(marked, passages, in_turns=in_turns) is not None:
        return ""
    if in_turns:
        sizes = ", ".join(str(len(passage)) for passage in passages)
        return f"passages within the turns of the text, each with the number of its turn; they have {sizes} characters"
    return f"passages within the text, which has {len(passages[0])} characters"


def passages_of(text: str | None, turns: str | None) -> Passages | None:
    """Return a text or its turns, and whether it has turns; None if the turns are invalid (reported elsewhere)."""
    if not turns:
        return (text or "",), False
    try:
        return tuple(turn["text"] for turn in turns_from_json(turns)), True
    except ValueError:
        return None


def _passages(study: Study, item: int, response: int) -> Passages | None:
    table: pd.DataFrame = study.items if response < 0 else study.responses
    row = table.iloc[item if response < 0 else response]
    return passages_of(row["text"], row["turns"])


def _turn(passages: Passages, number: str) -> Passages | None:
    """Return one turn as a text of its own; None if there is no such turn, which is reported elsewhere."""
    place = int(number) if number.isascii() and number.isdigit() else 0
    return ((passages[0][place - 1],), False) if 1 <= place <= len(passages[0]) else None


COLUMNS = ("number", "outcome", "chosen", "strength", "codes", "text")


def check_answers(sheet: Sheet, study: Study, targets: Targets) -> dict[str, Column]:
    """Return the answers, one column per kind of value; None if a row has another kind."""
    answers = {name: np.full(len(sheet.table), None, dtype=object) for name in COLUMNS}
    _strength_only_where_asked(sheet, study, targets)
    for place, question in enumerate(study.protocol.questions):
        rows = sheet.ok & (targets.question == place)
        if rows.any():
            _check(question, rows, sheet, study, targets, answers)
    return answers


def _check(
    question: Question, rows: Mask, sheet: Sheet, study: Study, targets: Targets, answers: dict[str, Column]
) -> None:
    if isinstance(question, PreferenceQuestion):
        check_choices(question, rows, sheet, targets, answers)
        return
    _check_cells(question, rows, sheet, question.allowed_in_file(), answers)
    if isinstance(question, SetQuestion):
        check_sets(question, rows, sheet, study, targets)
    if question.measure == "passages":
        check_passages(question, rows, sheet, study, targets)


def _check_cells(question: Question, rows: Mask, sheet: Sheet, allowed: str, answers: dict[str, Column]) -> None:
    """Check answers that can be read from the cell alone; each distinct cell is read once."""
    codes, distinct = sheet.table.factor("value")
    asked, of_row = np.unique(codes[rows], return_inverse=True)
    given = [question.read_cell(cell) for cell in distinct[asked]]
    none = np.zeros(len(rows), dtype=bool)
    none[rows] = np.array([value is None for value in given], dtype=bool)[of_row]
    sheet.reject(none, "value", allowed)
    for name, cell_of in _CELLS.items():
        cells = np.empty(len(given), dtype=object)
        cells[:] = [None if value is None else cell_of(value) for value in given]
        answers[name][rows] = cells[of_row]


_CELLS: dict[str, Callable[[Given], object]] = {
    "number": lambda given: given.number,
    "outcome": lambda given: given.outcome,
    "codes": lambda given: None if given.codes is None else "|".join(given.codes),
    "text": lambda given: given.text,
}


def _strength_only_where_asked(sheet: Sheet, study: Study, targets: Targets) -> None:
    asked = [
        number
        for number, question in enumerate(study.protocol.questions)
        if isinstance(question, PreferenceQuestion) and question.strength is not None
    ]
    given = sheet.ok & (sheet.table.stripped("strength") != "")
    sheet.reject(
        given & ~np.isin(targets.question, asked), "strength", "nothing, because the question does not ask for strength"
    )
