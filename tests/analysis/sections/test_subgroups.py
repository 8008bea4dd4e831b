"""Comparisons by condition, label and attribute: the level in the scope, and the interaction."""

from typing import Any

import pytest

from app.analysis import analyze
from tests.kit.frames import CHOICE, FIVE, Row, find, frames, only, protocol

AGAINST = {"source": "model", "reference": "human"}


def _rows(by_condition: dict[str | None, tuple[int, int]], **more: Any) -> list[Row]:  # noqa: ANN401 - cells
    """Return ratings by six raters on six items with these values per condition, plus one on every second item."""
    return [
        {
            "rater": f"{condition}-{r}",
            "item": f"i{i}",
            "response": f"i{i}:{source}",
            "question": "empathy",
            "value": min(value + (i + r) % 2, 5),
            "condition": condition,
            **more,
        }
        for condition, values in by_condition.items()
        for r in range(6)
        for i in range(6)
        for source, value in zip(("human", "model"), values, strict=True)
    ]


def test_each_condition_has_difference_and_interaction() -> None:
    study = protocol()
    report = analyze(frames(study, _rows({"blind": (2, 4), "labelled": (2, 3)})), study)
    blind, labelled = ({**AGAINST, "condition": name} for name in ("blind", "labelled"))
    assert only(report, "mean_difference", section="subgroup", scope=blind).estimate == pytest.approx(2)
    assert only(report, "mean_difference", section="subgroup", scope=labelled).estimate == pytest.approx(1)
    assert only(report, "interaction").estimate == pytest.approx(-1)
    assert only(report, "interaction").scope == labelled


def test_crossed_conditions_are_split_by_cell_and_factor() -> None:
    cells: dict[str | None, tuple[int, int]] = {
        f"label={a}; profile={b}": (2, 3) for a in ("none", "true") for b in ("shown", "hidden")
    }
    study = protocol()
    report = analyze(frames(study, _rows(cells)), study)
    found = {estimate.scope["condition"] for estimate in find(report, "mean_difference", section="subgroup")}
    assert found == {*cells, "label=none", "label=true", "profile=shown", "profile=hidden"}


def test_item_attributes_split_but_identifiers_do_not() -> None:
    study = protocol()
    data = frames(study, _rows({None: (2, 4)}))
    data.items["emotion"] = ["sad", "glad"] * 3
    data.items["title"] = [f"title {n}" for n in range(6)]
    data.items["length"] = ["10", "20", "30", "40", "50", "61.5"]
    report = analyze(data, study)
    found = {str(estimate.scope["subgroup"]) for estimate in find(report, "mean_difference", section="subgroup")}
    assert found == {
        "{'emotion': 'sad'}",
        "{'emotion': 'glad'}",
        "{'length': 'below 35'}",
        "{'length': '35 or more'}",
    }
    split_at_median = {
        name for f in find(report, "mean", section="subgroup") for name in f.scope["subgroup"] if "median" in f.note
    }
    assert split_at_median == {"length"}


def test_split_by_an_answer_about_the_rater_does_not_ask_for_a_covariate() -> None:
    """The slope over all values of such a question is there, and no column could be named."""
    calm = {**FIVE, "key": "calm", "target": "rater"}
    rows = _rows({None: (2, 4)})
    own = [{"rater": f"None-{r}", "question": "calm", "value": 1 + r % 5} for r in range(6)]
    report = analyze(frames(protocol(FIVE, calm), [*rows, *own]), protocol(FIVE, calm))
    split = [one for one in report.of("subgroup", "empathy") if "calm" in one.scope.get("subgroup", {})]
    assert {one.note.rpartition("Split")[2] for one in split} == {" at the median."}
    assert find(report, "covariate_slope_by_source", question="empathy")


def test_rater_answers_define_subgroups() -> None:
    own = {**FIVE, "key": "trust", "target": "rater"}
    study = protocol(FIVE, own)
    rows = _rows({None: (2, 4)})
    rows += [{"rater": f"None-{r}", "question": "trust", "value": 1 + r % 4} for r in range(6)]
    report = analyze(frames(study, rows), study)
    levels = {estimate.scope["subgroup"]["trust"] for estimate in find(report, "interaction")}
    assert levels == {"2 or more"}


def test_rater_answers_are_named_as_in_the_file_of_ratings() -> None:
    own = {**FIVE, "key": "trust", "target": "rater"}
    study = protocol(FIVE, own)
    rows = _rows({None: (2, 4)})
    rows += [{"rater": f"None-{r}", "question": "trust", "value": 2 + r % 2} for r in range(6)]
    found = find(analyze(frames(study, rows), study), "mean_difference", section="subgroup")
    assert {estimate.scope["subgroup"]["trust"] for estimate in found} == {"2", "3"}


def test_choices_are_split_by_subgroup() -> None:
    study = protocol(CHOICE)
    rows = [
        {
            "rater": f"{label}-{r}",
            "item": f"i{i}",
            "question": "preference",
            "shown_label": label,
            "value": "model" if (i + r) % 4 < share else "human",
        }
        for label, share in (("true", 1), ("none", 3))
        for r in range(4)
        for i in range(4)
    ]
    report = analyze(frames(study, rows), study)
    shares = find(report, "share_preferred", section="subgroup")
    assert {estimate.scope["shown_label"]: estimate.estimate for estimate in shares} == {"none": 0.75, "true": 0.25}
    assert only(report, "share_difference").estimate == pytest.approx(-0.5)


def test_single_level_is_not_split() -> None:
    study = protocol()
    assert not analyze(frames(study, _rows({"blind": (2, 4)})), study).of("subgroup")
