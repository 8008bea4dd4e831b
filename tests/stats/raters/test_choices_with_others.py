import numpy as np
import pytest

from app.stats.raters.agreement_with_others import choices_with_others


def test_correlation_of_choices_by_hand() -> None:
    """Two pairs by three raters: 1 1, 1 -1, -1 1; a third pair that only the first rater has does not count.

    For the first: own 1, 1; the others' means are 0 and 0, so they are divided about every pair: undefined.
    For the second: 1, -1 beside (1 - 1) / 2 = 0 and (1 + 1) / 2 = 1: -1 / sqrt(2 * 1).
    For the third: -1, 1 beside 1 and 0: -1 / sqrt(2 * 1).
    """
    value = np.array([1.0, 1, 1, -1, -1, 1, 1])
    pair = np.array([0, 1, 0, 1, 0, 1, 2])
    rater = np.array([0, 0, 1, 1, 2, 2, 0])
    found = choices_with_others(value, pair, rater, 4)
    assert found.n_compared.tolist() == [2, 2, 2, 0]
    assert found.correlation == pytest.approx([np.nan, -(0.5**0.5), -(0.5**0.5), np.nan], nan_ok=True)


def test_which_response_counts_as_the_first_does_not_matter() -> None:
    rng = np.random.default_rng(2)
    pair, rater = (code.ravel() for code in np.indices((20, 6)))
    value = rng.choice([-1.0, 1.0], 120)
    turned = np.where(rng.random(20) < 0.5, -1.0, 1.0)[pair]
    assert choices_with_others(value * turned, pair, rater, 6).correlation == pytest.approx(
        choices_with_others(value, pair, rater, 6).correlation
    )
