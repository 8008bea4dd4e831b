"""The context columns of answers in ratings.csv: read, written, and rejected if the value is not allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.design.problem import InvalidInputError
from app.exchange.folder.read import read_files
from app.exchange.folder.written_tables import tables_of
from tests.exchange.ratings.test_rankings import ITEMS, RESPONSES, YAML

if TYPE_CHECKING:
    from app.analysis.data.study_folder import StudyFolder

HEADER = "rater,item,response,question,value,device\n"
CONDITIONS = "conditions: {told: {kind: instruction, levels: {one: Read., two: Read aloud.}}}\n"
RANKED = "r1,a,a-person,order,1,{}\nr1,a,a-one,order,2,\nr1,a,a-two,order,3,desktop\n"


def read(device: str) -> StudyFolder:
    return read_ratings(HEADER + RANKED.format(device))


def read_ratings(ratings: str, conditions: str = "") -> StudyFolder:
    files = {"study.yaml": YAML + conditions, "items.csv": ITEMS, "responses.csv": RESPONSES, "ratings.csv": ratings}
    return read_files({name: text.encode() for name, text in files.items()})


def test_device_round_trips() -> None:
    study = read("phone")
    assert sorted(study.ratings["device"].dropna()) == ["desktop", "phone"]
    assert sorted(tables_of(study)["ratings"]["device"].dropna()) == ["desktop", "phone"]


def test_unknown_device_is_reported_by_row_and_column() -> None:
    with pytest.raises(InvalidInputError) as refused:
        read("fridge")
    (problem,) = (problem for problem in refused.value.problems if problem.severity == "error")
    assert (problem.row, problem.column, problem.allowed) == (2, "device", "phone, tablet or desktop")


@pytest.mark.parametrize(
    ("conditions", "given", "allowed"),
    [
        (CONDITIONS, "told=three", "told=one or told=two"),
        (CONDITIONS, "one", "told=one or told=two"),
        ("", "told=one", "nothing, because the protocol declares no conditions"),
    ],
)
def test_undeclared_condition_is_reported_by_row_and_column(conditions: str, given: str, allowed: str) -> None:
    ratings = HEADER.replace("device", "condition") + RANKED.format("told=one" if conditions else "")
    ratings = ratings.replace("a-one,order,2,", f"a-one,order,2,{given}").replace(",3,desktop", ",3,")
    with pytest.raises(InvalidInputError) as refused:
        read_ratings(ratings, conditions)
    found = next(one for one in refused.value.problems if one.column == "condition")
    assert (found.row, found.found, found.allowed) == (3, given, allowed)


def test_declared_condition_is_kept() -> None:
    ranked = RANKED.format("told=one").replace("2,\n", "2,told=one\n").replace("desktop", "told=one")
    study = read_ratings(HEADER.replace("device", "condition") + ranked, CONDITIONS)
    assert set(study.ratings["condition"]) == {"told=one"}
