"""attune analyze: every estimate of a folder, without a database."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from app.analysis import analyze
from app.analysis.estimate import FIELDS
from app.analysis.wording.formatting import UNADJUSTED
from app.cli.print_report import print_report
from tests.kit.command_line import Attune, attune_alone
from tests.kit.frames import FIVE, Row, frames, protocol
from tests.kit.small import small

__all__ = ["attune_alone"]


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


def test_json_output_is_clean_and_reproducible(attune_alone: Attune, tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    # Here and there the hashes of texts differ, and with them the order of sets.
    first = _attune(tmp_path, "analyze", str(folder), "--json", PYTHONHASHSEED="1")
    assert first.returncode == 0, first.stderr
    assert first.stdout == attune_alone("analyze", str(folder), "--json").out
    document = json.loads(first.stdout, parse_constant=_refuse)
    assert document["study"] == "small"
    assert {tuple(estimate) for estimate in document["estimates"]} == {FIELDS}


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not valid JSON")


def test_study_without_ratings_says_so_and_prints_no_table(attune_alone: Attune, tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    (folder / "ratings.csv").unlink()
    said = attune_alone("analyze", str(folder))
    assert said.code == 0
    assert said.out.splitlines()[-1].strip() == "No ratings yet. Results appear with the first ratings."
    assert "Agreement" not in said.out
    assert json.loads(attune_alone("analyze", str(folder), "--json").out)["study"] == "small"


def test_table_output_names_every_question_and_section(attune_alone: Attune, tmp_path: Path) -> None:
    outcome = attune_alone("analyze", str(_folder(tmp_path)))
    assert outcome.code == 0, outcome.err
    assert "Distribution · " in outcome.out
    assert "Krippendorff's alpha" in outcome.out


def test_intervals_beside_adjusted_p_are_said_to_be_unadjusted(capsys: pytest.CaptureFixture[str]) -> None:
    keys = ("empathy", "clear")
    study = protocol(FIVE, {**FIVE, "key": "clear"}, analysis={"primary": [*keys]})
    rows: list[Row] = [
        {"rater": f"r{r}", "item": f"i{i}", "response": f"i{i}:{s}", "question": key, "value": (i + r * n) % 5 + 1}
        for key in keys
        for r in range(3)
        for i in range(4)
        for n, s in enumerate(("human", "model"))
    ]
    print_report(analyze(frames(study, rows), study), study, full=False)
    printed = capsys.readouterr().out
    assert "(adjusted" in printed
    assert UNADJUSTED in printed


def test_out_option_writes_files(attune_alone: Attune, tmp_path: Path) -> None:
    outcome = attune_alone("analyze", str(_folder(tmp_path)), "--out", str(tmp_path / "out"))
    assert outcome.code == 0, outcome.err
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "report.json",
        "agreement.csv",
        "comparisons.csv",
        "charts",
    }
    assert outcome.out == ""


def test_folder_problem_exits_with_1_and_names_the_row(attune_alone: Attune, tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    with (folder / "ratings.csv").open("a", encoding="utf-8") as file:
        file.write("nobody,nothing,,nowhere,9\n")
    outcome = attune_alone("analyze", str(folder), "--json")
    assert (outcome.code, outcome.out) == (1, "")
    assert "ratings.csv, row " in outcome.err


def test_record_is_reproduced_or_exits_with_1(attune_alone: Attune, tmp_path: Path) -> None:
    folder, file = _folder(tmp_path), tmp_path / "record.json"
    assert attune_alone("analyze", str(folder), "--out", str(tmp_path / "out")).code == 0
    estimates = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))["estimates"]
    record = next(estimate for estimate in estimates if estimate["statistic"] == "mean_difference")
    file.write_text(json.dumps(record), "utf-8")
    same = attune_alone("analyze", str(folder), "--again", str(file))
    assert (same.code, json.loads(same.out)) == (0, record)
    assert "identical to the last digit" in same.err
    file.write_text(json.dumps({**record, "estimate": 7.0}), "utf-8")
    other = attune_alone("analyze", str(folder), "--again", str(file))
    assert (other.code, json.loads(other.out)) == (1, record)
    assert "estimate: 7.0 in the record" in other.err
    file.write_text("[]", "utf-8")
    assert attune_alone("analyze", str(folder), "--again", str(file)).code == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["analyze"], "Missing argument"),
        (["analyze", "no/such/folder"], "There is no folder no/such/folder."),
        (["analyze", ".", "--nonsense"], "No such option"),
    ],
)
def test_invalid_arguments_exit_with_2(attune_alone: Attune, tmp_path: Path, arguments: list[str], words: str) -> None:
    outcome = attune_alone(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err


def test_filters_restrict_the_report_and_their_estimate_is_found_again(attune_alone: Attune, tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    source = json.loads(attune_alone("analyze", str(folder), "--json").out)["estimates"]
    key = next(one["scope"]["source"] for one in source if "source" in one["scope"])
    found = attune_alone("analyze", str(folder), "--json", "--source", key)
    document = json.loads(found.out)
    assert document["filters"] == {"sources": [key]}
    record = next(one for one in document["estimates"] if one["estimate"] is not None)
    assert f"source in ({key})" in record["recipe"]["filter"]
    (tmp_path / "record.json").write_text(json.dumps(record), encoding="utf-8")
    again = attune_alone("analyze", str(folder), "--again", str(tmp_path / "record.json"))
    assert again.code == 0, again.err
    assert "identical to the last digit" in again.err


@pytest.mark.parametrize(
    "options", [["--full"], ["--source", "model-1"], ["--full", "--source", "model-1", "--without-flagged"]]
)
def test_command_printed_in_a_report_gives_exactly_its_numbers(
    attune_alone: Attune, tmp_path: Path, options: list[str]
) -> None:
    folder, out = _folder(tmp_path), tmp_path / "report"
    written = attune_alone("report", str(folder), "--format", "md", "--out", str(out), *options)
    assert written.code == 0, written.err
    document = (out / "report.md").read_text("utf-8")
    command = re.search(r"attune analyze STUDY (.*? --json|--json)", document.replace("\\", ""))
    assert command is not None, document
    again = attune_alone("analyze", str(folder), *shlex.split(command[1]))
    assert again.code == 0, again.err
    assert json.loads(again.out)["estimates"] == json.loads((out / "report.json").read_text("utf-8"))["estimates"]


def test_invalid_filter_is_rejected(attune_alone: Attune, tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    for option, value in (("--until", "yesterday"), ("--item", "topic")):
        found = attune_alone("analyze", str(folder), option, value)
        assert found.code == 2
        assert option in found.err


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        (("--source", "nobody"), "The study has no nobody. It has: "),
        (("--pool", "nowhere"), "The study has no nowhere. It has: "),
        (("--condition", "a=b"), "The study has no a=b. It has: none"),
        (("--item", "colour:red"), "The study has no colour:red. It has: "),
        (("--rater", "kind:robot"), "The study has no kind:robot. It has: kind:model or kind:person"),
    ],
)
def test_filter_that_nothing_matches_names_what_there_is(
    attune_alone: Attune, tmp_path: Path, filters: tuple[str, str], words: str
) -> None:
    found = attune_alone("analyze", str(_folder(tmp_path)), "--json", *filters)
    assert (found.code, found.out) == (2, "")
    assert words in " ".join(found.err.replace("│", " ").split())
