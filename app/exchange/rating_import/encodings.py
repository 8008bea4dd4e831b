"""A file whose rows were written in two encodings: read in one of them, the others' letters are wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.exchange.tabular.columns import faulty

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.exchange.problems import Problems
    from app.exchange.tabular.table import Table


def check_one_encoding(sheet: Table, columns: Iterable[str], problems: Problems) -> None:
    """A problem in each cell that is UTF-8 in a file that is not; names and answers would be taken for others.

    Args:
        sheet: as read.
        columns: those that are used; a text that nobody reads may say what it likes.
        problems: collects the cells.
    """
    if sheet.is_utf8:
        return
    for name in columns:
        mixed = sheet.mapped(name, _was_utf8).astype(bool)
        allowed = "one encoding in the whole file; save it as UTF-8 and check this cell"
        faulty(sheet, np.asarray(mixed), name, sheet.column(name), allowed, problems)


def _was_utf8(text: str) -> bool:
    r"""Whether a text read as Windows-1252 was UTF-8.

    >>> _was_utf8("JosÃ©"), _was_utf8("José"), _was_utf8("Jose")
    (True, False, False)
    """
    try:
        return not text.isascii() and bool(text.encode("cp1252").decode("utf-8"))
    except UnicodeError:
        return False
