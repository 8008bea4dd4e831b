"""The possible range of a statistic, which no interval leaves."""

from typing import Any

import numpy as np
import pytest

from app.analysis.data.question_data import possible_range
from app.analysis.report.computed_report import report_of
from tests.kit.frames import CHOICE, FIVE, find, frames, only, protocol

NOMINAL = {**FIVE, "key": "kind", "level": "nominal"}


@pytest.mark.parametrize(
    ("question", "statistic", "ends"),
    [
        (FIVE, "turn_slope", (-4, 4)),
        (FIVE, "turn_slope_difference", (-8, 8)),
        (FIVE, "self_preference", (-8, 8)),
        (NOMINAL, "self_preference", (-2, 2)),
        (FIVE, "length_bias", None),
        (CHOICE, "self_preference", (-1, 1)),
        (CHOICE, "length_bias", (-1, 1)),
        (CHOICE, "odds_ratio_clmm", None),
        (FIVE, "mean", (1, 5)),
    ],
)
def test_statistic_has_its_possible_range(
    question: dict[str, Any], statistic: str, ends: tuple[float, float] | None
) -> None:
    (asked,) = protocol(question).questions
    assert possible_range(asked, statistic) == ends  # type: ignore[arg-type]  # no text question among them


def test_slopes_over_turns_stay_within_their_range() -> None:
    """Three items and two raters: the interval of the difference began at -8.14 on a scale from 1 to 5."""
    study = protocol({**FIVE, "target": "turn"})
    rng = np.random.default_rng(6)
    rows = [
        {"rater": f"r{r}", "item": f"i{i}", "response": f"i{i}:{s}", "question": "empathy", "turn": t, "value": v}
        for i in range(3)
        for r in range(2)
        for s in ("human", "model")
        for t, v in ((1, int(rng.choice([1, 5]))), (2, int(rng.choice([1, 5]))))
    ]
    report = report_of(frames(study, rows), study, full=False, only_primary=True)
    gap = only(report, "turn_slope_difference")
    assert [gap.ci_low, gap.ci_high] == pytest.approx([-8, 4.139], abs=1e-3)
    assert gap.method.endswith("limits cut at the possible range")
    assert {one.ci_reason for one in find(report, "turn_slope")} == {"too_few"}
