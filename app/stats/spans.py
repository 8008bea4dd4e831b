"""Highlights: spans of text marked by raters, compared character by character.

A span is `(start, end)` in characters, end excluded, within a text of known length. Overlapping spans of one rater
count once. Gamma (Mathet, Widlöcher and Métivier 2015) is not included: its only package depends on a convex optimizer
and a compiler, and the character-level alpha answers the same question for marks without categories.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from krippendorff import alpha

from app.stats.arrays import Bools, Floats, Ints, Labels
from app.stats.clusters import METHOD, clusters, t_quantile, with_two_way_interval, without_interval
from app.stats.result import Interval, Method, Result, undefined

# Spans as boolean arrays of marked characters.

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Marked:
    """The spans that one rater marked in one text; `spans` is empty if the rater read it and marked nothing."""

    text: object
    item: object
    rater: object
    spans: tuple[Span, ...]


def marked_characters(spans: Sequence[Span], length: int) -> Bools:
    """Return whether each character is inside a span, shape (length,).

    Raises:
        ValueError: a span that is empty, reversed, or outside the text.

    >>> marked_characters([(1, 3)], 4)
    array([False,  True,  True, False])
    """
    marked = np.zeros(length, dtype=bool)
    for start, end in spans:
        if not 0 <= start < end <= length:
            raise ValueError(f"a span lies within the text of {length} characters, found {start} to {end}")
        marked[start:end] = True
    return marked


# Marked spans against an answer key: precision, recall and F1 of characters.


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
    hit, marked, wanted = span_sums(kept, key, length).T
    where = {"item": _labels([mark.item for mark in kept]), "rater": _labels([mark.rater for mark in kept])}
    return SpanScores(
        f1=_ratio(2 * hit, marked + wanted, level=level, **where),
        precision=_ratio(hit, marked, level=level, **where),
        recall=_ratio(hit, wanted, level=level, **where),
    )


def span_sums(marks: Sequence[Marked], key: Mapping[Any, Sequence[Span]], length: Mapping[Any, int]) -> Floats:
    """Return the numbers of characters in both, in the marks, and in the key of each text read, shape (n, 3)."""
    rows = [_hits(mark, key[mark.text], length[mark.text]) for mark in marks]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 3)


def f1_pseudo_values(sums: Floats) -> Floats:
    """Return F1 = 2 TP / (2 TP + FP + FN) plus the influence of each text on it, shape (n,); their mean is F1.

    Args:
        sums: as from `span_sums`, shape (n, 3); the values are nan if nothing is marked and the keys are empty.
    """
    part, whole = 2 * sums[:, 0], sums[:, 1] + sums[:, 2]
    if not whole.sum():
        return np.full(len(sums), np.nan)
    f1 = part.sum() / whole.sum()
    values: Floats = f1 + (part - f1 * whole) / whole.mean()
    return values


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


# Agreement of raters on which characters to mark.

ALPHA_METHOD = Method("jackknife_texts")
_PAIR = 2
# alphas that differ by less are equal but for rounding
_ROUNDING = 1e-12


def span_alpha(marks: Sequence[Marked], length: Mapping[object, int], *, level: float = 0.95) -> Result:
    """Return Krippendorff's nominal alpha of characters, marked or not, over texts with two or more raters. Unit: text.

    The estimate comes from the `krippendorff` package, given the counts of each character. Characters of one text are
    not independent, so the interval deletes one text at a time (jackknife, Fisher's z, t with texts - 1 degrees of
    freedom): for new texts and the same raters.

    Args:
        marks: one entry per rater and text read.
        length: number of characters of each text.
        level: confidence level.
    """
    counts = _counts(marks, length)
    raters, n_ratings = {mark.rater for mark in marks}, sum(int(table.sum(axis=1).max()) for table in counts)
    sizes = {"n_items": len(counts), "n_units": len(counts), "n_raters": len(raters), "n_ratings": n_ratings}
    if not counts:
        return undefined("no_pairable_units", "No text was read by two raters.", method=ALPHA_METHOD, **sizes)
    by_text = np.array([_coincidences(table) for table in counts])
    whole = by_text.sum(axis=0)
    if np.count_nonzero(whole.sum(axis=0)) < _PAIR:
        return undefined("no_variation", "All or none of the characters were marked.", method=ALPHA_METHOD, **sizes)
    bare = Result(_by_package(counts), ALPHA_METHOD).with_counts(**sizes)
    if len(counts) < _PAIR:
        return without_interval(bare, "one_cluster", "An interval for new texts needs two texts.")
    return _with_interval(bare, _alpha(whole - by_text), level)


def _counts(marks: Sequence[Marked], length: Mapping[object, int]) -> list[Ints]:
    """Return per text with two or more raters how many left each character unmarked and marked, shape (length, 2)."""
    by_text: dict[object, list[Marked]] = defaultdict(list)
    for mark in marks:
        by_text[mark.text].append(mark)
    tables = []
    for text, readers in by_text.items():
        if len(readers) >= _PAIR and length[text]:
            n = np.sum([marked_characters(mark.spans, length[text]) for mark in readers], axis=0)
            tables.append(np.column_stack([len(readers) - n, n]))
    return tables


def _by_package(counts: list[Ints]) -> float:
    return float(alpha(value_counts=np.concatenate(counts), level_of_measurement="nominal"))


def _coincidences(table: Ints) -> Floats:
    """Return counts of value pairs within characters, each weighted by 1 / (raters - 1), shape (2, 2)."""
    m = table.sum(axis=1)
    own = table.T @ table - np.diag(table.sum(axis=0))
    return np.asarray(own / (m[0] - 1), dtype=np.float64)


def _alpha(pairs: Floats) -> Floats:
    """Return nominal alpha of coincidence matrices, shape (..., 2, 2); nan if only one value is left."""
    n_of = pairs.sum(axis=-1)
    n = n_of.sum(axis=-1)
    expected = n_of[..., 0] * n_of[..., 1]
    found: Floats = np.divide(
        (n - 1) * pairs[..., 0, 1], expected, out=np.full(expected.shape, np.nan), where=expected > 0
    )
    return 1 - found


def _with_interval(bare: Result, left: Floats, level: float) -> Result:
    """Return the result with a jackknife interval on Fisher's z of the alphas without each text."""
    n, alpha = len(left), bare.estimate or 0.0
    if not np.isfinite(left).all():
        return without_interval(bare, "one_cluster", "The estimate depends on one text, so no interval for new texts.")
    if max(alpha, float(left.max())) >= 1 or np.ptp(left) < _ROUNDING:
        return without_interval(bare, "no_variation", "The texts do not differ in agreement: no interval.")
    z = np.arctanh(left)
    error = float(np.sqrt((n - 1) / n * ((z - z.mean()) ** 2).sum()))
    reach, centre = t_quantile(n - 1, level) * error, float(np.arctanh(alpha))
    low, high = (float(np.tanh(end)) for end in (centre - reach, centre + reach))
    interval = Interval(low, high, ALPHA_METHOD, level, inference="items")
    return replace(bare, interval=interval, standard_error=error * (1 - alpha**2), df=float(n - 1))
