"""Answers in words: what a number, a code or an outcome in ratings.csv stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from app.protocol.study import Protocol

OUTCOMES = {"tie": "Tie", "neither": "Neither", "cannot_judge": "Cannot judge"}
# A text can be the same word, and a code can have other words.
WITH_OUTCOMES = frozenset({"scale", "preference"})


def answer_labels(protocol: Protocol) -> dict[tuple[str, str], str]:
    """Return the words of each answer, by question and value as written in ratings.csv."""
    said = {(q.key, value): words for q in protocol.questions for value, words in q.meanings() if value and words}
    with_outcomes = (q for q in protocol.questions if q.measure in WITH_OUTCOMES)
    return said | {(q.key, value): words for q in with_outcomes for value, words in OUTCOMES.items()}


def with_derived(ratings: pd.DataFrame, responses: pd.DataFrame, protocol: Protocol) -> pd.DataFrame:
    """Add the columns that follow from the others: source, value_number and value_label.

    Args:
        ratings: columns RATING_COLUMNS, with `value` as written in ratings.csv.
        responses: columns response and source.
        protocol: the labels.
    """
    sources = dict(zip(responses["response"], responses["source"], strict=True))
    source = ratings["chosen"].where(ratings["chosen"].notna(), ratings["response"]).map(sources)
    said = answer_labels(protocol)
    keys = list(zip(ratings["question"], map(_text, ratings["value"]), strict=True))
    words = {key: words_of(*key, said) for key in set(keys)}
    label = pd.Series([words[key] for key in keys], index=ratings.index, dtype=object)
    chosen = source.map({key: protocol.labels.source(key) for key in protocol.sources})
    return ratings.assign(
        source=source.astype(object).where(source.notna(), None),
        value_number=ratings["number"],
        value_label=label.where(ratings["chosen"].isna(), chosen),
    )


def _text(value: Any) -> str:  # noqa: ANN401 - a cell
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value)


def words_of(question: str, value: str, said: Mapping[tuple[str, str], str]) -> str | None:
    """The words of a value; of several codes those of each, joined by |; None where a value has no words."""
    found = [said.get((question, part)) for part in value.split("|")]
    return "|".join(part for part in found if part) if all(found) else None
