"""Detect files whose rows were written in two encodings, so that some characters are read incorrectly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.exchange.tabular.column_checks import faulty

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.exchange.problems import Problems
    from app.exchange.tabular.table import Table


def check_one_encoding(sheet: Table, columns: Iterable[str], problems: Problems) -> None:
    """Add a problem for each UTF-8 cell in a file that is not UTF-8; its names and answers would not be recognized.

    Args:
        sheet: the spreadsheet as read.
        columns: the columns that are used; other columns are not checked.
        problems: collects the cells.
    """
    if sheet.is_utf8:
        return
    for name in columns:
        mixed = sheet.mapped(name, _was_utf8).astype(bool)
        allowed = "the same encoding in the whole file; save it as UTF-8 and check this cell"
        faulty(sheet, np.asarray(mixed), name, sheet.column(name), allowed, problems)


def _was_utf8(text: str) -> bool:
    r"""Return whether a text that was read as Windows-1252 was UTF-8.

    >>> _was_utf8("JosÃ©"), _was_utf8("José"), _was_utf8("Jose")
    (True, False, False)
    """
    try:
        return not text.isascii() and bool(text.encode("cp1252").decode("utf-8"))
    except UnicodeError:
        return False
