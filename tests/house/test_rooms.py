"""How rooms are laid out: no modules in a circle, the web in pages only, no SQL in pages."""

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (ROOT / "app").rglob("*.py")
}
# Rooms that are the web: routers, middleware, templates, help.
WEB = ("app.base.web", "app.base.rendering", "app.base.help", "app.api", "app.main", "app.routes")
# They hand the engine on.
PUT_TOGETHER = {"app.main", "app.base.telemetry"}


def imported(path: Path) -> set[str]:
    """The modules that a module imports, wherever in its text: `from a import b` names `a.b` if that is a module."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in MODULES else node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


@cache
def imports() -> dict[str, set[str]]:
    """Of all modules. Reading them takes seconds, which collecting the tests should not wait for."""
    return {name: imported(path) for name, path in MODULES.items()}


def circle(imports: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a circle, in their order; empty if there are none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def in_web(name: str) -> bool:
    """Whether a module may know FastAPI: it is of the web, or is named as a page."""
    stem = name.rpartition(".")[2]
    return name.startswith((*WEB, "app.results.pages")) or stem == "page" or stem.endswith("_page") or name in OTHERS


# Pages and what they share, under other names.
OTHERS: frozenset[str] = frozenset(
    {
        "app.studies.rights",
        "app.accounts.session",
        "app.studies.own_study",
        "app.accounts.sign_in",
        "app.base.telemetry",
        "app.llm.runs.run_rows",
        "app.llm.runs.start_form",
        "app.rating.arrival.mturk",
        "app.rating.deps",
        "app.rating.http_responses",
        "app.rating.page.rate",
        "app.rating.recruitment.platform_files",
        "app.rating.steps.last_pages",
        "app.studies.creation.upload_form",
    }
)


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle({name: {one for one in those if one in MODULES} for name, those in imports().items()}) == []


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"a"}}) != []


def knows(name: str, library: str) -> bool:
    return any(one.partition(".")[0] == library for one in imports()[name])


def test_only_pages_know_the_web() -> None:
    knowing = {name for name in MODULES if knows(name, "fastapi") or knows(name, "starlette")}
    assert knowing
    assert sorted(name for name in knowing if not in_web(name)) == []


def test_pages_know_no_database_library() -> None:
    pages = {name for name in MODULES if in_web(name)}
    assert pages > PUT_TOGETHER
    assert sorted(name for name in pages - PUT_TOGETHER if knows(name, "sqlalchemy") or knows(name, "psycopg")) == []
