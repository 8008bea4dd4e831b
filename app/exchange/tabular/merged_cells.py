"""Merged cells of an Excel sheet: the file has their content once, but every row and column that they cover means it.

Merged ranges come after the cells in the file, so openpyxl's reading mode for large files does not know them.
"""

from __future__ import annotations

import io
import re
import zipfile
from itertools import islice
from typing import TYPE_CHECKING

from openpyxl.utils.cell import range_boundaries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.exchange.problems import Problems

# In the text of a cell, "<" is written as an entity, so nothing else looks like this.
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*?ref="([A-Z]{1,3}[1-9]\d{0,6}:[A-Z]{1,3}[1-9]\d{0,6})"')
# More ranges than this are a layout and not a table.
MAX_RANGES, N_NAMED = 20_000, 5


def repeat_merged(
    file: str, data: bytes, part: str, names: Sequence[str], records: list[tuple[int, list[str]]], problems: Problems
) -> None:
    """Repeat the content of merged cells in all rows and columns that they cover, with a note.

    Args:
        file: name of the file, for the note.
        data: the Excel file.
        part: the path of the sheet inside the file.
        names: of the columns, as in the header.
        records: rows with their numbers and cells; changed in place. Merged cells of the names, and of titles above
            them, are not among them and stay as they are.
        problems: gets the note.
    """
    by_row = dict(records)
    repeated = []
    for (top, left, bottom, right), words in sorted(_ranges(data, part)):
        content = by_row[top][left - 1] if top in by_row and left <= len(names) else ""
        if not content:
            continue
        for row in range(top, bottom + 1):
            for place in range(left - 1, min(right, len(names))):
                if row in by_row:
                    by_row[row][place] = content
        repeated.append(words)
    if repeated:
        more = f" and {len(repeated) - N_NAMED:,} more" if len(repeated) > N_NAMED else ""
        found = f"merged cells ({', '.join(repeated[:N_NAMED])}{more})"
        problems.note(file, None, None, found, "one value per cell; the value was repeated in each cell of the range")


def _ranges(data: bytes, part: str) -> list[tuple[tuple[int, int, int, int], str]]:
    """Return top, left, bottom and right of each range, and its name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        found = _MERGED.finditer(archive.read(part))
        names = [match[1].decode() for match in islice(found, MAX_RANGES)]
    return [((top, left, bottom, right), name) for name in names for left, top, right, bottom in [_bounds(name)]]


def _bounds(name: str) -> tuple[int, int, int, int]:
    left, top, right, bottom = (int(place or 0) for place in range_boundaries(name))
    return left, top, right, bottom
