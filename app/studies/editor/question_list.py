"""Add, duplicate, move and remove questions."""

import re
from collections.abc import Collection, Iterable, Mapping
from copy import deepcopy
from typing import Any

from app.base.words import readable
from app.protocol.questions.registry import KINDS
from app.studies.editor.nodes import Data
from app.studies.editor.question_keys import free_key, key_of, without_key
from app.studies.editor.rater_pages import rater_pages, with_order
from app.studies.editor.scale_library import has_scale, scale_parts, with_scale
from app.studies.editor.sections import QUESTIONS, value_at, with_value

# Raters never read it: a study with words in square brackets cannot be opened.
NO_TEXT = "[Your question]"


def questions_in(data: Data) -> list[Any]:
    """Return the questions listed in study.yaml."""
    found = data.get(QUESTIONS)
    return list(found) if isinstance(found, list) else []


def with_new(data: Data, kind: str, target: str = "") -> Data:
    """Append a question of this type with a text to fill in, on the scale of the last question that has one."""
    parts = deepcopy(dict(KINDS[kind].starts_with))
    target = target or str(parts.get("target", ""))
    parts.pop("target", None)
    new: Data = {"key": free_key(data, kind), "type": kind, "target": target, "text": NO_TEXT, **parts}
    if not target:
        del new["target"]
    previous = next((one for one in reversed(questions_in(data)) if isinstance(one, dict) and has_scale(one)), None)
    if previous and previous["type"] == kind:
        new = with_scale(new, scale_parts(previous))
    return {**data, QUESTIONS: [*questions_in(data), new]}


def with_copy(data: Data, question: Data, *, after: int | None = None) -> Data:
    """Insert a copy of a question under a free key, at the end or after the question with this number from 1."""
    key = free_key(data, str(question.get("key", "question")))
    copy = {name: value for name, value in question.items() if name != "label"} | {"key": key}
    questions = questions_in(data)
    questions.insert(len(questions) if after is None else after, copy)
    return {**data, QUESTIONS: questions}


# The number or the bullet before a line of a list.
_MARK = re.compile(r"^(\(?\d+[.)]|[•·▪*–-])\s+")


def statements_in(text: str, data: Data) -> tuple[list[str], list[str], list[str]]:
    r"""The statements in a text, one per line: new ones, those that are a question already, new ones that are repeated.

    >>> statements_in("Warm.\n\nCalm.\nwarm.\nWarm.\nKind.\nkind.", {"questions": [{"text": "Kind."}]})
    (['Warm.', 'Calm.'], ['Kind.'], ['Warm.'])
    >>> statements_in("1. Warm.\n2) Calm.\n• 3 of them stay.", {"questions": []})
    (['Warm.', 'Calm.', '3 of them stay.'], [], [])
    """
    known = {str(one.get("text")).casefold() for one in questions_in(data) if isinstance(one, dict)}
    lines: dict[str, list[str]] = {}
    for line in (_MARK.sub("", " ".join(line.split())) for line in text.splitlines()):
        if line:
            lines.setdefault(line.casefold(), []).append(line)
    new = {plain: same for plain, same in lines.items() if plain not in known}
    there = [same[0] for plain, same in lines.items() if plain in known]
    return [same[0] for same in new.values()], there, [same[0] for same in new.values() if len(same) > 1]


def with_statements(
    data: Data, statements: Iterable[str], target: str, parts: Mapping[str, Any], score: str | None
) -> Data:
    """Append a question per statement, all on the same scale, and combine them into one score if it has a name."""
    keys = []
    for statement in statements:
        key = free_key(data, key_of(statement, str(parts["type"])))
        new = {"key": key, "type": parts["type"], "target": target, "text": statement, **parts}
        data = {**data, QUESTIONS: [*questions_in(data), new]}
        keys.append(key)
    if score is None or not keys:
        return data
    name = free_key(data, key_of(score, "score"))
    label = {} if readable(name) == score or not score else {"label": score}
    there = value_at(data, "analysis.composites")
    composites = dict(there) if isinstance(there, dict) else {}
    composites[name] = {"questions": keys, **label} if label else keys
    return with_value(data, "analysis.composites", composites)


def without(data: Data, number: int) -> Data:
    """Remove one question and what needs it; `number` counts from 0."""
    questions = questions_in(data)
    question = questions[number] if 0 <= number < len(questions) else None
    key = question.get("key") if isinstance(question, dict) else None
    n_same = sum(isinstance(one, dict) and one.get("key") == key for one in questions)
    if key is not None and n_same == 1:
        return without_key(data, str(key))
    return {**data, QUESTIONS: [one for place, one in enumerate(questions) if place != number]}


def without_rating_page(data: Data, kept: Collection[str]) -> Data:
    """Remove all questions of the rating page and what needs them, but those with the keys to keep."""
    keys = [key_in(one) for one in questions_in(data) if not isinstance(one, dict) or one.get("target") != "rater"]
    for key in keys:
        data = without_key(data, key) if key and key not in kept else data
    return data


def moved(data: Data, number: int, place: int) -> Data:
    """Move a question to another place, if there is one; both count from 0."""
    questions = questions_in(data)
    if 0 <= number < len(questions) and 0 <= place < len(questions):
        questions.insert(place, questions.pop(number))
    return {**data, QUESTIONS: questions}


def key_in(question: object) -> str:
    """The key of a question as it is in the file; empty if it has none."""
    return str(question.get("key") or "") if isinstance(question, dict) else ""


def on_pages(data: Data) -> list[tuple[str, list[int]]]:
    """Each page of questions with their positions in the protocol; the rating page comes first and has no title."""
    keys = [key_in(one) for one in questions_in(data)]
    of_rater = [isinstance(one, dict) and one.get("target") == "rater" for one in questions_in(data)]
    pages = [(page.title, [keys.index(key) for key in page.keys if key in keys]) for page in rater_pages(data)]
    placed = {place for _, places in pages for place in places}
    left = [place for place, is_of_rater in enumerate(of_rater) if is_of_rater and place not in placed]
    rating = [place for place, is_of_rater in enumerate(of_rater) if not is_of_rater]
    return [("", rating), *([("Eligibility", left)] if left else []), *(page for page in pages if page[1])]


def neighbours(data: Data) -> dict[int, tuple[int | None, int | None]]:
    """For each place, the places of the questions before and after it on the same page."""
    return {
        place: (places[here - 1] if here else None, places[here + 1] if here + 1 < len(places) else None)
        for _, places in on_pages(data)
        for here, place in enumerate(places)
    }


def acted(data: Data, do: str, target: str) -> Data:
    """The data after a button of a question: `up`, `down`, `duplicate` or `remove` with its key, or `place 3 KEY`."""
    place, _, key = target.partition(" ") if do == "place" else ("", "", target)
    questions = questions_in(data)
    number = next((n for n, one in enumerate(questions) if key_in(one) == key), None)
    if number is None:
        return data
    if do == "remove":
        return without(data, number)
    if do == "duplicate":
        return with_copy(data, questions[number], after=number + 1)
    before, after = neighbours(data).get(number, (None, None))
    goes = {"up": before, "down": after, "place": int(place) if place.isascii() and place.isdecimal() else None}
    to = goes.get(do)
    if to is None or to >= len(questions):
        return data
    return with_order(data, key, key_in(questions[to])) or moved(data, number, to)
