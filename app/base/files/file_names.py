"""Names of uploaded files."""

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


def title_of(file_name: str) -> str:
    """A title for what is made of a file, from its name.

    >>> title_of("posts_and-replies 2.xlsx"), title_of(".csv")
    ('Posts and replies 2', 'Study')
    """
    stem = file_name.rpartition(".")[0] or file_name.strip(".") * (not file_name.startswith("."))
    words = " ".join(re.sub(r"[_-]+", " ", stem).split())[:120].strip()
    return words[:1].upper() + words[1:] if words else "Study"
