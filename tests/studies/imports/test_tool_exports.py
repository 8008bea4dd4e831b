"""Ratings in the files that Label Studio, Argilla and Potato export, as their documentation and their source show."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.base.files.spreadsheet import table_of
from app.base.problems import Problems
from app.studies.imports.column_roles import guess_columns, without_second_header
from tests.studies.imports.imported import answers, problems, read


def result(name: str, kind: str, value: object) -> dict[str, Any]:
    return {"from_name": name, "to_name": "reply", "id": "a1", "type": kind, "value": {kind: value}}


# A task for each response, as `export.for_tools` writes them; the second person skipped one.
LABEL_STUDIO = [
    {
        "id": 1,
        "data": {"response": "a:person", "text": "Hello", "reply": "Hi"},
        "annotations": [
            {
                "id": 11,
                "completed_by": 4,
                "was_cancelled": False,
                "lead_time": 4.2,
                "result": [result("warmth", "rating", 3), result("does", "choices", ["validates", "asks"])],
            },
            {
                "id": 12,
                "completed_by": {"id": 5, "email": "y@x.org"},
                "was_cancelled": False,
                "result": [result("warmth", "choices", ["cold"])],
            },
            {"id": 13, "completed_by": 6, "was_cancelled": True, "result": [result("warmth", "rating", 2)]},
        ],
        "predictions": [{"model_version": "m", "result": [result("warmth", "rating", 1)]}],
    }
]
# Argilla's Dataset.records.to_json, and the lines of Dataset.records.to_datasets().to_json.
ARGILLA = [
    {
        "id": "r1",
        "fields": {"text": "Hello", "reply": "Hi"},
        "metadata": {"response": "a:person"},
        "suggestions": {},
        "responses": {
            "warmth": [{"value": 3, "user_id": "4"}, {"value": "cold", "user_id": "y@x.org"}],
            "does": [{"value": ["validates", "asks"], "user_id": "4"}],
        },
        "vectors": {},
        "status": "completed",
        "_server_id": "s",
    }
]
FLAT = {
    "id": "r1",
    "status": "completed",
    "text": "Hello",
    "response": "a:person",
    "warmth.responses": [3, "cold", 2],
    "warmth.responses.users": ["4", "y@x.org", "6"],
    "warmth.responses.status": ["submitted", "submitted", "draft"],
    "does.responses": [["validates", "asks"]],
    "does.responses.users": ["4"],
    "does.responses.status": ["submitted"],
    "warmth.suggestion": 1,
}
# Potato: python -m potato.export --format jsonl, and --format csv. The instances are responses.
POTATO = [
    {
        "instance_id": "a:person",
        "user_id": "4",
        "labels": {"warmth": {"scale_3": "3"}, "does": {"validates": True, "asks": True}},
        "spans": {},
        "links": {},
    },
    {"instance_id": "a:person", "user_id": "y@x.org", "labels": {"warmth": {"cold": "cold"}}, "spans": {}, "links": {}},
]
POTATO_CSV = (
    "instance_id,user_id,annotator_origin,annotator_origin_detail,warmth.scale_3,warmth.cold,does.validates,does.asks\n"
    "a:person,4,human,,3,,True,True\na:person,y@x.org,human,,,cold,,\na:person,pipeline,tool,{},3,,,\n"
)
EXPECTED = [
    ("4", "a", "a:person", "does", "asks|validates"),
    ("4", "a", "a:person", "warmth", 3.0),
    ("y@x.org", "a", "a:person", "warmth", 1.0),
]


@pytest.mark.parametrize(
    ("file", "text", "columns"),
    [
        ("label-studio.json", json.dumps(LABEL_STUDIO), {}),
        ("argilla.json", json.dumps(ARGILLA), {}),
        ("argilla.jsonl", json.dumps(FLAT), {}),
        ("potato.jsonl", "\n".join(map(json.dumps, POTATO)), {"response": "item"}),
        ("potato.csv", POTATO_CSV, {"response": "item"}),
    ],
)
def test_each_annotator_of_an_export_is_a_rater(tmp_path: Path, file: str, text: str, columns: Any) -> None:  # noqa: ANN401 - fields of the layout
    found = read(tmp_path, text, file=file, **columns)
    assert sorted(answers(found), key=str) == EXPECTED
    assert any(note.found.startswith("an export of ") for note in found.notes)
    left_out = [note.found for note in found.notes if "by programs" in note.found]
    assert left_out == (["1 annotations by programs (annotator_origin)"] if file == "potato.csv" else [])


def test_columns_of_an_export_have_their_roles(tmp_path: Path) -> None:
    (tmp_path / "tasks.json").write_text(json.dumps(LABEL_STUDIO * 2))
    table = without_second_header(table_of(tmp_path / "tasks.json", Problems()), Problems())
    roles = {guess.name: guess.role for guess in guess_columns(table)}
    assert roles["rater"] == "rater"
    assert (len(table), list(table.columns)) == (4, ["response", "text", "reply", "rater", "warmth", "does"])


def test_several_answers_of_one_scheme_keep_their_names(tmp_path: Path) -> None:
    labels = {"handling": {"Urgency": "Low", "Tone": "High"}, "note": "free"}
    path = tmp_path / "potato.jsonl"
    path.write_text(json.dumps({"instance_id": "7", "user_id": "u", "labels": labels}))
    table = without_second_header(table_of(path, Problems()), Problems())
    cells = {name: cells[0] for name, cells in table.columns.items()}
    assert cells == {"item": "7", "rater": "u", "handling Urgency": "Low", "handling Tone": "High", "note": "free"}


def test_an_export_without_answers_is_named(tmp_path: Path) -> None:
    (empty, *_) = problems(tmp_path, json.dumps([{**LABEL_STUDIO[0], "annotations": []}]), file="empty.json")
    assert empty.found == "an export of Label Studio without answers"


@pytest.mark.parametrize(
    "record",
    [
        {"id": 1, "data": "no object", "annotations": "none"},
        {"id": 1, "data": {}, "annotations": [3, {"result": [4, {"from_name": "warmth", "value": 5}]}]},
        {"id": 1, "fields": [], "responses": {"warmth": [6, {"value": {"a": 1}}]}},
        {"id": 1, "warmth.responses.users": "x", "warmth.responses": {}},
        {"instance_id": {}, "user_id": [], "labels": [{"warmth": 1}]},
    ],
)
def test_a_broken_export_is_a_problem(tmp_path: Path, record: dict[str, Any]) -> None:
    assert problems(tmp_path, json.dumps([record]), file="broken.json")
