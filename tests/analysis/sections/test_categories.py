"""Questions answered by codes: proportions, accuracy, agreement, and believed sources."""

from typing import Any

import pytest
from scipy.stats import norm

from app.analysis import analyze
from tests.kit.frames import FIVE, Row, find, frames, only, protocol

PARTS = ("_codes_given", "_agreed", "_contrasts")
DOES = {
    "key": "does",
    "target": "response",
    "type": "category",
    "text": "What does it do?",
    "codes": {"asks": "Asks", "advises": "Advises"},
    "multiple": True,
}
FEELS = {"key": "feels", "target": "item", "type": "category", "text": "Feels?", "codes": ["sad", "glad", "angry"]}
WHO = {
    "key": "who",
    "target": "response",
    "type": "category",
    "text": "Who wrote this?",
    "codes": {"person": "A person", "ai": "An AI"},
}
BELIEF = {"believed_source": {"question": "who", "means": {"person": ["human"], "ai": ["model"]}}}


def _row(rater: str, item: str, source: str | None, question: str, value: object) -> Row:
    response = f"{item}:{source}" if source else None
    return {"rater": rater, "item": item, "response": response, "question": question, "value": value}


def test_each_of_multiple_codes_has_share_and_agreement() -> None:
    study = protocol(DOES)
    values = {"human": ["asks|advises", "advises"], "model": ["asks", "asks"]}
    rows = [
        _row(rater, f"i{n}", source, "does", given)
        for source, both in values.items()
        for n in range(3)
        for rater, given in zip(("a", "b"), both, strict=True)
    ]
    report = analyze(frames(study, rows), study)
    shares = {(f.measured, f.scope["source"]): f.estimate for f in find(report, "code_share")}
    assert shares == {
        ("does=asks", "human"): 0.5,
        ("does=asks", "model"): 1,
        ("does=advises", "human"): 1,
        ("does=advises", "model"): 0,
    }
    assert only(report, "percent_agreement", question="does=asks", scope={}).estimate == 0.5
    assert only(report, "percent_agreement", question="does=advises", scope={}).estimate == 1


@pytest.mark.parametrize(
    ("primary", "tested"), [([], ["ai"]), ([{"question": "who", "code": "person"}], ["person"]), (["who"], ["ai"])]
)
def test_one_of_two_codes_is_tested_because_the_other_is_its_mirror(primary: list[Any], tested: list[str]) -> None:
    study = protocol(WHO, analysis={"primary": primary})
    rows = [
        _row(rater, f"i{n}", source, "who", "ai" if (n + k + (source == "model")) % 3 else "person")
        for source in ("human", "model")
        for n in range(5)
        for k, rater in enumerate("abc")
    ]
    report = analyze(frames(study, rows), study)
    for statistic in ("category_difference", "cochran_q"):
        assert [f.scope["category"] for f in find(report, statistic)] == tested
    assert {f.measured for f in find(report, "code_share")} == {"who=person", "who=ai"}
    n_primary = [len(result.estimates) for result in report.primary]
    assert n_primary == [1]


def test_single_code_question_has_nominal_agreement() -> None:
    study = protocol(FEELS, sources={})
    rows = [_row(rater, f"i{n}", None, "feels", ("sad", "glad")[n % 2]) for rater in ("a", "b") for n in range(10)]
    report = analyze(frames(study, rows), study)
    assert only(report, "percent_agreement", question="feels").estimate == 1
    assert only(report, "cohen_kappa", question="feels").estimate == 1
    assert {f.measured: f.estimate for f in find(report, "code_share")} == {
        "feels=sad": 0.5,
        "feels=glad": 0.5,
        "feels=angry": 0,
    }


@pytest.mark.parametrize("is_column", [False, True])
def test_correct_answers_are_counted_by_rater_kind(is_column: bool) -> None:  # noqa: FBT001 - the two ways to give the key
    key = {"correct_column": "feeling"} if is_column else {"correct": "sad"}
    study = protocol({**FEELS, **key}, sources={})
    given = {"a": ["sad", "sad"], "b": ["sad", "glad"], "gpt": ["glad", "glad"]}
    rows = [_row(rater, f"i{n}", None, "feels", code) for rater, codes in given.items() for n, code in enumerate(codes)]
    data = frames(study, rows, raters=[{"rater": "gpt", "kind": "model"}])
    if is_column:
        data.items["feeling"] = ["sad", "sad"]
    report = analyze(data, study)
    assert only(report, "accuracy_share", scope={}).estimate == 0.75
    assert only(report, "accuracy_share", scope={"rater_kind": "model"}).estimate == 0


def _beliefs(hit: int, false_alarm: int) -> list[Row]:
    """Return answers of ten raters; this many say that a model wrote the model's and the human's response."""
    return [
        row
        for n in range(10)
        for source, n_ai in (("model", hit), ("human", false_alarm))
        for is_ai in [n < n_ai]
        for row in (
            _row(f"r{n}", f"i{n % 5}", source, "who", "ai" if is_ai else "person"),
            _row(f"r{n}", f"i{n % 5}", source, "empathy", 2 if is_ai else 4),
        )
    ]


def test_dprime_is_difference_of_hit_and_false_alarm_z_scores() -> None:
    study = protocol(FIVE, WHO, analysis=BELIEF)
    report = analyze(frames(study, _beliefs(8, 3)), study)
    hits, alarms = (float(norm.ppf(rate)) for rate in (0.8, 0.3))
    assert only(report, "dprime").estimate == pytest.approx(hits - alarms)
    assert only(report, "criterion").estimate == pytest.approx(-(hits + alarms) / 2)
    assert only(report, "detection_share").estimate == pytest.approx((8 + 7) / 20)


def test_belief_effect_is_estimated_for_each_source() -> None:
    study = protocol(FIVE, WHO, analysis=BELIEF)
    report = analyze(frames(study, _beliefs(8, 3)), study)
    assert [estimate.estimate for estimate in find(report, "belief_effect")] == pytest.approx([-2, -2])
    assert only(report, "interaction", section="belief").estimate == pytest.approx(0)


def test_undeclared_belief_question_has_no_belief_section() -> None:
    study = protocol(FIVE, WHO)
    assert not analyze(frames(study, _beliefs(8, 3)), study).of("belief")


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_answers_give_reasons(n: int) -> None:
    study = protocol(FIVE, WHO, DOES, {**FEELS, "correct": "sad"}, analysis=BELIEF)
    rows = [_row("a", "i", "human", key, given) for key, given in (("who", "ai"), ("does", "asks"), ("empathy", 3))]
    report = analyze(frames(study, rows[: 3 * n]), study)
    for estimate in (*report.of("category"), *report.of("belief")):
        assert (estimate.estimate is None) == (estimate.reason is not None)
    assert {estimate.statistic for estimate in report.of("belief")} == {
        "dprime",
        "criterion",
        "detection_share",
        "belief_effect",
        "interaction",
    }


def test_belief_is_not_derived_from_multiple_codes() -> None:
    study = protocol(FIVE, {**WHO, "multiple": True}, analysis=BELIEF)
    assert not analyze(frames(study, _beliefs(8, 3)), study).of("belief")
