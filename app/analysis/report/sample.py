"""The sample of a report, counted once from the same frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime

import numpy as np
import pandas as pd
from pandas.api.typing import NaTType

from app.analysis.data.earlier_words import EarlierWords, answers_by_version
from app.analysis.data.encoded_study import Bools, Codes, Ints
from app.analysis.data.flow import arm_of, is_by_condition
from app.analysis.data.frames import Frames
from app.analysis.data.participants import flow_of
from app.analysis.report.report import RaterGroup, Sample
from app.protocol.questions.question import Measure
from app.protocol.study import Protocol

# Questions that may well be left unanswered.
OPEN: frozenset[Measure] = frozenset({"text", "passages"})


def sample_of(frames: Frames, codes: Codes, protocol: Protocol, earlier: EarlierWords) -> Sample:
    """The sample of these frames; `codes` are their codes without repeats."""
    rows, responses, ratings = codes.rows, codes.responses, frames.ratings
    is_rated = _occurs(rows.item, responses.n_items)
    raters = frames.raters.loc[_occurs(rows.rater, len(frames.raters))]
    rated_at = codes.kept["rated_at"]
    return Sample(
        n_items=int(is_rated.sum()),
        n_responses=_counts(responses.source[is_rated[responses.item]], codes.sources),
        raters=_groups(raters),
        n_simulated=_marked(raters, "is_simulated"),
        n_imported=_marked(raters, "is_imported"),
        n_answers=_counts(rows.question, codes.questions),
        excluded=_counts(*pd.factorize(ratings["exclude"])) if codes.n_excluded else {},
        n_repeats=int((ratings["repeat"] > 0).sum()),
        first_day=_day(rated_at.min()),
        last_day=_day(rated_at.max()),
        missing=_missing(codes, protocol),
        flow=flow_of(frames, codes, protocol),
        by_version=answers_by_version(codes, earlier),
        n_drawn=_drawn(frames.sample),
        n_drawn_from=0 if frames.sample is None else int(frames.sample["probability"].notna().sum()),
    )


def _drawn(sample: pd.DataFrame | None) -> dict[int, int]:
    """How many items were drawn for people in each stage, in order."""
    if sample is None:
        return {}
    stages, n = np.unique(sample.loc[sample["stage"] > 0, "stage"], return_counts=True)
    return dict(zip(stages.tolist(), n.tolist(), strict=True))


def _occurs(code: Ints, n: int) -> Bools:
    """Whether each of n codes occurs; -1 is none."""
    return np.bincount(code[code >= 0], minlength=n) > 0


def _day(time: datetime | NaTType) -> date | None:
    return None if isinstance(time, NaTType) else time.date()


def _counts(code: Ints, names: Sequence[str] | pd.Index[str]) -> dict[str, int]:
    """How often each name occurs, in the order of their first occurrence."""
    number, found = pd.factorize(code[code >= 0])
    return {str(names[int(at)]): int(n) for at, n in zip(found, np.bincount(number), strict=True)}


def _groups(raters: pd.DataFrame) -> tuple[RaterGroup, ...]:
    pairs = [(str(kind), None if pool is None or pool != pool else str(pool)) for kind, pool in _pairs(raters)]  # noqa: PLR0124 - nan
    return tuple(RaterGroup(*pair, pairs.count(pair)) for pair in dict.fromkeys(pairs))


def _pairs(raters: pd.DataFrame) -> list[tuple[object, object]]:
    return list(zip(raters["kind"], raters["pool"], strict=True))


def _missing(codes: Codes, protocol: Protocol) -> dict[str, tuple[int, int]]:
    """The numbers of missing and of expected answers by arm.

    A rater who answered one of the questions about a thing was asked all of them.
    """
    arm, names = _arms(codes, protocol)
    counts = np.zeros((2, len(names)), dtype=np.int64)
    for keys in _asked_together(protocol):
        places = np.concatenate([codes.rows_of(key) for key in keys])
        units = places[_first_of_unit(codes, places)]
        expected = len(keys) * np.bincount(arm[units], minlength=len(names))
        counts += (expected - np.bincount(arm[places], minlength=len(names)), expected)
    return {name: (int(n), int(of)) for name, n, of in zip(names, *counts, strict=True) if of}


def _asked_together(protocol: Protocol) -> Iterator[list[str]]:
    """Several questions about the same thing that every rater is asked on the same page."""
    always = [
        question
        for question in protocol.questions
        if question.show_if is None
        and question.condition is None
        and question.key not in protocol.flow.revisit
        and question.measure not in OPEN
    ]
    for target in ("response", "turn", "item"):
        keys = [question.key for question in always if question.target == target]
        if len(keys) > 1:
            yield keys


def _first_of_unit(codes: Codes, places: Ints) -> Ints:
    """For each thing that a rater answered questions about, the position in `places` of one of the answers."""
    rows = codes.rows
    turn = np.nan_to_num(rows.turn[places], nan=-1).astype(np.int64)
    parts = (rows.rater[places], rows.item[places], rows.response[places], turn)
    return np.unique(np.stack(parts, axis=1), axis=0, return_index=True)[1]


def _arms(codes: Codes, protocol: Protocol) -> tuple[Ints, list[str]]:
    """The arm of each answer, and the names of the arms."""
    if is_by_condition(protocol):
        cell, cells = pd.factorize(codes.kept["condition"].fillna("").astype(str))
        named = [arm_of(text, protocol) for text in cells]
        arms = list(dict.fromkeys(named))
        return np.array([arms.index(name) for name in named], dtype=np.int64)[cell], arms
    pools = [*codes.raters.pools, ""]
    return codes.raters.pool[codes.rows.rater] % len(pools), pools


def _marked(raters: pd.DataFrame, mark: str) -> int:
    return int(raters[mark].fillna(value=False).astype(bool).sum()) if mark in raters else 0
