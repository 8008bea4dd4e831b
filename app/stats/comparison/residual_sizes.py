"""How far people and judge will disagree about items that people have not rated: for drawing more of them.

The variance of an estimate by judge and people is smallest if an item is drawn with a probability proportional to the
root of the expected square of its residual (Neyman 1934; for judges and people, Zrnic and Candes 2024, "Active
statistical inference", ICML, arXiv:2403.03208). The size of a residual is predicted from what is known of all items, by
the residuals of the items that people rated; the values of an item come from the residuals of other folds, so that
they do not depend on whether people rated it, nor on what they said.
"""

import numpy as np

from app.stats.arrays import Floats, Ints

# The smallest size over the mean; the largest is its inverse. A wrong prediction costs little then.
SMALLEST = 0.7
# Items that a regression needs beyond its features.
MORE_ITEMS = 3


def predicted_sizes(residual: Floats, features: Floats, fold: Ints) -> Floats:
    """Return the expected size of each item's residual, in units of their mean; 1 where too few items are known.

    The root of the predicted square: by least squares on the features, for each fold from the items of the others.
    What the features add to the mean is shrunk by 1 - 1 / F, and is 0 if F is below 1 (the heuristic factor of van
    Houwelingen and le Cessie 1990, Stat. Med. 9:1303, doi:10.1002/sim.4780091109): with few items a slope is mostly
    chance, and unequal probabilities without a reason make intervals wider.

    Args:
        residual: of each item, nan where people have not rated it, shape (n_items,).
        features: without missing values, shape (n_features, n_items).
        fold: of each item, from 0 on, shape (n_items,).

    Returns:
        Shape (n_items,), from `SMALLEST` to its inverse.
    """
    found = np.ones(len(residual))
    for part in np.unique(fold):
        learns, here = np.isfinite(residual) & (fold != part), fold == part
        square = residual[learns] ** 2
        if len(square) >= len(features) + MORE_ITEMS and square.any():
            found[here] = _predicted(square, features[:, learns], features[:, here]) / square.mean()
    return np.asarray(np.sqrt(found.clip(SMALLEST**2, SMALLEST**-2)))


def _predicted(square: Floats, known: Floats, asked: Floats) -> Floats:
    """Return the expected square by the features of other items, shrunk towards the mean."""
    centre, mean = known.mean(axis=1, keepdims=True), float(square.mean())
    columns = known - centre
    slopes, _, rank, _ = np.linalg.lstsq(columns.T, square - mean, rcond=None)
    fitted = slopes @ columns
    rest = float(((square - mean - fitted) ** 2).sum()) / (len(square) - rank - 1)
    explained = float((fitted**2).sum()) / max(rank, 1)
    shrunk = max(0.0, 1 - rest / explained) if explained > 0 else 0.0
    return np.asarray(mean + shrunk * (slopes @ (asked - centre)))
