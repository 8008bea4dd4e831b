"""The fixed texts of the checkout, found as `make texts` finds them."""

from collections.abc import Sequence
from pathlib import Path

from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_mapping_cfg

ROOT = Path(__file__).resolve().parents[3]
KEYWORDS: dict[str, tuple[int, ...] | None] = {
    "_": None,
    "gettext": None,
    "message": None,
    "ngettext": (1, 2),
    "messages": (1, 2),
}


def extracted() -> set[str | tuple[str, ...]]:
    """Every fixed text; one that counts is a pair of singular and plural."""
    with (ROOT / "babel.cfg").open(encoding="utf-8") as file:
        methods, options = parse_mapping_cfg(file)  # type: ignore[no-untyped-call]  # Babel leaves it untyped
    found = extract_from_dir(ROOT, methods, options, keywords=KEYWORDS)
    return {text for _, _, text, _, _ in found}


def forms(string: str | Sequence[str] | None) -> tuple[str, ...]:
    """The forms of a text, singular first; of a text that does not count only one."""
    return (string or "",) if isinstance(string, str | None) else tuple(string)
