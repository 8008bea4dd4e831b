"""An edited file keeps everything else unchanged: comments, order, quotes."""

import pytest

from app.base.files.yaml_tree import read_yaml
from app.base.problems import Problems
from app.protocol.yaml.edited_yaml import edited_yaml

TEXT = """\
# Written by hand.
attune: 1
slug: small  # in links
title: "A small study"
questions:
  - key: empathy  # the main one
    scale: {1: low, 2: high}
  - key: why
conditions:
  label: {levels: [true, ~]}
"""


def data() -> dict[str, object]:
    tree = read_yaml("study.yaml", TEXT, Problems())
    assert tree is not None
    found: dict[str, object] = tree.data
    return found


def test_unchanged_data_give_identical_file() -> None:
    assert edited_yaml(TEXT, data()) == TEXT


def test_changed_value_changes_one_line() -> None:
    edited = edited_yaml(TEXT, data() | {"title": "Another"})
    assert edited.splitlines()[4:] == TEXT.splitlines()[4:]
    assert edited.splitlines()[:3] == TEXT.splitlines()[:3]
    assert edited.splitlines()[3] == 'title: "Another"'


def test_removed_and_changed_fields_leave_comments() -> None:
    changed = data() | {"instructions": "Read.\n\nThen **rate**.\n"}
    del changed["conditions"]
    edited = edited_yaml(TEXT, changed)
    assert "conditions" not in edited
    assert "# the main one" in edited
    assert "instructions: |\n  Read.\n\n  Then **rate**.\n" in edited


@pytest.mark.parametrize(
    "words",
    ["true", "1", "~", "- a", "a: b", "# no comment", "ends with space ", "\ttab", " two\nlines ", "é “x” 🙂", "'"],
)
def test_any_text_round_trips_through_edited_yaml(words: str) -> None:
    tree = read_yaml("study.yaml", edited_yaml(TEXT, data() | {"title": words}), Problems())
    assert tree is not None
    assert tree.data["title"] == words


def test_text_that_was_read_before_gives_its_own_values() -> None:
    first, second = (read_yaml("study.yaml", TEXT, Problems()) for _ in range(2))
    assert first is not None
    assert second is not None
    assert first == second
    first.data.clear()
    assert second.data


def test_problems_of_text_that_was_read_before_name_its_file() -> None:
    for file in ("study.yaml", "other.yaml"):
        problems = Problems()
        read_yaml(file, "a: 1\na: 2", problems)
        assert [problem.file for problem in problems.list_of(file)] == [file]
