"""attune analyze: every estimate of a folder, without a database."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from app.analysis.estimate import FIELDS
from tests.exchange.small import small

if TYPE_CHECKING:
    from pathlib import Path


def _folder(here: Path) -> Path:
    folder = here / "small"
    folder.mkdir()
    for name, content in small().items():
        (folder / name).write_bytes(content)
    return folder


def _attune(here: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command as a user runs it, with a data folder that cannot be made: no database may be asked for."""
    blocked = here / "blocked"
    blocked.touch()
    own = {"ATTUNE_DATA_DIR": str(blocked / "data"), "PYTHONWARNINGS": "error", **environment}
    command = [sys.executable, "-m", "app", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env={**os.environ, **own})


def test_json_is_all_that_stands_on_standard_output_and_is_the_same_twice(tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    first, second = (_attune(tmp_path, "analyze", str(folder), "--json", PYTHONHASHSEED=seed) for seed in "12")
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    document = json.loads(first.stdout, parse_constant=_refuse)
    assert document["study"] == "small"
    assert {tuple(estimate) for estimate in document["estimates"]} == {FIELDS}


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not valid JSON")


def test_without_json_a_table_names_every_question_and_section(tmp_path: Path) -> None:
    outcome = _attune(tmp_path, "analyze", str(_folder(tmp_path)))
    assert outcome.returncode == 0, outcome.stderr
    assert "Distribution · " in outcome.stdout
    assert "Krippendorff's alpha" in outcome.stdout


def test_out_writes_the_files(tmp_path: Path) -> None:
    outcome = _attune(tmp_path, "analyze", str(_folder(tmp_path)), "--out", str(tmp_path / "out"))
    assert outcome.returncode == 0, outcome.stderr
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "report.json",
        "agreement.csv",
        "comparisons.csv",
        "charts",
    }
    assert outcome.stdout == ""


def test_a_problem_in_the_folder_is_exit_code_1_and_says_where(tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    with (folder / "ratings.csv").open("a", encoding="utf-8") as file:
        file.write("nobody,nothing,,nowhere,9\n")
    outcome = _attune(tmp_path, "analyze", str(folder), "--json")
    assert (outcome.returncode, outcome.stdout) == (1, "")
    assert "ratings.csv, row " in outcome.stderr


def test_a_record_is_got_again_and_one_that_differs_is_exit_code_1(tmp_path: Path) -> None:
    folder, file = _folder(tmp_path), tmp_path / "record.json"
    assert _attune(tmp_path, "analyze", str(folder), "--out", str(tmp_path / "out")).returncode == 0
    estimates = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))["estimates"]
    record = next(estimate for estimate in estimates if estimate["statistic"] == "mean_difference")
    file.write_text(json.dumps(record), "utf-8")
    same = _attune(tmp_path, "analyze", str(folder), "--again", str(file))
    assert (same.returncode, json.loads(same.stdout)) == (0, record)
    assert "identical to the last digit" in same.stderr
    file.write_text(json.dumps({**record, "estimate": 7.0}), "utf-8")
    other = _attune(tmp_path, "analyze", str(folder), "--again", str(file))
    assert (other.returncode, json.loads(other.stdout)) == (1, record)
    assert "estimate: 7.0 in the record" in other.stderr
    file.write_text("[]", "utf-8")
    assert _attune(tmp_path, "analyze", str(folder), "--again", str(file)).returncode == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["analyze"], "Missing argument"),
        (["analyze", "no/such/folder"], "There is no folder no/such/folder."),
        (["analyze", ".", "--nonsense"], "No such option"),
    ],
)
def test_a_wrong_call_is_exit_code_2(tmp_path: Path, arguments: list[str], words: str) -> None:
    outcome = _attune(tmp_path, *arguments)
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert words in outcome.stderr


def test_filters_restrict_the_report_and_a_filtered_estimate_is_found_again(tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    source = json.loads(_attune(tmp_path, "analyze", str(folder), "--json").stdout)["estimates"]
    key = next(one["scope"]["source"] for one in source if "source" in one["scope"])
    found = _attune(tmp_path, "analyze", str(folder), "--json", "--source", key)
    document = json.loads(found.stdout)
    assert document["filters"] == {"sources": [key]}
    record = next(one for one in document["estimates"] if one["estimate"] is not None)
    assert f"source in ({key})" in record["recipe"]["filter"]
    (tmp_path / "record.json").write_text(json.dumps(record), encoding="utf-8")
    again = _attune(tmp_path, "analyze", str(folder), "--again", str(tmp_path / "record.json"))
    assert again.returncode == 0, again.stderr
    assert "identical to the last digit" in again.stderr


def test_a_filter_that_is_not_written_as_asked_is_refused(tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    for option, value in (("--until", "yesterday"), ("--item", "topic")):
        found = _attune(tmp_path, "analyze", str(folder), option, value)
        assert found.returncode == 2
        assert option in found.stderr
