"""The tables of a folder as they are written: their columns and the order of the columns."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from app.analysis.data.frames import CHECK_COLUMNS, canonical
from app.analysis.data.rating_cells import answer_labels, question_waves, words_of
from app.analysis.data.study_folder import RATER_MARKS, StudyFolder
from app.base.words import number_text
from app.protocol.rating_columns import ALWAYS_WRITTEN, DERIVED_COLUMNS, FILE_COLUMNS
from app.protocol.study import Protocol

Columns = dict[str, "pd.Series[Any]"]


_ALWAYS = {
    "items": ("item", "text"),
    "responses": ("item", "source", "text", "response"),
    "raters": ("rater", "kind", "pool", "is_simulated"),
    "ratings": ALWAYS_WRITTEN,
}
EVENT_COLUMNS = ("rater", "kind", "detail", "happened_at")


def tables_of(study: StudyFolder) -> dict[str, Columns]:
    """Return items, responses, raters and ratings; optional columns without any value are left out."""
    first = list(_ALWAYS["responses"])
    responses = study.responses[[*first, *(name for name in study.responses if name not in first)]]
    return {
        "items": _columns("items", study.items),
        "responses": _columns("responses", responses),
        "raters": _columns("raters", study.raters),
        "ratings": _columns("ratings", _written(study)),
    }


def _columns(name: str, frame: pd.DataFrame) -> Columns:
    return {str(column): cells for column, cells in frame.items() if column in _ALWAYS[name] or _holds(cells)}


def _holds(column: pd.Series[Any]) -> bool:
    if column.name in ("repeat", *RATER_MARKS):
        return bool(column.any())
    return bool(column.notna().any())


def _written(study: StudyFolder) -> pd.DataFrame:
    """Return the answers with one value column, and the columns that follow from the others."""
    ratings = with_derived(_with_value(canonical(study.ratings)), study.responses, study.protocol)
    ratings = with_rater_marks(ratings, study.raters)
    return ratings[[*FILE_COLUMNS, *DERIVED_COLUMNS]]


def with_derived(ratings: pd.DataFrame, responses: pd.DataFrame, protocol: Protocol) -> pd.DataFrame:
    """Add the columns that follow from the others: wave, source, value_number and value_label.

    Args:
        ratings: columns RATING_COLUMNS, with `value` as written in ratings.csv.
        responses: columns response and source.
        protocol: the labels.
    """
    sources = dict(zip(responses["response"], responses["source"], strict=True))
    source = ratings["chosen"].where(ratings["chosen"].notna(), ratings["response"]).map(sources)
    said = answer_labels(protocol)
    values = (number_text(value) if isinstance(value, float) else str(value) for value in ratings["value"])
    keys = list(zip(ratings["question"], values, strict=True))
    words = {key: words_of(*key, said) for key in set(keys)}
    label = pd.Series([words[key] for key in keys], index=ratings.index, dtype=object)
    chosen = source.map({key: protocol.labels.source(key) for key in protocol.sources})
    return ratings.assign(
        source=source.astype(object).where(source.notna(), None),
        wave=_waves(ratings["question"], protocol),
        value_number=ratings["number"],
        value_label=label.where(ratings["chosen"].isna(), chosen),
    )


def _waves(questions: pd.Series[Any], protocol: Protocol) -> pd.Series[Any]:
    """The wave of each answer; none in a study without waves."""
    return questions.map(question_waves(protocol)).astype("Int64")


def with_rater_marks(rows: pd.DataFrame, raters: pd.DataFrame) -> pd.DataFrame:
    """Add the kind of each row's rater and whether they are simulated; empty where a row has no rater."""
    known = raters.set_index("rater")
    marks = {
        "rater_kind": rows["rater"].map(known["kind"]).astype(object),
        "is_simulated": rows["rater"].map(known["is_simulated"].astype(object)),
    }
    if marks["is_simulated"].notna().all():
        marks["is_simulated"] = marks["is_simulated"].astype(bool)
    return rows.assign(
        **{name: cells if cells.dtype == bool else cells.where(cells.notna(), None) for name, cells in marks.items()}
    )


def _with_value(ratings: pd.DataFrame) -> pd.DataFrame:
    """Merge the answers of all kinds into one value column."""
    value = ratings["number"].astype(object)
    for name in ("outcome", "codes", "text"):
        value = value.where(ratings[name].isna(), ratings[name])
    value = value.where(ratings["chosen"].isna(), ratings["chosen"])
    return ratings.assign(value=value)


def events_of(events: pd.DataFrame) -> Columns:
    """Return the events as columns, with their details as JSON."""
    detail = [json.dumps(cell, ensure_ascii=False, sort_keys=True) for cell in events["detail"]]
    columns = events.assign(detail=detail, happened_at=_times(events["happened_at"]))
    return {name: columns[name] for name in EVENT_COLUMNS}


def checks_of(events: pd.DataFrame) -> Columns:
    """Return the checks among the events and whether they were passed; checks without a known rater are left out."""
    details = pd.Series([cell.get("is_passed") for cell in events["detail"]], index=events.index, dtype=object)
    checks = events[(events["kind"] == "check") & events["rater"].notna() & details.notna()]
    columns = checks.assign(
        check=[cell.get("check") for cell in checks["detail"]],
        is_passed=details[checks.index],
        happened_at=_times(checks["happened_at"]),
    )
    return {name: columns[name] for name in CHECK_COLUMNS}


def _times(column: pd.Series[Any]) -> pd.Series[Any]:
    return pd.to_datetime(column, utc=True).dt.as_unit("us")
