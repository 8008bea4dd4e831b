"""Answers under an earlier version of the study, in which the question had other words than now."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from app.analysis.data.by_version import NOW
from app.analysis.data.encoded_study import Codes
from app.analysis.data.frames import Frames

# By question: the raters who read it in other words, and the version that each of them began with.
EarlierWords = Mapping[str, Mapping[str, str]]


def earlier_words(frames: Frames) -> dict[str, dict[str, str]]:
    """Return by question the raters who read it in other words, each with their version; of all raters who arrived."""
    found: dict[str, dict[str, str]] = {}
    arrivals = frames.arrivals
    if arrivals is None or "reworded" not in arrivals:
        return found
    told = arrivals[arrivals["rater"].notna() & arrivals["reworded"].notna()]
    for rater, version, keys in zip(told["rater"], told["version"], told["reworded"], strict=True):
        for key in keys.split("|"):
            found.setdefault(key, {})[rater] = version
    return found


def raters_before(earlier: EarlierWords, questions: Collection[str]) -> set[str]:
    """Return the raters who read any of these questions in other words."""
    return {rater for key in questions for rater in earlier.get(key, ())}


def answers_by_version(codes: Codes, earlier: EarlierWords) -> dict[str, dict[str, int]]:
    """Count the answers of people by version, for questions with answers to other words; NOW counts all others."""
    found = {}
    ids = np.asarray(codes.raters.ids, dtype=object)
    for key in (key for key in codes.questions if key in earlier):
        rater = codes.rows.rater[codes.rows_of(key)]
        n = np.bincount(rater[~codes.raters.is_model[rater]], minlength=len(ids))
        counts: dict[str, int] = {}
        for at in np.flatnonzero(n):
            version = earlier[key].get(ids[at], NOW)
            counts[version] = counts.get(version, 0) + int(n[at])
        if counts.keys() - {NOW}:
            found[key] = dict(sorted(counts.items()))
    return found
