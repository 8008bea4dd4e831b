"""Association of a covariate (a rater's questionnaire score, age, the length of a text) with ratings, by source.

No median splits: dichotomizing a score discards information and can produce spurious effects (MacCallum et al. 2002,
Psychol. Methods 7:19).
"""

from dataclasses import dataclass

import numpy as np

from app.stats.arms import missing_side
from app.stats.arrays import Bools, Floats, Labels, codes, present
from app.stats.linear.cluster_robust import METHOD, linear_contrast
from app.stats.mixed.random_slopes import mixed_contrast
from app.stats.result import Result, undefined

NOT_ALL_TURNS = "Nobody who rated the whole rated all turns, which are weighed together."

# Ratings of the turns of a dialogue: their slope over turns, and how they relate to the rating of the whole
# dialogue.
#
# Arguments: `value`, `turn` (1, 2, 3 ...), `dialogue` and `rater` shape (n,), one entry per rating; rows in which
# value or turn is nan are dropped. A dialogue is an item with one source.


def turn_slope(value: Floats, turn: Floats, *, dialogue: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the change of the rating, in points per turn, for new dialogues and new raters.

    Linear mixed model y = b0 + b1 (turn - mean turn) + effects of dialogue and of rater, each with intercept and slope,
    by REML with Satterthwaite degrees of freedom (Bates et al. 2015; Kuznetsova et al. 2017).
    """
    number, (turns, dialogues, raters) = present(_known(value, turn), turn, dialogue, rater)
    X = np.column_stack([np.ones(len(number)), _centred(turns)])
    return mixed_contrast(number, X, np.array([0.0, 1.0]), item=dialogues, rater=raters, level=level)


def turn_slope_difference(
    value: Floats, turn: Floats, is_treated: Bools, *, dialogue: Labels, rater: Labels, level: float = 0.95
) -> Result:
    """Return the slope over turns of the source minus that of the reference. As `turn_slope`, with an interaction.

    `is_treated` shape (n,): whether the dialogue belongs to the source.
    """
    number, (turns, treated, dialogues, raters) = present(_known(value, turn), turn, is_treated, dialogue, rater)
    treated = treated.astype(bool)
    problem = missing_side(treated, "the source", "the reference")
    if problem:
        return problem
    source, place = treated - 0.5, _centred(turns)
    X = np.column_stack([np.ones(len(number)), place, source, place * source])
    return mixed_contrast(number, X, np.array([0.0, 0.0, 0.0, 1.0]), item=dialogues, rater=raters, level=level)


def whole_on_turns(
    whole: Floats, turns: Floats, *, dialogue: Labels, rater: Labels, level: float = 0.95
) -> list[Result]:
    """Return the weight of each turn in the rating of the whole dialogue, adjusted for the other turns.

    Least squares of the whole on all turns at once, CR2 errors by dialogue and rater: one coefficient per turn.
    Equal coefficients mean an average over turns, a large last one recency (Fredrickson and Kahneman 1993).

    Args:
        whole: one rating per rater and dialogue, shape (n,).
        turns: the same rater's ratings of the turns, shape (n, n_turns); rows with nan are dropped.
        dialogue: labels, shape (n,).
        rater: labels, shape (n,).
        level: confidence level.
    """
    complete = np.where(np.isfinite(turns).all(axis=1), whole, np.nan)
    number, (dialogues, raters) = present(complete, dialogue, rater)
    kept = turns[np.isfinite(complete)]
    if not len(number) and np.isfinite(whole).any():
        none = undefined("no_pairable_units", NOT_ALL_TURNS, method=METHOD, n_units=0, n_ratings=0)
        return [none] * turns.shape[1]
    X = np.column_stack([np.ones(len(number)), kept])
    contrasts = np.eye(X.shape[1])[1:]
    return [linear_contrast(number, X, row, item=dialogues, rater=raters, level=level) for row in contrasts]


def _known(value: Floats, turn: Floats) -> Floats:
    return np.where(np.isfinite(turn), value, np.nan)


def _centred(turn: Floats) -> Floats:
    return turn - turn.mean() if len(turn) else turn


_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class CovariateSlopes:
    """Change of the rating, in points, per unit of the covariate.

    Attributes:
        within: within raters (undefined if the covariate is constant within raters).
        between: between the means of raters (undefined if all raters have the same mean).
    """

    within: Result
    between: Result


def covariate_slope(
    value: Floats, covariate: Floats, *, item: Labels, rater: Labels, level: float = 0.95
) -> CovariateSlopes:
    """Return slopes of the ratings of one source on a covariate, within and between raters.

    Least squares y = b0 + b1 (x - mean x of the rater) + b2 (mean x of the rater), CR2 errors by item and rater. The
    two slopes answer different questions and may differ in sign (Enders and Tofighi 2007, Psychol. Methods 12:121).

    Args:
        value: ratings, shape (n,); rows with nan here or in the covariate are dropped.
        covariate: shape (n,).
        item: labels, shape (n,).
        rater: labels, shape (n,).
        level: confidence level.
    """
    number, (x, items, raters) = present(np.where(np.isfinite(covariate), value, np.nan), covariate, item, rater)
    columns = _split(x, raters)
    slopes = [_last(number, columns, name, name, items, raters, level) for name in ("within", "between")]
    return CovariateSlopes(*slopes)


def covariate_slope_difference(
    value: Floats, covariate: Floats, is_treated: Bools, *, item: Labels, rater: Labels, level: float = 0.95
) -> CovariateSlopes:
    """Return slopes for the source minus slopes for the reference; `is_treated` shape (n,). As `covariate_slope`."""
    known = np.where(np.isfinite(covariate), value, np.nan)
    number, (x, treated, items, raters) = present(known, covariate, is_treated, item, rater)
    source = treated.astype(np.float64)
    columns = _split(x, raters) | {"source": source}
    both = [
        _last(number, columns | {"product": columns[name] * source}, "product", name, items, raters, level)
        for name in ("within", "between")
    ]
    return CovariateSlopes(*both)


def _split(x: Floats, rater: Labels) -> dict[str, Floats]:
    """Return the centred within-rater and between-rater components of the covariate, shapes (n,)."""
    code, n = codes(rater)
    mean = (np.bincount(code, x, n) / np.maximum(np.bincount(code, minlength=n), 1))[code]
    scale = float(np.abs(x).max(initial=0)) or 1.0
    within, between = x - mean, mean - (mean.mean() if len(mean) else 0.0)
    return {
        "within": np.where(np.abs(within) > _ROUNDING * scale, within, 0.0),
        "between": np.where(np.abs(between) > _ROUNDING * scale, between, 0.0),
    }


def _last(
    y: Floats, columns: dict[str, Floats], name: str, where: str, item: Labels, rater: Labels, level: float
) -> Result:
    """Return the slope on the named column, which varies within or between raters, adjusted for all other columns."""
    n = len(y)
    if n and np.ptp(columns[name]) == 0:
        note = f"The covariate does not vary {where} raters."
        return undefined("no_variation", note, method=METHOD, n_units=n, n_ratings=n)
    others = [column for key, column in columns.items() if key != name and np.ptp(column) > 0] if n else []
    X = np.column_stack([np.ones(n), *others, columns[name]])
    return linear_contrast(y, X, np.eye(X.shape[1])[-1], item=item, rater=rater, level=level)
