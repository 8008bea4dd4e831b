"""The documentation's index is complete, its links and paths exist, and the changelog lists each change once."""

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
# What people read: the pages for all readers, without code, tables, the appendices, and the settings in protocol.md.
MAX_WORDS_TO_READ = 35_000
CODE_OR_TABLE = re.compile(r"^```.*?^```$|^\|.*?$", re.DOTALL | re.MULTILINE)
LISTED_SETTING = re.compile(r"^- `.*\n(?:  .*\n)*", re.MULTILINE)


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


def words_to_read(page: Path) -> int:
    text = CODE_OR_TABLE.sub("", page.read_text(encoding="utf-8"))
    return len(re.findall(r"\S*\w\S*", LISTED_SETTING.sub("", text) if page.name == "protocol.md" else text))


def test_documentation_is_short_enough_to_be_read() -> None:
    before_appendices = (DOCS / "README.md").read_text(encoding="utf-8").partition("## Appendices")[0]
    names = [name for name in LINK.findall(before_appendices) if name.endswith(".md")]
    pages = {(DOCS / name).resolve() for name in names} | {ROOT / "README.md"}
    words = {str(page.relative_to(ROOT)): words_to_read(page) for page in pages}
    assert sum(words.values()) <= MAX_WORDS_TO_READ, sorted(words.items(), key=lambda one: -one[1])


def test_changelog_lists_each_change_once() -> None:
    entries = re.findall(r"^- (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    starts = Counter(tuple(re.findall(r"[\w.]+", entry.lower())[:N_WORDS]) for entry in entries)
    assert [" ".join(words) for words, n in starts.items() if n > 1] == []
