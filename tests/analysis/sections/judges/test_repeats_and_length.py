"""Judges asked again, and judges that reward length: worked examples."""

import numpy as np
import pytest

from app.analysis import analyze
from app.analysis.findings.judge_conclusions import changes_sentence, conclusions_by_judge
from app.analysis.findings.judge_summary import judge_summaries
from app.analysis.findings.main_contrasts import main_contrasts
from app.analysis.report.labelled import labelled
from app.analysis.report.report import Report
from tests.kit.frames import CHOICE, FIVE, Row, find, frames, only, protocol

PARTS = ("_judged", "_agreed", "_compared", "_choices")
N_ITEMS = 12
JUDGE = {"rater_kind": "model", "raters": ["judge"]}


def _report(rows: list[Row], texts: dict[str, str] | None = None) -> Report:
    study = protocol(FIVE, CHOICE)
    responses = [
        {"response": f"i{i}:{source}", "item": f"i{i}", "source": source, "text": (texts or {}).get(source, "words")}
        for i in range(N_ITEMS)
        for source in study.sources
    ]
    return analyze(frames(study, rows, raters=[{"rater": "judge", "kind": "model"}], responses=responses), study)


def _shown(
    i: int, rater: str, repeat: int, *, human: int, model: int, chosen: str, is_swapped: bool = False
) -> list[Row]:
    """One showing of a pair: two ratings and a choice."""
    left, right = ("model", "human") if is_swapped else ("human", "model")
    page = {
        "rater": rater,
        "item": f"i{i}",
        "repeat": repeat,
        "left_response": f"i{i}:{left}",
        "right_response": f"i{i}:{right}",
    }
    rated = [
        {**page, "response": f"i{i}:{source}", "question": "empathy", "value": value}
        for source, value in (("human", human), ("model", model))
    ]
    return [*rated, {**page, "question": "preference", "value": chosen}]


def _people(i: int) -> list[Row]:
    given = [("human", "model")[(i + k) % 2] for k in range(3)]
    return [
        row
        for k in range(3)
        for row in _shown(i, f"r{k}", 0, human=1 + (i + k) % 4, model=2 + (i + k) % 4, chosen=given[k])
    ]


def test_repeats_are_compared_with_the_first_answer_by_side() -> None:
    rows: list[Row] = []
    for i in range(N_ITEMS):
        first = "human" if i % 2 else "model"
        swapped = first if i < 9 else "model" if first == "human" else "human"
        rows += _people(i)
        rows += _shown(i, "judge", 0, human=3, model=3, chosen=first)
        rows += _shown(i, "judge", 1, human=3 + (i < 4), model=3, chosen=swapped, is_swapped=True)
        rows += _shown(i, "judge", 2, human=3, model=3 + (i < 6), chosen=first)
    report = _report(rows)
    consistency = {f.measured: f for f in find(report, "side_consistency", scope=JUDGE)}
    again = {f.measured: f for f in find(report, "retest_agreement", scope=JUDGE)}
    assert consistency["preference"].estimate == 9 / 12
    assert consistency["empathy"].estimate == pytest.approx(20 / 24)
    assert again["preference"].estimate == 1
    assert again["empathy"].estimate == pytest.approx(18 / 24)
    assert (again["empathy"].n_items, again["empathy"].n_ratings) == (N_ITEMS, 24)


def test_both_orders_count_and_a_side_shows_its_effect() -> None:
    rows: list[Row] = []
    for i in range(N_ITEMS):
        rows += _people(i)
        # The left one is chosen and gets a point more, on whatever side it stands.
        rows += _shown(i, "judge", 0, human=4 - i % 2, model=3 - i % 2, chosen="human")
        rows += _shown(i, "judge", 1, human=3 - i % 2, model=4 - i % 2, chosen="model", is_swapped=True)
    report = _report(rows)
    assert only(report, "first_side_share", scope=JUDGE, question="preference").estimate == 1
    assert only(report, "side_effect", scope=JUDGE, question="empathy").estimate == 1
    # A coin would agree with people as often as this judge over both orders.
    agreeing = only(report, "judge_share", scope=JUDGE, question="preference").estimate
    assert agreeing == pytest.approx(0.5)
    assert only(report, "judge_share_consistent", scope=JUDGE, question="preference").reason == "no_pairable_units"
    ratings = [3.5 - i % 2 for i in range(N_ITEMS) for _ in ("human", "model") for _ in range(3)]
    people = {(i, source, k): v for i in range(N_ITEMS) for k in range(3) for source, v in _values(i, k).items()}
    others = [
        (sum(people[i, source, other] for other in range(3)) - people[i, source, k]) / 2
        for i in range(N_ITEMS)
        for source in ("human", "model")
        for k in range(3)
    ]
    expected = np.corrcoef(ratings, others)[0, 1]
    assert only(report, "judge_correlation", scope=JUDGE, question="empathy").estimate == pytest.approx(expected)


def test_each_judge_draws_its_own_conclusion() -> None:
    rows: list[Row] = []
    for i in range(N_ITEMS):
        for k in range(3):
            rows += _shown(i, f"r{k}", 0, human=4 - (i + k) % 2, model=2 + (i * k) % 2, chosen="human")
        # The judge prefers the model in both orders but on two items.
        chosen = "human" if i < 2 else "model"
        rows += _shown(i, "judge", 0, human=2, model=3 + i % 2, chosen=chosen)
        rows += _shown(i, "judge", 1, human=3, model=4, chosen="tie" if i == 2 else chosen, is_swapped=True)
    report = _report(rows)
    scope = JUDGE | {"source": "model", "reference": "human"}
    preferred = only(report, "judge_share_preferred", scope=scope)
    assert preferred.estimate == pytest.approx((N_ITEMS - 2 - 0.25) / N_ITEMS)
    difference = only(report, "judge_mean_difference", scope=scope)
    assert difference.estimate == pytest.approx((1 + 1.5) / 2)
    study = protocol(FIVE, CHOICE)
    shown = labelled(report, study.labels)
    found = list(conclusions_by_judge(shown, main_contrasts(shown, study)))
    assert {one.judges[0].changes for one in found} == {True}
    assert "In the place of people, judge changes 2 of 2 main conclusions" in changes_sentence(found)


def test_a_judge_is_shown_in_the_direction_of_the_contrast() -> None:
    primary = [{"question": key, "source": "human", "reference": "model"} for key in ("empathy", "preference")]
    study = protocol(FIVE, CHOICE, analysis={"reference": "human", "primary": primary})
    rows = [row for i in range(N_ITEMS) for row in _people(i)]
    for i in range(N_ITEMS):
        rows += _shown(i, "judge", 0, human=2, model=3 + i % 2, chosen="human" if i < 2 else "model")
    found = labelled(analyze(frames(study, rows, raters=[{"rater": "judge", "kind": "model"}]), study), study.labels)
    rated, chosen = conclusions_by_judge(found, main_contrasts(found, study))
    assert (rated.pair, chosen.pair) == ("Human against Model", "Human against Model")
    assert rated.judges[0].effect.startswith("\N{MINUS SIGN}1.50 (\N{MINUS SIGN}")
    assert chosen.judges[0].effect.startswith("16.7% (")
    assert changes_sentence([rated]) == "In the place of people, judge changes 0 of 1 main conclusion."


def _values(i: int, k: int) -> dict[str, int]:
    return {"human": 1 + (i + k) % 4, "model": 2 + (i + k) % 4}


def test_a_judge_that_adds_half_a_point_per_doubling_has_that_length_bias() -> None:
    # The model's texts have four times as many characters; the judge gives them a point more than people do.
    texts = {"human": "abcd", "model": "abcd" * 4}
    rows: list[Row] = []
    for i in range(N_ITEMS):
        q, chosen = i % 3, "model" if i % 4 else "human"
        for k in range(3):
            rows += _shown(i, f"r{k}", 0, human=1 + q, model=2 + q, chosen=chosen)
        rows += _shown(i, "judge", 0, human=1 + q, model=3 + q, chosen=chosen if i else "model")
    report = _report(rows, texts)
    assert only(report, "length_bias", question="empathy", scope=JUDGE).estimate == pytest.approx(0.5)
    # Where no person chooses the longer one, the judge does in a third, where all do, it does: 2/3 in the middle.
    assert only(report, "length_bias", question="preference", scope=JUDGE).estimate == pytest.approx(2 / 3 - 1 / 2)


def test_a_good_judge_of_texts_that_are_better_if_longer_is_not_called_biased() -> None:
    """People err; the judge reads the quality exactly. Both see longer texts as better, as they are."""
    rng = np.random.default_rng(11)
    study, rows, responses = protocol(FIVE, CHOICE), list[Row](), []
    for i in range(90):
        quality = {"human": int(rng.integers(1, 5)), "model": int(rng.integers(2, 6))}
        responses += [
            {
                "response": f"i{i}:{source}",
                "item": f"i{i}",
                "source": source,
                "text": "w" * int(2 ** (3 + level + rng.normal())),
            }
            for source, level in quality.items()
        ]
        for k in range(6):
            given = {s: int(np.clip(np.rint(q + (k % 3 - 1) * 0.5 + rng.normal()), 1, 5)) for s, q in quality.items()}
            felt = quality["model"] - quality["human"] + rng.normal(0, 2)
            chosen = "model" if felt > 0 else "human"
            rows += _shown(i, f"r{k}", 0, human=given["human"], model=given["model"], chosen=chosen)
        ahead = quality["model"] - quality["human"]
        chosen = "model" if ahead > 0 or (ahead == 0 and i % 2) else "human"
        rows += _shown(i, "judge", 0, **quality, chosen=chosen, is_swapped=bool(i % 2))
    report = analyze(frames(study, rows, raters=[{"rater": "judge", "kind": "model"}], responses=responses), study)
    (judge,) = judge_summaries(report)
    assert judge.biases == ()
    for question in ("empathy", "preference"):
        found = only(report, "length_bias", question=question, scope=JUDGE)
        assert (found.ci_low or 1) < 0 < (found.ci_high or -1)


def test_equal_lengths_show_no_bias_in_choices() -> None:
    rows = [row for i in range(N_ITEMS) for row in _people(i)]
    rows += [row for i in range(N_ITEMS) for row in _shown(i, "judge", 0, human=3, model=3, chosen="model")]
    report = _report(rows)
    assert only(report, "length_bias", question="preference").reason == "no_pairable_units"
    assert only(report, "length_bias", question="empathy").estimate is None
