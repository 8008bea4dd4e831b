"""Forced choices: the response counts, never the side of the screen."""

from __future__ import annotations

from typing import Any

import pytest

from app.analysis import analyze
from tests.analysis.builders import CHOICE, find, first, frames, only, protocol

AGAINST = {"source": "model", "reference": "human"}
SIDES = [("human", "model"), ("model", "human")]


def _vote(rater: str, item: str, value: str, left: str = "human", right: str = "model") -> dict[str, Any]:
    sides = {"left_response": f"{item}:{left}", "right_response": f"{item}:{right}"}
    return {"rater": rater, "item": item, "question": "preference", "value": value, **sides}


def test_three_raters_who_always_choose_the_same_response_agree_whatever_the_side() -> None:
    study = protocol(CHOICE)
    rows = [
        _vote(rater, f"i{n:02}", "model", *SIDES[(n + shift) % 2])
        for shift, rater in enumerate(("a", "b", "c"))
        for n in range(40)
    ]
    report = analyze(frames(study, rows), study)
    assert only(report, "percent_agreement").estimate == 1.0
    assert {figure.estimate for figure in find(report, "share_preferred")} == {1.0}
    assert only(report, "first_side_share").estimate == 0.5
    alpha = first(report, "krippendorff_alpha_nominal")
    assert (alpha.estimate, alpha.reason) == (None, "no_variation")


def test_a_rater_who_always_takes_the_left_is_seen_in_the_first_side_share() -> None:
    study = protocol(CHOICE)
    rows = [_vote(rater, f"i{n}", SIDES[n % 2][0], *SIDES[n % 2]) for rater in ("a", "b") for n in range(10)]
    report = analyze(frames(study, rows), study)
    assert only(report, "first_side_share").estimate == 1.0
    assert find(report, "share_preferred")[0].estimate == 0.5


def test_ties_are_half_neither_is_left_out_and_cannot_judge_is_missing() -> None:
    study = protocol({**CHOICE, "tie": True, "neither": True})
    values = ["model", "model", "human", "tie", "neither", "cannot_judge"]
    rows = [_vote(f"r{n}", f"i{n}", value) for n, value in enumerate(values)]
    report = analyze(frames(study, rows), study)
    half, decisive = find(report, "share_preferred", scope=AGAINST)[:2]
    assert half.estimate == pytest.approx(2.5 / 4)
    assert decisive.estimate == pytest.approx(2 / 3)
    assert (half.n_ratings, half.n_units, decisive.n_units) == (5, 4, 3)
    assert only(report, "tie_share").estimate == 1 / 5
    assert only(report, "neither_share").estimate == 1 / 5


def test_a_tie_that_everybody_gives_is_agreement() -> None:
    study = protocol({**CHOICE, "tie": True})
    rows = [_vote(rater, f"i{n}", "tie" if n % 2 else "model") for rater in ("a", "b") for n in range(6)]
    report = analyze(frames(study, rows), study)
    assert first(report, "krippendorff_alpha_nominal").estimate == 1.0
    assert only(report, "cohen_kappa", scope={"raters": ["a", "b"]}).estimate == 1.0


def test_two_pairs_of_one_item_are_two_units() -> None:
    three = {"human": {"kind": "human"}, "first": {"kind": "model"}, "second": {"kind": "model"}}
    study = protocol(CHOICE, sources=three)
    rows = [_vote(rater, "i", "first", "human", "first") for rater in ("a", "b")]
    rows += [_vote(rater, "i", "second", "human", "second") for rater in ("a", "b")]
    report = analyze(frames(study, rows), study)
    assert only(report, "percent_agreement").estimate == 1.0
    assert only(report, "percent_agreement").n_pairable_units == 2
    of_first = find(report, "share_preferred", scope={"source": "first", "reference": "human"})
    assert {figure.n_ratings for figure in of_first} == {2}


def test_the_two_responses_of_an_item_need_not_be_named() -> None:
    study = protocol(CHOICE)
    rows = [{"rater": f"r{n}", "item": "i", "question": "preference", "value": "model"} for n in range(3)]
    report = analyze(frames(study, rows), study)
    assert find(report, "share_preferred", scope=AGAINST)[0].estimate == 1.0
