"""What a study takes, against arithmetic by hand."""

from dataclasses import replace

import pytest

from app.analysis.planning.size_parameters import width_for_power
from app.protocol.allocation.human_sample import PROBABILITY
from app.protocol.allocation.trials import Candidate, PlannedItem
from app.protocol.study import Protocol
from app.results.planning.effort import Rates, effort
from app.results.planning.forecast import Wish, forecast
from app.results.planning.judge_savings import savings_of_plan
from app.results.planning.make_plan import Asked, PlanError, make_plan
from tests.kit.builder import EMPATHY, PREFERENCE, protocol_of

RATES = Rates(minutes_per_trial=2, other_minutes=4, pay_per_hour=12, fee_percent=50)


def study(**design: object) -> Protocol:
    parts = {"trials": "pairs", "raters_per_trial": 3, "trials_per_rater": 6, **design}
    return Protocol.model_validate(protocol_of(questions=[PREFERENCE, EMPATHY], design=parts))


def test_effort_derives_raters_minutes_and_cost_from_design() -> None:
    found = effort(study(), [], 40, 3)
    assert (found.n_trials, found.n_ratings, found.n_raters, found.most_trials) == (40, 120, 20, 6)
    assert found.minutes(RATES) == 6 * 2 + 4
    assert found.hours(RATES) == pytest.approx((120 * 2 + 20 * 4) / 60)
    assert found.cost(RATES) == pytest.approx(found.hours(RATES) * 12 * 1.5)
    assert "at most 6 trials" in found.binds


def test_few_items_limit_trials_per_rater() -> None:
    found = effort(study(trials_per_rater=6), [], 2, 5)
    assert found.n_raters == 5
    assert found.binds == "each rater can take all 2 trials that differ"


def test_forecast_confirms_goal_or_names_what_is_needed() -> None:
    large = forecast(study(), [], Wish(60, 3, 1.5, {}))
    assert large.is_reached
    small = forecast(study(), [], Wish(10, 3, None, {"difference": 0.4}))
    assert not small.is_reached
    assert {one.parameter for one in small.reaches} == {"items", "raters_per_trial", "raters"}
    assert small.curve["light"].startswith("<svg")
    # before, shares and correlations were called points too
    assert replace(small, statistic="mean_difference").effect == "a difference of 0.40 points"
    assert replace(small, statistic="pool_f1_difference").effect == "a difference of 40.0 percentage points"
    of_choices = replace(small, statistic="share_preferred", now=replace(small.now, estimate=0.6))
    assert of_choices.effect == "a share of 60.0% in place of an even split"
    assert (of_choices.expected, of_choices.said(0.214)) == ("", "21.4 percentage points")
    of_pools = replace(small, statistic="pool_correlation", now=replace(small.now, estimate=0.314))
    assert of_pools.effect == "a correlation of 0.31"
    if small.solution and small.solution.width:
        assert small.solution.width < (small.now.width or 0)


def test_items_that_are_named_for_a_power_have_about_that_power() -> None:
    """For a power of 80%, 691 items were named, which have one of 95%."""
    found = forecast(study(), [], Wish(60, 3, None, {"difference": 0.15}))
    assert found.solution is not None
    assert found.solution.width == pytest.approx(found.goal, rel=0.08)
    assert 0.7 <= (found.solution.power or 0) <= 0.92


def test_size_that_is_projected_too_high_is_named_again_from_its_simulation() -> None:
    """724 items were named for a width that 614 have: few raters make the intervals of small studies wider."""
    design = {"trials": "single", "raters_per_trial": 2, "trials_per_rater": 10}
    single = Protocol.model_validate(protocol_of(questions=[EMPATHY], design=design))
    found = forecast(single, [], Wish(20, 2, None, {"difference": 0.15}))
    assert found.solution is not None
    assert found.solution.n_items == next(one.needed for one in found.reaches if one.parameter == "items")
    assert found.solution.width == pytest.approx(found.goal, rel=0.03)


def test_no_size_is_named_that_misses_the_goal_once_it_is_simulated() -> None:
    """Projected from three raters, 111 raters per trial were said to reach it, beside a power of 28% simulated."""
    one = study(trials_per_rater=8).model_dump(mode="json")
    protocol = Protocol.model_validate({**one, "analysis": {"primary": [{"question": "empathy"}]}})
    found = forecast(protocol, [], Wish(8, 3, None, {}))
    [more_raters] = [each for each in found.reaches if each.parameter == "raters_per_trial"]
    assert more_raters.needed is None
    assert more_raters.narrowest < found.goal
    assert found.binds == "items"
    assert found.solution
    assert found.solution.width is not None
    assert found.solution.width <= found.goal
    assert (found.solution.power or 0) >= 0.8


def test_forecast_against_a_margin_asks_for_its_width_and_solves_for_raters() -> None:
    """Before, the forecast was of a difference that a test of equivalence is not after."""
    contrast = {"question": "empathy", "test": "equivalence", "margin": 1.2}
    planned = Protocol.model_validate({**study().model_dump(mode="json"), "analysis": {"primary": [contrast]}})
    found = forecast(planned, [], Wish(10, 3, None, {}, n_raters=8, attrition=0.2))
    assert (found.statistic, found.margin, found.other_test) == ("equivalence", 1.2, None)
    assert found.assumed.difference == 0
    room = 1.2 - abs(found.now.estimate or 0)
    assert found.goal == pytest.approx(2 * 1.644854 * room / (1.644854 + 1.281552), rel=1e-5)
    assert found.now.n_raters == 8
    raters = next(one for one in found.reaches if one.parameter == "raters")
    assert (raters.now, raters.most) == (8, 30)


def test_contrast_that_cannot_be_simulated_is_reported() -> None:
    asks = {"key": "why", "target": "item", "type": "text", "text": "Why?"}
    protocol = Protocol.model_validate(protocol_of(questions=[asks], design={"trials": "pairs"}))
    with pytest.raises(PlanError, match=r"none of these.*name a question about responses as primary"):
        forecast(protocol, [], Wish(10, 3, None, {}))


def with_score(score: str, test: str = "mean_difference") -> Protocol:
    warmth = {**EMPATHY, "key": "warmth", "text": "How warm is it?"}
    analysis = {
        "composites": {"care": {"questions": ["empathy", "warmth"], "score": score}},
        "primary": [{"question": "care", "test": test}],
    }
    design = {"trials": "pairs", "raters_per_trial": 3, "trials_per_rater": 6}
    return Protocol.model_validate(protocol_of(questions=[EMPATHY, warmth], design=design, analysis=analysis))


def test_forecast_of_a_score_is_in_points_of_the_score() -> None:
    """The sum of two questions has twice the points of their mean, and so has everything that is forecast from it."""
    mean, total = (forecast(with_score(score), [], Wish(20, 3, None, {})) for score in ("mean", "sum"))
    assert (mean.question, mean.statistic, mean.other_test) == ("care", "mean_difference", None)
    assert total.assumed.difference == pytest.approx(2 * mean.assumed.difference)
    assert "does not exceed" in mean.assumed.origin
    assert mean.now.width is not None
    assert total.now.width == pytest.approx(2 * mean.now.width)


def test_forecast_names_another_test_of_the_primary_contrast() -> None:
    assert forecast(with_score("mean", "wilcoxon"), [], Wish(20, 3, None, {})).other_test == "wilcoxon"


def test_what_a_judge_saves_is_planned_by_the_command_as_on_the_page() -> None:
    """The command took 80% power and one test, and for a test against a margin a width of about 0."""
    two = [{"question": name, "test": "mean_difference_lmm"} for name in ("empathy", "warmth")]
    questions, wish = [EMPATHY, {**EMPATHY, "key": "warmth"}], {"plan": {"power": 0.9}}
    planned = Protocol.model_validate(protocol_of(questions=questions, preregistration=wish, analysis={"primary": two}))
    asked = Asked((10,), (8,), (3,), n_simulations=2)
    plan = make_plan(planned, [], asked)
    savings = savings_of_plan(planned, [], plan, asked, 0.8, None)
    assert savings
    row = next(one for one in plan.rows if one.statistic == "mean_difference")
    assert plan.n_tests == 2
    assert savings.goal == width_for_power(row.estimate or 0, power=0.9, n_tests=2)
    margin = [{"question": "empathy", "test": "equivalence", "margin": 1.2}]
    within = Protocol.model_validate({**planned.model_dump(mode="json"), "analysis": {"primary": margin}})
    assert savings_of_plan(within, [], make_plan(within, [], asked), asked, 0.8, None) is None


@pytest.mark.parametrize(("chance", "n_items"), [(None, 40), ("0.4", 30)])
def test_sample_that_grew_stands_for_all_items_and_no_more(chance: str | None, n_items: int) -> None:
    """12 of 40 items with a share of .3; of a sample that grew to 12 of 30, 40 items were planned."""
    parts = {"trials": "pairs", "raters_per_trial": 3, "human_sample": {"share": 0.3, "grows_to": 0.4}}
    planned = Protocol.model_validate(protocol_of(questions=[EMPATHY], design=parts))
    cells = {PROBABILITY: chance} if chance else {}
    pair = tuple(Candidate(place, f"r{place}", name) for place, name in enumerate(planned.sources))
    items = [PlannedItem(f"i{place}", pair, attributes=cells) for place in range(12)]
    asked = Asked((12,), (8,), (3,), n_simulations=2)
    savings = savings_of_plan(planned, items, make_plan(planned, items, asked), asked, 0.8, 1.0)
    assert savings
    assert savings.n_items == n_items
