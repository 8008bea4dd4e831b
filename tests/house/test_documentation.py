"""The documentation's index is complete, its links and paths exist, and the changelog lists each change once."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
PAGES = sorted([*DOCS.rglob("*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))])
# Paths of the source tree, as they are written in the text.
IN_TREE = re.compile(r"(?<![\w/.-])(?:(?:app|benchmarks|migrations|static|templates|tests)/[\w/.-]*\w)")
# Made by a command that the page explains.
MADE_LATER = {"app/base/language/catalogues/fr.po"}
# Entries that begin with the same words describe the same change.
N_WORDS = 4


def linked(page: Path) -> set[Path]:
    return {(page.parent / target).resolve() for target in LINK.findall(page.read_text(encoding="utf-8"))}


def test_every_page_is_indexed() -> None:
    indexed = linked(DOCS / "README.md") | {DOCS / "README.md"}
    assert sorted(str(page) for page in DOCS.rglob("*.md") if page not in indexed) == []


def test_every_link_has_a_target() -> None:
    broken = {(page.name, str(target)) for page in PAGES for target in linked(page) if not target.exists()}
    assert broken == set()


def test_every_path_in_the_documentation_exists() -> None:
    named = {(page.name, path) for page in PAGES for path in IN_TREE.findall(page.read_text(encoding="utf-8"))}
    assert {(page, path) for page, path in named if path not in MADE_LATER and not (ROOT / path).exists()} == set()


def test_changelog_lists_each_change_once() -> None:
    entries = re.findall(r"^- (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    starts = Counter(tuple(re.findall(r"[\w.]+", entry.lower())[:N_WORDS]) for entry in entries)
    assert [" ".join(words) for words, n in starts.items() if n > 1] == []
