"""Every statement of the rating path names the study of each table that it reads or writes: one shard can answer it."""

import importlib
import pkgutil
import re
from collections.abc import Iterator

import pytest
from sqlalchemy import TextClause

import app.rating
from app.base.database.hot_statement import HotStatement
from tests.rating.test_study_keys import OF_STUDY

TABLES = "|".join(table.name for table in OF_STUDY)
NOT_AN_ALIAS = r"(?!(?:SET|ON|WHERE|USING|LEFT|JOIN|GROUP|ORDER|CROSS|VALUES)\b)"
USE = re.compile(rf"\b(?:FROM|JOIN|UPDATE|INTO)\s+({TABLES})\b(?:\s+(?:AS\s+)?{NOT_AN_ALIAS}([a-z]\w*))?")


def statements() -> Iterator[tuple[str, str]]:
    """The texts of all statements, with their names."""
    for found in pkgutil.walk_packages(app.rating.__path__, "app.rating."):
        module = importlib.import_module(found.name)
        for name, value in vars(module).items():
            if isinstance(value, TextClause):
                yield f"{found.name.removeprefix('app.')}.{name}", value.text
            elif isinstance(value, HotStatement):
                yield f"{found.name.removeprefix('app.')}.{name}", value.sql


ALL = dict(statements())


def loose_tables(statement: str) -> list[str]:
    """The tables of which the statement does not name the study, by their alias or, after it, without one."""
    return [
        use[1]
        for use in USE.finditer(statement)
        if not re.search(rf"\b{use[2] or use[1]}\.study_id\b", statement)
        and not re.search(r"(?<![.\w])study_id\b", statement[use.start() :])
    ]


def test_statements_are_found() -> None:
    assert len(ALL) > 60


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT FROM ratings r WHERE r.id = :id",
        "SELECT FROM trials t JOIN ratings r ON r.id = t.id WHERE t.study_id = :study",
    ],
)
def test_table_without_its_study_is_noticed(statement: str) -> None:
    assert loose_tables(statement) == ["ratings"]


@pytest.mark.parametrize("name", ALL)
def test_each_table_is_asked_within_a_study(name: str) -> None:
    assert loose_tables(ALL[name]) == []
