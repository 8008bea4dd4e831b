"""Forced choices: estimates depend on the chosen response, never on the side of the screen."""

from typing import Any

import pytest

from app.analysis import analyze
from app.analysis.findings.main_contrasts import counts_of, counts_words
from app.results.charts.choice import preference_finding
from tests.kit.frames import CHOICE, find, first, frames, only, protocol

AGAINST = {"source": "model", "reference": "human"}
SIDES = [("human", "model"), ("model", "human")]


def _vote(rater: str, item: str, value: str, left: str = "human", right: str = "model") -> dict[str, Any]:
    sides = {"left_response": f"{item}:{left}", "right_response": f"{item}:{right}"}
    return {"rater": rater, "item": item, "question": "preference", "value": value, **sides}


def test_unanimous_choices_agree_regardless_of_side() -> None:
    study = protocol(CHOICE)
    rows = [
        _vote(rater, f"i{n:02}", "model", *SIDES[(n + shift) % 2])
        for shift, rater in enumerate(("a", "b", "c"))
        for n in range(40)
    ]
    report = analyze(frames(study, rows), study)
    assert only(report, "percent_agreement").estimate == 1.0
    assert {estimate.estimate for estimate in find(report, "share_preferred")} == {1.0}
    assert only(report, "first_side_share", section="choice").estimate == 0.5
    alpha = first(report, "krippendorff_alpha_nominal")
    assert (alpha.estimate, alpha.reason) == (None, "no_variation")


def test_constant_left_choice_shows_in_first_side_share() -> None:
    study = protocol(CHOICE)
    rows = [_vote(rater, f"i{n}", SIDES[n % 2][0], *SIDES[n % 2]) for rater in ("a", "b") for n in range(10)]
    report = analyze(frames(study, rows), study)
    assert only(report, "first_side_share", section="choice").estimate == 1.0
    assert find(report, "share_preferred")[0].estimate == 0.5


def test_ties_are_half_and_neither_and_cannot_judge_are_excluded() -> None:
    study = protocol({**CHOICE, "tie": True, "neither": True})
    values = ["model", "model", "human", "tie", "neither", "cannot_judge"]
    rows = [_vote(f"r{n}", f"i{n}", value) for n, value in enumerate(values)]
    report = analyze(frames(study, rows), study)
    half, decisive = find(report, "share_preferred", scope=AGAINST)[:2]
    assert half.estimate == pytest.approx(2.5 / 4)
    assert decisive.estimate == pytest.approx(2 / 3)
    assert (half.n_ratings, half.n_units, decisive.n_units) == (5, 4, 3)
    assert counts_words(half) == counts_of([half]) == "4 choices, 4 items, 4 raters"
    assert counts_words(only(report, "neither_share")) == "5 choices, 5 items, 5 raters"
    assert "in 62.5% of 4 choices (" in preference_finding([half])
    assert only(report, "tie_share", scope={}).estimate == 1 / 5
    of_pair = [only(report, name, scope=AGAINST) for name in ("win_share", "tie_share", "lose_share")]
    assert [one.estimate for one in of_pair] == [2 / 5, 1 / 5, 1 / 5]
    assert only(report, "neither_share").estimate == 1 / 5


def test_unanimous_ties_are_agreement() -> None:
    study = protocol({**CHOICE, "tie": True})
    rows = [_vote(rater, f"i{n}", "tie" if n % 2 else "model") for rater in ("a", "b") for n in range(10)]
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
    assert {estimate.n_ratings for estimate in of_first} == {2}


def test_responses_of_a_pair_need_not_be_named() -> None:
    study = protocol(CHOICE)
    rows = [{"rater": f"r{n}", "item": "i", "question": "preference", "value": "model"} for n in range(3)]
    report = analyze(frames(study, rows), study)
    assert find(report, "share_preferred", scope=AGAINST)[0].estimate == 1.0


THREE = {"human": {"kind": "human"}, "first": {"kind": "model"}, "second": {"kind": "model"}}


def _circle(n_items: int = 12) -> list[dict[str, Any]]:
    """Return intransitive choices by three raters: human over first, first over second, second over human, mostly."""
    pairs = [("human", "first"), ("first", "second"), ("second", "human")]
    return [
        _vote(rater, f"i{n}", pair[(n + k) % 6 == 0], *(pair if (n + k) % 2 else pair[::-1]))
        for n in range(n_items)
        for pair in pairs
        for k, rater in enumerate(("a", "b", "c"))
    ]


def test_three_way_cycle_is_counted_and_strengths_are_equal() -> None:
    study = protocol(CHOICE, sources=THREE)
    report = analyze(frames(study, _circle()), study)
    circles = only(report, "intransitive_triples")
    assert (circles.estimate, circles.note) == (1, "out of 1 triples of sources that were all compared with each other")
    for estimate in find(report, "bt_strength"):
        assert estimate.estimate == pytest.approx(0, abs=0.2)
    reference = only(report, "bt_strength", scope={"source": "human", "reference": "human"})
    assert reference.estimate == 0


def test_every_pair_of_sources_has_share_and_contrast() -> None:
    study = protocol(CHOICE, sources=THREE)
    report = analyze(frames(study, _circle()), study)
    between = {"source": "second", "reference": "first"}
    assert len(find(report, "share_preferred", scope=between)) == 1
    contrast = only(report, "bt_contrast", scope=between)
    strength = {f.scope["source"]: f.estimate or 0 for f in find(report, "bt_strength")}
    assert contrast.estimate == pytest.approx(strength["second"] - strength["first"])


def test_source_that_always_wins_reports_separation() -> None:
    study = protocol(CHOICE)
    rows = [_vote(rater, f"i{n}", "model", *SIDES[n % 2]) for rater in ("a", "b", "c") for n in range(8)]
    report = analyze(frames(study, rows), study)
    estimate = only(report, "bt_strength", scope=AGAINST)
    assert (estimate.estimate, estimate.reason) == (None, "separation")
    assert only(report, "odds_preferred_glmm").reason == "separation"


def test_sources_never_compared_are_disconnected() -> None:
    study = protocol(CHOICE, sources={**THREE, "third": {"kind": "model"}})
    rows = [_vote(f"r{n}", f"i{n}", ("human", "first")[n % 2], "human", "first") for n in range(6)]
    rows += [_vote(f"r{n}", f"i{n}", ("second", "third")[n % 2], "second", "third") for n in range(6)]
    report = analyze(frames(study, rows), study)
    apart = only(report, "bt_strength", scope={"source": "second", "reference": "human"})
    assert (apart.estimate, apart.reason) == (None, "disconnected")


def test_left_bias_appears_as_position_effect_and_is_adjusted() -> None:
    study = protocol(CHOICE)
    rows = []
    for r in range(6):
        for n in range(24):
            sides = SIDES[(n + r) % 2]
            taken = sides[1] if (n + 2 * r) % 5 == 0 else sides[0]
            rows.append(_vote(f"r{r}", f"i{n}", taken, *sides))
    report = analyze(frames(study, rows), study)
    position = only(report, "position_effect")
    assert position.estimate is not None
    assert position.estimate > 1
    equal = only(report, "share_preferred_at_equal")
    assert equal.scope == {**AGAINST, "covariate": "side"}
    assert equal.estimate == pytest.approx(find(report, "share_preferred")[0].estimate, abs=0.1)
    # moving from right to left changes the log odds twice: a loss on one side and a gain on the other
    assert only(report, "covariate_log_odds").estimate == pytest.approx(2 * position.estimate, abs=1e-6)


def test_preference_strength_is_signed_by_choice() -> None:
    study = protocol({**CHOICE, "tie": True, "strength": True})
    values = [("model", 3), ("human", 1), ("tie", None), ("model", 1)]
    rows = [_vote(f"r{n}", f"i{n}", value) | {"strength": much} for n, (value, much) in enumerate(values)]
    assert only(analyze(frames(study, rows), study), "preference_strength").estimate == pytest.approx(3 / 4)
