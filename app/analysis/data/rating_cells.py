"""Stored answers as the columns of ratings.csv: keys in place of IDs, and the columns that follow from others."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, assert_never

import numpy as np
from numpy.typing import NDArray

from app.base.files.distinct_cells import (
    Cells,
    either,
    encoded,
    number_cells,
    picked,
    text_cells,
    time_cells,
    whole_cells,
)
from app.protocol.rating_columns import RatingColumn, Table
from app.protocol.study import Protocol
from app.protocol.waves import wave_of

# Answers in words: what a number, a code or an outcome in ratings.csv stands for.


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


# By name of the column; an array of numbers or, for texts, a list of UTF-8.
Piece = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of a table by ID, in the order of the IDs. The first ID is 0, with an empty key: it stands for none."""

    ids: NDArray[np.int64]
    keys: NDArray[np.bytes_]

    @classmethod
    def of(cls, rows: Sequence[tuple[int, str]]) -> Self:
        """From ID and key of each row, in the order of the IDs."""
        return cls(np.array([0, *(number for number, _ in rows)]), encoded(["", *(key for _, key in rows)]))

    def places(self, ids: NDArray[np.int64]) -> NDArray[np.intp]:
        """The place of each ID; of an unknown ID, which `has` tells apart, another place."""
        return np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)

    def has(self, ids: NDArray[np.int64], places: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether each ID is known, given its place; shape (n,)."""
        known: NDArray[np.bool_] = self.ids[places] == ids
        return known


@dataclass(frozen=True, slots=True)
class Dictionaries:
    """What the answers of a study refer to.

    Attributes:
        keys: the keys of each table.
        sources: key of the source of each response in `keys`.
        source_labels: the labels of those sources.
        exclusions: for each rater in `keys`, why their answers are excluded; empty for the others.
        rater_kinds: for each rater in `keys`, person or model.
        simulated: for each rater in `keys`, true or false.
        labels: the words of answers, by question and value.
        epoch: the day from which times are counted.
        waves: the wave of each question; empty in a study without waves.
    """

    keys: Mapping[Table, Keys]
    sources: NDArray[np.bytes_]
    source_labels: NDArray[np.bytes_]
    exclusions: NDArray[np.bytes_]
    rater_kinds: NDArray[np.bytes_]
    simulated: NDArray[np.bytes_]
    labels: Mapping[tuple[str, str], str]
    epoch: dt.date
    waves: Mapping[str, int] = field(default_factory=dict)


def rating_cells(columns: Sequence[RatingColumn], piece: Piece, known: Dictionaries) -> dict[str, Cells]:
    """The columns of ratings.csv for a piece of the answers; those that are not read are missing or empty.

    Answers that refer to a row which was stored after the dictionaries were read are left out.

    Args:
        columns: the stored columns that were read, at least rater, item, response and question.
        piece: their values, as from `app.studies.data.rating_arrays`.
        known: the dictionaries.
    """
    tables = {column.name: known.keys[column.of] for column in columns if column.of}
    places = {name: keys.places(piece[name]) for name, keys in tables.items()}
    is_known = np.all([keys.has(piece[name], places[name]) for name, keys in tables.items()], axis=0)
    is_known &= piece["question"] > 0
    if not is_known.all():
        return rating_cells(columns, _rows(piece, np.flatnonzero(is_known)), known)
    cells = {name: picked(keys.keys, places[name]) for name, keys in tables.items()}
    cells |= {one.name: _column(one, piece[one.name], known) for one in columns if not one.of}
    blank = Cells(encoded([""]), np.zeros(len(piece["rater"]), dtype=np.intp))
    said = either(cells.get("codes", blank), cells.get("outcome", blank), cells.get("number", blank))
    chosen = places.get("chosen", blank.at)
    return {
        **cells,
        "value": either(cells.get("chosen", blank), cells.get("text", blank), said),
        "exclude": either(cells.get("exclude", blank), picked(known.exclusions, places["rater"])),
        "wave": _waves(cells["question"], known.waves) if known.waves else blank,
        "source": picked(known.sources, np.where(chosen > 0, chosen, places["response"])),
        "value_number": cells.get("number", blank),
        "rater_kind": picked(known.rater_kinds, places["rater"]),
        "is_simulated": picked(known.simulated, places["rater"]),
        "value_label": either(picked(known.source_labels, chosen), _words(cells["question"], said, known.labels)),
    }


def question_waves(protocol: Protocol) -> dict[str, int]:
    """The wave of each question; empty in a study without waves."""
    return {one.key: wave_of(one.key, protocol.waves) for one in protocol.questions} if protocol.waves else {}


def _waves(question: Cells, waves: Mapping[str, int]) -> Cells:
    numbers = (waves.get(key.decode()) for key in question.distinct.tolist())
    return Cells(encoded(["" if number is None else str(number) for number in numbers]), question.at)


def _rows(piece: Piece, places: NDArray[np.intp]) -> Piece:
    """Some rows of a piece."""
    return {
        name: values[places] if isinstance(values, np.ndarray) else [values[n] for n in places]
        for name, values in piece.items()
    }


def _column(column: RatingColumn, values: Any, known: Dictionaries) -> Cells:  # noqa: ANN401 - see Piece
    if column.allowed:
        return Cells(encoded(["", *column.allowed]), values)
    match column.type:
        case "number":
            return number_cells(values)
        case "time":
            return time_cells(values, known.epoch)
        case "whole" | "count":
            return whole_cells(values)
        case "id" | "name" | "text" | "codes":
            return text_cells(values)
        case _:
            assert_never(column.type)


def _words(question: Cells, said: Cells, labels: Mapping[tuple[str, str], str]) -> Cells:
    """The words of each answer; each distinct pair of question and answer is looked up once."""
    pairs, at = np.unique(question.at * len(said.distinct) + said.at, return_inverse=True)
    places = np.divmod(pairs, len(said.distinct))
    asked, answers = (cells.distinct[at].tolist() for cells, at in zip((question, said), places, strict=True))
    found = (words_of(key.decode(), answer.decode(), labels) for key, answer in zip(asked, answers, strict=True))
    return Cells(encoded(words or "" for words in found), at)
