"""attune plan: a folder or a study of the store in, what to expect out."""

import csv
import io
import json
from pathlib import Path

import pytest

from app.studies.folder.study_templates import template_folder
from tests.kit.command_line import Attune, attune, attune_alone

__all__ = ["attune", "attune_alone"]

SMALL = ("--items", "12", "--raters", "6,9", "--raters-per-trial", "2", "--simulations", "4")


def test_folder_plan_needs_no_database_and_is_reproducible(attune_alone: Attune) -> None:
    folder = template_folder("ayers-pair")
    first, second = (attune_alone("plan", folder, *SMALL, "--json", "--seed", 5) for _ in range(2))
    assert first.code == 0, first.err
    assert first.out == second.out
    document = json.loads(first.out)
    assert {row["n_raters"] for row in document["rows"]} == {6, 9}
    assert document["question"] == "quality"


def test_csv_has_row_per_size_and_statistic(attune_alone: Attune) -> None:
    found = attune_alone(
        "plan", template_folder("ayers-pair"), *SMALL, "--csv", "--assume", "difference=2", "--assume", "item=0.1"
    )
    rows = list(csv.DictReader(io.StringIO(found.out)))
    assert [row["statistic"] for row in rows[:3]] == [
        "krippendorff_alpha_ordinal",
        "mean_difference",
        "share_preferred",
    ]
    assert float(rows[1]["estimate"]) > 1


def test_plan_table_states_its_assumptions(attune_alone: Attune, tmp_path: Path) -> None:
    found = attune_alone("plan", template_folder("ayers-pair"), *SMALL, "--assume", "rater=0.5", "--attrition", "0.2")
    said = " ".join(found.out.split())
    assert "stated: rater" in said
    assert "20% of raters leave early" in said
    assert "Mean difference" in found.out
    written = attune_alone("plan", template_folder("ayers-pair"), *SMALL, "--out", tmp_path / "plan")
    assert (tmp_path / "plan" / "plan.json").is_file()
    assert written.out == ""


def test_folder_without_ratings_cannot_be_a_pilot(attune_alone: Attune) -> None:
    folder = template_folder("ayers-pair")
    found = attune_alone("plan", folder, *SMALL, "--pilot", folder)
    assert (found.code, "too few ratings" in found.err) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--raters", "six"), "Expected whole numbers"),
        (("--items", "0"), "Expected whole numbers"),
        (("--assume", "item=-1"), "standard deviations of 0 or more"),
        (("--assume", "luck=1"), "with one of the names"),
        (("--assume", "item"), "NAME=POINTS"),
        (("--question", "warmth"), "These do: quality"),
    ],
)
def test_invalid_option_is_named_and_nothing_simulated(
    attune_alone: Attune, arguments: tuple[str, ...], words: str
) -> None:
    found = attune_alone("plan", template_folder("ayers-pair"), *arguments)
    assert found.code == 2
    assert words in " ".join(found.err.replace("│", " ").split())


def test_stored_study_is_planned_and_can_be_its_own_pilot(attune: Attune) -> None:
    loaded = attune("study", "load", template_folder("ayers-pair"))
    assert loaded.code == 0, loaded.err
    found = attune("plan", "ayers-pair", *SMALL, "--csv")
    assert found.code == 0, found.err
    assert "too few ratings" in attune("plan", "ayers-pair", *SMALL, "--pilot", "ayers-pair").err
    for unknown in (("nobody",), ("ayers-pair", "--pilot", "nobody")):
        assert attune("plan", *unknown).code == 2


def test_plan_with_a_judge_says_what_people_must_rate(attune_alone: Attune) -> None:
    size = ("--items", 40, "--raters", 8, "--raters-per-trial", 2, "--simulations", 2)
    arguments = (*size, "--judge-correlation", "0.8", "--width", "1")
    found = attune_alone("plan", template_folder("ayers-pair"), *arguments)
    assert "What people must rate for a width of 1.00" in found.out
    document = json.loads(attune_alone("plan", template_folder("ayers-pair"), *arguments, "--json").out)
    judge, alone = document["savings"]["judges"][0], document["savings"]["alone"]
    assert judge["judge"]["correlation"] == 0.8
    assert judge["needed"]["n_items"] < alone["n_items"] <= document["savings"]["n_items"] == 40
