"""What a lead fills in for a study made from a spreadsheet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """Whose responses a column of the spreadsheet holds."""

    source: str
    kind: str
    column: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A spreadsheet and what its lead says of it; `item` is empty where the items are to be numbered."""

    file: Path | None
    title: str
    slug: str
    text: str
    item: str
    columns: Sequence[SourceColumn]
