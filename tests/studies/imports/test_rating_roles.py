"""Which columns of a spreadsheet hold ratings already collected, and on which scales."""

import numpy as np
import pytest

from app.base.files.table import Table
from app.studies.imports.column_roles import guess_columns
from app.studies.imports.rating_roles import parts_of_names, with_ratings
from app.studies.imports.rating_scales import rated_questions

REPLY = "I am sorry to hear that you feel like this, and I hope that you can talk to somebody soon."


def sheet(**columns: list[str]) -> Table:
    n = len(next(iter(columns.values())))
    texts = {
        "post": [f"{REPLY} Post {row}." for row in range(n)],
        "reply": [f"{REPLY} Reply {row}" for row in range(n)],
    }
    cells = {name: np.array(column, dtype=object) for name, column in (texts | columns).items()}
    return Table("a.csv", np.arange(n) + 2, cells)


def roles(table: Table) -> dict[str, str]:
    return {one.name: one.role for one in with_ratings(table, guess_columns(table))}


@pytest.mark.parametrize(
    "names",
    [
        ("Anna", "Ben"),
        ("AB", "CD"),
        ("R1", "R2"),
        ("Coder 2", "Coder 7"),
        ("Empathy Anna", "Empathy Ben"),
        ("anna_warmth", "ben_warmth"),
        ("Warmth (Anna)", "Warmth (Ben)"),
    ],
)
def test_columns_named_after_raters_hold_ratings(names: tuple[str, str]) -> None:
    found = roles(sheet(**{name: ["1", "5", "3"] for name in names}))
    assert [found[name] for name in names] == ["rating"] * 2
    assert len({rater for _, rater in parts_of_names(names, [], has_raters=False)} - {""}) == 2


@pytest.mark.parametrize(
    "names",
    [
        ("severity", "urgency"),
        ("Topic", "Year"),
        ("word count", "sentence count"),
        ("Anna", "likes"),
        ("Difficulty", "Depth"),
    ],
)
def test_columns_about_texts_hold_no_ratings(names: tuple[str, str]) -> None:
    found = roles(sheet(**{name: ["1", "5", "3"] for name in names}))
    assert [found[name] for name in names] == ["attribute"] * 2


def test_columns_of_different_scales_hold_no_ratings() -> None:
    found = roles(sheet(Anna=["1", "5", "3"], Ben=["10", "2", "3"], Carl=["18", "64", "30"]))
    assert {found[name] for name in ("Anna", "Ben", "Carl")} == {"attribute"}


@pytest.mark.parametrize(
    ("values", "kind", "ends"),
    [
        (["1", "4", "2"], "rating", (1, 5)),
        (["0", "2", "1"], "rating", (0, 2)),
        (["-1", "2", "0"], "rating", (-2, 2)),
        (["12", "80", "55"], "slider", (0, 100)),
        (["2.5", "4", "1"], "slider", (0, 100)),
        (["yes", "no", "yes"], "category", (None, None)),
    ],
)
def test_scale_is_guessed_from_the_values(
    values: list[str], kind: str, ends: tuple[float | None, float | None]
) -> None:
    columns = [{"name": "Warmth", "role": "rating", "rater": "Anna", "question": "Warmth"}]
    (found,) = rated_questions(sheet(Warmth=values), columns, ["nurse"], {})
    assert (found.question["type"], found.question["target"]) == (kind, "response")
    assert (found.lowest, found.highest) == ends
    assert (found.n_answers, found.n_raters) == (3, 1)


def test_names_of_sources_are_choices_between_them() -> None:
    columns = [{"name": "better", "role": "rating", "rater": "Anna", "question": "better"}]
    table = sheet(better=["nurse", "GPT-4", "tie"])
    (found,) = rated_questions(table, columns, ["nurse", "GPT-4"], {})
    assert found.question == {
        "key": "better",
        "target": "pair",
        "type": "choice",
        "tie": True,
        "neither": False,
        "text": "better",
    }


def test_scale_that_the_lead_says_holds_all_values() -> None:
    columns = [{"name": "Warmth", "role": "rating", "rater": "Anna", "question": "Warmth"}]
    (found,) = rated_questions(sheet(Warmth=["1", "4", "2"]), columns, ["nurse"], {"Warmth": ("0", "3")})
    assert (found.lowest, found.highest) == (0, 4)


def test_scale_below_zero_is_shown_with_a_minus_sign() -> None:
    """It was shown as “-2 to 2”."""
    columns = [{"name": "Warmth", "role": "rating", "rater": "Anna", "question": "Warmth"}]
    (found,) = rated_questions(sheet(Warmth=["-2", "2", "0"]), columns, ["nurse"], {})
    assert (found.seen, found.lowest) == ("−2 to 2", -2)
