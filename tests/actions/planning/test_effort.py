"""What a study takes, against arithmetic by hand."""

from __future__ import annotations

import pytest

from app.actions.planning.effort import Rates, effort
from app.actions.planning.planning import PlanError
from app.actions.planning.study_plan import Wish, forecast
from app.design.protocol.study import Protocol
from tests.builder import EMPATHY, PREFERENCE, protocol_of

RATES = Rates(minutes_per_trial=2, other_minutes=4, pay_per_hour=12, fee_percent=50)


def study(**design: object) -> Protocol:
    parts = {"trials": "pairs", "raters_per_trial": 3, "trials_per_rater": 6, **design}
    return Protocol.model_validate(protocol_of(questions=[PREFERENCE, EMPATHY], design=parts))


def test_effort_derives_raters_minutes_and_cost_from_design() -> None:
    found = effort(study(), [], 40, 3, RATES)
    assert (found.n_trials, found.n_ratings, found.n_raters, found.most_trials) == (40, 120, 20, 6)
    assert found.minutes == 6 * 2 + 4
    assert found.hours == pytest.approx((120 * 2 + 20 * 4) / 60)
    assert found.cost == pytest.approx(found.hours * 12 * 1.5)
    assert "at most 6 trials" in found.binds


def test_few_items_limit_trials_per_rater() -> None:
    found = effort(study(trials_per_rater=6), [], 2, 5, RATES)
    assert found.n_raters == 5
    assert found.binds == "each rater can take all 2 trials that differ"


def test_forecast_confirms_goal_or_names_what_is_needed() -> None:
    large = forecast((study(), [], Wish(60, 3, 1.5, {}), None))
    assert large.is_reached
    small = forecast((study(), [], Wish(10, 3, None, {"difference": 0.4}), None))
    assert not small.is_reached
    assert {one.lever for one in small.reaches} == {"items", "raters_per_trial"}
    assert small.curve["light"].startswith("<svg")
    if small.solution and small.solution.width:
        assert small.solution.width < (small.now.width or 0)


def test_contrast_that_cannot_be_simulated_is_reported() -> None:
    asks = {"key": "why", "target": "item", "type": "text", "text": "Why?"}
    protocol = Protocol.model_validate(protocol_of(questions=[asks], design={"trials": "pairs"}))
    with pytest.raises(PlanError, match="simulated for ratings"):
        forecast((protocol, [], Wish(10, 3, None, {}), None))
