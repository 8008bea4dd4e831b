"""A statistic is declared beside its computation, and documented; nothing else is computed, shown or documented.

`python -m tests.house.test_statistics` writes the list of all statistics, docs/statistics/keys.md, anew.
"""

import ast
import re
from pathlib import Path

import pytest

from app.analysis.report.report import Report
from app.analysis.statistic import Column, Minimum, Statistic, declare, statistics
from app.base.help.library import anchor_of
from app.results.pages.sections.part_tables import TABLES
from tests.kit.frames import FIVE, frames, protocol

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
SECTIONS = sorted((ROOT / "app/analysis/sections").rglob("*.py"))


PAGE = DOCS / "statistics" / "keys.md"
HEAD = """# All statistics

Every statistic by its key in files, JSON and addresses, with its name on pages, the data that an estimate and its
interval need at least, and a link to its question, unit, formula and references.

| key | name | least data | explained in |
|---|---|---|---|
{rows}
"""
PAGES = ("comparison", "contrasts", "agreement", "judges", "raters", "texts")


def headings(page: Path) -> dict[str, str]:
    """The anchor of each key in the headings; `alpha_nominal, _ordinal` means alpha_nominal and alpha_ordinal."""
    keys: dict[str, str] = {}
    for line in page.read_text("utf-8").splitlines():
        stem = ""
        for word in re.findall(r"\w+", line) if line.startswith("## ") else ():
            keys.setdefault(f"{stem}{word}" if word.startswith("_") else word, anchor_of(line.removeprefix("## ")))
            stem = stem if word.startswith("_") else word.rpartition("_")[0]
    return keys


def least(minimum: Minimum | None) -> str:
    """How many units an estimate needs, and its interval if that is another number."""
    if minimum is None:
        return ""
    interval = "" if minimum.interval == minimum.estimate else f"; for an interval {minimum.interval}"
    return f"{minimum.estimate} {minimum.what}{interval}"


def written() -> str:
    """The list of all statistics in the order of the pages that explain them."""
    anchors = {page: headings(DOCS / "statistics" / f"{page}.md") for page in PAGES}
    places = {page: {key: place for place, key in enumerate(found)} for page, found in anchors.items()}
    every = sorted(statistics().values(), key=lambda one: (PAGES.index(one.docs), places[one.docs][one.key]))
    rows = (
        f"| `{one.key}` | {one.label} | {least(one.minimum)} | [{page}]({page}.md#{anchors[page][one.key]}) |"
        for one in every
        for page in [one.docs]
    )
    return HEAD.format(rows="\n".join(rows))


def named(path: Path) -> set[str]:
    """The keys that a module passes on as `statistic=`."""
    tree = ast.parse(path.read_text("utf-8"))
    given = (word for node in ast.walk(tree) if isinstance(node, ast.Call) for word in node.keywords)
    return {str(one.value.value) for one in given if one.arg == "statistic" and isinstance(one.value, ast.Constant)}


def test_page_lists_statistics_as_they_are_declared() -> None:
    assert PAGE.read_text("utf-8") == written(), "python -m tests.house.test_statistics writes it anew"


def test_every_statistic_has_a_heading_on_the_page_that_it_names() -> None:
    missing = {key for key, one in statistics().items() if key not in headings(DOCS.parent / one.formula)}
    assert missing == set()


def test_every_statistic_that_a_section_names_is_declared() -> None:
    assert set().union(*map(named, SECTIONS)) <= statistics().keys()


def test_every_estimate_of_real_studies_is_declared(ayers: Report, kumar: Report, pandalm: Report) -> None:
    found = {estimate.statistic for report in (ayers, kumar, pandalm) for estimate in report.estimates}
    assert found <= statistics().keys()


def test_statistic_that_is_not_declared_is_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    from app.analysis import analyze

    rows = [
        {"rater": f"r{r}", "item": f"i{i}", "response": f"i{i}:human", "question": "empathy", "value": 1 + (i + r) % 5}
        for r in range(3)
        for i in range(6)
    ]
    study = protocol(FIVE)
    analyze(frames(study, rows), study)
    monkeypatch.delitem(statistics(), "gwet_ac2")
    with pytest.raises(KeyError, match="gwet_ac2"):
        analyze(frames(study, rows), study)


def test_statistic_is_declared_once() -> None:
    known = statistics()["mean"]
    with pytest.raises(ValueError, match="the statistic mean is declared twice"):
        declare(Statistic("mean", "Mean", "points", docs="comparison"))
    assert statistics()["mean"] is known


def test_tables_of_the_results_show_declared_statistics() -> None:
    columns: list[Column] = [column for tables in TABLES.values() for table in tables for column in table.columns]
    assert {key for column in columns for key in column.statistics} <= statistics().keys()


def test_what_a_statistic_names_is_declared() -> None:
    every = statistics()
    beside = {key for one in every.values() for key in (one.at_equal_length, one.ceiling) if key}
    assert beside | {one.effect.statistic for one in every.values() if one.effect} <= every.keys()


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
