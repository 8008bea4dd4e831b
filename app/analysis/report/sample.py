"""The sample of a report, counted once from the same frames."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

import numpy as np
import pandas as pd
from pandas.api.typing import NaTType

from app.analysis.data.earlier_words import EarlierWords, answers_by_version
from app.analysis.data.encoded_study import Bools, Codes, Ints
from app.analysis.data.frames import Frames
from app.analysis.data.participants import flow_of
from app.analysis.report.missing_answers import missing_answers
from app.analysis.report.report import RaterGroup, Sample
from app.protocol.study import Protocol


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
        missing=missing_answers(frames, codes, protocol),
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


def _marked(raters: pd.DataFrame, mark: str) -> int:
    return int(raters[mark].fillna(value=False).astype(bool).sum()) if mark in raters else 0
