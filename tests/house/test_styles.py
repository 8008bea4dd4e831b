"""Style sheets: every brace is closed, because an open one disables all rules after it."""

from __future__ import annotations

from pathlib import Path

import pytest

STATIC = Path(__file__).parents[2] / "static"


@pytest.mark.parametrize("file", sorted(STATIC.rglob("*.css")), ids=lambda file: file.name)
def test_every_brace_is_closed(file: Path) -> None:
    depth = 0
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        depth += line.count("{") - line.count("}")
        assert depth >= 0, f"{file.name}:{number}"
    assert depth == 0
