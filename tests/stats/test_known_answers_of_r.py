"""Factors, interactions and covariance against what R's packages find in the same data.

`from_r/known_answers.R` computes them; its data and answers are stored beside it, so that these tests need no R.
"""

import json
import shutil
import subprocess
from itertools import permutations
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from app.stats.arrays import Floats
from app.stats.comparison.change import change_difference
from app.stats.factor_structure import factor_structure
from app.stats.factors import interaction

FROM_R = Path(__file__).parent / "from_r"
KNOWN: dict[str, Any] = json.loads((FROM_R / "known_answers.json").read_text(encoding="utf-8"))
PUPILS = KNOWN["holzinger_swineford"]
PACKAGES = ("psych", "GPArotation", "lavaan", "lmerTest", "emmeans", "jsonlite")


def _answers(correlations: Floats, n: int) -> Floats:
    """Return n rows with exactly these correlations."""
    drawn = np.random.default_rng(1).normal(size=(n, len(correlations)))
    drawn -= drawn.mean(axis=0)
    white = drawn @ np.linalg.inv(np.linalg.cholesky(np.cov(drawn.T)).T)
    return np.asarray(white @ np.linalg.cholesky(correlations).T)


@pytest.mark.parametrize(("rotation", "far"), [("oblimin", 1e-5), ("varimax", 7e-4)])
@pytest.mark.parametrize("package", ["psych", "lavaan"])
def test_factors_of_holzinger_and_swineford_are_those_of_psych_and_lavaan(
    package: str, rotation: Literal["oblimin", "varimax"], far: float
) -> None:
    """psych::fa(fm = "ml") and lavaan::efa; factors in any order and direction. The varimax of psych stops early."""
    at, known = np.arange(PUPILS["n"]), PUPILS[f"{package}_{rotation}"]
    scores = _answers(np.array(PUPILS["correlations"]), PUPILS["n"])
    found = factor_structure(scores, 3, item=at, rater=at, rotation=rotation, n_draws=0)
    assert found.unique == pytest.approx(known["unique"], abs=1e-5)
    loadings, correlations = np.array(known["loadings"]), np.array(known["correlations"])
    order = np.array(min(permutations(range(3)), key=lambda one: -np.abs(loadings[:, one] * found.loadings).sum()))
    sign = np.sign((loadings[:, order] * found.loadings).sum(axis=0))
    assert found.loadings == pytest.approx(loadings[:, order] * sign, abs=far)
    assert found.correlations == pytest.approx(correlations[np.ix_(order, order)] * np.outer(sign, sign), abs=1e-5)


@pytest.mark.parametrize("known", KNOWN["interactions"])
def test_interactions_of_crossed_ratings_are_those_of_lme4_and_emmeans(known: dict[str, Any]) -> None:
    """REML of a mixed model with every random effect of the design, and Satterthwaite's degrees of freedom.

    The variance of cells, which is subtracted, includes one part in n of items and raters: the error is a little less.
    """
    value, item, rater = (np.array(known[name]) for name in ("value", "item", "rater"))
    found = interaction(value, np.array(known["source"]) == 1, np.array(known["group"]) == 1, item=item, rater=rater)
    assert found.estimate == pytest.approx(known["estimate"])
    assert found.standard_error == pytest.approx(known["error"], rel=0.045)
    assert found.df == pytest.approx(known["df"], rel=0.06)


@pytest.mark.parametrize("known", KNOWN["covariance"])
def test_adjusted_change_is_that_of_lm(known: dict[str, Any]) -> None:
    """Vickers and Altman's analysis of covariance; HC2 and Bell and McCaffrey's degrees of freedom by matrices."""
    before, after, arm = (np.array(known[name], dtype=np.float64) for name in ("before", "after", "arm"))
    found = change_difference(before, after, arm == 1)
    assert found.estimate == pytest.approx(known["estimate"])
    assert found.standard_error == pytest.approx(known["hc2_error"])
    assert found.df == pytest.approx(known["df"])


def _rscript() -> str | None:
    """The path of Rscript if the packages of the script are there."""
    path = shutil.which("Rscript")
    wanted = ", ".join(f'"{one}"' for one in PACKAGES)
    asked = f"q(status = !all(sapply(c({wanted}), requireNamespace, quietly = TRUE)))"
    if path is None or subprocess.run([path, "-e", asked], capture_output=True, check=False).returncode:
        return None
    return path


def _same(found: Any, known: Any) -> bool:  # noqa: ANN401 - any JSON
    if isinstance(known, dict):
        return found.keys() == known.keys() and all(_same(found[key], known[key]) for key in known)
    if isinstance(known, list):
        return len(found) == len(known) and all(_same(*pair) for pair in zip(found, known, strict=True))
    return bool(found == known or found == pytest.approx(known, rel=1e-3, abs=1e-3))


def test_r_still_finds_the_answers_that_are_stored() -> None:
    rscript = _rscript()
    if rscript is None:
        pytest.skip(f"R with {', '.join(PACKAGES)} is not installed")
    done = subprocess.run([rscript, "known_answers.R"], cwd=FROM_R, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found.pop("versions").keys() == KNOWN["versions"].keys()
    assert _same(found, {key: value for key, value in KNOWN.items() if key != "versions"})
