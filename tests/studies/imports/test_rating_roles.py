"""Which columns of a spreadsheet hold ratings already collected, and on which scales."""

from collections.abc import Mapping

import numpy as np
import pytest

from app.base.files.table import Table
from app.studies.imports.column_roles import guess_columns
from app.studies.imports.missing_codes import ReadAs
from app.studies.imports.rating_roles import parts_of_names, with_ratings
from app.studies.imports.rating_scales import RatedQuestion, rated_questions

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
        (["2.5", "4", "1"], "slider", (1, 5)),
        (["0.25", "0.9", "1"], "slider", (0, 1)),
        (["12.5", "4", "64"], "slider", (0, 100)),
        (["yes", "no", "yes"], "category", (None, None)),
    ],
)
def test_scale_is_guessed_from_the_values(
    values: list[str], kind: str, ends: tuple[float | None, float | None]
) -> None:
    columns = [{"name": "Warmth", "role": "rating", "rater": "Anna", "question": "Warmth"}]
    (found,) = rated_questions(sheet(Warmth=values), columns, ["nurse"], {}, {})
    assert (found.question["type"], found.question["target"]) == (kind, "response")
    assert (found.lowest, found.highest) == ends
    assert (found.n_answers, found.n_raters) == (3, 1)


def test_names_of_sources_are_choices_between_them() -> None:
    columns = [{"name": "better", "role": "rating", "rater": "Anna", "question": "better"}]
    table = sheet(better=["nurse", "GPT-4", "tie"])
    (found,) = rated_questions(table, columns, ["nurse", "GPT-4"], {}, {})
    assert found.question == {
        "key": "better",
        "target": "pair",
        "type": "choice",
        "tie": True,
        "neither": False,
        "text": "better",
    }


def rated(
    values: list[str], scale: tuple[str, str] | None, read_as: Mapping[str, ReadAs] | None = None
) -> RatedQuestion:
    columns = [{"name": "Warmth", "role": "rating", "rater": "Anna", "question": "Warmth"}]
    said = {} if scale is None else {"Warmth": scale}
    (found,) = rated_questions(sheet(Warmth=values), columns, ["nurse"], said, {"Warmth": read_as or {}})
    return found


@pytest.mark.parametrize("code", ["-1", "-9", "-99", "99", "999", "-9.0", "NA", "n/a", "-"])
def test_code_for_no_answer_is_proposed_and_changes_no_scale(code: str) -> None:
    """The scale of points 1 to 5 became -5 to 5 or a slider, and the code an answer like any other."""
    found = rated(["1", "4", "2", "5", code, code], None)
    assert [(one.found, one.n, one.is_answer, one.is_decided) for one in found.odd] == [
        (code.removesuffix(".0"), 2, False, False)
    ]
    assert (found.question["type"], found.lowest, found.highest) == ("rating", 1, 5)
    assert (found.n_answers, found.seen) == (4, "1 to 5")


@pytest.mark.parametrize("values", [["-1", "0", "1"], ["-1", "1"], ["-2", "-1", "2"], ["12", "77", "99"], ["8", "9"]])
def test_answers_of_a_scale_are_no_codes(values: list[str]) -> None:
    assert rated(values, None).odd == []


def test_codes_among_answers_in_words_are_proposed() -> None:
    """“NA” and -9 were answers like “yes” and “no”."""
    found = rated(["yes", "no", "NA", "-9", "none"], None)
    assert [one.found for one in found.odd] == ["-9", "NA"]
    assert [*found.question["codes"].values()] == ["yes", "no", "none"]
    called = rated(["yes", "no", "NA"], None, {"NA": "answer"})
    assert [*called.question["codes"].values()] == ["yes", "no", "NA"]


def test_code_that_the_lead_calls_an_answer_widens_the_scale_until_it_is_none_again() -> None:
    values = ["1", "4", "2", "5", "-1"]
    found = rated(values, ("1", "5"), {"-1": "answer"})
    assert (found.lowest, found.highest, found.seen) == (-1, 5, "−1 to 5")
    assert [(one.found, one.is_answer, one.is_decided) for one in found.odd] == [("-1", True, True)]
    again = rated(values, ("-1", "5"), {"-1": "skip"})
    assert (again.lowest, again.highest, again.n_answers) == (1, 5, 4)


def test_value_outside_the_scale_that_the_lead_says_is_no_answer() -> None:
    found = rated(["0", "1", "4", "2"], ("1", "5"))
    assert (found.lowest, found.highest, found.n_answers) == (1, 5, 3)
    assert [(one.found, one.is_answer, one.is_decided) for one in found.odd] == [("0", False, False)]


def test_value_is_an_answer_again_once_the_lead_corrects_the_scale() -> None:
    found = rated(["1", "3", "4", "2"], ("1", "5"), {"1": "skip"})
    assert (found.odd, found.n_answers) == ([], 4)


def test_scale_without_any_of_the_answers_is_kept_as_said() -> None:
    found = rated(["1", "4", "2"], ("7", "6"))
    assert (found.lowest, found.highest, found.n_answers, found.seen) == (6, 7, 0, "")


def test_columns_named_after_raters_hold_ratings_beside_codes_for_no_answer() -> None:
    found = roles(sheet(Anna=["1", "5", "3", "-9"], Ben=["2", "NA", "5", "1"]))
    assert [found[name] for name in ("Anna", "Ben")] == ["rating"] * 2


def test_scale_below_zero_is_shown_with_a_minus_sign() -> None:
    """It was shown as “-2 to 2”."""
    columns = [{"name": "Warmth", "role": "rating", "rater": "Anna", "question": "Warmth"}]
    (found,) = rated_questions(sheet(Warmth=["-2", "2", "0"]), columns, ["nurse"], {}, {})
    assert (found.seen, found.lowest) == ("−2 to 2", -2)


def test_rater_without_an_answer_is_not_counted() -> None:
    columns = {"Anna": ["1", "4", "2", "5"], "Ben": ["-1", "99", "-1", "99"]}
    found = [
        {"name": name, "role": "rating", "rater": name, "question": "warmth", "source": "nurse"} for name in columns
    ]
    (question,) = rated_questions(sheet(**columns), found, ["nurse"], {}, {})
    assert (question.n_answers, question.n_raters) == (4, 1)


@pytest.mark.parametrize(
    "name",
    [
        "Rater-ID",
        "ID_Rater",
        "Coder",
        "Juror",
        "reviewer",
        "labeler",
        "rated by",
        "worker_id",
        "PROLIFIC_PID",
        "Bewerter",
        "Bewerter*in",
        "Codierer",
        "Gutachterin",
        "Bewertet von",
        "VP",
        "Vpn-Nr.",
        "Probandin",
    ],
)
def test_column_that_names_the_rater_of_each_row_is_recognized(name: str) -> None:
    assert roles(sheet(**{name: ["a", "b", "a"]}))[name] == "rater"


@pytest.mark.parametrize("name", ["Subject", "rater age", "coder comment", "model"])
def test_other_column_names_no_rater(name: str) -> None:
    assert roles(sheet(**{name: ["a", "b", "a"]}))[name] != "rater"


def test_columns_of_numbers_are_of_the_people_that_they_are_named_after() -> None:
    names = ("Bewerterin A", "Juror 3", "Gutachter 2")
    found = roles(sheet(**{name: ["1", "5", "3"] for name in names}))
    assert [found[name] for name in names] == ["rating"] * 3
