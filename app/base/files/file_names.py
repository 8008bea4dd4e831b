"""Names of uploaded files."""

from __future__ import annotations

import re
from pathlib import Path

_MAX_LENGTH = 100


def safe_file_name(name: str) -> str:
    """Return the name in a form that is valid on every system, with its extension.

    >>> safe_file_name("../my sheet.csv"), safe_file_name(""), safe_file_name(".csv")
    ('my_sheet.csv', 'sheet.csv', 'csv')
    """
    safe = re.sub(r"[^\w.-]", "_", Path(name).name)[-_MAX_LENGTH:].lstrip(".")
    return safe or "sheet.csv"
