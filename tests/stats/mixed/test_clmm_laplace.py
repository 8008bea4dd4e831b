import numpy as np
import pytest
from scipy import special

from app.stats.arrays import Floats
from app.stats.mixed.clmm_laplace import LINKS, Laplace, LinkName, Slopes
from app.stats.mixed.crossed import Factor, crossed

NAMES: tuple[LinkName, ...] = ("logit", "probit")
DESIGNS = {
    "slopes of both": ((0, 1), (0, 1)),
    "one intercept": ((0,), ()),
    "none": ((), ()),
    "one slope": ((0, 1), (0,)),
}


def _slopes(link: LinkName, upper: Floats, lower: Floats) -> Slopes:
    return LINKS[link].slopes(LINKS[link].parts(upper, lower))


@pytest.mark.parametrize("link", NAMES)
def test_rating_likelihood_and_derivatives_match_distribution(link: LinkName) -> None:
    distribution = {"logit": special.expit, "probit": special.ndtr}[link]
    upper, lower = np.array([1.3, 0.4, np.inf, 2.5]), np.array([-np.inf, -0.9, 0.7, 1.9])
    step = 1e-5
    there, here, back = (_slopes(link, upper - e, lower - e) for e in (step, 0, -step))
    assert np.exp(here.log_p) == pytest.approx(distribution(upper) - distribution(lower))
    assert (there.log_p - back.log_p) / (2 * step) == pytest.approx(here.d1, abs=1e-8)
    assert (there.d1 - back.d1) / (2 * step) == pytest.approx(-here.weight, abs=1e-8)
    curves = LINKS[link].curves(upper, lower, LINKS[link].parts(upper, lower))
    assert (there.weight - back.weight) / (2 * step) == pytest.approx(curves.weight_eta, abs=1e-8)


@pytest.mark.parametrize("link", NAMES)
def test_extreme_tail_ratings_have_finite_likelihood(link: LinkName) -> None:
    upper, lower = np.array([-900.0, np.inf, 901.0]), np.array([-np.inf, 900.0, 900.0])
    found = _slopes(link, upper, lower)
    assert np.isfinite(found.log_p).all()


@pytest.mark.parametrize("link", NAMES)
@pytest.mark.parametrize("columns", DESIGNS)
@pytest.mark.parametrize("n_categories", [2, 4])
def test_gradient_is_derivative_of_likelihood(link: LinkName, columns: str, n_categories: int) -> None:
    rng = np.random.default_rng(4)
    n = 80
    large, small = DESIGNS[columns]
    x: Floats = np.asarray(rng.integers(0, 2, n) - 0.5, dtype=np.float64)
    design = crossed(
        Factor(np.append(np.arange(15), rng.integers(0, 15, n - 15)), 15, large),
        Factor(np.append(np.arange(5), rng.integers(0, 5, n - 5)), 5, small),
        np.array([np.ones(n), x]),
    )
    y = np.append(np.arange(n_categories), rng.integers(0, n_categories, n - n_categories))
    f = Laplace(y[design.order], x[np.newaxis, design.order], design, link, n_categories)
    n_sd = len(large) + len(small)
    w = np.concatenate([[-0.8], np.full(n_categories - 2, -0.3), [0.4], rng.uniform(0.3, 1, n_sd)])
    gradient = f.value_and_gradient(w)[1]
    slopes = [(f.value_and_gradient(w + e)[0] - f.value_and_gradient(w - e)[0]) / 2e-5 for e in np.eye(len(w)) * 1e-5]
    assert gradient == pytest.approx(np.array(slopes), abs=1e-5)


def test_modes_at_step_limit_are_returned_as_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the maximum number of steps, the values reached so far are returned."""
    monkeypatch.setattr("app.stats.mixed.clmm_laplace._MAX_NEWTON", 1)
    monkeypatch.setattr("app.stats.mixed.clmm_laplace._LENGTHS", (1e6, 1e5))
    one = np.ones((1, 8))
    design = crossed(Factor(np.arange(8) // 2, 4, (0,)), Factor(np.arange(8) % 2, 2, (0,)), one)
    f = Laplace(np.array([0, 1, 1, 1, 0, 0, 1, 0]), np.zeros((0, 8)), design, "logit", 2)
    assert np.isfinite(f.value_and_gradient(np.array([0.3, 0.5, 0.5]))[0])
