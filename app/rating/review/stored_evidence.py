"""The evidence about each rater from the stored answers, which are read as bytes."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from app.analysis.data.rater_evidence import RaterAnswers, evidence_of
from app.protocol.rater_flags import Evidence
from app.rating.review.answers_by_rater import StoredAnswers

_POINT = np.dtype([("number", ">f8"), ("thing", ">i8"), ("turn", ">i4")])
_PAIR = np.dtype([("lower", ">i8"), ("higher", ">i8"), ("is_lower", "u1")])
_LEFT = ord("l")


def evidence_in(
    answers: Mapping[int, StoredAnswers], models: Collection[int], simulated: Collection[int]
) -> dict[int, Evidence]:
    """The evidence about each rater, by rater ID.

    Simulated raters are compared with each other, people with each other, and models with nobody.
    """
    decoded = {rater: _decoded(one) for rater, one in answers.items()}
    people = {rater: one for rater, one in decoded.items() if rater not in simulated}
    return evidence_of(people, models) | evidence_of({rater: decoded[rater] for rater in decoded.keys() - people})


def _decoded(one: StoredAnswers) -> RaterAnswers:
    points, pairs = np.frombuffer(one.points, _POINT), np.frombuffer(one.pairs, _PAIR)
    # A turn has at most a few digits, and an ID has fewer than 2^43.
    unit = points["thing"].astype(np.int64) * 2**20 + points["turn"]
    return RaterAnswers(
        n_ratings=one.n_ratings,
        number=points["number"].astype(np.float64),
        unit=np.where(points["thing"] == 0, 0, unit),
        is_left=np.frombuffer(one.sides, np.uint8) == _LEFT,
        pair=np.column_stack([pairs["lower"], pairs["higher"]]).astype(np.int64),
        is_lower=pairs["is_lower"] == ord("t"),
        active_ms=np.frombuffer(one.times, ">i8").astype(np.float64),
        n_words=one.n_words,
        has_order=one.has_order,
    )
