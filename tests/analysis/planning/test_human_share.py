"""The judges of a pilot: how far they go along with people, by item, and which save nothing."""

import numpy as np
import pytest

from app.analysis.planning.human_share import HumanShare, JudgeAssumed, judges_of_pilot
from app.results.planning.judge_savings import judges_to_plan, needed_table, savings_sentences
from tests.kit.frames import CHOICE, FIVE, Row, frames, protocol

N_ITEMS, N_RATERS = 30, 4
MODELS = {"good": "m1", "noise": "m2"}
RNG = np.random.default_rng(5)
QUALITY = RNG.integers(1, 6, (N_ITEMS, 2))
NOISE = RNG.integers(1, 6, (N_ITEMS, 2))


def _pilot() -> list[Row]:
    rows: list[Row] = []
    for i in range(N_ITEMS):
        for k, source in enumerate(("human", "model")):
            page = {"item": f"i{i}", "response": f"i{i}:{source}", "question": "empathy"}
            rows += [{**page, "rater": f"r{j}", "value": int(QUALITY[i, k])} for j in range(N_RATERS) if i < 20]
            rows.append({**page, "rater": "good", "value": int(np.clip(QUALITY[i, k] + (i + k) % 2, 1, 5))})
            rows.append({**page, "rater": "noise", "value": int(NOISE[i, k])})
    return rows


STUDY = protocol(FIVE, CHOICE)
PILOT = frames(STUDY, _pilot(), raters=[{"rater": name, "kind": "model"} for name in MODELS])


def test_correlation_is_that_of_the_differences_of_items_that_both_rated() -> None:
    good, noise, both = judges_of_pilot(PILOT, STUDY, "empathy", "mean_difference")
    people = np.diff(QUALITY[:20]).ravel()
    judged = np.diff(np.clip(QUALITY + np.add.outer(np.arange(N_ITEMS), [0, 1]) % 2, 1, 5))[:20].ravel()
    assert good.raters == ("good",)
    assert good.correlation == pytest.approx(np.corrcoef(people, judged)[0, 1])
    assert good.n_items == 20
    assert good.low is not None
    assert 0.5 < good.low < good.correlation
    assert (noise.raters, noise.saves) == (("noise",), False)
    assert both.raters == ("good", "noise")
    assert both.correlation > 0.7


def test_a_pilot_without_answers_to_the_question_has_no_judges() -> None:
    assert not list(judges_of_pilot(PILOT, STUDY, "warmth", "mean_difference"))
    assert not judges_to_plan(None, (PILOT, protocol(FIVE, sources={"model": {"kind": "model"}})), "empathy", "mean")
    assert [one.n_items for one in judges_of_pilot(PILOT, STUDY, None, "share_preferred")] == []


def test_a_stated_correlation_goes_before_the_pilot() -> None:
    (judge,) = judges_to_plan(0.4, (PILOT, STUDY), "empathy", "mean_difference")
    assert (judge.correlation, judge.raters, judge.saves) == (0.4, (), True)


def test_a_width_that_no_share_reaches_is_said() -> None:
    savings = HumanShare(50, 0.1, None, (), ())
    (sentence,) = savings_sentences(savings)
    assert sentence.startswith("No share of the 50 items reaches this width")
    assert needed_table(savings).rows == (("People alone", "–", "not reached", "–"),)
    assert JudgeAssumed((), 0.3).saves
