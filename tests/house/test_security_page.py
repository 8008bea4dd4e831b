"""SECURITY.md names a test for each threat: each of them exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEST = re.compile(r"`(tests/[\w/.]+\.py)(?:::(\w+))?`")
NAMED = sorted(set(TEST.findall((ROOT / "SECURITY.md").read_text(encoding="utf-8"))))


def names_in(path: Path) -> set[str]:
    """The names of the test functions of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_security_page_names_tests() -> None:
    assert len(NAMED) > 30


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_named_test_exists(path: str, name: str) -> None:
    found = names_in(ROOT / path)
    assert name in found if name else found
