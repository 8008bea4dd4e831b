"""Bring every catalogue up to date with the texts of pages and code: `python -m app.language.update [LANGUAGE ...]`.

A language that is named and has no catalogue yet gets one. What is left to translate stands in it as an empty `msgstr`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

from app.language.language import CATALOGUES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

ROOT = CATALOGUES.parents[2]
_KEYWORDS = {"_": None, "gettext": None, "message": None, "ngettext": (1, 2), "messages": (1, 2)}


def extracted() -> Catalog:
    """Every fixed text of the checkout, without translations."""
    texts = Catalog(charset="utf-8")
    for file in _files():
        method = "python" if file.suffix == ".py" else "jinja2.ext:babel_extract"
        name = file.relative_to(ROOT).as_posix()
        for _, ids, _, _ in extract_from_file(method, file, keywords=_KEYWORDS):
            texts.add(ids, locations=[(name, 0)])
    return texts


def _files() -> Iterator[Path]:
    yield from sorted((ROOT / "app").rglob("*.py"))
    for folder in ("rater", "shared"):
        yield from sorted(path for path in (ROOT / "templates" / folder).iterdir() if path.suffix in {".html", ".txt"})


def update(name: str, texts: Catalog) -> int:
    """Write one catalogue anew: translations stay, those of texts that are gone are dropped. How many are missing."""
    path = CATALOGUES / f"{name}.po"
    there = Catalog(
        locale=name,
        project="Attune",
        version="1",
        header_comment=f"# What raters read: {name}",
        fuzzy=False,
        msgid_bugs_address="-",
        last_translator="-",
        language_team="-",
        revision_date=texts.creation_date,
    )
    if path.exists():
        with path.open("rb") as file:
            there = read_po(file, locale=name)
    made_at = there.creation_date
    there.update(texts, no_fuzzy_matching=True, update_header_comment=False)
    there.creation_date = made_at
    with path.open("wb") as file:
        write_po(file, there, width=120, ignore_obsolete=True, include_lineno=False)
    return sum(not all(forms(entry.string)) for entry in there if entry.id)


def forms(string: str | Sequence[str] | None) -> tuple[str, ...]:
    """The forms of a text, singular first; of a text that does not count only one."""
    return (string or "",) if isinstance(string, str | None) else tuple(string)


def main(names: list[str]) -> None:
    """Update every catalogue, and begin those that are named."""
    texts = extracted()
    for name in sorted({*names, *(path.stem for path in CATALOGUES.glob("*.po"))}):
        n_missing = update(name, texts)
        sys.stdout.write(f"{name}: {len(texts)} texts, {n_missing} to translate\n")


if __name__ == "__main__":
    main(sys.argv[1:])
