"""The questions that a spreadsheet of ratings answers: their kinds and scales, guessed from the values."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.base.files.table import Table
from app.base.numbers import with_minus
from app.base.words import number, number_text
from app.studies.editor.question_keys import free_key, key_of
from app.studies.imports.answer_table import same_cell
from app.studies.imports.missing_codes import OddValue, ReadAs, odd_values, said_ends, without_codes
from app.studies.imports.name_matching import Names
from app.studies.imports.usual_scales import MAX_POINTS, SLIDER, points_of_values

Columns = list[dict[str, Any]]
Ends = tuple[float | None, float | None]
# So many different answers at most are codes.
_MOST_CODES = 12
_TIES = {"tie": "tie", "equal": "tie", "same": "tie", "both": "tie", "neither": "neither"}
_LONGEST_CODE = 60
# What the only question is called if nothing in the sheet names it.
UNNAMED = "Rating"


@dataclass(frozen=True, slots=True)
class RatedQuestion:
    """A question that the ratings answer, as in study.yaml, with what the sheet has of it.

    `lowest` and `highest` are the ends of its scale; None if its answers are no numbers. `odd`: values that are or may
    be no answers; those that are none count nowhere else.
    """

    name: str
    question: dict[str, Any]
    n_answers: int
    n_raters: int
    lowest: float | None
    highest: float | None
    seen: str
    odd: list[OddValue]


def is_answers(cells: Iterable[str]) -> bool:
    """Whether cells may be answers: numbers of a scale or a slider, or a few short words."""
    filled = {cell.strip() for cell in without_codes(cells)}
    numbers = [number(cell) for cell in filled]
    if all(one is not None for one in numbers):
        return bool(filled) and all(-SLIDER[1] <= one <= SLIDER[1] for one in numbers if one is not None)
    return len(filled) <= _MOST_CODES and max(map(len, filled)) <= _LONGEST_CODE


def rated_questions(
    table: Table,
    columns: Columns,
    sources: Sequence[str],
    scales: Mapping[str, Sequence[str]],
    decided: Mapping[str, Mapping[str, ReadAs]],
) -> list[RatedQuestion]:
    """The questions that the columns of ratings answer, in the order of the sheet.

    Args:
        table: the sheet.
        columns: with the rater and the question of each column of ratings.
        sources: who wrote the responses.
        scales: the lowest and the highest value of the questions whose scale the lead has said, by name.
        decided: what the lead has said of odd values, by name of the question and value.
    """
    found: dict[str, list[_Cells]] = {}
    for name, part in _by_question(table, columns, sources):
        found.setdefault(name, []).append(part)
    taken: list[dict[str, str]] = []
    questions = []
    for name, parts in found.items():
        key = free_key({"questions": taken}, key_of(name, "rating"))
        taken.append({"key": key})
        cells = [cell for part in parts for cell in part.cells]
        if not cells:
            continue
        odd = odd_values([value for value, _ in cells], scales.get(name), decided.get(name, {}))
        skipped = {one.found for one in odd if not one.is_answer}
        answers = [(value, who) for value, who in cells if same_cell(value) not in skipped]
        values = [value for value, _ in answers]
        raters = {who for _, who in answers} - {""}
        ends = said_ends(scales.get(name), skipped)
        is_about_one = all(part.is_about_one for part in parts)
        question, lowest, highest = _question(values, sources, ends, is_about_one=is_about_one)
        label = {} if name == key else {"label": name}
        seen = [with_minus(value) for value in sorted({*values}, key=lambda value: (number(value) or 0, value))]
        shown = f"{seen[0]} to {seen[-1]}" if seen and lowest is not None else ", ".join(seen[:4])
        whole = {"key": key, **question, "text": name, **label}
        questions.append(RatedQuestion(name, whole, len(values), len(raters), lowest, highest, shown, odd))
    return questions


@dataclass(frozen=True, slots=True)
class _Cells:
    """The answers of one column to one question, each with its rater; `is_about_one`: of one response each."""

    cells: list[tuple[str, str]]
    is_about_one: bool


def _by_question(table: Table, columns: Columns, sources: Sequence[str]) -> Iterator[tuple[str, _Cells]]:
    of = {role: next((one["name"] for one in columns if one["role"] == role), None) for role in _IN_ROWS}
    raters, asked = (table.stripped(name) if (name := of[role]) else None for role in ("rater", "question"))
    names = Names.of({source: [] for source in sources})
    for column in columns:
        if column["role"] != "rating":
            continue
        is_about_one = of["source"] is not None or len(sources) == 1
        is_about_one |= names.in_words(column["name"].replace("_", " ").split()) is not None
        cells = table.stripped(column["name"])
        groups: dict[str, list[int]] = {}
        for place, cell in enumerate(cells):
            if cell:
                name = column.get("question") or (asked[place] if asked is not None else "") or UNNAMED
                groups.setdefault(name, []).append(place)
        for name, places in groups.items():
            who = column.get("rater")
            given = [(cells[place], who or ("" if raters is None else raters[place])) for place in places]
            yield name, _Cells(given, is_about_one)


_IN_ROWS = ("rater", "question", "source")


def _question(
    values: Sequence[str], sources: Sequence[str], said: Ends, *, is_about_one: bool
) -> tuple[dict[str, Any], float | None, float | None]:
    """The type, target and scale of a question, and the ends of its scale."""
    target = "response" if is_about_one else "item"
    numbers = [number(value) for value in values]
    if None not in numbers:
        return _scaled([one for one in numbers if one is not None], said, target)
    names = Names.of({source: [] for source in sources})
    others = {_TIES.get(value.casefold()) if names.key(value) is None else "" for value in values}
    if None not in others and not is_about_one:
        return {"target": "pair", "type": "choice", "tie": "tie" in others, "neither": "neither" in others}, None, None
    codes: dict[str, str] = {}
    for value in dict.fromkeys(values):
        codes.setdefault(key_of(value, f"answer_{len(codes) + 1}"), value)
    return {"target": target, "type": "category", "codes": codes}, None, None


def _scaled(numbers: Sequence[float], said: Ends, target: str) -> tuple[dict[str, Any], float, float]:
    is_whole = all(one == int(one) for one in numbers)
    # a slider may be on a usual scale too, such as half points from 1 to 5
    ends = points_of_values(number_text(whole) for one in numbers for whole in (math.floor(one), math.ceil(one)))
    low, high = ends or SLIDER
    first, last = said
    low = min([low if first is None else first, *numbers])
    high = max([high if last is None else last, *numbers])
    if is_whole and high - low < MAX_POINTS and low == int(low) and high == int(high):
        scale = {number_text(float(point)): "" for point in range(int(low), int(high) + 1)}
        return {"target": target, "type": "rating", "scale": scale}, low, high
    return {"target": target, "type": "slider", "min": low, "max": high, "step": _step(numbers)}, low, high


def _step(numbers: Sequence[float]) -> float:
    """The largest usual step that all the values are multiples of."""
    return next(
        (step for step in (1.0, 0.5, 0.1) if all(math.isclose(one, step * round(one / step)) for one in numbers)), 0.01
    )
