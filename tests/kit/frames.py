"""Small studies for tests: build a Protocol and Frames, as from the database or a study folder, from rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from app.analysis.data.frames import RATING_COLUMNS, Frames, canonical
from app.analysis.data.study_folder import frames_of
from app.analysis.estimate import Estimate
from app.analysis.report.report import Report
from app.protocol.rating_columns import names_of
from app.protocol.study import Protocol
from app.studies.folder.read import read_folder

Row = dict[str, Any]
RESPONSE = ("response", "item", "source")
TEXT_COLUMNS = frozenset(names_of("id", "name", "text", "codes"))
FIVE: dict[str, Any] = {
    "key": "empathy",
    "target": "response",
    "type": "rating",
    "text": "How empathetic is it?",
    "scale": {1: "not", 2: "slightly", 3: "moderately", 4: "quite", 5: "very"},
}
CHOICE: dict[str, Any] = {"key": "preference", "target": "pair", "type": "choice", "text": "Which is better?"}
TWO_SOURCES: dict[str, Any] = {"human": {"kind": "human"}, "model": {"kind": "model"}}


def protocol(*questions: Mapping[str, Any], sources: Mapping[str, Any] | None = None, **more: object) -> Protocol:
    """Return a protocol with these questions, and the sources `human` and `model` unless others are given."""
    return Protocol.model_validate(
        {
            "attune": 1,
            "slug": "small",
            "title": "A small study",
            "sources": TWO_SOURCES if sources is None else sources,
            "questions": list(questions or [FIVE]),
            **more,
        }
    )


def frames(study: Protocol, ratings: Iterable[Row], **tables: Sequence[Row]) -> Frames:
    """Return the frames for these answers, given as rows like those of ratings.csv, with `value` as text or number.

    `raters` gives kind and pool; `responses` gives further responses, or those with a text or attributes; items are
    taken from the answers if they are not given.
    """
    rows = [dict(row) for row in ratings]
    for row in rows:
        row["item"] = row.get("item")
    named = [row["item"] for row in rows if row["item"] is not None]
    items = pd.DataFrame({"item": [row["item"] for row in tables.get("items", ())] or list(dict.fromkeys(named))})
    responses = tables.get("responses") or [
        {"response": f"{item}:{source}", "item": item, "source": source}
        for item in items["item"]
        for source in study.sources
    ]
    more = [name for name in responses[0] if name not in RESPONSE] if responses else []
    response_table = _text_table(responses, [*RESPONSE, *more])
    answers = [_answer(study, row, response_table) for row in rows]
    table = pd.DataFrame({name: _column(name, [row.get(name) for row in answers]) for name in RATING_COLUMNS})
    return Frames(
        _text_table([{"item": name} for name in items["item"]], ["item"]),
        response_table,
        _raters(rows, tables.get("raters")),
        canonical(table),
    )


def _answer(study: Protocol, row: Row, responses: pd.DataFrame) -> Row:
    question, value = study.question(row["question"]), row["value"]
    assert question, row["question"]
    answer = {"repeat": 0, **row}
    if value == "cannot_judge":
        return {**answer, "outcome": "cannot_judge"}
    if question.measure in {"scale", "order"}:
        return {**answer, "number": float(value)}
    if question.measure == "codes":
        return {**answer, "codes": value}
    if question.measure == "passages":
        return answer
    assert question.measure == "preference"
    if value in {"tie", "neither"}:
        return {**answer, "outcome": value}
    of_item = responses[responses["item"] == row["item"]]
    chosen = of_item.loc[(of_item["response"] == value) | (of_item["source"] == value), "response"].iloc[0]
    return {**answer, "outcome": "response", "chosen": chosen}


def _raters(rows: list[Row], declared: Sequence[Row] | None) -> pd.DataFrame:
    known = {row["rater"]: row for row in declared or ()}
    every = list(dict.fromkeys([*known, *(row["rater"] for row in rows)]))
    return pd.DataFrame(
        {
            "rater": pd.Series(every, dtype="str"),
            "kind": pd.Series([known.get(name, {}).get("kind", "person") for name in every], dtype="str"),
            "pool": pd.Series([known.get(name, {}).get("pool") for name in every], dtype="str"),
            "is_simulated": pd.Series([bool(known.get(name, {}).get("is_simulated")) for name in every], dtype="bool"),
        }
    )


def _text_table(rows: Sequence[Row], columns: list[str]) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series([row[name] for row in rows], dtype="str") for name in columns})


def _column(name: str, values: list[Any]) -> pd.Series[Any]:
    if name in TEXT_COLUMNS:
        return pd.Series(values, dtype="str")
    if name.endswith("_at"):
        return pd.to_datetime(pd.Series(values), utc=True)
    return pd.Series([np.nan if value is None else value for value in values], dtype="float64")


def read_study(folder: Path) -> tuple[Frames, Protocol]:
    """Return the frames and the protocol of a study folder."""
    study = read_folder(folder)
    return frames_of(study), study.protocol


def told(estimate: Estimate) -> dict[str, Any]:
    """Return the record without the hash of the study's data, which changes with every answer."""
    record = estimate.as_record()
    return {**record, "recipe": {key: part for key, part in record["recipe"].items() if key != "data"}}


def find(report: Report, statistic: str, **where: object) -> list[Estimate]:
    """Return the estimates of a statistic with these values in their records, in the report's order."""
    return [
        estimate
        for estimate in report.estimates
        if estimate.statistic == statistic and all(estimate.as_record()[name] == value for name, value in where.items())
    ]


def first(report: Report, statistic: str, **where: object) -> Estimate:
    """Return the first estimate that `find` finds: the headline."""
    found = find(report, statistic, **where)
    assert found, f"no estimate {statistic} of {where}"
    return found[0]


def only(report: Report, statistic: str, **where: object) -> Estimate:
    """Return the only estimate that `find` finds."""
    found = find(report, statistic, **where)
    assert len(found) == 1, f"{len(found)} estimates {statistic} of {where}"
    return found[0]
