"""Exports contain questionnaire scores, with reversed questions recoded, and describe how they are calculated."""

from pathlib import Path

from app.studies.folder.read import read_folder
from app.studies.folder.write import write_folder
from tests.real_data.folder import read_rows

STUDY = """
attune: 1
slug: small
title: Small
sources: {person: {kind: human}}
questions:
  - {key: warm, target: response, type: rating, text: Warm?, scale: {1: cold, 2: cool, 3: warm}}
  - {key: care, target: rater, type: rating, text: I care, scale: {1: no, 2: so, 3: yes}}
  - {key: cold, target: rater, type: rating, text: I am cold, scale: {1: no, 2: so, 3: yes}, reversed: true}
analysis:
  composites:
    concern: {questions: [care, cold], score: sum, text: Empathic concern}
    kindness: {questions: [care, cold], at_least: 1}
"""
RATINGS = """rater,item,response,question,value,exclude
ann,,,care,3,
ann,,,cold,1,
ben,,,care,2,
cec,,,care,2,not submitted
ann,a,a:person,warm,2,
"""


def folder(path: Path) -> Path:
    path.mkdir()
    (path / "study.yaml").write_text(STUDY)
    (path / "items.csv").write_text("item,text\na,I lost my keys\n")
    (path / "responses.csv").write_text("item,source,text\na,person,Oh\n")
    (path / "ratings.csv").write_text(RATINGS)
    return path


def test_scores_require_enough_submitted_answers(tmp_path: Path) -> None:
    study = read_folder(folder(tmp_path / "in"))
    write_folder(tmp_path / "out", study)
    rows = [tuple(row.values()) for row in read_rows(tmp_path / "out" / "scores.csv")]
    # On the scale from 1 to 3, 3 stays 3 and the reversed answer 1 counts as 3.
    assert [row[:4] for row in rows] == [
        ("ann", "concern", "6", "2"),
        ("ann", "kindness", "3", "2"),
        ("ben", "kindness", "2", "1"),
    ]
    assert {row[4:] for row in rows} == {("person", "false")}
    meanings = {row["value"]: row["meaning"] for row in read_rows(tmp_path / "out" / "codebook.csv")}
    assert meanings["concern"] == "Empathic concern: sum of care, cold (reversed)"
    assert meanings["kindness"] == "mean of care, cold (reversed); needs at least 1 answer"
    assert read_folder(tmp_path / "out").notes == ()


def test_study_without_scores_has_no_scores_file(tmp_path: Path) -> None:
    path = folder(tmp_path / "in")
    (path / "study.yaml").write_text(STUDY[: STUDY.index("analysis:")])
    write_folder(tmp_path / "out", read_folder(path))
    assert not (tmp_path / "out" / "scores.csv").exists()
