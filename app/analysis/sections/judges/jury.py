"""A jury: the answers of several models to a unit as one answer, with one vote for each model."""

from dataclasses import replace

import numpy as np

from app.analysis.data.answers import Answers
from app.analysis.data.encoded_study import Floats, Ints
from app.analysis.data.scopes import MIN_MODELS


def jury_of(answers: Answers, model: Ints, *, is_nominal: bool) -> Answers | None:
    """Return one answer for each unit that two models or more answered; None if there is none.

    A model's vote is the mean of its answers to the unit, in all showings and of all judges that are runs of it; the
    jury says the mean of the votes. Where answers have no order, a model divides its vote among its answers, and the
    jury says what has the most votes; units without one such answer are left out. Source: Verga et al. (2024).

    Args:
        answers: of all judges, in all showings.
        model: the model of each answer, shape (n,).
        is_nominal: whether the answers have no order.
    """
    if len(np.unique(model)) < MIN_MODELS:
        return None
    units, first, unit = np.unique(answers.unit, return_index=True, return_inverse=True)
    votes = [answers.value] if not is_nominal else [answers.value == value for value in np.unique(answers.value)]
    means, n_models = zip(*(_mean_of_models(vote * 1.0, unit, model, len(units)) for vote in votes), strict=True)
    has_jury = n_models[0] >= MIN_MODELS
    said = means[0]
    if is_nominal:
        share = np.array(means)
        has_jury &= np.isclose(share, share.max(axis=0)).sum(axis=0) == 1
        said = np.unique(answers.value)[share.argmax(axis=0)]
    return replace(answers.select(first), value=said).select(np.flatnonzero(has_jury)) if has_jury.any() else None


def _mean_of_models(value: Floats, unit: Ints, model: Ints, n_units: int) -> tuple[Floats, Ints]:
    """Return for each unit the mean of the models' means, and the number of models that answered it."""
    n_all = int(model.max(initial=0)) + 1
    cells, cell = np.unique(unit * n_all + model, return_inverse=True)
    mean = np.bincount(cell, value) / np.bincount(cell)
    n = np.bincount(cells // n_all, minlength=n_units)
    return np.bincount(cells // n_all, mean, n_units) / n, n
