"""The evidence about each rater from the stored answers, which are read as bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from app.analysis.data.rater_evidence import RaterAnswers, evidence_of
from app.protocol.rater_flags import Evidence
from app.rating.review.answers_by_rater import StoredAnswers

if TYPE_CHECKING:
    from numpy.typing import NDArray

_POINT = np.dtype([("number", ">f8"), ("thing", ">i8"), ("turn", ">i4")])
_PAIR = np.dtype([("lower", ">i8"), ("higher", ">i8"), ("is_lower", "u1")])
_SIDE, _TIME = np.dtype("u1"), np.dtype(">i8")
_LEFT, _TRUE = ord("l"), ord("t")
# Groups of raters who are compared with each other; models are compared with nobody.
_MODELS, _PEOPLE, _SIMULATED = range(3)


def evidence_in(
    answers: Mapping[int, StoredAnswers], models: Collection[int], simulated: Collection[int]
) -> dict[int, Evidence]:
    """The evidence about each rater, by rater ID.

    Simulated raters are compared with each other, people with each other, and models with nobody.
    """
    group = [_MODELS if one in models else _SIMULATED if one in simulated else _PEOPLE for one in answers]
    return evidence_of(list(answers), _decoded(list(answers.values())), np.array(group, dtype=np.int64))


def _decoded(stored: list[StoredAnswers]) -> RaterAnswers:
    points, number_of = _joined((one.points for one in stored), _POINT)
    pairs, pair_of = _joined((one.pairs for one in stored), _PAIR)
    sides, side_of = _joined((one.sides for one in stored), _SIDE)
    times, time_of = _joined((one.times for one in stored), _TIME)
    # A turn has at most a few digits, and an ID has fewer than 2^43.
    unit = points["thing"].astype(np.int64) * 2**20 + points["turn"]
    return RaterAnswers(
        n_ratings=np.array([one.n_ratings for one in stored], dtype=np.int64),
        number=points["number"].astype(np.float64),
        number_of=number_of,
        unit=np.where(points["thing"] == 0, 0, unit),
        is_left=sides == _LEFT,
        side_of=side_of,
        pair=np.column_stack([pairs["lower"], pairs["higher"]]).astype(np.int64),
        is_lower=pairs["is_lower"] == _TRUE,
        pair_of=pair_of,
        active_ms=times.astype(np.float64),
        time_of=time_of,
        n_words=np.array([one.n_words for one in stored], dtype=np.int64),
        has_order=np.array([one.has_order for one in stored], dtype=bool),
    )


def _joined(parts: Iterable[bytes], kind: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The entries of all raters, and whose each of them is."""
    kept = list(parts)
    n = np.array([len(part) // kind.itemsize for part in kept], dtype=np.int64)
    return np.frombuffer(b"".join(kept), kind), np.repeat(np.arange(len(kept)), n)
