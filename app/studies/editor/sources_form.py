"""Sources and columns in forms: sources and what describes them are named, and columns are chosen."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from app.base.words import readable
from app.protocol.study_parts import Source
from app.studies.editor.controls import MORE, Control, Option, named_of, text_of
from app.studies.editor.design_choices import Rules, column_words, labelled_rows
from app.studies.editor.named_choices import fields_of, select
from app.studies.editor.nodes import Data, Named, Scalar
from app.studies.editor.question_keys import free_of, key_of
from app.studies.editor.reading import Form
from app.studies.editor.sections import with_value
from app.studies.editor.stored_texts import Stored

SOURCES, COLUMNS = "sources", "attributes"
_NAMES = Named(Scalar())
_FIELDS = frozenset(Source.model_fields)
_KINDS = {"human": "A person, or people", "model": "A model", "human+model": "A person with the help of a model"}
_DETAIL = re.compile(r"sources\.(\d+):more\.(\d+):key")


def with_named_details(data: Data, form: Form) -> tuple[Form, dict[str, str]]:
    """The form with the keys of details of sources in place of their names, and the names that are new, by key."""
    fields, names = dict(form), {}
    sources = list(named_of(_NAMES, data.get(SOURCES)).values())
    for field, values in form.items():
        match = _DETAIL.fullmatch(field)
        if match is None or int(match[1]) >= len(sources):
            continue
        there = list(_details(sources[int(match[1])]))
        old = there[int(match[2])] if int(match[2]) < len(there) else ""
        words = " ".join(values[-1].split())
        known = {column_words(data, name): name for name in _all_details(data)}
        key = old if old and words else known.get(words) or (free_of(_FIELDS, key_of(words, "detail")) if words else "")
        fields[field] = [key]
        if key and words != column_words(data, key):
            names[key] = words
    return fields, names


def with_details(data: Data, names: Mapping[str, str]) -> Data:
    """The data with labels of what describes sources."""
    columns = named_of(_NAMES, data.get(COLUMNS))
    for key, words in names.items():
        there = columns.get(key)
        rest = {part: value for part, value in there.items() if part != "label"} if isinstance(there, dict) else {}
        columns[key] = ({} if words == readable(key) else {"label": words}) | rest
    return with_value(data, COLUMNS, {key: one for key, one in columns.items() if one}) if names else data


def _details(source: object) -> dict[str, Any]:
    """What describes a source besides its own fields."""
    there = source if isinstance(source, dict) else {}
    return {key: one for key, one in there.items() if key not in _FIELDS and not isinstance(one, dict | list)}


def _all_details(data: Data) -> dict[str, list[str]]:
    """The details of all sources with their values."""
    found: dict[str, list[str]] = {}
    for source in named_of(_NAMES, data.get(SOURCES)).values():
        for key, value in _details(source).items():
            found.setdefault(key, []).append(text_of(value))
    return found


def _with_new_source(data: Data, stored: Stored) -> Data:  # noqa: ARG001 - as the others
    there = named_of(_NAMES, data.get(SOURCES))
    key = free_of({*there}, "new_source")
    return with_value(data, SOURCES, {**there, key: {"kind": "model", "label": readable(key)}})


def _with_new_column(data: Data, stored: Stored) -> Data:
    there = named_of(_NAMES, data.get(COLUMNS))
    name = next((name for name in _column_names(data, stored) if name not in there), None)
    return data if name is None else {**data, COLUMNS: {**there, name: {"label": readable(name)}}}


NEW: dict[str, Callable[[Data, Stored], Data]] = {SOURCES: _with_new_source, COLUMNS: _with_new_column}


def _column_names(data: Data, stored: Stored) -> list[str]:
    columns = stored.columns
    return list(dict.fromkeys([*columns.items, *columns.responses, *columns.raters, *_all_details(data)]))


def _sources(control: Control, data: Data, stored: Stored) -> Control:
    rows = []
    for row in labelled_rows(control, data, stored).children:
        fields = fields_of(row)
        kind = select(fields["kind"], [Option(*pair) for pair in _KINDS.items()], None, label="Who wrote it")
        details = [_named_details(one, data) if one.name.endswith(MORE) else one for one in row.children]
        shown = tuple(kind if one.name == kind.name else one for one in details)
        is_used = row.key in stored.used
        rows.append(replace(row, children=shown, is_removable=not is_used))
    return replace(control, help="", children=tuple(rows))


def _named_details(control: Control, data: Data) -> Control:
    rows = tuple(
        replace(row, key=column_words(data, row.key) if row.key else "", key_label="What it says, such as Version")
        for row in control.children
    )
    help_ = "What else describes this source: what it says, such as Version, and its value."
    return replace(control, label="Other details", help=help_, children=rows)


def _columns(control: Control, data: Data, stored: Stored) -> Control:
    names = dict.fromkeys([*_column_names(data, stored), *(row.key for row in control.children if row.key)])
    rows = tuple(_column(row, data, stored) for row in control.children)
    needs = "" if names else "Needs texts with columns of their own, or sources with other details."
    return replace(
        control,
        label="Names of columns",
        help=needs or "What pages and charts say in place of the name of a column.",
        options=tuple(Option(name, name) for name in names),
        children=rows,
        is_open=len(names) > len(rows),
        is_set=bool(names),
    )


def _column(row: Control, data: Data, stored: Stored) -> Control:
    fields = fields_of(row)
    values = dict.fromkeys([*stored.columns.values.get(row.key, ()), *_all_details(data).get(row.key, ())])
    label = replace(fields["label"], label="Name", is_required=True, standard=readable(row.key), help="")
    options = [Option(value, value) for value in values]
    first = select(fields["reference_level"], options, "The first", label="Others are compared with")
    return replace(row, key_label="Column", children=(label, replace(first, is_set=bool(first.value))))


RULES: Rules = ((r"sources", _sources), (r"attributes", _columns))
