"""Style sheets: every brace is closed, because an open one disables all rules after it; few sizes of text."""

import re
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


def test_leads_pages_have_five_sizes_of_text() -> None:
    sizes = {"1rem", *(f"var(--text-{size})" for size in ("s", "m", "l", "xl"))}
    # Code, the text of printed pages, and the numbers of an axis, which are drawn in pixels.
    relative = {".92em", "82%", "12px"}
    leads = [
        *STATIC.glob("studies/*.css"),
        STATIC / "results/results.css",
        STATIC / "base/lead.css",
        STATIC / "base/help.css",
    ]
    for path in leads:
        assert set(re.findall(r"font-size: ([^;]+)", path.read_text(encoding="utf-8"))) <= sizes | relative, path.name
