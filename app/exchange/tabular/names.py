"""Names of files that came from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

_MAX_LENGTH = 100


def safe_file_name(name: str) -> str:
    """The name as one that every system can hold, its ending kept.

    >>> safe_file_name("../my sheet.csv"), safe_file_name(""), safe_file_name(".csv")
    ('my_sheet.csv', 'sheet.csv', 'csv')
    """
    safe = re.sub(r"[^\w.-]", "_", Path(name).name)[-_MAX_LENGTH:].lstrip(".")
    return safe or "sheet.csv"
