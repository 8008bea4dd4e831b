"""Declared looks: each on its own ratings, the same whenever it is read, and silent in between."""

from dataclasses import replace

import pandas as pd
import pytest
from pydantic import ValidationError

from app.analysis.data.frames import Frames
from app.analysis.document.design_words import monitoring_sentences
from app.analysis.monitoring import monitored, progress_sentences
from app.protocol.study import Protocol
from tests.analysis.report.test_primary import rows
from tests.kit.frames import CHOICE, FIVE, frames, protocol

N = 96  # ratings of the small study: 8 items, 6 raters, 2 sources


def plan(n_planned: int = N, **more: object) -> Protocol:
    parts: dict[str, object] = {"looks": [0.5, 1], "n_ratings": n_planned, **more}
    return protocol(FIVE, analysis={"primary": ["empathy"]}, monitoring=parts)


def come(study: Protocol, n: int) -> Frames:
    """The first n ratings, a minute apart."""
    made = frames(study, rows(keys=("empathy",)))
    times = pd.date_range("2026-11-01", periods=N, freq="min", tz="UTC").astype("datetime64[us, UTC]")
    return replace(made, ratings=made.ratings.assign(rated_at=times).iloc[:n].reset_index(drop=True))


def test_nothing_is_computed_before_first_look() -> None:
    study = plan()
    state = monitored(come(study, 40), study)
    assert state is not None
    assert [look.is_due for look in state.looks] == [False, False]
    assert "Look 1 of 2 is due at 48 ratings." in progress_sentences(state)
    assert "not adjusted for looks" in progress_sentences(state)[-1]
    assert "not adjusted for looks" not in " ".join(progress_sentences(state, is_blinded=True))


def test_look_ignores_later_ratings() -> None:
    study = plan()
    first, later = (monitored(come(study, n), study) for n in (48, 90))
    assert first is not None
    assert later is not None
    assert first.looks[0] == later.looks[0]
    assert first.looks[0].bound == pytest.approx(2.963, abs=1e-3)


def test_crossed_boundary_ends_further_looks() -> None:
    study = plan(spending="pocock")
    state = monitored(come(study, N), study)
    assert state is not None
    assert state.crossed is state.looks[0]
    assert not state.looks[1].is_due
    assert "crossed: the study can stop" in " ".join(progress_sentences(state))


def test_last_look_does_not_say_to_continue() -> None:
    """It said so, and nothing more said that the p-values of the page, below .05 or not, are not adjusted."""
    study = plan(alpha=1e-6)
    state = monitored(come(study, N), study)
    assert state is not None
    *_, first, last, adjusted = progress_sentences(state)
    assert first.endswith("was not crossed: continue.")
    assert last.endswith("was not crossed: this was the last look.")
    assert "not adjusted for looks" in adjusted


@pytest.mark.parametrize(("look", "n_planned", "due"), [(0.55, 100, 55), (0.5, 101, 51), (1 / 3, 9, 3)])
def test_look_is_due_at_the_number_that_the_preregistration_names(look: float, n_planned: int, due: int) -> None:
    """0.55 of 100 was 56 ratings; half of 101 was 50 in the preregistration, and 51 in the study."""
    study = plan(n_planned, looks=[look, 1])
    state = monitored(come(study, 0), study)
    assert state is not None
    assert [one.n_due for one in state.looks] == [due, n_planned]
    assert f"tested at {due} and {n_planned} ratings" in next(monitoring_sentences(study))


def test_progress_sentences_contain_no_estimates() -> None:
    study = plan()
    state = monitored(come(study, 60), study)
    assert state is not None
    estimates = [one for look in state.looks for one in look.estimates or ()]
    said = " ".join(progress_sentences(state))
    assert estimates
    assert all(f"{one.estimate:.2f}" not in said for one in estimates if one.estimate is not None)


def test_undated_ratings_are_excluded_from_looks_and_counted() -> None:
    study = plan()
    state = monitored(frames(study, rows(keys=("empathy",))), study)
    assert state is not None
    assert (state.n_ratings, state.n_undated) == (0, N)
    assert "have no time" in " ".join(progress_sentences(state))


def test_study_without_looks_is_not_monitored() -> None:
    study = protocol(FIVE)
    assert monitored(frames(study, []), study) is None


@pytest.mark.parametrize(
    ("monitoring", "words"),
    [
        ({"looks": [0.5, 0.4, 1], "n_ratings": 9}, "looks must ascend and end at 1"),
        ({"looks": [0.5], "n_ratings": 9}, "looks must ascend and end at 1"),
        ({"looks": [0.5, 1]}, "n_ratings must be the planned number"),
    ],
)
def test_invalid_monitoring_plan_is_rejected(monitoring: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        protocol(FIVE, analysis={"primary": ["empathy"]}, monitoring=monitoring)


@pytest.mark.parametrize("primary", [[], ["empathy", "preference"]])
def test_looks_require_one_primary_contrast(primary: list[str]) -> None:
    with pytest.raises(ValidationError, match=r"one contrast in analysis\.primary"):
        protocol(FIVE, CHOICE, analysis={"primary": primary}, monitoring={"looks": [1], "n_ratings": 9})
