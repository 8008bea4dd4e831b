"""The form for a study created from a spreadsheet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """The source of the responses in a column of the spreadsheet."""

    source: str
    kind: str
    column: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A spreadsheet and its lead's description of it; if `item` is empty, items are numbered."""

    file: Path | None
    title: str
    slug: str
    text: str
    item: str
    columns: Sequence[SourceColumn]
