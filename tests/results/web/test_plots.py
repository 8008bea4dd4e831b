"""Small plots of the summary: what their words say."""

from app.analysis.estimate import Estimate, Scope
from app.analysis.findings.main_contrasts import MainContrast
from app.analysis.report.report import Report
from app.results.pages.plots import card_plot, row_marks
from tests.kit.frames import CHOICE, protocol

SCALES = protocol(
    {"key": "warmth", "target": "response", "type": "rating", "text": "Warm?", "scale": dict.fromkeys(range(1, 6), "")},
    {"key": "warm_too", "target": "response", "type": "rating", "text": "So?", "scale": dict.fromkeys(range(1, 6), "")},
    {"key": "help", "target": "response", "type": "slider", "text": "Helpful?"},
    analysis={"composites": {"both": ["warmth"], "all": {"questions": ["warmth", "warm_too"], "score": "sum"}}},
)


def _words(*counts: int) -> str:
    scope: Scope = {"source": "Model", "reference": "Human"}
    share = Estimate("choice", "preference", scope, "share_preferred", 0.6, detail={"counts": counts})
    contrast = MainContrast("preference", "Preference", "Which one?", share, None, None)
    plot = card_plot(contrast, Report("small", "0" * 64, (), ()), protocol(CHOICE))
    assert plot is not None
    return plot.words


def test_bar_of_a_choice_says_that_ties_count_as_half() -> None:
    assert _words(38, 12, 0, 22) == "Choices: Model 52.8%; tie 16.7%, counts as half; Human 30.6%"
    assert _words(5, 0, 10, 5) == "Choices: Model 25.0%; neither 50.0%, not counted; Human 25.0%"
    assert _words(3, 0, 0, 1) == "Choices: Model 75.0%; Human 25.0%"


def test_percentage_points_have_an_axis_of_their_own_beside_scale_points() -> None:
    points, codes = _row("mean_difference", 1.6, 2.0), _row("category_difference", 0.05, 0.2)
    marks = row_marks([points, codes], SCALES)
    assert [mark.high for mark in marks if mark] == [96.0, 96.0]
    assert marks == [*row_marks([points], SCALES), *row_marks([codes], SCALES)]


def test_differences_on_scales_of_other_widths_are_drawn_as_parts_of_their_scale() -> None:
    values = {"warmth": 2.0, "both": 2.0, "all": 4.0, "help": 50.0}
    marks = row_marks([_row("mean_difference", value, 2 * value, key) for key, value in values.items()], SCALES)
    assert [(mark.at, mark.low, mark.high) for mark in marks if mark] == [(73.0, 50.0, 96.0)] * 4


def test_points_below_zero_have_a_minus_sign() -> None:
    warmth = {"key": "warmth", "target": "response", "type": "rating", "text": "Warm?", "scale": {-1: "", 0: "", 1: ""}}
    means = [Estimate("distribution", "warmth", {"source": one}, "mean", -0.5, -0.9, 0.1) for one in ("Model", "Human")]
    contrast = _row("mean_difference", 0, 0.5)
    plot = card_plot(contrast, Report("small", "0" * 64, (), tuple(means)), protocol(warmth))
    assert plot is not None
    assert [words for _, words in plot.ticks] == ["\u22121", "0", "1"]


def _row(statistic: str, value: float, high: float, key: str = "warmth") -> MainContrast:
    scope: Scope = {"source": "Model", "reference": "Human"}
    estimate = Estimate("comparison", "warmth", scope, statistic, value, 2 * value - high, high)
    return MainContrast(key, "Warmth", "How warm?", estimate, None, None)
