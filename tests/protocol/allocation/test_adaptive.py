"""The most informative pair of sources: compared to determinants computed directly, and in simple cases."""

from itertools import combinations

import numpy as np
import pytest

from app.protocol.allocation import adaptive
from app.protocol.allocation.adaptive import PRIOR_SD, Information, Met

SOURCES = [7, 3, 9, 4]
MET = [Met(7, 3, 10, 8.5), Met(9, 7, 4, 1), Met(3, 9, 6, 3)]


def strengths_by_search(met: list[Met]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the mode of the posterior, found by a general optimizer."""
    from scipy.optimize import minimize

    place = {source: n for n, source in enumerate(SOURCES)}

    def loss(theta: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        value = float(theta @ theta) / (2 * PRIOR_SD**2)
        for one, other, n, won in met:
            difference = theta[place[one]] - theta[place[other]]
            value += n * np.log1p(np.exp(difference)) - won * difference
        return value

    return minimize(loss, np.zeros(len(SOURCES)), tol=1e-12).x


def precision(
    theta: np.ndarray[tuple[int], np.dtype[np.float64]], met: list[Met]
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return the information about the strengths, by its definition."""
    place = {source: n for n, source in enumerate(SOURCES)}
    whole = np.eye(len(SOURCES)) / PRIOR_SD**2
    for one, other, n, _ in met:
        p = 1 / (1 + np.exp(theta[place[other]] - theta[place[one]]))
        v = np.zeros(len(SOURCES))
        v[place[one]], v[place[other]] = 1, -1
        whole += n * p * (1 - p) * np.outer(v, v)
    return whole


@pytest.mark.parametrize("pair", list(combinations(SOURCES, 2)))
def test_information_gain_matches_log_determinant(pair: tuple[int, int]) -> None:
    theta = strengths_by_search(MET)
    before = np.linalg.slogdet(precision(theta, MET)).logabsdet
    after = np.linalg.slogdet(precision(theta, [*MET, Met(*pair, 1, 0)])).logabsdet
    information = Information(SOURCES, MET)
    assert information.gain(*pair) == pytest.approx(after - before, abs=1e-6)
    assert information.gain(*reversed(pair)) == pytest.approx(information.gain(*pair), abs=1e-12)


def test_unrated_pairs_are_equally_informative() -> None:
    pairs = list(combinations(SOURCES, 2))
    information = Information(SOURCES, [])
    assert {round(information.gain(*pair), 12) for pair in pairs} == {round(float(np.log1p(PRIOR_SD**2 / 2)), 12)}
    assert information.best(pairs) == pairs[0]


def test_source_without_comparisons_is_most_informative() -> None:
    assert 4 in Information(SOURCES, MET).best(combinations(SOURCES, 2))


def test_pending_pairs_are_counted_so_other_pairs_follow() -> None:
    information = Information(SOURCES, [])
    given = []
    for _ in range(12):
        given.append(information.best(combinations(SOURCES, 2)))
        information.expect(*given[-1])
    assert all(given.count(pair) == 2 for pair in combinations(SOURCES, 2))


def test_settled_pair_is_less_informative_than_even_pair() -> None:
    information = Information([1, 2, 3], [Met(1, 2, 40, 40), Met(1, 3, 40, 20), Met(2, 3, 40, 1)])
    assert information.gain(1, 3) > information.gain(1, 2)
    assert information.best([(1, 2), (1, 3)]) == (1, 3)


def test_one_sided_choices_have_finite_strengths() -> None:
    assert np.isfinite(Information(SOURCES, [Met(7, 3, 1000, 1000)]).gain(7, 3))


def test_truncated_fit_is_close_to_full_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Information(SOURCES, MET).gain(7, 3)
    monkeypatch.setattr(adaptive, "_MAX_STEPS", 3)
    assert Information(SOURCES, MET).gain(7, 3) == pytest.approx(whole, rel=0.01)
