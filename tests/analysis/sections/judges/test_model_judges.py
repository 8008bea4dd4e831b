"""Model judges compared to people: the test, the ceiling, self-preference, sides; and never counted as people."""

import numpy as np
import pytest

from app.analysis import analyze
from app.analysis.report.report import Report
from tests.kit.frames import CHOICE, FIVE, Row, find, frames, only, protocol, told

PARTS = ("_judged",)
N_ITEMS, N_PERSONS = 40, 4
FAMILIES = {"human": {"kind": "human"}, "model": {"kind": "model", "family": "GPT"}}
JUDGE = {"rater_kind": "model", "raters": ["judge"]}


def _rows(offset: int = 0, favour: int = 0) -> list[Row]:
    """Return ratings: persons follow the item; the judge copies r0 plus an offset, and a favour for the model."""
    rng = np.random.default_rng(5)
    rows: list[Row] = []
    for i in range(N_ITEMS):
        for source in ("human", "model"):
            given = np.clip(2 + i % 3 + rng.integers(-1, 2, N_PERSONS), 1, 5).tolist()
            names = [*(f"r{r}" for r in range(N_PERSONS)), "judge"]
            judged = given[0] + offset + (favour if source == "model" else 0)
            for name, value in zip(names, [*given, min(max(judged, 1), 5)], strict=True):
                rows.append(
                    {
                        "rater": name,
                        "item": f"i{i}",
                        "response": f"i{i}:{source}",
                        "question": "empathy",
                        "value": value,
                    }
                )
        chosen = [("human", "model")[int(rng.integers(0, 4) > 0)] for _ in range(N_PERSONS)]
        left, right = ("human", "model") if i % 2 else ("model", "human")
        sides = {"left_response": f"i{i}:{left}", "right_response": f"i{i}:{right}"}
        swapped = {"left_response": f"i{i}:{right}", "right_response": f"i{i}:{left}", "repeat": 1}
        votes = [*zip((f"r{r}" for r in range(N_PERSONS)), chosen, strict=True), ("judge", "model")]
        vote = {"item": f"i{i}", "question": "preference"}
        rows += [{**vote, "rater": name, "value": value, **sides} for name, value in votes]
        if i < 8:
            rows.append({**vote, "rater": "judge", "value": "model" if i < 6 else "human", **swapped})
    return rows


def _report(rows: list[Row]) -> Report:
    study = protocol(FIVE, CHOICE, sources=FAMILIES)
    data = frames(study, rows, raters=[{"rater": "judge", "kind": "model"}])
    data.raters["family"] = [("gpt" if name == "judge" else None) for name in data.raters["rater"]]
    return analyze(data, study)


@pytest.fixture(scope="module")
def report() -> Report:
    return _report(_rows())


def test_judge_copying_a_person_reaches_the_human_ceiling(report: Report) -> None:
    judge, ceiling = (only(report, f"{name}_correlation", scope=JUDGE) for name in ("judge", "ceiling"))
    assert judge.estimate is not None
    assert ceiling.estimate is not None
    assert judge.estimate > ceiling.estimate - 0.05
    assert judge.n_ratings == ceiling.n_ratings == 2 * N_ITEMS * N_PERSONS
    assert judge.ci_low is not None


def test_the_distance_to_the_ceiling_has_an_interval(report: Report) -> None:
    judge, ceiling = (only(report, f"{name}_correlation", scope=JUDGE) for name in ("judge", "ceiling"))
    gap = only(report, "correlation_minus_ceiling", scope=JUDGE)
    assert gap.estimate == pytest.approx((judge.estimate or 0) - (ceiling.estimate or 0))
    assert gap.ci_low is not None
    assert gap.ci_low < 0 < (gap.ci_high or 0)
    shares = [only(report, f"{name}_share", scope=JUDGE, question="preference") for name in ("judge", "ceiling")]
    gap = only(report, "share_minus_ceiling", scope=JUDGE, question="preference")
    assert gap.estimate == pytest.approx((shares[0].estimate or 0) - (shares[1].estimate or 0))


def test_missing_answers_are_counted_and_bound_the_agreement() -> None:
    rows = [row for row in _rows() if row["rater"] != "judge" or int(row["item"][1:]) % 2]
    found = _report(rows)
    for question, name in (("empathy", "correlation"), ("preference", "share")):
        answered = only(found, "judge_answered", scope=JUDGE, question=question)
        assert answered.estimate == 0.5
        # everybody who rated the units, not one person per unit
        judge = only(found, f"judge_{name}_highest", scope=JUDGE, question=question)
        assert (answered.n_raters, answered.n_ratings) == (N_PERSONS, judge.n_ratings)
        low, at, high = (
            only(found, f"judge_{name}{end}", scope=JUDGE, question=question).estimate or 0
            for end in ("_lowest", "", "_highest")
        )
        assert low < at < high
    assert not [one for one in _report(_rows()).of("judge") if one.statistic.endswith("_lowest")]


def test_missing_answers_are_counted_by_attributes_of_items() -> None:
    study = protocol(FIVE, sources=FAMILIES)
    rows = [row for row in _rows() if row["question"] == "empathy"]
    rows = [row for row in rows if row["rater"] != "judge" or int(row["item"][1:]) % 4]
    data = frames(study, rows, raters=[{"rater": "judge", "kind": "model"}])
    data.items["topic"] = ["grief" if int(item[1:]) % 4 == 0 else "work" for item in data.items["item"]]
    found = {str(one.scope.get("subgroup")): one.estimate for one in find(analyze(data, study), "judge_answered")}
    assert found == {"None": 0.75, "{'topic': 'grief'}": 0.0, "{'topic': 'work'}": 1.0}


def test_alternative_annotator_test_uses_epsilon_of_pool(report: Report) -> None:
    rate = only(report, "alt_test_winning_rate", scope=JUDGE, question="empathy")
    assert rate.estimate == 1
    assert "epsilon 0.15" in rate.method
    low = _report(_rows(offset=-3))
    assert only(low, "alt_test_winning_rate", scope=JUDGE, question="empathy").estimate == 0
    advantage = only(low, "alt_test_advantage_probability", scope=JUDGE, question="empathy")
    assert (advantage.estimate or 0) < 0.5
    assert advantage.ci_high is not None


def test_experts_have_larger_epsilon_and_pools_are_separate() -> None:
    study = protocol(FIVE, sources=FAMILIES)
    rows = [row for row in _rows() if row["question"] == "empathy"]
    pools = ["expert", "expert", "expert", "crowd"]
    raters = [{"rater": f"r{k}", "pool": pool} for k, pool in enumerate(pools)]
    report = analyze(frames(study, rows, raters=[*raters, {"rater": "judge", "kind": "model"}]), study)
    by_pool = {f.scope.get("pool"): f for f in find(report, "alt_test_winning_rate")}
    assert "epsilon 0.2" in by_pool["expert"].method
    assert "epsilon 0.15" in by_pool[None].method
    assert by_pool["crowd"].reason == "no_pairable_units"


def test_question_that_one_pool_answered_takes_its_epsilon() -> None:
    study = protocol(FIVE, {**FIVE, "key": "warmth"}, sources=FAMILIES)
    rows = [row for row in _rows() if row["question"] == "empathy"]
    others = [
        {**row, "question": "warmth", "rater": f"crowd {row['rater']}"} for row in rows if row["rater"] != "judge"
    ]
    judged = [{**row, "question": "warmth"} for row in rows if row["rater"] == "judge"]
    raters = [{"rater": f"r{k}", "pool": "expert"} for k in range(N_PERSONS)]
    crowd = [{"rater": f"crowd r{k}", "pool": "crowd"} for k in range(N_PERSONS)]
    known = [*raters, *crowd, {"rater": "judge", "kind": "model"}]
    report = analyze(frames(study, [*rows, *others, *judged], raters=known), study)
    found = [f for f in report.of("judge") if f.statistic == "alt_test_winning_rate" and f.estimate is not None]
    epsilons = {(f.measured, f.scope.get("pool")): f.method.rpartition("epsilon ")[2] for f in found}
    assert {place: text[:3] for place, text in epsilons.items()} == {
        ("empathy", None): "0.2",
        ("empathy", "expert"): "0.2",
        ("warmth", None): "0.1",
        ("warmth", "crowd"): "0.1",
    }


def test_judge_raising_its_own_family_shows_self_preference() -> None:
    raised = _rows(favour=1)
    capped = {(row["item"], row["response"]) for row in raised if row["rater"] == "judge" and row["value"] == 5}
    plain = only(_report(_rows()), "self_preference", question="empathy").estimate
    found = only(_report(raised), "self_preference", question="empathy").estimate
    assert plain is not None
    assert found is not None
    assert len(capped) < 20
    assert found - plain == pytest.approx(1, abs=0.3)


def test_judge_choices_for_own_family_are_compared_where_people_are_split(report: Report) -> None:
    # These people do not agree on which pairs the model wins.
    assert only(report, "self_preference", question="preference").reason == "singular"
    pairs = [{"item": f"i{i}", "response": None, "question": "preference", "value": None} for i in range(N_ITEMS)]
    rows = [
        {**pair, "rater": name, "value": "model" if wins else "human"}
        for i, pair in enumerate(pairs)
        for name, wins in [*((f"r{k}", i % 4 > 0) for k in range(N_PERSONS)), ("judge", i % 8 != 4)]
    ]
    # The judge chooses its family in all pairs that people give to it, and in half of the others.
    assert only(_report(rows), "self_preference", question="preference").estimate == pytest.approx(1 / 4)


CODES = ["angry", "sad", "glad"]


def _codes_given(*, is_multiple: bool = False) -> Report:
    """Report on codes of responses: three people and the judge; see the tests for the shares of *glad*."""
    kind = {"key": "feeling", "target": "response", "type": "category", "text": "Which feeling?", "codes": CODES}
    study = protocol({**kind, "multiple": is_multiple}, sources=FAMILIES)
    rows: list[Row] = []
    for i in range(12):
        for source in ("human", "model"):
            # people give glad to a third of both; the judge to half of its own family and to none of the others
            given = {f"r{k}": "glad" if k == i % 3 else "sad" for k in range(3)}
            given["judge"] = "glad" if source == "model" and i % 2 else "angry"
            said = {name: f"{code}|sad" if is_multiple and code != "sad" else code for name, code in given.items()}
            rows += [
                {"rater": name, "item": f"i{i}", "response": f"i{i}:{source}", "question": "feeling", "value": code}
                for name, code in said.items()
            ]
    data = frames(study, rows, raters=[{"rater": "judge", "kind": "model"}])
    data.raters["family"] = [("gpt" if name == "judge" else None) for name in data.raters["rater"]]
    return analyze(data, study)


def test_self_preference_in_codes_is_a_difference_of_shares_for_each_code() -> None:
    found = {f.scope.get("category"): f for f in find(_codes_given(), "self_preference", question="feeling")}
    assert {code: f.estimate for code, f in found.items()} == {
        "angry": pytest.approx(-0.5),
        "sad": pytest.approx(0),
        "glad": pytest.approx(0.5),
    }
    # by hand: the judge's share less that of people is 2/3 or -1/3 on its own family, -1/3 on others; t over 12 items
    by_item = np.array([float(i % 2) for i in range(12)])
    reach = 2.2009852 * by_item.std(ddof=1) / np.sqrt(12)
    assert found["glad"].ci_low == pytest.approx(0.5 - reach)
    assert found["glad"].ci_high == pytest.approx(0.5 + reach)
    assert found["glad"].unit == "rating"


def test_self_preference_where_several_codes_may_be_given_has_one_estimate_for_each() -> None:
    found = {f.measured: f.estimate for f in find(_codes_given(is_multiple=True), "self_preference")}
    assert found == {"feeling=angry": pytest.approx(-0.5), "feeling=glad": pytest.approx(0.5), "feeling=sad": 0}


def test_swapped_sides_measure_side_consistency(report: Report) -> None:
    assert only(report, "side_consistency", scope=JUDGE).estimate == 6 / 8
    assert only(report, "first_side_share", scope=JUDGE).estimate == 0.5


def test_judge_changes_no_estimate_about_people(report: Report) -> None:
    """Every record about people is identical to the last digit without the judges."""
    alone = _report([row for row in _rows() if row["rater"] != "judge"])
    kept = [f for f in report.estimates if f.section != "judge" and f.scope.get("rater_kind") != "model"]
    assert [told(f) for f in kept] == [told(f) for f in alone.estimates]
    assert not alone.of("judge")


@pytest.mark.parametrize("persons", [0, 1])
def test_judge_with_too_few_people_gives_reasons(persons: int) -> None:
    study = protocol(FIVE, CHOICE, sources=FAMILIES)
    few = {"judge", *(f"r{k}" for k in range(persons))}
    rows = [row for row in _rows() if row["rater"] in few]
    report = analyze(frames(study, rows, raters=[{"rater": "judge", "kind": "model"}]), study)
    for name in ("judge_correlation", "ceiling_correlation", "judge_share", "alt_test_winning_rate"):
        assert {(f.estimate, f.reason) for f in find(report, name)} == {(None, "no_pairable_units")}
