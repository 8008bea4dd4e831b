"""Exports of annotation tools as one row per annotator and item: Label Studio, Argilla and Potato.

Each tool is a row of `TOOLS`: the columns by which its file is known, and how one record gives answers. What follows is
the same as for any spreadsheet.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.base.files.table import Table
from app.base.problems import Problems

# What one annotator answered about one record: item, rater, what was shown, and a cell for each question.
Row = dict[str, str]
ITEM, RATER = "item", "rater"
# Columns that tell which item was shown.
_ITEMS = frozenset({"item", "item_id", "response", "response_id"})
_TRUE = ("true", "True", "1.0")
_USERS, _STATUS, _SUBMITTED = ".responses.users", ".responses.status", ("submitted", "")
_ORIGIN, _PEOPLE = "annotator_origin", ("", "human", '{"kind": "human"}')


@dataclass(frozen=True, slots=True)
class Tool:
    """An annotation tool: the columns of its file, and its answers in one record."""

    name: str
    columns: frozenset[str]
    rows: Callable[[Mapping[str, str]], Iterator[Row]]


def answers_of_tool(table: Table, problems: Problems) -> Table | None:
    """The export of a tool with one row per annotator and item; None if the table is no such export."""
    found = next((tool for tool in TOOLS if tool.columns <= table.columns.keys()), None)
    if found is None and any(name.endswith(_USERS) for name in table.columns):
        found = FLAT_ARGILLA
    if found is None:
        return None
    table = _by_people(table, problems)
    rows: list[tuple[int, Row]] = []
    for place, number in enumerate(table.rows):
        record = {name: str(cells[place]) for name, cells in table.columns.items()}
        rows += [(int(number), row) for row in found.rows(record)]
    if not rows:
        problems.add(table.file, None, None, f"an export of {found.name} without answers", "at least one answer")
    problems.note(
        table.file, None, None, f"an export of {found.name}", "one row per annotator and item; it was read so"
    )
    names = dict.fromkeys(name for _, row in rows for name in row)
    columns = {name: np.array([row.get(name, "") for _, row in rows], dtype=object) for name in names}
    return Table(table.file, np.array([number for number, _ in rows], dtype=np.int64), columns, is_utf8=table.is_utf8)


def _by_people(table: Table, problems: Problems) -> Table:
    """The table without the annotations that Potato declares as a program's: they would count as a person's."""
    is_person = np.isin(table.column(_ORIGIN).astype(str), _PEOPLE)
    if not is_person.all():
        found = f"{(~is_person).sum()} annotations by programs ({_ORIGIN})"
        allowed = "answers of people; the others were left out. Import them alone with --rater-kind model"
        problems.note(table.file, int(table.rows[~is_person][0]), _ORIGIN, found, allowed)
        if is_person.any():
            table = table.only(is_person)
    kept = {name: cells for name, cells in table.columns.items() if not name.startswith(_ORIGIN)}
    return Table(table.file, table.rows, kept, is_utf8=table.is_utf8)


def _label_studio(record: Mapping[str, str]) -> Iterator[Row]:
    """Tasks in Label Studio's JSON: `data` was shown, each of the `annotations` is one annotator's."""
    shown = _shown(_object(_parsed(record["data"])), record["id"])
    for annotation in _objects(_parsed(record["annotations"])):
        if annotation.get("was_cancelled"):
            continue
        by = annotation.get("completed_by")
        answers: dict[str, list[str]] = {}
        for result in _objects(annotation.get("result")):
            value = _object(result.get("value"))
            if name := _cell(result.get("from_name")):
                # pairwise comparisons say which side was selected
                said = value.get(_cell(result.get("type")), value.get("selected"))
                answers.setdefault(name, []).append(_cell(said))
        rater = by.get("email") or by.get("id") if isinstance(by, dict) else by
        yield {**shown, RATER: _cell(rater), **{name: "|".join(cells) for name, cells in answers.items()}}


def _argilla(record: Mapping[str, str]) -> Iterator[Row]:
    """Records in Argilla's JSON: `fields` were shown, `responses` are lists of value and user for each question."""
    shown = _shown(_object(_parsed(record["fields"])) | _object(_parsed(record.get("metadata", ""))), record["id"])
    by_user: dict[str, Row] = {}
    for question, answers in _object(_parsed(record["responses"])).items():
        for answer in _objects(answers):
            by_user.setdefault(_cell(answer.get("user_id")), {})[question] = _cell(answer.get("value"))
    for user, answers in by_user.items():
        yield {**shown, RATER: user, **answers}


def _flat_argilla(record: Mapping[str, str]) -> Iterator[Row]:
    """The same as Argilla's data set: lists of values, users and states for each question."""
    questions = [name.removesuffix(_USERS) for name in record if name.endswith(_USERS)]
    parts = (".responses", ".suggestion", "vectors")
    shown = {name: cell for name, cell in record.items() if not any(part in name for part in parts)}
    by_user: dict[str, Row] = {}
    for question in questions:
        values, users, states = (
            _list(_parsed(record.get(f"{question}{end}", ""))) for end in (".responses", _USERS, _STATUS)
        )
        for place, user in enumerate(users):
            if place < len(values) and (place >= len(states) or _cell(states[place]) in _SUBMITTED):
                by_user.setdefault(_cell(user), {})[question] = _cell(values[place])
    for user, answers in by_user.items():
        yield {**_shown(shown, record.get("id", "")), RATER: user, **answers}


def _potato(record: Mapping[str, str]) -> Iterator[Row]:
    """Potato's JSON lines, or its table with a column `scheme.label` for each label: an annotator and an instance."""
    schemes = _object(_parsed(record.get("labels", "")))
    for name, cell in record.items():
        scheme, dot, label = name.partition(".")
        if dot and cell and not label.startswith("_"):
            schemes[scheme] = {**_object(schemes.get(scheme)), label: cell}
        elif not dot and name not in {"instance_id", "user_id", "labels", "spans", "links"}:
            schemes[scheme] = cell
    answers: Row = {}
    for scheme, labels in schemes.items():
        answers |= _of_scheme(scheme, labels)
    yield {ITEM: record["instance_id"], RATER: record["user_id"], **answers}


def _of_scheme(scheme: str, labels: object) -> Row:
    """The labels of a scheme: those that are set, the value of the only one, or several answers with their labels."""
    if not isinstance(labels, dict):
        return {scheme: _cell(labels)}
    said = {label: _cell(value) for label, value in labels.items() if value not in (None, "", False)}
    chosen = [label for label, value in said.items() if value in {*_TRUE, label}]
    if len(chosen) == len(said):
        return {scheme: "|".join(chosen)}
    return {scheme: next(iter(said.values()))} if len(said) == 1 else {f"{scheme} {k}": v for k, v in said.items()}


def _shown(data: Mapping[str, Any], number: str) -> Row:
    """What was shown, with an item: the one that the data name, otherwise the record's ID."""
    named = {name: _cell(value) for name, value in data.items()}
    return named if _ITEMS & named.keys() else {ITEM: number} | named


def _parsed(cell: str) -> Any:  # noqa: ANN401 - JSON
    """The JSON in a cell; None if there is none."""
    try:
        return json.loads(cell, parse_float=str, parse_int=str)
    except ValueError:
        return None


def _object(value: object) -> dict[str, Any]:
    """The value if it is a JSON object, otherwise an empty one: its cells are then missing."""
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _objects(value: object) -> list[dict[str, Any]]:
    return [one for one in _list(value) if isinstance(one, dict)]


def _cell(value: object) -> str:
    """A value as a spreadsheet has it: the only one of a list, several codes joined by a bar."""
    match value:
        case None:
            return ""
        case str():
            return value
        case bool():
            return str(value).lower()
        case [*several] if all(isinstance(one, str) for one in several):
            return "|".join(str(one) for one in several)
    return json.dumps(value, ensure_ascii=False)


FLAT_ARGILLA = Tool("Argilla", frozenset(), _flat_argilla)
TOOLS = (
    Tool("Label Studio", frozenset({"id", "data", "annotations"}), _label_studio),
    Tool("Argilla", frozenset({"id", "fields", "responses"}), _argilla),
    Tool("Potato", frozenset({"instance_id", "user_id"}), _potato),
)
