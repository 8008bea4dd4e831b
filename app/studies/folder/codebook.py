"""The meaning of each column and value of an export, for people (codebook.csv) and programs (datapackage.json)."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from app.analysis.wording.formatting import REASONS
from app.protocol.rating_columns import COLUMNS, names_of
from app.protocol.study import Protocol
from app.studies.folder.raters import score_meanings

LABELS = {column.name: column.label for column in COLUMNS if column.in_file}
_REASONS = "; ".join(f"{key}: {words}" for key, words in REASONS.items())
_OF_RATINGS = {column.name: column.meaning for column in COLUMNS if column.in_file}
MEANINGS = _OF_RATINGS | {
    "text": "the text as raters see it",
    "turns": "the dialogue: a JSON list of turns, each with speaker and text",
    "profile": "background on the person in the item",
    "image": "file name of the image that raters see with the item, in the folder images",
    "image_alt": "the image in words, for raters who cannot see it and for language models",
    "content_note": "content note shown before the item",
    "retired_because": "why the item was retired: it gets no new ratings; its ratings are kept. Empty if it is in use",
    "source": "the source that wrote the response; study.yaml gives its kind",
    "kind": "the type of the event",
    "pool": "the pool that the rater belongs to",
    "is_simulated": "true if Attune simulated the rater",
    "is_imported": "true if the ratings were collected elsewhere and imported",
    "score": "key of the score computed from the questions about the rater",
    "n_answers": "number of answers that the score is computed from",
    "check": "key of the check",
    "is_passed": "whether the rater passed the check",
    "detail": "details, as JSON",
    "section": "section of the report",
    "scope": "the subset of the data that the estimate uses, as JSON; {} is all ratings by human raters",
    "statistic": "key of the statistic",
    "estimate": "the value; empty if not estimable, see reason",
    "ci_low": "lower limit of the confidence interval, which is not adjusted for several tests",
    "ci_high": "upper limit of the confidence interval; empty if it has none, see ci_reason",
    "ci_level": "confidence level, such as 0.95",
    "inference": "what the interval generalizes to: items, raters, items_and_raters, items_and_responders, "
    "items_and_prompts or ratings; none without one",
    "ci_reason": f"why there is no interval, or no upper limit; {_REASONS}",
    "reason": f"why there is no value; {_REASONS}",
    "p_value": "unadjusted p-value",
    "p_adjusted": "adjusted p-value: Holm for primary contrasts, Benjamini-Hochberg for other tests of the same kind",
    "verdict": (
        "clear or inconclusive for a difference; equivalent, non_inferior or not_shown against a margin; by the "
        "adjusted p-value at 5%, by the interval if nothing was tested; empty if nothing is compared"
    ),
    "df": "degrees of freedom of the test or interval, where it has any",
    "role": "primary (declared in the protocol), exploratory (any other comparison) or descriptive",
    "unit": "the unit of analysis",
    "n_items": "number of items",
    "n_units": "number of units analyzed",
    "n_pairable_units": "number of units with at least two ratings",
    "n_raters": "number of raters",
    "n_ratings": "number of ratings",
    "method": "how it was computed; begins with the key of the method",
    "note": "explanatory note",
    "recipe": "how to compute it again, as JSON: hashes of data and answers, filter, formula, seed, software",
    "file": "the file that contains the column",
    "column": "name of the column",
    "label": "label of the column or question",
    "meaning": "meaning of the column or value",
    "happened_at": "when it happened, UTC",
    "problem": "what the rater reported about the item or the page",
    "page": "the page on which the problem was reported, if it shows no item",
    "replaced_at": "when the rater replaced this answer by a later one or cleared it, UTC",
    "responses": "the responses in the order shown (left to right, or first to last), joined by |",
    "shown_labels": "the source label shown for each response, joined by |",
    "state": (
        "of an assignment: planned, leased (open), done, skipped or returned; of a rating session: its progress or "
        "how it ended; of a turn: said, awaited, withheld or failed"
    ),
    "skip_reason": "reason for skipping",
    "first_action_at": "when the first answer on the page was given, UTC",
    "submitted_at": "when the page was submitted, UTC",
    "hidden_ms": "milliseconds that the page was in a hidden tab",
    "arrived_at": "when the rater arrived, UTC",
    "begun_at": "when the first item was requested, UTC",
    "finished_at": "when the last step was completed, UTC",
    "last_seen_at": "when the rater was last active, UTC",
    "n_served": "number of trials shown: answered, skipped, returned or open",
    "n_answered": "number of trials answered",
    "n_skipped": "number of trials skipped",
    "n_returned": "number of trials returned unanswered",
    "n_open": "number of trials open",
    "version": "the version of the study that the rater began with",
    "reworded": "questions, joined by |, that this version asked in other words than study.yaml",
    "paused_ms": "milliseconds that the rater paused, excluded from all other times",
    "speaker": "who said the turn: rater or partner; turn 0 of a draft is its text",
    "dyad": "the number of two raters who wrote with each other; each turn then has its own rater",
    "writer_role": "of two raters who wrote with each other, the role of the one who said the turn",
    "n_words": "words of the turn, separated by spaces",
    "seconds": "seconds since the turn before: for a reply, how long the rater waited",
    "flags": "what to look at, such as alert or cut_off, separated by spaces",
    "decision": "what the rater did with a suggestion in a draft: taken, ignored or taken_back",
    "ended_by": "why the conversation or draft ended; empty if it goes on",
    "model_version": "the model that replied, as its server says",
    "said_at": "when the turn was said, UTC",
    "ms": "milliseconds since the text was first shown",
    "at": "position of the change: number of characters before it",
    "n_removed": "number of characters taken away",
    "n_added": "number of characters added",
}
# Columns that mean something else in one of the tables.
_OF_TABLE = {
    "ratings": _OF_RATINGS,
    "raters": {"kind": "person or model"},
    "keystrokes": {"kind": "typed, pasted, suggested (a suggestion that came into the text) or other (such as undone)"},
}
OF_LEAD = "a column provided by the lead"
_TEXTS = frozenset({"text", "turns"})
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
    "n_words",
    "ms",
    "at",
    "n_removed",
    "n_added",
)
_NUMBERS = ("estimate", "ci_low", "ci_high", "ci_level", "p_value", "p_adjusted", "df", "seconds")
_TIMES = (
    "happened_at",
    "replaced_at",
    "first_action_at",
    "submitted_at",
    "arrived_at",
    "begun_at",
    "finished_at",
    "last_seen_at",
    "said_at",
)
_KEYS = {"items": ["item"], "responses": ["response"], "raters": ["rater"]}
_REFERENCES: dict[str, dict[str, str]] = {
    "responses": {"item": "items"},
    "ratings": {column.name: column.of for column in COLUMNS if column.of and column.in_file},
    "scores": {"rater": "raters"},
    "checks": {"rater": "raters"},
    "events": {"rater": "raters"},
    "assignments": {"rater": "raters", "item": "items"},
    "changes": {
        "rater": "raters",
        "item": "items",
        "response": "responses",
        "left_response": "responses",
        "right_response": "responses",
    },
    "rating_sessions": {"rater": "raters"},
    "turns": {"rater": "raters", "item": "items", "response": "responses"},
    "keystrokes": {"rater": "raters", "item": "items", "response": "responses"},
    "reported_problems": {"rater": "raters", "item": "items"},
}


def codebook_rows(protocol: Protocol, tables: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of codebook.csv: file, column, label, question, value, meaning."""
    labels = protocol.labels
    for name, columns in tables.items():
        for column in columns:
            yield f"{name}.csv", column, _label(protocol, column), "", "", _meaning(protocol, name, column)
    for question in protocol.questions:
        about = f"{question.text} ({question.type}, about the {question.target})"
        if rule := question.show_if:
            about += f"; asked only if {labels.question(rule.question)} {rule.in_words}, empty otherwise"
        composites = protocol.analysis.composites.values()
        cited = (_on_one_line(one.citation) for one in composites if question.key in one.questions)
        if citation := next(filter(None, cited), ""):
            about += f"; from {citation}"
        yield "ratings.csv", "value", labels.question(question.key), question.key, "", about
        for value, words in question.meanings():
            yield "ratings.csv", "value", labels.question(question.key), question.key, value, words
    for score, meaning in score_meanings(protocol):
        yield "scores.csv", "score", labels.column(score), "", score, meaning


def _label(protocol: Protocol, column: str) -> str:
    """Label of a column: the built-in label, otherwise the one in study.yaml, otherwise one made from the name."""
    return LABELS.get(column) or protocol.labels.column(column)


def _meaning(protocol: Protocol, table: str, column: str) -> str:
    """Meaning of a column; for those with texts also what the texts are and where they come from."""
    meaning = _OF_TABLE.get(table, {}).get(column) or MEANINGS.get(column, OF_LEAD)
    return f"{meaning}. {_on_one_line(protocol.about_texts)}" if column in _TEXTS and protocol.about_texts else meaning


def about_study(protocol: Protocol) -> str:
    """What the study is about, and what its texts are; empty if study.yaml says neither."""
    return "\n\n".join(_on_one_line(text) for text in (protocol.description, protocol.about_texts) if text)


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def package(protocol: Protocol, folder: Path, tables: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the Data Package (version 2) descriptor for the CSV files of a folder."""
    return {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": protocol.slug,
        "title": protocol.title,
        **({"description": about} if (about := about_study(protocol)) else {}),
        "resources": [_resource(protocol, name, columns, folder / f"{name}.csv") for name, columns in tables.items()],
    }


def _resource(protocol: Protocol, name: str, columns: Sequence[str], path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    schema: dict[str, Any] = {"fields": [_field(protocol, name, column) for column in columns], "missingValues": [""]}
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


def _field(protocol: Protocol, table: str, column: str) -> dict[str, str]:
    kinds = {
        "integer": (*_WHOLE, *names_of("whole", "count")),
        "number": (*_NUMBERS, *names_of("number"), "value_number"),
        "datetime": (*_TIMES, *names_of("time")),
        "boolean": ("is_simulated", "is_imported", "is_passed"),
    }
    kind = next((kind for kind, names in kinds.items() if column in names), "string")
    return {
        "name": column,
        "title": _label(protocol, column),
        "type": kind,
        "description": _meaning(protocol, table, column),
    }
