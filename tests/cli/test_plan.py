"""attune plan: a folder or a study of the store in, what to expect out."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli import cli
from app.settings import settings
from app.studies.folder.study_templates import template_folder

SMALL = ("--items", "12", "--raters", "6,9", "--raters-per-trial", "2", "--simulations", "4")


def _plan(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["plan", *map(str, arguments)])


def test_folder_plan_needs_no_database_and_is_reproducible() -> None:
    folder = template_folder("ayers-pair")
    first, second = (_plan(folder, *SMALL, "--json", "--seed", 5) for _ in range(2))
    assert first.exit_code == 0, first.output
    assert first.stdout == second.stdout
    document = json.loads(first.stdout)
    assert {row["n_raters"] for row in document["rows"]} == {6, 9}
    assert document["question"] == "quality"


def test_csv_has_row_per_size_and_statistic() -> None:
    found = _plan(template_folder("ayers-pair"), *SMALL, "--csv", "--assume", "difference=2", "--assume", "item=0.1")
    rows = list(csv.DictReader(io.StringIO(found.stdout)))
    assert [row["statistic"] for row in rows[:3]] == [
        "krippendorff_alpha_ordinal",
        "mean_difference",
        "share_preferred",
    ]
    assert float(rows[1]["estimate"]) > 1


def test_plan_table_states_its_assumptions(tmp_path: Path) -> None:
    found = _plan(template_folder("ayers-pair"), *SMALL, "--assume", "rater=0.5", "--attrition", "0.2")
    said = " ".join(found.stdout.split())
    assert "stated: rater" in said
    assert "20% of raters leave early" in said
    assert "Mean difference" in found.stdout
    written = _plan(template_folder("ayers-pair"), *SMALL, "--out", tmp_path / "plan")
    assert (tmp_path / "plan" / "plan.json").is_file()
    assert written.stdout == ""


def test_folder_without_ratings_cannot_be_a_pilot() -> None:
    folder = template_folder("ayers-pair")
    found = _plan(folder, *SMALL, "--pilot", folder)
    assert (found.exit_code, "too few ratings" in found.output) == (1, True)


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
def test_invalid_option_is_named_and_nothing_simulated(arguments: tuple[str, ...], words: str) -> None:
    found = _plan(template_folder("ayers-pair"), *arguments)
    assert found.exit_code == 2
    assert words in " ".join(found.output.replace("│", " ").split())


def test_stored_study_is_planned_and_can_be_its_own_pilot(
    new_database: Callable[[str | None], str], migrated_template: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", new_database(migrated_template))
    settings.cache_clear()
    try:
        loaded = CliRunner().invoke(cli, ["study", "load", str(template_folder("ayers-pair"))])
        assert loaded.exit_code == 0, loaded.output
        found = _plan("ayers-pair", *SMALL, "--csv")
        assert found.exit_code == 0, found.output
        pilot = _plan("ayers-pair", *SMALL, "--pilot", "ayers-pair")
        assert "too few ratings" in pilot.output
        for unknown in (("nobody",), ("ayers-pair", "--pilot", "nobody")):
            assert _plan(*unknown).exit_code == 2
    finally:
        settings.cache_clear()


def test_plan_with_a_judge_says_what_people_must_rate() -> None:
    size = ("--items", 40, "--raters", 8, "--raters-per-trial", 2, "--simulations", 2)
    arguments = (*size, "--judge-correlation", "0.8", "--width", "1")
    found = _plan(template_folder("ayers-pair"), *arguments)
    assert "What people must rate for a width of 1.00" in found.stdout
    document = json.loads(_plan(template_folder("ayers-pair"), *arguments, "--json").stdout)
    judge, alone = document["savings"]["judges"][0], document["savings"]["alone"]
    assert judge["judge"]["correlation"] == 0.8
    assert judge["needed"]["n_items"] < alone["n_items"] <= document["savings"]["n_items"] == 40
