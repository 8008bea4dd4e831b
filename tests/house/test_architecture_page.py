"""The picture in docs/architecture.md matches the current imports."""

import importlib.util
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_layer_diagram_matches_imports() -> None:
    spec = importlib.util.spec_from_file_location("draw_architecture", DOCS / "draw_architecture.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    assert module.picture() in page, "run python docs/draw_architecture.py"
