"""The meaning of each column and value of an export, for people (codebook.csv) and programs (datapackage.json)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from app.analysis.data.rating_columns import COLUMNS, names_of
from app.exchange.folder.scores import score_meanings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from app.design.protocol.study import Protocol

LABELS = {column.name: column.label for column in COLUMNS if column.in_file}
MEANINGS = {column.name: column.meaning for column in COLUMNS if column.in_file} | {
    "text": "the text as it is shown",
    "turns": "the dialogue: a JSON list of speaker and text",
    "profile": "who the person of the item is",
    "content_note": "what the reader is told beforehand",
    "source": "who wrote the response; its kind stands in study.yaml",
    "kind": "person or model (of a rater); what happened (of an event)",
    "pool": "which group the rater belongs to",
    "is_simulated": "true where the program answered, not a person",
    "is_imported": "true where the ratings were collected elsewhere and imported",
    "score": "which score of the questions about the rater",
    "n_answers": "how many answers it is made of",
    "check": "which check",
    "is_passed": "whether it was passed",
    "detail": "more, as JSON",
    "section": "the part of the report",
    "scope": "what the estimate is restricted to, as JSON; {} is everything that persons said",
    "statistic": "key of the statistic",
    "estimate": "the value, or nothing where reason says why",
    "ci_low": "lower end of the interval",
    "ci_high": "upper end of the interval",
    "ci_level": "level of the interval",
    "inference": "what the interval generalizes to: items, raters, items_and_raters or ratings; none without one",
    "ci_reason": "why there is no interval",
    "reason": "why there is no value",
    "p_value": "unadjusted",
    "p_adjusted": "adjusted: by Holm over the primary contrasts, by Benjamini-Hochberg over others of its kind",
    "role": "primary (named by the protocol before the data), exploratory (any other comparison) or descriptive",
    "unit": "what was counted",
    "n_items": "how many items",
    "n_units": "how many units the statistic ran over",
    "n_pairable_units": "how many units have two ratings or more",
    "n_raters": "how many raters",
    "n_ratings": "how many ratings",
    "method": "how it was got, beginning with a fixed word",
    "note": "a sentence for people",
    "recipe": "how it can be got again, as JSON: hashes of data and answers, filter, formula, seed, software",
    "file": "the file that the column is in",
    "column": "the column",
    "label": "what a person reads for the column or question",
    "meaning": "what the column or the value means",
    "happened_at": "when, UTC",
    "responses": "the responses as shown, left or first to last, joined by |",
    "shown_labels": "what was said of the source of each, joined by |",
    "state": "planned, leased (open), done, skipped or returned; of a rating session how far it is, or how it ended",
    "skip_reason": "why it was skipped",
    "first_action_at": "the first answer on the page, UTC",
    "submitted_at": "when it was done, UTC",
    "hidden_ms": "milliseconds in a hidden tab",
    "arrived_at": "when the rater came, UTC",
    "begun_at": "when the first item was asked for, UTC",
    "finished_at": "when the last step was done, UTC",
    "last_seen_at": "the last activity, UTC",
    "n_served": "how many trials were shown: those answered, skipped, returned and open",
    "n_answered": "how many of them were answered",
    "n_skipped": "how many were skipped",
    "n_returned": "how many were given back unanswered",
    "n_open": "how many are open",
    "paused_ms": "milliseconds of the rater's own pauses, which no other time counts",
}
OF_LEAD = "a column of the study's own"
_WHOLE = (
    "n_items",
    "n_units",
    "n_pairable_units",
    "n_raters",
    "n_ratings",
    "n_answers",
    "hidden_ms",
    "n_served",
    "n_answered",
    "n_skipped",
    "n_returned",
    "n_open",
    "paused_ms",
)
_NUMBERS = ("estimate", "ci_low", "ci_high", "ci_level", "p_value", "p_adjusted")
_TIMES = (
    "happened_at",
    "first_action_at",
    "submitted_at",
    "arrived_at",
    "begun_at",
    "finished_at",
    "last_seen_at",
)
_KEYS = {"items": ["item"], "responses": ["response"], "raters": ["rater"]}
_REFERENCES: dict[str, dict[str, str]] = {
    "responses": {"item": "items"},
    "ratings": {column.name: column.of for column in COLUMNS if column.of and column.in_file},
    "scores": {"rater": "raters"},
    "checks": {"rater": "raters"},
    "events": {"rater": "raters"},
    "assignments": {"rater": "raters", "item": "items"},
    "rating_sessions": {"rater": "raters"},
}


def codebook_rows(protocol: Protocol, tables: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of codebook.csv: file, column, label, question, value, meaning."""
    labels = protocol.labels
    for name, columns in tables.items():
        for column in columns:
            yield f"{name}.csv", column, _label(protocol, column), "", "", MEANINGS.get(column, OF_LEAD)
    for question in protocol.questions:
        about = f"{question.text} ({question.type}, about the {question.target})"
        yield "ratings.csv", "value", labels.question(question.key), question.key, "", about
        for value, words in question.meanings():
            yield "ratings.csv", "value", labels.question(question.key), question.key, value, words
    for score, meaning in score_meanings(protocol):
        yield "scores.csv", "score", labels.column(score), "", score, meaning


def _label(protocol: Protocol, column: str) -> str:
    """Label of a column: the built-in label, otherwise the one in study.yaml, otherwise one made from the name."""
    return LABELS.get(column) or protocol.labels.column(column)


def package(protocol: Protocol, folder: Path, tables: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the Data Package (version 2) descriptor for the CSV files of a folder."""
    return {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": protocol.slug,
        "title": protocol.title,
        **({"description": protocol.description} if protocol.description else {}),
        "resources": [_resource(protocol, name, columns, folder / f"{name}.csv") for name, columns in tables.items()],
    }


def _resource(protocol: Protocol, name: str, columns: Sequence[str], path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    schema: dict[str, Any] = {"fields": [_field(protocol, column) for column in columns], "missingValues": [""]}
    if name in _KEYS:
        schema["primaryKey"] = _KEYS[name]
    if references := [
        {"fields": [column], "reference": {"resource": table, "fields": _KEYS[table]}}
        for column, table in _REFERENCES.get(name, {}).items()
        if column in columns
    ]:
        schema["foreignKeys"] = references
    return {
        "name": name,
        "type": "table",
        "path": path.name,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": len(data),
        "hash": f"sha256:{hashlib.sha256(data).hexdigest()}",
        "schema": schema,
    }


def _field(protocol: Protocol, column: str) -> dict[str, str]:
    kinds = {
        "integer": (*_WHOLE, *names_of("whole", "count")),
        "number": (*_NUMBERS, *names_of("number")),
        "datetime": (*_TIMES, *names_of("time")),
        "boolean": ("is_simulated", "is_imported", "is_passed"),
    }
    kind = next((kind for kind, names in kinds.items() if column in names), "string")
    description = MEANINGS.get(column, OF_LEAD)
    return {"name": column, "title": _label(protocol, column), "type": kind, "description": description}
