"""Answers by version of the study, in sentences; without pandas, as every process that shows a report imports it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from app.base.numbers import whole
from app.base.words import and_list, counted, isolated
from app.protocol.labels import Labels

# Where answers to the current words are counted, beside those of each earlier version.
NOW = ""


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
