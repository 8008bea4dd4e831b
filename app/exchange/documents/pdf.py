"""Typst source as PDF, with bookmarks, tags and selectable text."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import typst

if TYPE_CHECKING:
    from collections.abc import Mapping

# a PDF of the same numbers is the same file
TIMESTAMP = 0


def pdf_of(source: str, files: Mapping[str, bytes]) -> bytes:
    """The PDF of a source with the files that it names.

    Typst embeds its fonts; letters that they lack are taken from fonts of the system where there are any.
    """
    with tempfile.TemporaryDirectory(prefix="attune-") as name:
        folder = Path(name)
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        main = folder / "main.typ"
        main.write_text(source, encoding="utf-8")
        return bytes(typst.compile(str(main), root=name, timestamp=TIMESTAMP))
