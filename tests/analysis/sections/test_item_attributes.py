"""Effects of an attribute of the items for every kind of question, with items that are versions of one another."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from app.analysis import analyze
from app.analysis.data.frames import Frames
from app.analysis.findings.summary import summary_of
from app.analysis.report.report import Report
from app.protocol.study import Protocol
from tests.kit.frames import CHOICE, FIVE, Row, frames, only, protocol

N_STEMS, RATERS = 8, [f"r{n}" for n in range(6)]
# each story twice: standard, then altered
ITEMS = [f"i{n}" for n in range(2 * N_STEMS)]
KIND = {name: ("standard", "altered")[n % 2] for n, name in enumerate(ITEMS)}
STEM = {name: f"s{n // 2}" for n, name in enumerate(ITEMS)}
BELIEF: dict[str, Any] = {
    "key": "belief",
    "type": "category",
    "target": "item",
    "text": "Where will she look?",
    "codes": ["box", "basket"],
    "correct": "box",
}
ATTRIBUTE: dict[str, Any] = {"attribute": "kind"}
LEVELS = {"kind": {"reference_level": "standard"}}
ANSWER: Row = {"rater": "r0", "item": "i0", "response": "i0:human", "question": "empathy", "value": 4}


def _report(
    rows: list[Row], question: dict[str, Any], contrast: dict[str, Any], **analysis: object
) -> tuple[Report, Protocol]:
    primary = [{"question": question["key"], **ATTRIBUTE, **contrast}]
    asked = [question] if question is FIVE else [question, FIVE]
    study = protocol(*asked, analysis={"primary": primary, **analysis}, attributes=LEVELS)
    return analyze(_with_attributes(frames(study, [*rows, ANSWER])), study), study


def _with_attributes(data: Frames) -> Frames:
    data.items["kind"] = [KIND[name] for name in data.items["item"]]
    data.items["stem"] = [STEM[name] for name in data.items["item"]]
    return data


def _shares(rows: list[Row], value: str) -> float:
    """The share of answers with this value about altered items minus that about standard ones."""
    of = [[row["value"] == value for row in rows if KIND[row["item"]] == kind] for kind in ("altered", "standard")]
    return float(np.mean(of[0]) - np.mean(of[1]))


def _answers(question: str, value: Any, **more: Any) -> list[Row]:  # noqa: ANN401 - a function, and fields of rows
    rng = np.random.default_rng(3)
    return [
        {
            "rater": rater,
            "item": item,
            "question": question,
            "value": value(rng, KIND[item]),
            **{k: of(item) for k, of in more.items()},
        }
        for rater in RATERS
        for item in ITEMS
    ]


def _belief(rng: np.random.Generator, kind: str) -> str:
    return "box" if rng.random() < (0.9 if kind == "standard" else 0.4) else "basket"


def test_altered_stories_are_answered_correctly_less_often() -> None:
    rows = _answers("belief", _belief)
    report, study = _report(rows, BELIEF, {})
    (found,) = report.primary[0].estimates
    assert found.statistic == "item_attribute_accuracy"
    assert found.scope == {"attribute": "kind", "level": "altered", "reference_level": "standard"}
    assert found.estimate == pytest.approx(_shares(rows, "box"))
    (answer,) = summary_of(report, study).answers
    assert answer.english.startswith("Answers on Belief were correct less often with “altered” than with “standard” (")


def test_versions_of_a_story_are_compared_with_each_other() -> None:
    """With one rater per story, who reads both versions, the matched difference is the paired t test over stories.

    A story with one version is left out.
    """
    rng = np.random.default_rng(5)
    level = rng.integers(0, 3, N_STEMS)
    value = {item: int(1 + level[n // 2] + n % 2 * rng.integers(0, 3)) for n, item in enumerate(ITEMS[:-1])}
    rows: list[Row] = [
        {
            "rater": f"of-{STEM[item]}",
            "item": item,
            "response": f"{item}:human",
            "question": "empathy",
            "value": value[item],
        }
        for item in value
    ]
    primary = [{"question": "empathy", "test": "item_attribute_effect", **ATTRIBUTE}]
    study = protocol(FIVE, analysis={"primary": primary, "matched_items": "stem"})
    (found,) = analyze(_with_attributes(frames(study, rows)), study).primary[0].estimates
    standard, altered = (np.array([value[item] for item in ITEMS[at:-2:2]], dtype=np.float64) for at in (0, 1))
    known = stats.ttest_rel(standard, altered)
    # without a declared reference the first level in the alphabet is it
    assert (found.scope["level"], found.n_ratings) == ("standard", 14)
    assert found.p_value == pytest.approx(known.pvalue)
    assert (found.estimate or 0) * known.statistic > 0


def test_share_of_a_code_and_share_preferred_by_kind_of_item() -> None:
    rows = _answers("belief", _belief)
    report, study = _report(rows, BELIEF, {"test": "item_attribute_category", "code": "basket"})
    (found,) = report.primary[0].estimates
    assert (found.scope.get("category"), (found.estimate or 0) > 0) == ("basket", True)
    assert "“basket” was answered more often with “altered”" in summary_of(report, study).answers[0].english
    votes = _answers(
        "preference",
        lambda rng, kind: "model" if rng.random() < (0.9 if kind == "altered" else 0.3) else "human",
        left_response=lambda item: f"{item}:human",
        right_response=lambda item: f"{item}:model",
    )
    report, study = _report(votes, CHOICE, {"test": "item_attribute_preference", "source": "model"})
    (found,) = report.primary[0].estimates
    assert found.estimate == pytest.approx(_shares(votes, "model"))
    assert "was preferred more often with “altered”" in summary_of(report, study).answers[0].english


ERROR: dict[str, Any] = {
    "key": "error",
    "type": "category",
    "target": "response",
    "text": "Does it contain an error?",
    "codes": ["no", "yes"],
}


def _cell(row: Row) -> tuple[str, str]:
    return str(row["response"]).rpartition(":")[2], KIND[str(row["item"])]


def test_difference_between_sources_by_kind_of_item_is_that_of_four_shares() -> None:
    """The difference in differences of the shares in the data, in the direction of source, reference and levels."""
    share = {
        ("model", "altered"): 0.9,
        ("model", "standard"): 0.4,
        ("human", "altered"): 0.3,
        ("human", "standard"): 0.3,
    }
    rows = [
        row
        for source in ("human", "model")
        for row in _answers(
            "error",
            lambda rng, kind, source=source: "yes" if rng.random() < share[source, kind] else "no",
            response=lambda item, source=source: f"{item}:{source}",
        )
    ]
    report, study = _report(
        rows, ERROR, {"test": "item_attribute_interaction"}, reference="human", matched_items="stem"
    )
    (found,) = report.primary[0].estimates
    of = {cell: np.mean([row["value"] == "yes" for row in rows if _cell(row) == cell]) for cell in share}
    change = {source: float(of[source, "altered"] - of[source, "standard"]) for source in ("model", "human")}
    assert found.scope == {
        "category": "yes",
        "source": "model",
        "reference": "human",
        "attribute": "kind",
        "level": "altered",
        "reference_level": "standard",
    }
    assert found.estimate == pytest.approx(change["model"] - change["human"])
    assert (found.ci_low or 0) > 0
    assert found.interval_warnings == ()
    points = 100 * (change["model"] - change["human"])
    (answer,) = summary_of(report, study).answers
    assert "the difference model minus human in “yes” was larger with “altered” than with “standard”" in answer.english
    assert f" (Kind; +{points:.1f} percentage points, 95% CI " in answer.english
    assert "die Differenz model minus human bei „yes“ mit „altered“ größer als mit „standard“" in answer.german


def test_two_tests_of_one_question_are_both_answered() -> None:
    tests = ("item_attribute_accuracy", "item_attribute_category")
    primary = [{"question": "belief", "test": test, **ATTRIBUTE} for test in tests]
    study = protocol(BELIEF, FIVE, analysis={"primary": primary})
    report = analyze(_with_attributes(frames(study, [*_answers("belief", _belief), ANSWER])), study)
    assert [[one.statistic for one in result.estimates] for result in report.primary] == [[test] for test in tests]


@pytest.mark.parametrize(
    ("attribute", "matched", "note"),
    [
        ("unknown", None, "items.csv has no column unknown."),
        ("name", None, "The items have 16 values of name; at most 12 can be compared."),
        ("same", None, "All items that were rated have the same value of same."),
        ("half", "item", "No value of item has items at both levels of half."),
    ],
)
def test_attribute_that_cannot_be_compared_says_why(attribute: str, matched: str | None, note: str) -> None:
    primary = [{"question": "belief", "test": "item_attribute_accuracy", "attribute": attribute}]
    study = protocol(BELIEF, FIVE, analysis={"primary": primary, "matched_items": matched})
    data = frames(study, [*_answers("belief", _belief), ANSWER])
    data.items["name"] = data.items["item"]
    data.items["same"] = "all"
    data.items["half"] = [("a", None)[n % 3 == 0] if n % 2 else "b" for n in range(len(data.items))]
    report = analyze(data, study)
    found = only(report, "item_attribute_accuracy")
    assert "“”" not in summary_of(report, study).answers[0].english
    assert (found.reason, found.note, found.role) == ("no_pairable_units", note, "primary")


def test_effect_among_a_pool_or_kind_of_raters_is_of_these_alone() -> None:
    """Five models, one of which ran twice, and six people, who fall for nothing."""
    models = [*(f"m{n}" for n in range(5)), "m0 again"]
    rng = np.random.default_rng(2)
    of_models: list[Row] = [
        {"rater": model, "item": item, "question": "belief", "value": _belief(rng, KIND[item])}
        for model in models
        for item in ITEMS
    ]
    of_people = _answers("belief", lambda _rng, _kind: "box")
    primary = [{"question": "belief", **ATTRIBUTE, "rater_kind": kind} for kind in ("model", "person")]
    primary.append({"question": "belief", **ATTRIBUTE, "pool": "nobody"})
    study = protocol(
        BELIEF, FIVE, design={"pools": {"crowd": {}, "nobody": {}}}, analysis={"primary": primary}, attributes=LEVELS
    )
    raters: list[Row] = [{"rater": name, "kind": "person", "pool": "crowd"} for name in RATERS]
    raters += [{"rater": name, "kind": "model", "pool": None} for name in models]
    data = _with_attributes(frames(study, [*of_models, *of_people, ANSWER], raters=raters))
    data.raters["model"] = [name.partition(" ")[0] for name in data.raters["rater"]]
    report = analyze(data, study)
    found, people, nobody = (result.estimates[0] for result in report.primary)
    assert (found.scope["rater_kind"], people.scope["rater_kind"]) == ("model", "person")
    # the runs of one model have the weight of one
    twice = [row for row in of_models if row["rater"] in {"m0", "m0 again"}]
    others = [row for row in of_models if row not in twice]
    known = (_shares(twice, "box") + 4 * _shares(others, "box")) / 5
    assert found.n_raters == 5
    assert found.estimate == pytest.approx(known)
    assert (people.estimate, nobody.reason) == (0.0, "no_pairable_units")
    said = summary_of(report, study).answers[0].english
    assert "Answers on Belief by models were correct less often with “altered”" in said
