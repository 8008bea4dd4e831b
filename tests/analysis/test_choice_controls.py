"""Controls of the proportion preferred: at equal length, and agreement of choices with the rater's own ratings."""

from typing import Any

import numpy as np
import pytest

from app.analysis import analyze
from app.analysis.data.frames import Frames
from app.stats.choice.preference_shares import coherence
from tests.kit.frames import CHOICE, FIVE, find, frames, only, protocol

LENGTH = {"source": "model", "reference": "human", "covariate": "length"}
Row = dict[str, Any]


def _votes(chosen: list[str], n_raters: int = 4) -> list[Row]:
    """Return one choice per rater and item, raters within items."""
    return [
        {"rater": f"r{place % n_raters}", "item": f"i{place // n_raters:03}", "question": "preference", "value": value}
        for place, value in enumerate(chosen)
    ]


def _with_lengths(small: Frames, n_characters: dict[str, int]) -> Frames:
    lengths = [n_characters[key] for key in small.responses["response"]]
    return Frames(small.items, small.responses.assign(text=["x" * n for n in lengths]), small.raters, small.ratings)


def test_equal_length_share_matches_logistic_regression() -> None:
    from statsmodels.discrete.discrete_model import Logit
    from statsmodels.tools import add_constant

    rng = np.random.default_rng(3)
    times = rng.integers(1, 9, 40)
    log_odds = -0.4 + 0.8 * np.log2(times).repeat(4)
    won = rng.random(160) < 1 / (1 + np.exp(-log_odds))
    study = protocol(CHOICE)
    small = frames(study, _votes(["model" if yes else "human" for yes in won]))
    lengths = {f"i{n:03}:human": 100 for n in range(40)} | {f"i{n:03}:model": 100 * int(t) for n, t in enumerate(times)}
    report = analyze(_with_lengths(small, lengths), study)
    known = Logit(won * 1.0, add_constant(np.log2(times).repeat(4))).fit(disp=0).params
    share = only(report, "share_preferred_at_equal", scope=LENGTH)
    assert share.estimate == pytest.approx(1 / (1 + np.exp(-known[0])))
    assert only(report, "covariate_log_odds", scope=LENGTH).estimate == pytest.approx(known[1])
    raw = find(report, "share_preferred", scope={"source": "model", "reference": "human"})[0]
    assert (share.ci_low or 1) < (share.estimate or 0) < (raw.estimate or 0)
    assert "The source's text is longer in" in share.note


def test_confounded_length_is_noted_as_extrapolation() -> None:
    study = protocol(CHOICE)
    small = frames(study, _votes(["model", "human", "model", "model"] * 6))
    lengths = {key: 50 + 10 * n + 300 * key.endswith("model") for n, key in enumerate(small.responses["response"])}
    report = analyze(_with_lengths(small, lengths), study)
    assert "extrapolation" in only(report, "share_preferred_at_equal", scope=LENGTH).note


@pytest.mark.parametrize("n_characters", [0, None])
def test_unknown_lengths_give_no_equal_length_share(n_characters: int | None) -> None:
    study = protocol(CHOICE)
    small = frames(study, _votes(["model", "human"] * 6))
    if n_characters is not None:
        small = _with_lengths(small, dict.fromkeys(small.responses["response"], n_characters))
    assert not find(analyze(small, study), "share_preferred_at_equal", scope=LENGTH)


def test_equal_lengths_make_control_singular() -> None:
    study = protocol(CHOICE)
    small = frames(study, _votes(["model", "human"] * 6))
    report = analyze(_with_lengths(small, dict.fromkeys(small.responses["response"], 80)), study)
    assert only(report, "share_preferred_at_equal", scope=LENGTH).reason == "singular"


def _rated(rater: str, item: str, human: int, model: int) -> list[Row]:
    values = {"human": human, "model": model}
    row = {"rater": rater, "item": item, "question": "empathy"}
    return [{**row, "response": f"{item}:{source}", "value": value} for source, value in values.items()]


def test_coherence_compares_choices_with_same_raters_ratings() -> None:
    """By hand: two choices follow the ratings, one contradicts them, one has equal ratings, one rater has none."""
    study = protocol(FIVE, {**CHOICE, "tie": True})
    rated = [("a", "i0", 2, 4), ("b", "i0", 5, 1), ("a", "i1", 3, 4), ("b", "i1", 3, 3), ("a", "i2", 1, 2)]
    chosen = [
        ("a", "i0", "model"),
        ("b", "i0", "human"),
        ("a", "i1", "human"),
        ("b", "i1", "model"),
        ("a", "i2", "tie"),
        ("c", "i0", "model"),
    ]
    rows = [row for one in rated for row in _rated(*one)]
    rows += [{"rater": r, "item": i, "question": "preference", "value": value} for r, i, value in chosen]
    estimate = only(analyze(frames(study, rows), study), "choice_coherence")
    assert estimate.estimate == pytest.approx(2 / 3)
    assert (estimate.n_units, estimate.scope) == (3, {"covariate": "empathy"})
    assert estimate.note.startswith("1 of 4 choices are between responses rated the same")
    assert estimate.method == "two_way_cluster_t"


def test_coherence_requires_rater_with_choice_and_ratings() -> None:
    study = protocol(FIVE, CHOICE)
    rows = [*_rated("a", "i0", 1, 5), {"rater": "b", "item": "i0", "question": "preference", "value": "model"}]
    assert not find(analyze(frames(study, rows), study), "choice_coherence")


def test_coherence_ignores_questions_about_item() -> None:
    study = protocol({**FIVE, "target": "item"}, CHOICE)
    rows: list[Row] = [
        {"rater": "a", "item": "i0", "question": "empathy", "value": 3},
        {"rater": "a", "item": "i0", "question": "preference", "value": "model"},
    ]
    assert not find(analyze(frames(study, rows), study), "choice_coherence")


def test_mixed_gaps_give_half_coherence_and_ties_none() -> None:
    place = np.arange(6)
    assert coherence(np.array([1.0, -2, 3, -1, 0, np.nan]), item=place, rater=place).estimate == 0.5
    assert coherence(np.zeros(6), item=place, rater=place).reason == "no_pairable_units"
