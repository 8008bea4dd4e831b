"""Draw the rooms of `app` and their folders from its imports into docs/architecture.md, as a Mermaid block.

`python docs/draw_architecture.py` rewrites the block; a test compares it with the code.
"""

# ruff: noqa: INP001 - a script, in no package

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
APP, PAGE = ROOT / "app", ROOT / "docs" / "architecture.md"
BLOCK = re.compile(r"```mermaid\n.*?```", re.DOTALL)


def imported(path: Path) -> set[str]:
    """The packages of `app` that a module imports, with imports inside functions and for types."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {parts[1] for name in names if (parts := name.split("."))[0] == "app" and len(parts) > 1}


def packages() -> dict[str, list[str]]:
    """The rooms of `app` with their folders."""
    folders = sorted(path.parent for path in APP.glob("*/__init__.py"))
    return {folder.name: sorted(path.parent.name for path in folder.glob("*/__init__.py")) for folder in folders}


def picture() -> str:
    """The Mermaid block: a box per room with its folders, an arrow from each room to those it imports."""
    known = packages()
    arrows: set[tuple[str, str]] = set()
    for path in sorted(APP.rglob("*.py")):
        here = path.relative_to(APP).parts[0].removesuffix(".py")
        arrows |= {(here, other) for other in imported(path) & set(known) if here in known and other != here}
    boxes = [f'  {name}["{name}{"<br/>" if folders else ""}{", ".join(folders)}"]' for name, folders in known.items()]
    lines = [f"  {one} --> {other}" for one, other in sorted(arrows)]
    return "\n".join(["```mermaid", "flowchart TD", *boxes, *lines, "```"])


if __name__ == "__main__":
    PAGE.write_text(BLOCK.sub(lambda _: picture(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
