"""Studies from templates in which a contrast cannot be estimated: it is said why, and the other contrasts stand."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from app.analysis import analyze, analyze_primary
from app.analysis.data.study_folder import frames_of
from app.analysis.findings.summary import summary_of
from app.analysis.report.report import Report
from app.protocol.study import Protocol
from app.studies.folder.read import read_folder
from tests.analysis.headlines.driven import by_source
from tests.analysis.headlines.seeds import in_two_factors, recognized
from tests.analysis.headlines.simulated_ratings import Effect, simulate
from tests.kit.told import told

Rows = list[dict[str, str]]


def _studied(
    folder: Path, name: str, effect: Effect, file: str, change: Callable[[Rows], Rows], *, is_whole: bool = False
) -> tuple[Report, Protocol]:
    """Simulate a template, change the rows of one of its files, and analyze it."""
    simulate(name, folder, effect)
    with (folder / file).open(encoding="utf-8", newline="") as lines:
        rows = change(list(csv.DictReader(lines)))
    with (folder / file).open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    study = read_folder(folder)
    return (analyze if is_whole else analyze_primary)(frames_of(study), study.protocol), study.protocol


def _said(report: Report, study: Protocol) -> list[str]:
    """What is said of each primary contrast: the answer with the note of its estimate, or that there are no answers."""
    return [
        " ".join(f"{one.said} | {one.estimate.note}" for one in contrast) or "no answers"
        for contrast in told(report, study)
    ]


JUDGED = Effect(by_source(model=0.6), n_raters=8, models=1)


def _of_one_recipient(rows: Rows) -> Rows:
    return [row for row in rows if row["rater"] == "writer1" or not row["rater"].startswith("writer")]


def _of_different_items(rows: Rows) -> Rows:
    """Recipients answer about half of their items, the crowd about the others."""
    half = set(sorted({row["item"] for row in rows if row["rater"].startswith("writer") and row["item"]})[:3])
    return [row for row in rows if not row["item"] or (row["item"] in half) == row["rater"].startswith("writer")]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_of_one_recipient, "ne side has only one item or one rater"),
        (_of_different_items, "The two groups of raters have no item, response or pair in common."),
    ],
)
def test_pool_of_one_rater_and_pools_without_a_shared_item(
    tmp_path: Path, change: Callable[[Rows], Rows], said: str
) -> None:
    """The second was said to have no answers."""
    report, study = _studied(tmp_path / "s", "recipient", JUDGED, "ratings.csv", change)
    of_pools, preferred, of_judges = _said(report, study)
    assert said in of_pools
    assert "95% CI" in preferred
    assert of_judges.startswith("Model over Person was not clearly preferred more or less often by models than ")
    said_first = summary_of(report, study).answers[0].english
    assert "cannot be compared with those by" in said_first
    # Before, the second was said to have no unit with two ratings.
    assert said.removesuffix(".") in said_first


def test_key_that_is_missing_for_half_of_the_items(tmp_path: Path) -> None:
    """Before, half of the items went without a word."""

    def without_half(rows: Rows) -> Rows:
        return [{**row, "emotion": row["emotion"] if at % 2 else ""} for at, row in enumerate(rows)]

    effect = Effect(lambda *_: 0.0, code=recognized, n_raters=8, models=1)
    report, study = _studied(tmp_path / "s", "emotion-recognition", effect, "items.csv", without_half)
    for sentence in _said(report, study):
        assert "95% CI" in sentence
        assert "4 of 8 items have no correct answer and are left out." in sentence


def test_attribute_of_forty_levels(tmp_path: Path) -> None:
    """Before, the summary said that there are no answers on the question."""

    def with_forty(rows: Rows) -> Rows:
        return [{**row, "warmth": f"level {at % 40}"} for at, row in enumerate(rows)]

    effect = Effect(lambda _, seen: 1.0 * seen.source.startswith("accurate"), n_raters=8, copies=4)
    report, study = _studied(tmp_path / "s", "conjoint", effect, "responses.csv", with_forty)
    of_accuracy, of_warmth = _said(report, study)
    assert "95% CI" in of_accuracy
    assert "warmth has 40 levels; at most 12 can be compared" in of_warmth
    assert "(Warmth; warmth has 40 levels; at most 12 can be compared" in summary_of(report, study).answers[1].english


def test_attribute_of_items_with_forty_levels(tmp_path: Path) -> None:
    def with_forty(rows: Rows) -> Rows:
        return [{**row, "group": f"group {at % 40}"} for at, row in enumerate(rows)]

    effect = Effect(by_source(model=0.6), code=lambda _q, _s, rng: rng.choice(["yes", "no"]), n_raters=4, copies=8)
    report, study = _studied(tmp_path / "s", "bias-audit", effect, "items.csv", with_forty)
    for sentence in _said(report, study):
        assert "The items have 40 values of group; at most 12 can be compared" in sentence


@pytest.mark.parametrize(
    ("is_begun", "said"), [(True, "No rater in the treated arm has both scores."), (False, "no answers")]
)
def test_arm_that_nobody_finished_or_began(tmp_path: Path, is_begun: bool, said: str) -> None:  # noqa: FBT001
    def unfinished(rows: Rows) -> Rows:
        arm = {row["rater"] for row in rows if "writer=model" in row["condition"]}
        return [row for row in rows if row["rater"] not in arm or (is_begun and row["question"] != "mood_after")]

    report, study = _studied(
        tmp_path / "s", "before-after", Effect(lambda *_: 0.0, n_raters=12), "ratings.csv", unfinished, is_whole=True
    )
    of_change, comforting = _said(report, study)
    assert said in of_change
    assert ("95% CI" in comforting) is is_begun
    # the rest of the report stands: the scores before, and the ratings of the arm that is there
    assert {"mean", "cronbach_alpha"} & {one.statistic for one in report.estimates if one.estimate is not None}
    of_arms = summary_of(report, study).answers
    assert ("No rater in the treated arm has both scores" in of_arms[0].english) is is_begun
    assert ("es gibt nichts zu vergleichen" in of_arms[0].german) is is_begun


@pytest.mark.parametrize(
    ("is_copied", "said"),
    [
        (True, "A question follows from the others."),
        (False, "Factors need three questions, and more than twice as many complete answers as questions."),
    ],
)
def test_factor_solution_that_does_not_exist(tmp_path: Path, is_copied: bool, said: str) -> None:  # noqa: FBT001
    """One statement is answered as another, or only two raters answered."""

    def of_needs(rows: Rows) -> Rows:
        needs = {(row["rater"], row["response"]): row["value"] for row in rows if row["question"] == "needs"}
        return [
            {**row, "value": needs[row["rater"], row["response"]]} if row["question"] == "goals" else row
            for row in rows
        ]

    def of_few(rows: Rows) -> Rows:
        items, raters = (sorted({row[name] for row in rows})[:n] for name, n in (("item", 4), ("rater", 2)))
        return [row for row in rows if row["item"] in items and row["rater"] in raters]

    change = of_needs if is_copied else of_few
    effect = Effect(in_two_factors, n_raters=12)
    report, study = _studied(tmp_path / "s", "empathy-scale", effect, "ratings.csv", change)
    of_factors, responsiveness, understanding = _said(report, study)
    assert "cannot be estimated yet" in of_factors
    assert said in of_factors
    assert responsiveness.startswith("Empathic system ")
    assert understanding.startswith("Empathic system ")
    answer = summary_of(report, study).answers[0].english
    assert "cannot be estimated yet" in answer
    assert ("A question follows from the others" in answer) is is_copied
