"""The feasibility of a folder's design, given its items, responses and raters."""

from pathlib import Path

from app.studies.creation.read_new_study import feasibility_of_folder, planned_items
from app.studies.creation.templates import new_study
from app.studies.folder.read import read_folder


def test_rater_and_content_note_columns_are_read(tmp_path: Path) -> None:
    folder = new_study("recipient", tmp_path / "s", "s", "T")
    items = planned_items(read_folder(folder))
    assert {item.rater for item in items} == {"writer1", "writer2", "writer3"}
    assert {len(item.responses) for item in items} == {2}
    noted = planned_items(read_folder(new_study("four-dimensions", tmp_path / "n", "n", "T")))
    assert [item.key for item in noted if item.has_note] == ["old-bike"]


def test_missing_experts_are_reported_before_loading(tmp_path: Path) -> None:
    folder = new_study("expert-panel", tmp_path / "s", "s", "T")
    assert feasibility_of_folder(read_folder(folder)).problems == ()
    (folder / "raters.csv").write_text("rater,kind,pool\nnorth,person,expert\nsouth,person,expert\n")
    (problem,) = feasibility_of_folder(read_folder(folder)).problems
    assert problem == "the pool expert needs 4 raters, and raters.csv names 2 (2 raters for each of 12 trials)."


def test_undeclared_recipient_is_reported(tmp_path: Path) -> None:
    folder = new_study("recipient", tmp_path / "s", "s", "T")
    (folder / "raters.csv").write_text("rater,kind,pool\nwriter1,person,recipient\nwriter2,person,recipient\n")
    (problem,) = feasibility_of_folder(read_folder(folder)).problems
    assert problem.endswith("who are not in raters.csv: writer3.")


def test_practice_trial_missing_from_folder_is_reported(tmp_path: Path) -> None:
    folder = new_study("ab-tie", tmp_path / "s", "s", "T")
    yaml = folder / "study.yaml"
    yaml.write_text(yaml.read_text().replace("flow:\n", "flow:\n  practice: {trials: [{item: nowhere}]}\n"))
    assert feasibility_of_folder(read_folder(folder)).problems == (
        "flow.practice.trials.1 names the item nowhere, which is not in items.csv.",
    )
