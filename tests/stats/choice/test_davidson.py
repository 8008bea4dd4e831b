"""Davidson's model against BradleyTerry2 1.1.2 of R, and against Davidson (1970)."""

from typing import Any

import numpy as np
import pytest

from app.stats.arrays import Floats
from app.stats.choice.strengths import fit_davidson
from tests.kit.oracles import Oracle


def _choices(known: dict[str, Any]) -> tuple[Floats, Floats, list[str]]:
    """Return signs of each source, shape (n, n_sources), outcomes, and names of the sources: one row per choice."""
    rows = [dict(zip(known["input"]["columns"], row, strict=True)) for row in known["input"]["rows"]]
    names = sorted({row[side] for row in rows for side in ("item1", "item2")})
    left, right, won = [], [], []
    for row in rows:
        for outcome, count in ((1.0, row["wins1"]), (0.0, row["wins2"]), (0.5, row.get("ties", 0))):
            left += [names.index(row["item1"])] * count
            right += [names.index(row["item2"])] * count
            won += [outcome] * count
    one_hot = np.eye(len(names))
    return one_hot[left] - one_hot[right], np.array(won), names


@pytest.mark.parametrize(
    ("name", "prefix", "has_home"),
    [
        ("bt_citations", "ability_", False),
        ("bt_baseball_plain", "coef_", False),
        ("bt_baseball_home", "coef_", True),
        ("bt_davidson_pudding", "ability_", False),
    ],
)
def test_abilities_and_standard_errors_match_published(
    oracle: Oracle, name: str, prefix: str, *, has_home: bool
) -> None:
    known = oracle(name)
    signs, won, names = _choices(known)
    others = [k for k, source in enumerate(names) if source != known["input"]["reference"]]
    home = np.ones((len(won), 1 if has_home else 0))
    fit = fit_davidson(np.column_stack([signs[:, others], home]), won)
    assert fit is not None
    expected = known["expected"]
    keys = [names[k] for k in others] + ["at.home"] * has_home
    abilities = [expected[prefix + key] for key in keys] + [expected[key] for key in ("log_nu",) if key in expected]
    errors = [expected["se_" + key] for key in keys] + [expected[key] for key in ("se_log_nu",) if key in expected]
    assert fit.coefficients == pytest.approx(np.array(abilities), abs=known["tolerance"]["default"])
    assert np.sqrt(np.diag(fit.inverse)) == pytest.approx(np.array(errors), abs=known["tolerance"]["default"])


def test_davidson_pudding_worths_match_published(oracle: Oracle) -> None:
    known = oracle("bt_davidson_pudding")
    signs, won, _ = _choices(known)
    fit = fit_davidson(signs[:, 1:], won)
    assert fit is not None
    worth = np.exp(np.append(0, fit.beta))
    assert worth / worth.sum() == pytest.approx(np.array(known["expected"]["worth"]), abs=1e-5)
    assert worth / worth.sum() == pytest.approx(np.array(known["published"]["worth"]), abs=3e-5)
    assert np.exp(fit.log_nu or 0) == pytest.approx(known["published"]["nu"], abs=1e-5)


def test_source_that_always_wins_has_no_maximum(oracle: Oracle) -> None:
    signs, won, _ = _choices(oracle("degenerate_bt_separation"))
    assert fit_davidson(signs[:, 1:], won) is None


def test_one_pair_has_closed_form() -> None:
    """Three wins of four: the log odds, and the variance of a logit, 1 / (n p (1 - p))."""
    fit = fit_davidson(np.ones((4, 1)), np.array([1.0, 1, 1, 0]))
    assert fit is not None
    assert fit.coefficients == pytest.approx([np.log(3)])
    assert np.sqrt(np.diag(fit.inverse)) == pytest.approx([np.sqrt(1 / (4 * 0.75 * 0.25))])


def test_collinear_columns_have_no_maximum() -> None:
    x = np.array([[1.0, 1], [1, 1], [-1, -1], [1, 1]])
    assert fit_davidson(x, np.array([1.0, 0, 1, 0])) is None


def test_only_ties_have_no_maximum() -> None:
    assert fit_davidson(np.ones((4, 1)), np.full(4, 0.5)) is None


def test_scores_sum_to_zero_at_maximum() -> None:
    rng = np.random.default_rng(1)
    fit = fit_davidson(rng.normal(size=(60, 2)), rng.choice([0, 0.5, 1], 60))
    assert fit is not None
    assert fit.scores.sum(axis=0) == pytest.approx([0, 0, 0], abs=1e-8)
