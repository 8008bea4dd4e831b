"""The contrasts of Welivita and Pu (2024): five arms of raters, three points, +31% Good, and raters' own scores.

The ratings are constructed to have known results: 100 of 200 human responses are rated Good, and 131 of GPT-4.
"""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from app.analysis import analyze
from app.analysis.report.report import Report
from tests.kit.frames import Row, find, frames, only, protocol

# number of Good and of Okay among the 200 ratings per arm
COUNTS = {"human": (100, 60), "gpt-4": (131, 49), "llama": (121, 50), "mixtral": (120, 52), "gemini": (110, 55)}
SOURCES: dict[str, Any] = {name: {"kind": "human" if name == "human" else "model"} for name in COUNTS}
QUALITY: dict[str, Any] = {
    "key": "quality",
    "target": "response",
    "type": "rating",
    "text": "How empathetic is the response?",
    "scale": {1: "Bad", 2: "Okay", 3: "Good"},
}
N_RATERS, N_ITEMS = 20, 10


@cache
def _study() -> tuple[Report, pd.DataFrame]:
    """Return the report and ratings; each rater sees one source, and raters with higher scores rate higher."""
    rng = np.random.default_rng(2024)
    rows: list[Row] = []
    scores: dict[str, int] = {}
    for source, (n_good, n_okay) in COUNTS.items():
        score = rng.integers(30, 61, N_RATERS)
        scores |= {f"{source}-{r}": int(value) for r, value in enumerate(score)}
        rank = stats.rankdata(-(np.repeat(score, N_ITEMS) + rng.normal(0, 15, N_RATERS * N_ITEMS)))
        value = np.where(rank <= n_good, 3, np.where(rank <= n_good + n_okay, 2, 1)).reshape(N_RATERS, N_ITEMS)
        rows += [
            {
                "rater": f"{source}-{r}",
                "item": f"i{i}",
                "response": f"i{i}:{source}",
                "question": "quality",
                "value": int(value[r, i]),
            }
            for r in range(N_RATERS)
            for i in range(N_ITEMS)
        ]
    study = protocol(QUALITY, sources=SOURCES, analysis={"cut": {"quality": 3}, "covariates": ["teq"]})
    data = frames(study, rows)
    data.raters["teq"] = [str(scores[name]) for name in data.raters["rater"]]
    table = pd.DataFrame(rows).assign(source=lambda t: t["response"].str.partition(":")[2])
    return analyze(data, study), table.assign(teq=table["rater"].map(scores))


def test_all_ten_pairs_of_arms_are_compared_once() -> None:
    report, table = _study()
    means = table.groupby("source")["value"].mean()
    others = find(report, "mean_difference", section="contrast")
    assert len(others) == 6
    pairs = {frozenset((f.scope["source"], f.scope["reference"])) for f in find(report, "mean_difference")}
    assert len(pairs) == 10
    for pair in others:
        assert pair.estimate == pytest.approx(means[pair.scope["source"]] - means[pair.scope["reference"]])
    shares = find(report, "share_difference", section="contrast")
    best = next(f for f in shares if (f.scope["source"], f.scope["reference"]) == ("gpt-4", "human"))
    assert best.estimate == pytest.approx((131 - 100) / 200)


def test_gpt_4_is_rated_good_31_percent_more_often() -> None:
    report, _ = _study()
    change = only(report, "percent_change", scope={"source": "gpt-4", "reference": "human", "cut": 3.0})
    assert change.estimate == pytest.approx(31)
    assert change.ci_low is not None
    assert change.ci_high is not None
    assert change.ci_low < 31 < change.ci_high


def test_chi_square_covers_all_arms() -> None:
    report, _ = _study()
    table = np.array([(good, okay, 200 - good - okay) for good, okay in COUNTS.values()])
    known = stats.chi2_contingency(table, correction=False)
    found = only(report, "chi_square", scope={})
    assert (found.estimate, found.p_value) == pytest.approx((known.statistic, known.pvalue))


def test_rater_score_has_a_slope_per_source() -> None:
    report, table = _study()
    for source, part in table.groupby("source"):
        slope = only(report, "covariate_slope_by_source", scope={"covariate": "teq", "source": source})
        assert slope.estimate == pytest.approx(np.polyfit(part["teq"], part["value"], 1)[0])
        r = only(report, "correlation", scope={"covariate": "teq", "source": source})
        assert r.estimate == pytest.approx(stats.pearsonr(part["teq"], part["value"])[0])
        assert r.estimate is not None
        assert r.estimate > 0
