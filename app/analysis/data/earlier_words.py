"""Answers under an earlier version of the study, in which the question had other words than now.

Without numpy and pandas, because every process that shows a report imports it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from app.base.numbers import whole
from app.base.words import and_list, counted, isolated
from app.protocol.labels import Labels

if TYPE_CHECKING:
    from app.analysis.data.encoded_study import Codes
    from app.analysis.data.frames import Frames

# By question: the raters who read it in other words, and the version that each of them began with.
EarlierWords = Mapping[str, Mapping[str, str]]
# Where answers to the current words are counted, beside those of each earlier version.
NOW = ""


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
    for key in (key for key in codes.questions if key in earlier):
        rater = codes.rows.rater[codes.rows_of(key)]
        counts: Counter[str] = Counter()
        for at, n in Counter(rater[~codes.raters.is_model[rater]].tolist()).items():
            counts[earlier[key].get(codes.raters.ids[at], NOW)] += n
        if counts.keys() - {NOW}:
            found[key] = dict(sorted(counts.items()))
    return found


def earlier_sentences(by_version: Mapping[str, Mapping[str, int]], labels: Labels) -> Iterator[str]:
    """Yield how many answers were given under an earlier wording; questions with the same numbers share a sentence.

    >>> list(earlier_sentences({"warmth": {"": 42, "1": 48}}, Labels()))[0]
    '48 of 90 answers to Warmth were given to an earlier wording, under version 1 of the study. They count together.'
    """
    alike: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for key, counts in by_version.items():
        alike.setdefault(tuple(counts.items()), []).append(isolated(labels.question(key)))
    for same, names in alike.items():
        before = [(version, n) for version, n in same if version != NOW]
        n_before, n_all = sum(n for _, n in before), sum(n for _, n in same)
        which = and_list(f"version {version}" + (f" ({whole(n)})" if len(before) > 1 else "") for version, n in before)
        answers = f"{counted(n_all, 'answer')} to {'each of ' if len(names) > 1 else ''}{and_list(names)}"
        yield (
            f"{whole(n_before)} of {answers} {'was' if n_before == 1 else 'were'} given to an earlier wording, "
            f"under {which} of the study. They count together."
        )
