import numpy as np
import pytest
import statsmodels.api as sm

from app.stats.factors import amce


def test_level_effects_average_over_other_attributes() -> None:
    rng = np.random.default_rng(1)
    n = 4000
    warm, exact = rng.choice(["cold", "warm"], n), rng.choice(["poor", "fair", "right"], n)
    chance = 0.3 + 0.1 * (warm == "warm") + 0.2 * (exact == "right")
    chosen = (rng.random(n) < chance) * 1.0
    item, rater = rng.integers(0, 40, n), rng.integers(0, 25, n)
    found = amce(chosen, {"tone": warm, "accuracy": exact}, item=item, rater=rater)
    assert [(a.attribute, a.level, a.reference_level) for a in found] == [
        ("tone", "warm", "cold"),
        ("accuracy", "poor", "fair"),
        ("accuracy", "right", "fair"),
    ]
    columns = np.column_stack([np.ones(n), warm == "warm", exact == "poor", exact == "right"])
    known = sm.OLS(chosen, columns).fit().params[1:]
    assert [a.effect.estimate for a in found] == pytest.approx(known)
    for effect, truth in zip(found, (0.1, 0, 0.2), strict=True):
        assert effect.effect.interval
        assert effect.effect.interval.low < truth < effect.effect.interval.high


def test_reference_level_may_be_named() -> None:
    rng = np.random.default_rng(2)
    n = 400
    exact = rng.choice(["fair", "poor", "right"], n)
    item, rater = rng.integers(0, 20, n), rng.integers(0, 10, n)
    value = (exact == "right") * 2.0 + rng.normal(size=n)
    plain = amce(value, {"accuracy": exact}, item=item, rater=rater)
    found = amce(value, {"accuracy": exact}, item=item, rater=rater, references={"accuracy": "right"})
    assert [(a.level, a.reference_level) for a in found] == [("fair", "right"), ("poor", "right")]
    assert found[0].effect.estimate == pytest.approx(-(plain[1].effect.estimate or 0))


def test_perfectly_confounded_attributes_are_singular() -> None:
    level = np.tile(["a", "b"], 6)
    place = np.arange(12) // 3
    found = amce(np.arange(12.0), {"one": level, "two": level}, item=place, rater=place)
    assert {effect.effect.reason for effect in found} == {"singular"}


def test_attribute_with_one_level_has_no_effect() -> None:
    place = np.arange(4)
    assert amce(np.arange(4.0), {"tone": np.full(4, "warm")}, item=place, rater=place) == []
    assert amce(np.zeros(0), {"tone": np.zeros(0)}, item=np.zeros(0), rater=np.zeros(0)) == []
