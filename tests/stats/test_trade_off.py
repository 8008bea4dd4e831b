"""Ratios of two effects of a conjoint design, with Fieller's interval."""

from typing import TypedDict

import numpy as np
import pytest

from app.stats.arrays import Floats, Labels
from app.stats.clusters import t_quantile
from app.stats.factors import component_design
from app.stats.trade_off import fieller, trade_offs

N = 3000


class Study(TypedDict):
    """The arguments of `trade_offs`."""

    value: Floats
    attributes: dict[str, Labels]
    item: Labels
    rater: Labels


def _conjoint(warm: float, exact: float) -> Study:
    rng = np.random.default_rng(1)
    tone, accuracy = rng.choice(["cool", "warm"], N), rng.choice(["false", "right"], N)
    item, rater = rng.integers(0, 30, N), rng.integers(0, 25, N)
    taste = rng.normal(0, 0.05, 25)[rater]
    chance = 0.3 + (warm + taste) * (tone == "warm") + exact * (accuracy == "right")
    value = (rng.random(N) < chance) * 1.0
    return {"value": value, "attributes": {"tone": tone, "accuracy": accuracy}, "item": item, "rater": rater}


def test_ratio_is_that_of_both_effects_and_its_ends_are_those_of_the_test_of_their_difference() -> None:
    """At each end r of the interval, b1 - r b2 is just significant (Fieller 1954)."""
    study = _conjoint(0.15, 0.3)
    by_tone, found = trade_offs(**study)
    assert (found.of, found.against) == (("accuracy", "right", "false"), ("tone", "warm", "cool"))
    design = component_design(**study)
    tone, accuracy = (design.effect(at, 0.95).estimate or 0.0 for at in (0, 1))
    ratio = found.ratio
    assert ratio.estimate == pytest.approx(accuracy / tone)
    assert by_tone.ratio.estimate == pytest.approx(tone / accuracy)
    assert ratio.interval
    assert ratio.df
    for end in (ratio.interval.low, ratio.interval.high):
        gap = design.contrast(np.array([-end, 1.0]), 0.95)
        assert abs(gap.estimate or 0.0) / (gap.standard_error or 1.0) == pytest.approx(
            t_quantile(ratio.df, 0.95), rel=0.02
        )
    assert ratio.interval.low < 2 < ratio.interval.high
    assert not ratio.note
    at_ratio = design.contrast(np.array([-accuracy / tone, 1.0]), 0.95)
    assert ratio.df == pytest.approx(at_ratio.df)
    assert ratio.p_value is not None
    assert ratio.p_value < 0.05


def test_ratio_to_an_effect_that_may_be_0_has_no_bounded_interval() -> None:
    found = trade_offs(**_conjoint(0.0, 0.3))[1].ratio
    assert found.estimate is not None
    assert (found.interval, found.interval_reason) == (None, "separation")
    assert "no bounded interval" in found.note
    assert fieller((1.0, 0.1), (0.01, 0.01, 0.0), 2.0) is None


def test_other_attribute_has_two_levels() -> None:
    study = _conjoint(0.2, 0.2)
    three = np.random.default_rng(2).choice(["a", "b", "c"], N)
    study["attributes"] = {"three": three, "tone": study["attributes"]["tone"]}
    found = trade_offs(**study)
    assert [(one.of[1], one.against[0]) for one in found] == [("b", "tone"), ("c", "tone")]


def test_what_cannot_be_divided_says_why() -> None:
    level = np.tile(["a", "b"], 8)
    other = np.repeat(["a", "b"], 8)
    place = np.arange(16) // 4
    same = {"one": level, "two": level}
    assert {one.ratio.reason for one in trade_offs(np.arange(16.0), same, item=place, rater=place)} == {"singular"}
    flat = trade_offs((other == "b") * 1.0, {"one": other, "two": level}, item=place, rater=place)
    assert {one.of[0]: (one.ratio.reason, one.ratio.interval_reason) for one in flat} == {
        "one": ("separation", None),
        "two": (None, "no_variation"),
    }
