"""Sentences state the direction of an effect for either sign, also where both differences are negative."""

from __future__ import annotations

from typing import cast

import pytest

from app.analysis.estimate import Estimate, Scope
from app.analysis.wording.claims import About, claim_of
from app.protocol.labels import Labels

PAIR = {"source": "model", "reference": "person"}


def claim(statistic: str, value: float, **scope: object) -> str:
    return claim_of(About(Estimate("contrast", "warm", cast("Scope", scope), statistic, value), Labels(), value))


@pytest.mark.parametrize(("value", "way"), [(0.3, "higher"), (-0.3, "lower")])
def test_interaction_has_the_sign_of_source_minus_reference(value: float, way: str) -> None:
    """Model - Person of -0.8 with the label and -0.5 otherwise: the gap is larger, the difference is lower."""
    said = claim("interaction", value, **PAIR, shown_label="Written by an AI")
    assert said == f"Warm: the difference Model minus Person is 0.30 points {way} with Written by an AI than otherwise"


@pytest.mark.parametrize(("value", "way"), [(0.2, "higher"), (-0.2, "lower")])
def test_slopes_have_a_direction(value: float, way: str) -> None:
    one = claim("covariate_slope_by_source", value, source="model", covariate="empathy")
    assert one == f"Warm: ratings of Model are 0.20 points {way} per unit of Empathy"
    both = claim("covariate_slope_by_source", value, **PAIR, covariate="empathy")
    assert both == f"Warm: the slope of ratings on Empathy is 0.20 points {way} per unit for Model than for Person"
