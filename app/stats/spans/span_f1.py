"""Marked spans against an answer key: precision, recall and F1 of characters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.stats.core.clusters import METHOD, clusters, with_two_way_interval, without_interval
from app.stats.core.result import Result, undefined
from app.stats.spans.characters import marked_characters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.stats.core.arrays import Floats, Labels
    from app.stats.spans.characters import Marked, Span


@dataclass(frozen=True, slots=True)
class SpanScores:
    """F1, precision and recall over all characters of all raters and texts."""

    f1: Result
    precision: Result
    recall: Result


def span_scores(
    marks: Sequence[Marked], key: Mapping[Any, Sequence[Span]], length: Mapping[Any, int], *, level: float = 0.95
) -> SpanScores:
    """Compare characters marked by raters with those of the key, summed over raters and texts (micro average).

    precision = TP / (TP + FP), recall = TP / (TP + FN), F1 = 2 TP / (2 TP + FP + FN). Each is a ratio of sums; its
    influence is (numerator - ratio x denominator) / sum of denominators, with the two-way cluster t interval (items and
    raters) on the logit scale. As scikit-learn's f1_score of the characters.

    Args:
        marks: one entry per rater and text read.
        key: correct spans of each text; texts without a key are dropped.
        length: number of characters of each text.
        level: confidence level.
    """
    kept = [mark for mark in marks if mark.text in key]
    rows = [_hits(mark, key[mark.text], length[mark.text]) for mark in kept]
    hit, marked, wanted = np.array(rows, dtype=np.float64).reshape(len(rows), 3).T
    where = {"item": _labels([mark.item for mark in kept]), "rater": _labels([mark.rater for mark in kept])}
    return SpanScores(
        f1=_ratio(2 * hit, marked + wanted, level=level, **where),
        precision=_ratio(hit, marked, level=level, **where),
        recall=_ratio(hit, wanted, level=level, **where),
    )


def _hits(mark: Marked, right: Sequence[Span], length: int) -> tuple[int, int, int]:
    """Return the numbers of characters in both, in the marks, and in the key."""
    mine, theirs = marked_characters(mark.spans, length), marked_characters(right, length)
    return int((mine & theirs).sum()), int(mine.sum()), int(theirs.sum())


def _labels(names: list[object]) -> Labels:
    labels = np.empty(len(names), dtype=object)
    labels[:] = names
    return labels


def _ratio(part: Floats, whole: Floats, *, item: Labels, rater: Labels, level: float) -> Result:
    """Return the sum of `part` over the sum of `whole`, shapes (n,), with its interval."""
    groups, total = clusters(item, rater), float(whole.sum())
    counts = {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": len(part), "n_ratings": len(part)}
    if total == 0:
        return undefined("no_pairable_units", "Nothing was marked or the key is empty.", method=METHOD, **counts)
    ratio = float(part.sum()) / total
    if ratio in {0, 1}:
        bare = Result(ratio, METHOD).with_counts(**counts)
        return without_interval(bare, "no_variation", "All or none of the characters are correct, so no interval.")
    found = with_two_way_interval(ratio, (part - ratio * whole) / total, groups, level=level, is_share=True)
    return replace(found, p_value=None)
