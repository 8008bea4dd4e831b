"""Items and responses found by their texts, for spreadsheets that hold the texts instead of IDs."""

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd

from app.base.files.cells import faulty
from app.base.files.table import Table
from app.base.problems import Problems
from app.studies.folder.ratings.targets import Study
from app.studies.imports.name_matching import source_names

_SIGNS, _NOT_PLAIN = re.compile(r"[\W_]+"), re.compile(r"[^a-z0-9]+")
# Shorter texts are compared with all of their letters.
_MIN_PLAIN = 12
SEVERAL = "the ID of a response, because several responses have this text"


def same_text(text: str) -> str:
    """Return what copies of a text have in common: its letters and digits, whatever became of other characters.

    >>> same_text("I don't know what to do.") == same_text("I don‰Ûªt know what  to do")
    True
    >>> same_text("Я не знаю"), same_text("Oh!")
    ('янезнаю', 'oh')
    """
    words = _SIGNS.sub("", text.casefold())
    plain = _NOT_PLAIN.sub("", words)
    return plain if len(plain) >= _MIN_PLAIN else words


class TextLookup:
    """The items or responses of a study by ID and by text."""

    def __init__(self, table: pd.DataFrame, name: str) -> None:
        """Read the texts once."""
        self._ids = set(table[name])
        self._by_text: dict[str, list[str]] = {}
        for key, text in zip(table[name], table["text"], strict=True):
            if isinstance(text, str) and (same := same_text(text)):
                self._by_text.setdefault(same, []).append(str(key))

    def holds(self, cell: str) -> bool:
        """Return whether the cell is an ID or a text."""
        return cell.strip() in self._ids or bool(self.ids_of(cell))

    def ids_of(self, cell: str) -> list[str]:
        """Return the IDs with this text; none for a cell that is an ID."""
        return [] if cell.strip() in self._ids else self._by_text.get(same_text(cell), [])


def with_ids(table: Table, study: Study, problems: Problems) -> Table:
    """Return the answers with IDs in place of the texts of items and responses.

    A response is looked up among those to the item and from the source of its row. Texts that are not in the study
    stay as they are.
    """
    items, responses = TextLookup(study.items, "item"), TextLookup(study.responses, "response")
    item_ids = table.mapped("item", lambda cell: found[0] if len(found := items.ids_of(cell)) == 1 else cell)
    cells = pd.DataFrame({"response": table.column("response"), "item": item_ids, "source": table.column("source")})
    codes = cells.groupby(list(cells.columns), sort=False).ngroup().to_numpy()
    finder = _ResponseFinder(responses, study)
    each = [finder.find(*row) for row in cells.drop_duplicates().itertuples(index=False, name=None)]
    found = np.array([ids for ids, _ in each] + [""], dtype=object)[:-1]
    is_several = np.array([several for _, several in each], dtype=bool)
    if len(table):
        faulty(table, is_several[codes], "response", table.column("response"), SEVERAL, problems)
    columns = {**table.columns, "item": item_ids, "response": found[codes]}
    return Table(table.file, table.rows, columns, table.headers, table.is_utf8)


class _ResponseFinder:
    def __init__(self, lookup: TextLookup, study: Study) -> None:
        self._lookup = lookup
        self._sources = source_names(study.protocol)
        rows = study.responses[["response", "item", "source"]].itertuples(index=False, name=None)
        self._of: Mapping[str, tuple[str, str]] = {key: (item, source) for key, item, source in rows}

    def find(self, cell: str, item: str, source: str) -> tuple[str, bool]:
        """Return the ID of the response, and whether several responses fit; else the cell as it is."""
        ids = self._lookup.ids_of(cell) if cell.strip() else []
        key = self._sources.key(source) if source.strip() else None
        if item.strip():
            ids = [one for one in ids if self._of[one][0] == item.strip()]
        if key is not None:
            ids = [one for one in ids if self._of[one][1] == key]
        return (ids[0], False) if len(ids) == 1 else (cell, len(ids) > 1)
