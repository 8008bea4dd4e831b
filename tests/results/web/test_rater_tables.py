"""The tables of the section on raters."""

from app.analysis.estimate import Estimate
from app.results.pages.sections.rater_tables import each_rater, without_flagged

TWO = {"source": "model", "reference": "human"}


def _estimate(section: str, statistic: str, estimate: float | None, **more: object) -> Estimate:
    values: dict[str, object] = {"scope": {}, "question": "empathy", **more}
    return Estimate(section=section, statistic=statistic, estimate=estimate, **values)  # type: ignore[arg-type]  # fields


def test_estimate_is_shown_with_and_without_flagged_raters() -> None:
    whole = _estimate("comparison", "mean_difference", 0.5, scope=TWO)
    fewer = _estimate("rater", "mean_difference", 0.25, scope={**TWO, "flagged": "left_out"})
    table = without_flagged([fewer], [whole, fewer])
    assert table.rows == (("Mean difference", "model − human", "0.50", "0.25"),)


def test_missing_rater_values_are_dashes() -> None:
    estimates = [
        _estimate("rater", "severity", 0.25, scope={"raters": ["a"]}),
        _estimate("rater", "longest_run", 7.0, scope={"raters": ["a"]}),
        _estimate("rater", "severity", None, scope={"raters": ["b"]}, reason="no_variation"),
    ]
    assert each_rater(estimates).rows == (("a", "0.25", "7"), ("b", "–", "–"))


def test_fastest_rater_comes_first() -> None:
    times = [
        _estimate("rater", "median_seconds", seconds, question=None, scope={"raters": [name]})
        for name, seconds in (("a", 30.0), ("b", None), ("c", 5.0))
    ]
    assert [row[0] for row in each_rater(times).rows] == ["c", "a", "b"]


def test_interval_of_all_raters_is_the_main_one_if_nobody_is_left() -> None:
    """An estimate of no ratings has no method of its own to be compared with."""
    both = _estimate("agreement", "fleiss_kappa", 0.5, ci_low=0.1, ci_high=0.9, method="jackknife_two_way")
    units = _estimate("agreement", "fleiss_kappa", 0.5, ci_low=0.4, ci_high=0.6, method="jackknife_units")
    none = _estimate(
        "rater",
        "fleiss_kappa",
        None,
        scope={"flagged": "left_out"},
        method="jackknife_units",
        note="There are no ratings.",
    )
    [row] = without_flagged([none], [both, units, none]).rows
    assert row[2] == "0.50\n0.10 to 0.90"
