"""The report of a study that a lead made from a template and changed: nothing of the template is left in it."""

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from sqlalchemy import Engine

from app.analysis import analyze
from app.analysis.document.report_context import ReportContext
from app.analysis.document.study_report import study_report
from app.base.documents.markdown import markdown_document
from app.rating.simulation.simulate_folder import simulate_folder
from app.studies.creation.templates import new_study
from tests.kit.frames import read_study

N_WORDS = 4
# What people read, in study.yaml; the names of points, codes and levels are keys of these.
TEXTS = {"title", "rater_title", "instructions", "text", "label", "note", "body", "heading"}
NAMED = {"scale", "codes", "level_labels"}


def sequences(text: str) -> set[str]:
    words = re.findall(r"[\w']+", text.lower())
    return {" ".join(words[at : at + N_WORDS]) for at in range(len(words) - N_WORDS + 1)}


def others(text: str, taken: Iterator[int]) -> str:
    """As many words, none of which is anywhere else."""
    return " ".join(f"Zq{next(taken)}" for _ in text.split()) or text


def change(part: Any, taken: Iterator[int]) -> None:  # noqa: ANN401 - a part of study.yaml
    for key, value in part.items() if isinstance(part, dict) else ():
        if key in TEXTS and isinstance(value, str):
            part[key] = others(value, taken)
        elif key in NAMED and isinstance(value, dict):
            part[key] = {name: others(said, taken) for name, said in value.items()}
        elif key != "analysis":
            change(value, taken)
    for one in part if isinstance(part, list) else ():
        change(one, taken)


def changed_table(content: str, taken: Iterator[int]) -> str:
    rows = list(csv.DictReader(io.StringIO(content)))
    for row in rows:
        row["text"] = others(row["text"], taken)
        turns = json.loads(row.get("turns") or "[]")
        if turns:
            row["turns"] = json.dumps([{**turn, "text": others(turn["text"], taken)} for turn in turns])
    table = io.StringIO()
    made = csv.DictWriter(table, rows[0].keys())
    made.writeheader()
    made.writerows(rows)
    return table.getvalue()


def all_texts(folder: Path) -> str:
    return " ".join(file.read_text("utf-8") for file in sorted(folder.iterdir()))


@pytest.mark.parametrize(
    "name",
    [
        "label-experiment",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("four-dimensions", "several-models")),
    ],
)
def test_report_of_a_changed_study_has_nothing_of_its_template(name: str, tmp_path: Path, engine: Engine) -> None:
    folder, taken = tmp_path / "mine", iter(range(100_000))
    new_study(name, folder, "mine", "Mine")
    template = all_texts(folder)
    yaml = YAML(typ="safe")
    said = yaml.load((folder / "study.yaml").read_text("utf-8"))
    change(said, taken)
    for source in said["sources"].values():
        source["label"] = others("a source", taken)
    with (folder / "study.yaml").open("w", encoding="utf-8") as file:
        yaml.dump(said, file)
    for table in ("items.csv", "responses.csv"):
        (folder / table).write_text(changed_table((folder / table).read_text("utf-8"), taken), "utf-8")
    mine = all_texts(folder)
    simulate_folder(engine, folder, 3, 1, lambda *_: None)
    frames, study = read_study(folder)
    document, _ = study_report(analyze(frames, study), study, [], ReportContext("2026-11-27"))
    written = sequences(markdown_document(document))
    assert written & sequences(mine)
    assert sorted((sequences(template) - sequences(mine)) & written) == []
