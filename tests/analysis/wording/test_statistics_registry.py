"""Every statistic key has a label and an entry in the documentation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from app.analysis.wording.statistics_registry import STATISTICS

if TYPE_CHECKING:
    from app.analysis.report.report import Report

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_every_estimate_of_real_studies_is_registered(ayers: Report, kumar: Report, pandalm: Report) -> None:
    found = {estimate.statistic for report in (ayers, kumar, pandalm) for estimate in report.estimates}
    assert found <= set(STATISTICS)


def test_statistics_index_is_complete_and_its_pages_exist() -> None:
    text = (DOCS / "statistics.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", text, flags=re.MULTILINE) == list(STATISTICS)
    pages = re.findall(r"\]\((statistics/\w+\.md)\)", text)
    assert set(pages) <= {f"statistics/{page.name}" for page in (DOCS / "statistics").glob("*.md")}


def headings(page: Path) -> set[str]:
    """Return the keys in the headings of a page; `alpha_nominal, _ordinal` means alpha_nominal and alpha_ordinal."""
    keys: set[str] = set()
    for line in page.read_text("utf-8").splitlines():
        stem = ""
        for word in re.findall(r"\w+", line) if line.startswith("## ") else ():
            keys.add(f"{stem}{word}" if word.startswith("_") else word)
            stem = stem if word.startswith("_") else word.rpartition("_")[0]
    return keys


def test_every_statistic_is_documented() -> None:
    assert set(STATISTICS) <= set().union(*(headings(page) for page in (DOCS / "statistics").glob("*.md")))
