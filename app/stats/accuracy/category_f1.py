"""Accuracy of categorical answers against an answer key: confusion table, F1 per category, and macro F1."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from app.stats.arrays import Bools, Floats, Ints, Labels, codes
from app.stats.clusters import without_interval
from app.stats.comparison.describe import share
from app.stats.result import Interval, Method, Result, undefined

METHOD = Method("bootstrap_items")
_PAIR = 2
# maximum number of table entries in memory at once
_MAX_NUMBERS = 4_000_000


@dataclass(frozen=True, eq=False)
class Confusion:
    """Number of answers per key category and given category: `counts[k, g]`, shape (K, K)."""

    categories: tuple[str, ...]
    counts: Ints


def confusion(given: Labels, key: Labels, categories: Sequence[str]) -> Confusion:
    """Return the confusion table of answers; labels shape (n,). Missing or undeclared answers and keys are dropped."""
    _, cell = _cells(given, key, categories)
    k = len(categories)
    return Confusion(tuple(categories), np.bincount(cell, minlength=k * k).reshape(k, k))


def _cells(given: Labels, key: Labels, categories: Sequence[str]) -> tuple[Bools, Ints]:
    """Return which answers are kept, shape (n,), and their cells of the confusion table in row-major order."""
    declared = pd.Index(list(categories))
    rows, columns = (declared.get_indexer(pd.Index(np.asarray(labels, dtype=object))) for labels in (key, given))
    kept = (rows >= 0) & (columns >= 0)
    return kept, (rows[kept] * len(categories) + columns[kept]).astype(np.int64)


def f1_scores(table: Floats | Ints) -> Floats:
    """Return F1 = 2 TP / (2 TP + FP + FN) per category for confusion tables of shape (..., K, K); shape (..., K).

    0 if a category occurs but was never given correctly; nan if it occurs in neither key nor answers.
    """
    hits = np.diagonal(table, axis1=-2, axis2=-1)
    either = table.sum(axis=-1) + table.sum(axis=-2)
    scores: Floats = np.divide(2 * hits, either, out=np.full(either.shape, np.nan), where=either > 0)
    return scores


def f1_macro(
    given: Labels,
    key: Labels,
    categories: Sequence[str],
    *,
    item: Labels,
    rater: Labels,
    n_resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> Result:
    """Return the mean F1 score over the categories that occur in the key or in the answers. Unit: rating.

    Percentile interval from a bootstrap of items with all their answers: for new items and the same raters. Equals
    scikit-learn's f1_score(average="macro", zero_division=0) over the labels that occur.
    """
    kept, cell = _cells(given, key, categories)
    k = len(categories)
    code, n_items = codes(np.asarray(item)[kept])
    n = int(kept.sum())
    counts = {"n_items": n_items, "n_units": n, "n_raters": codes(np.asarray(rater)[kept])[1], "n_ratings": n}
    if n == 0:
        return undefined("no_pairable_units", "No answer has a key.", method=METHOD, **counts)
    by_item = np.bincount(code * k * k + cell, minlength=n_items * k * k).reshape(n_items, k * k)
    bare = Result(float(_macro(by_item.sum(axis=0).reshape(1, k, k))[0]), METHOD).with_counts(**counts)
    if n_items < _PAIR:
        return without_interval(bare, "one_cluster", "A bootstrap over items needs two items.")
    draws = _resampled(by_item, k, n_resamples, np.random.default_rng(seed))
    if np.ptp(draws) == 0:
        return without_interval(bare, "no_variation", "The estimate is the same in all resamples.")
    tail = (1 - level) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    interval = Interval(float(low), float(high), METHOD, level, inference="items")
    return replace(bare, interval=interval, standard_error=float(draws.std(ddof=1)), seed=seed)


def _macro(table: Floats | Ints) -> Floats:
    return np.asarray(np.nanmean(f1_scores(table), axis=-1), dtype=np.float64)


def f1_macro_pseudo_values(cells: Floats) -> Floats:
    """Return the macro F1 plus the influence of each answer on it, shape (n,); their mean is the macro F1.

    For the cell of key i and answer j, each code's F1_k = 2 C_kk / e_k (e_k: row plus column sum) has the derivative
    (2 [i = j = k] - F1_k ([i = k] + [j = k])) / e_k.

    Args:
        cells: 1 in the answer's cell of the confusion table, in row-major order, otherwise 0; shape (n, K * K).
    """
    k = round(cells.shape[1] ** 0.5)
    table = cells.sum(axis=0).reshape(k, k)
    f1, either = f1_scores(table), table.sum(axis=0) + table.sum(axis=1)
    share = np.divide(1.0, either, out=np.zeros(k), where=either > 0)
    slope = np.nan_to_num(f1) * share
    derivative = 2 * np.diag(share) - slope[:, np.newaxis] - slope
    n_defined = int((either > 0).sum())
    values: Floats = np.nanmean(f1) + len(cells) * (cells @ derivative.ravel()) / n_defined
    return values


def _resampled(by_item: Ints, k: int, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Return the macro F1 of each resample of items; items with identical tables are drawn together."""
    patterns, weight = np.unique(by_item, axis=0, return_counts=True)
    n, step = len(by_item), max(1, _MAX_NUMBERS // max(len(patterns), k * k))
    sizes = [min(step, n_resamples - done) for done in range(0, n_resamples, step)]
    parts = [_macro((rng.multinomial(n, weight / n, size) @ patterns).reshape(-1, k, k)) for size in sizes]
    return np.concatenate(parts)


# Accuracy of answers against an answer key: proportion correct.


def accuracy_share(
    is_correct: Floats, *, item: Labels, rater: Labels, chance: float | None = None, level: float = 0.95
) -> Result:
    """Return the proportion of correct answers, for new items and raters. Unit: rating.

    Args:
        is_correct: 1, 0, or nan if not answered, shape (n,).
        item: labels, shape (n,).
        rater: labels, shape (n,).
        chance: proportion expected from guessing, as null value of the test.
        level: confidence level of the two-way cluster t interval, computed on the logit scale.
    """
    return share(is_correct, item=item, rater=rater, null=chance, level=level)
