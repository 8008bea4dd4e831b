"""The block elimination of crossed factors against the equivalent dense matrix."""

import numpy as np
import pytest

from app.stats.arrays import Floats
from app.stats.mixed import crossed as crossed_groups
from app.stats.mixed.crossed import Crossed, Dense, Factor, Sparse, crossed

COLUMNS = {"none": (), "intercept": (0,), "slope": (0, 1), "three": (0, 1, 2)}


def _design(n_large: int, n_small: int, n: int, large: tuple[int, ...], small: tuple[int, ...]) -> Crossed:
    rng = np.random.default_rng(n)
    codes = [np.append(np.arange(levels), rng.integers(0, levels, n - levels)) for levels in (n_large, n_small)]
    columns = np.array([np.ones(n), rng.integers(0, 2, n) - 0.5, rng.normal(size=n)])
    return crossed(Factor(codes[0], n_large, large), Factor(codes[1], n_small, small), columns)


def _dense(design: Crossed, sd_large: Floats, sd_small: Floats) -> Floats:
    """Return Z S as a dense matrix, shape (n, q_large n_large + q_small n_small)."""
    blocks = []
    for factor, sd in ((design.large, sd_large), (design.small, sd_small)):
        for column, scale in zip(factor.columns, sd, strict=True):
            one_hot = np.eye(factor.n_levels)[factor.code]
            blocks.append(one_hot * (design.columns[column] * scale)[:, np.newaxis])
    return np.concatenate([np.zeros((len(design.cell), 0)), *blocks], axis=1)


@pytest.mark.parametrize("dense_up_to", [0, 1_000_000])
@pytest.mark.parametrize("n_small", [4, 25])
@pytest.mark.parametrize("large", COLUMNS)
@pytest.mark.parametrize("small", COLUMNS)
def test_block_elimination_matches_dense_matrix(
    monkeypatch: pytest.MonkeyPatch, n_small: int, large: str, small: str, dense_up_to: int
) -> None:
    monkeypatch.setattr(crossed_groups, "_MAX_NUMBERS", 300)
    monkeypatch.setattr(crossed_groups, "_SMALL", dense_up_to)
    design = _design(30, n_small, 90, COLUMNS[large], COLUMNS[small])
    rng = np.random.default_rng(1)
    weight = rng.random(90) + 0.1
    sd_large, sd_small = rng.random(design.large.q) + 0.2, rng.random(design.small.q) + 0.2
    dense = _dense(design, sd_large, sd_small)
    whole = np.eye(dense.shape[1]) + dense.T @ (weight[:, np.newaxis] * dense)
    factored = design.factored(weight, sd_large, sd_small)
    assert factored.log_det == pytest.approx(np.linalg.slogdet(whole)[1])

    shapes = (design.large.q, 30), (design.small.q, n_small)
    g_large, g_small = (rng.normal(size=shape) for shape in shapes)
    x_large, x_small = factored.solve(g_large, g_small)
    expected = np.linalg.solve(whole, np.concatenate([g_large.ravel(), g_small.ravel()]))
    assert np.concatenate([x_large.ravel(), x_small.ravel()]) == pytest.approx(expected)
    scaled = x_large * sd_large[:, np.newaxis], x_small * sd_small[:, np.newaxis]
    assert design.spread(*scaled) == pytest.approx(dense @ expected)

    inverse = np.linalg.inv(whole)
    n_large = g_large.size
    by_large = inverse[:n_large, :n_large].reshape(design.large.q, 30, design.large.q, 30)
    by_small = inverse[n_large:, n_large:].reshape(design.small.q, n_small, design.small.q, n_small)
    across = inverse[:n_large, n_large:].reshape(design.large.q, 30, design.small.q, n_small)
    found = factored.inverse
    assert found[0] == pytest.approx(np.einsum("ilkl->ikl", by_large))
    assert found[1] == pytest.approx(across[:, design.cell_large, :, design.cell_small].transpose(1, 2, 0))
    assert found[2] == pytest.approx(np.einsum("ilkl->ikl", by_small))


def test_designs_cover_dense_and_sparse_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crossed_groups, "_SMALL", 0)
    kinds = {type(group) for n in (4, 25) for group in _design(30, n, 90, (0,), (0,)).groups}
    assert kinds == {Dense, Sparse}


def test_small_design_is_one_dense_group() -> None:
    assert [type(group) for group in _design(30, 25, 90, (0,), (0,)).groups] == [Dense]
