"""SECURITY.md and docs/asvs.md name the tests that hold their claims: each of them exists."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.house.asvs import REQUIREMENTS

ROOT = Path(__file__).resolve().parents[2]
TEST = re.compile(r"`(tests/[\w/.]+\.py)(?:::(\w+))?`")
THREATS, ASVS = ((ROOT / page).read_text(encoding="utf-8") for page in ("SECURITY.md", "docs/asvs.md"))
NAMED = sorted(set(TEST.findall(THREATS + ASVS)))
# In the first column of a table: a requirement, a section or a chapter.
LISTED = [name for row in re.findall(r"^\| (V[^|]+) \|", ASVS, re.MULTILINE) for name in row.split(", ")]


@cache
def names_in(path: Path) -> set[str]:
    """The names of the test functions of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_security_pages_name_tests() -> None:
    assert len(TEST.findall(THREATS)) > 30
    assert len(TEST.findall(ASVS)) > 100


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_named_test_exists(path: str, name: str) -> None:
    found = names_in(ROOT / path)
    assert name in found if name else found


def test_each_requirement_of_the_standard_is_listed_once() -> None:
    covered = Counter(one for one in REQUIREMENTS for name in LISTED if one == name or one.startswith(f"{name}."))
    assert [one for one in REQUIREMENTS if covered[one] != 1] == []
    assert [name for name in LISTED if not any(one == name or one.startswith(f"{name}.") for one in REQUIREMENTS)] == []
