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
RANKED = "r1,a,a-person,order,1,{}\nr1,a,a-one,order,2,\nr1,a,a-two,order,3,desktop\n"


def read(device: str) -> StudyFolder:
    ratings = HEADER + RANKED.format(device)
    files = {"study.yaml": YAML, "items.csv": ITEMS, "responses.csv": RESPONSES, "ratings.csv": ratings}
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
