"""Juries: several models answer as one, with a vote for each model, however often it was asked."""

import numpy as np
import pytest

from app.analysis import analyze
from app.analysis.estimate import Scope
from app.analysis.findings.judge_summary import judge_summaries
from app.analysis.report.report import Report
from tests.kit.frames import CHOICE, FIVE, Row, find, frames, only, protocol

PARTS = ("_judged",)
N_ITEMS = 36
SOURCES = {"human": {"kind": "human"}, "model": {"kind": "model"}}
# Two runs of one model, and two other models.
MODELS = {"a-warm": "a", "a-cold": "a", "b": "b", "c": "c"}
JURY: Scope = {"rater_kind": "model", "raters": ["a-warm", "a-cold", "b", "c"]}


def _report(models: dict[str, str]) -> Report:
    """People rate with an error; each judge with one of its own, and always chooses the model, except for c."""
    rng = np.random.default_rng(4)
    rows: list[Row] = []
    for i in range(N_ITEMS):
        item = f"i{i}"
        for source in ("human", "model"):
            truth = 2 + (i + (source == "model")) % 3
            for name in ("r0", "r1", "r2", *models):
                value = int(np.clip(truth + rng.integers(-1, 2), 1, 5))
                rows.append(
                    {"rater": name, "item": item, "response": f"{item}:{source}", "question": "empathy", "value": value}
                )
        for name in ("r0", "r1", "r2", *models):
            chosen = "human" if name == "c" or (name.startswith("r") and i % 3 == 0) else "model"
            rows.append({"rater": name, "item": item, "question": "preference", "value": chosen})
    study = protocol(FIVE, CHOICE, sources=SOURCES)
    data = frames(study, rows, raters=[{"rater": name, "kind": "model"} for name in models])
    data.raters["model"] = [models.get(name) for name in data.raters["rater"]]
    return analyze(data, study)


@pytest.fixture(scope="module")
def report() -> Report:
    return _report(MODELS)


def test_jury_agrees_with_people_more_than_its_members(report: Report) -> None:
    jury = only(report, "judge_correlation", scope=JURY).estimate
    assert jury is not None
    for name in MODELS:
        member = only(report, "judge_correlation", scope={"rater_kind": "model", "raters": [name]}).estimate
        assert member is not None
        assert member < jury
    assert only(report, "alt_test_winning_rate", scope=JURY, question="empathy").estimate is not None
    assert only(report, "judge_answered", scope=JURY, question="empathy").estimate == 1


def test_majority_of_models_decides_and_runs_of_one_model_have_one_vote(report: Report) -> None:
    share = only(report, "judge_share", scope=JURY, question="preference").estimate
    assert share == pytest.approx(only(report, "judge_share", scope=_one("b"), question="preference").estimate)
    both = {**JURY, "source": "model", "reference": "human"}
    # a and b say the model, c says the human: two votes of three, not three of four.
    assert only(report, "judge_share_preferred", scope=both).estimate == pytest.approx(2 / 3)


def test_tied_votes_leave_a_unit_out() -> None:
    report = _report({"a-warm": "a", "a-cold": "a", "c": "c"})
    scope: Scope = {"rater_kind": "model", "raters": ["a-warm", "a-cold", "c"]}
    assert find(report, "judge_share", scope=scope, question="preference") == []
    tied = {**scope, "source": "model", "reference": "human"}
    assert find(report, "judge_share_preferred", scope=tied) == []
    assert find(report, "judge_correlation", scope=scope)


def test_runs_of_one_model_are_no_jury() -> None:
    report = _report({"a-warm": "a", "a-cold": "a"})
    assert [one for one in report.of("judge") if len(one.scope["raters"]) > 1] == []


def test_summary_names_the_jury(report: Report) -> None:
    sentences = [one.sentence for one in judge_summaries(report)]
    assert any(sentence.startswith("Jury of a-warm, a-cold, b and c:") for sentence in sentences)


def _one(name: str) -> Scope:
    return {"rater_kind": "model", "raters": [name]}
