"""Rows of turns are joined into conversations; other tables stay as they are."""

import json

import numpy as np
import pytest

from app.base.files.table import Table
from app.base.problems import Problems
from app.studies.imports.turn_rows import with_joined_turns


def table(**columns: list[str]) -> Table:
    n = len(next(iter(columns.values())))
    return Table("talks.csv", np.arange(2, n + 2), {name: np.array(cells, object) for name, cells in columns.items()})


TALKS = {"dialogue": ["a", "b", "a", "b"], "speaker": ["X", "X", "Y", "Y"], "text": ["one", "two", " three ", ""]}


def test_turns_are_joined_in_the_order_of_their_rows() -> None:
    problems = Problems()
    joined = with_joined_turns(table(**TALKS, topic=["exam", "move", "late", "late"]), problems)
    assert [*joined.columns] == ["dialogue", "topic", "situation", "Conversation response"]
    assert [*joined.rows] == [2, 3]
    assert [*joined.column("topic")] == ["exam", "move"]
    assert [*joined.column("situation")] == ["one", "two"]
    assert [json.loads(cell) for cell in joined.column("Conversation response")] == [
        [{"speaker": "X", "text": "one"}, {"speaker": "Y", "text": "three"}],
        [{"speaker": "X", "text": "two"}],
    ]
    assert "joined into 2 conversations" in problems.notes[0].allowed


def test_numbers_of_turns_and_a_situation_are_used() -> None:
    joined = with_joined_turns(table(**TALKS, turn=["2", "1", "1", "2"], situation=["s", "t", "s", "t"]), Problems())
    assert [*joined.column("situation")] == ["s", "t"]
    assert [turn["text"] for turn in json.loads(joined.column("Conversation response")[0])] == ["three", "one"]


@pytest.mark.parametrize(
    "columns",
    [
        {**TALKS, "dialogue": ["a", "b", "c", "d"]},
        {**TALKS, "speaker": ["X"] * 4},
        {"dialogue": ["a"] * 8, "speaker": [*"ABCDEFGH"], "text": ["words"] * 8},
        {"dialogue": ["a", "a"], "text": ["one", "two"]},
    ],
    ids=["one row per conversation", "one speaker", "too many speakers", "no speaker"],
)
def test_other_tables_stay_as_they_are(columns: dict[str, list[str]]) -> None:
    given = table(**columns)
    assert with_joined_turns(given, Problems()) is given
