"""Sections of the documentation that benchmarks write."""

import re
from pathlib import Path


def replace_section(page: Path, heading: str, text: str) -> None:
    """Write a section of a page, in the place of the one with the same heading or at the end; the rest stays."""
    whole = page.read_text(encoding="utf-8")
    before, *rest = re.split(rf"^{re.escape(heading)}$", whole, maxsplit=1, flags=re.MULTILINE)
    after = re.findall(r"^## .*", rest[0], re.MULTILINE | re.DOTALL) if rest else []
    page.write_text("\n".join([f"{before.rstrip()}\n\n{text}".lstrip(), *after]), encoding="utf-8")
