"""Answers of later waves in files: the column `wave`, and what is wrong with it."""

import csv
from pathlib import Path

import pytest

from app.analysis.data.study_folder import is_same
from app.base.problem import InvalidInputError
from app.studies.folder.read import read_folder
from app.studies.folder.write import write_folder

YAML = """\
attune: 1
slug: again
title: Again
questions:
  - {key: warm, target: item, type: slider, text: How warm?}
  - {key: lonely, target: rater, type: slider, text: How lonely?}
waves: [{days: 14}, {days: 28}]
"""


def folder(path: Path, *rows: str, yaml: str = YAML) -> Path:
    path.mkdir()
    (path / "study.yaml").write_text(yaml)
    (path / "items.csv").write_text("item,text\ni1,A situation\n")
    (path / "raters.csv").write_text("rater,kind\nr,person\n")
    (path / "ratings.csv").write_text("\n".join(["rater,item,question,value,wave", *rows, ""]))
    return path


def written(path: Path) -> list[dict[str, str]]:
    with (path / "ratings.csv").open() as file:
        return [*csv.DictReader(file)]


def test_wave_of_each_answer_is_written_and_read(tmp_path: Path) -> None:
    study = read_folder(folder(tmp_path / "in", "r,i1,warm,3,1", "r,,lonely,50,", "r,,lonely,40,2", "r,,lonely@3,30,3"))
    write_folder(tmp_path / "out", study)
    waves = {(row["question"], row["value"]): row["wave"] for row in written(tmp_path / "out")}
    assert waves == {("warm", "3"): "1", ("lonely", "50"): "1", ("lonely@2", "40"): "2", ("lonely@3", "30"): "3"}
    assert is_same(read_folder(tmp_path / "out"), study)


def test_study_without_waves_has_no_such_column(tmp_path: Path) -> None:
    plain = YAML.replace("waves: [{days: 14}, {days: 28}]\n", "")
    write_folder(tmp_path / "out", read_folder(folder(tmp_path / "in", "r,,lonely,50,", yaml=plain)))
    assert "wave" not in written(tmp_path / "out")[0]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("r,,lonely,40,4", "from 1 to 3"),
        ("r,,lonely,40,second", "1 to 3"),
        ("r,,lonely@2,40,3", "the same as in the key"),
        ("r,i1,warm,40,2", "warm@2"),
        ("r,,lonely,41,2", "a second answer of r to lonely@2"),
    ],
)
def test_wave_that_cannot_be_is_said_with_its_row(tmp_path: Path, row: str, words: str) -> None:
    with pytest.raises(InvalidInputError) as error:
        read_folder(folder(tmp_path / "in", "r,,lonely,50,1", "r,,lonely,39,2", row))
    (problem,) = error.value.problems
    assert words in problem.sentence()
    assert "4" in problem.sentence()
