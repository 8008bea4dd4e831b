"""Comparison of two sources on a scale: which estimates, in which order, and what was declared in advance."""

from typing import Any

import numpy as np
import pytest

from app.analysis import analyze
from app.analysis.data.question_data import MAX_RATINGS
from app.analysis.report.report import Report
from tests.kit.frames import FIVE, Row, find, first, frames, only, protocol

PARTS = ("_compared",)
AGAINST = {"source": "model", "reference": "human"}


def _rows(n_raters: int, n_items: int, keys: tuple[str, ...] = ("empathy",), seed: int = 3) -> list[Row]:
    rng = np.random.default_rng(seed)
    return [
        {
            "rater": f"r{r}",
            "item": f"i{i}",
            "response": f"i{i}:{source}",
            "question": key,
            "value": int(np.clip(rng.normal(middle, 1), 1, 5)),
        }
        for r in range(n_raters)
        for i in range(n_items)
        for key in keys
        for source, middle in (("human", 3), ("model", 3.6))
    ]


def _report(rows: list[Row], *questions: Row, **more: Any) -> Report:  # noqa: ANN401 - parts of a protocol
    study = protocol(*questions, **more)
    return analyze(frames(study, rows), study)


def test_ordinal_model_comes_first_and_two_way_interval_leads() -> None:
    report = _report(_rows(5, 12), FIVE)
    of_two = [estimate for estimate in report.of("comparison") if estimate.scope == AGAINST]
    assert of_two[0].statistic == "odds_ratio_clmm"
    methods = [estimate.method.partition(":")[0] for estimate in find(report, "mean_difference", scope=AGAINST)]
    assert methods == ["two_way_cluster_t", "lmm_satterthwaite", "pigeonhole", "t_paired", "t_unpaired"]


def test_cliffs_delta_is_twice_superiority_minus_one() -> None:
    report = _report(_rows(4, 8), FIVE)
    for ending in ("", "_unpaired"):
        chance, delta = only(report, f"prob_superiority{ending}"), only(report, f"cliffs_delta{ending}")
        assert chance.estimate is not None
        assert delta.estimate == pytest.approx(2 * chance.estimate - 1)


def test_declared_margin_gives_equivalence_and_non_inferiority() -> None:
    report = _report(_rows(5, 12), FIVE, analysis={"margin": {"empathy": 2}})
    equivalence, difference = only(report, "equivalence"), first(report, "mean_difference")
    assert equivalence.estimate == difference.estimate
    assert equivalence.ci_level == pytest.approx(0.9)
    assert equivalence.p_value is not None
    assert equivalence.p_value < 0.05
    assert only(report, "non_inferiority").method == "two_way_cluster_t: not worse by 2"
    assert not find(_report(_rows(5, 12), FIVE), "equivalence")


def test_holm_adjusts_declared_questions_separately() -> None:
    keys = ("warm", "clear", "apt", "kind")
    questions = [{**FIVE, "key": key} for key in keys]
    report = _report(_rows(4, 6, keys), *questions, analysis={"primary": ["warm", "clear"]})
    headlines = {key: first(report, "mean_difference", question=key) for key in keys}
    p = {key: estimate.p_value or 0 for key, estimate in headlines.items()}
    adjusted = {key: estimate.p_adjusted for key, estimate in headlines.items()}
    low, high = sorted(("warm", "clear"), key=p.__getitem__)
    assert adjusted[low] == pytest.approx(min(2 * p[low], 1))
    assert adjusted[high] == pytest.approx(max(p[high], min(2 * p[low], 1)))
    low, high = sorted(("apt", "kind"), key=p.__getitem__)
    assert adjusted[high] == pytest.approx(p[high])
    assert adjusted[low] == pytest.approx(min(2 * p[low], p[high]))


def test_declared_cut_is_used_for_model_predictions() -> None:
    report = _report(_rows(5, 12), FIVE, analysis={"cut": {"empathy": 4}})
    predicted = find(report, "share_at_least_clmm")
    assert [(estimate.scope["source"], estimate.scope["cut"]) for estimate in predicted] == [("model", 4), ("human", 4)]
    undeclared = find(_report(_rows(5, 12), FIVE), "share_at_least_clmm", scope={**AGAINST, "cut": 4.0})
    assert undeclared[0].estimate == predicted[0].estimate


def test_rank_test_uses_declared_responders_as_units() -> None:
    study = protocol(FIVE, analysis={"responder": "writer"})
    rows = _rows(3, 6)
    data = frames(study, rows)
    data.responses["writer"] = [f"{source}-{n % 2}" for n, source in enumerate(data.responses["source"])]
    exact, asymptotic = find(analyze(data, study), "mann_whitney")
    assert (exact.n_units, exact.method) == (2, "mann_whitney: exact permutation, means of responders")
    assert asymptotic.method == "mann_whitney: normal approximation, means of responders"
    assert exact.scope["level"] == "responder"
    assert exact.note.startswith("U of the ")


def test_min_f_takes_declared_responders_and_items_as_random() -> None:
    study = protocol(FIVE, analysis={"responder": "writer"})
    data = frames(study, _rows(3, 6))
    data.responses["writer"] = [f"{source}-{n // 2 % 2}" for n, source in enumerate(data.responses["source"])]
    found = only(analyze(data, study), "mean_difference_responders")
    assert (found.scope["level"], found.inference) == ("responder", "items_and_responders")
    assert (found.n_items, found.n_units, found.n_raters, found.n_ratings) == (6, 4, 3, 36)


def test_nominal_scale_has_no_ordinal_model() -> None:
    assert not find(_report(_rows(4, 6), {**FIVE, "level": "nominal"}), "odds_ratio_clmm")


def test_mixed_models_require_full_above_20000_ratings() -> None:
    report = _report(_rows(10, MAX_RATINGS // 20 + 1), FIVE)
    estimate = only(report, "odds_ratio_clmm")
    assert (estimate.estimate, estimate.reason, estimate.method) == (None, "not_run", "clmm_laplace")
    by_rating = [one for one in find(report, "mean_difference", unit="rating") if "sensitivity" not in one.scope]
    assert [estimate.reason for estimate in by_rating] == [None, "not_run", "not_run"]
