"""Answers in words: what a number, a code or an outcome in ratings.csv stands for."""

from __future__ import annotations

from collections.abc import Mapping

from app.protocol.study import Protocol

OUTCOMES = {"tie": "Tie", "neither": "Neither", "cannot_judge": "Cannot judge"}
# A text can be the same word, and a code can have other words.
WITH_OUTCOMES = frozenset({"scale", "preference"})


def answer_labels(protocol: Protocol) -> dict[tuple[str, str], str]:
    """Return the words of each answer, by question and value as written in ratings.csv."""
    said = {(q.key, value): words for q in protocol.questions for value, words in q.meanings() if value and words}
    with_outcomes = (q for q in protocol.questions if q.measure in WITH_OUTCOMES)
    return said | {(q.key, value): words for q in with_outcomes for value, words in OUTCOMES.items()}


def words_of(question: str, value: str, said: Mapping[tuple[str, str], str]) -> str | None:
    """The words of a value; of several codes those of each, joined by |; None where a value has no words."""
    found = [said.get((question, part)) for part in value.split("|")]
    return "|".join(part for part in found if part) if all(found) else None
