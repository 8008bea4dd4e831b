"""Read study.yaml into a Protocol, or into problems with line numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from app.design.broken_rule import BrokenRuleError, InconsistentPartsError
from app.design.protocol.study import Protocol
from app.design.questions.kinds.registry import KINDS
from app.design.validation_words import allowed_in_words, found_in_words
from app.design.word_lists import or_list
from app.exchange.protocol.known_keys import KnownKeys
from app.exchange.protocol.yaml_tree import Path, Tree, dotted, read_yaml
from app.exchange.tabular.encoding import not_text, open_text
from app.language.language import catalogue_of, catalogues

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_core import ErrorDetails

    from app.exchange.problems import Problems

FILE = "study.yaml"


def protocol_from_bytes(data: bytes, problems: Problems) -> tuple[Protocol | None, str]:
    """Return the protocol in the bytes of a study.yaml, and its text."""
    if (reason := not_text(data)) is not None:
        problems.add(FILE, None, None, reason, "text in UTF-8")
        return None, ""
    lines, line = open_text(data)
    if line is not None:
        found = "bytes that are not UTF-8"
        problems.note(FILE, line, None, found, "UTF-8; the file was read as Windows-1252")
    with lines:
        text = lines.read()
    return read_protocol(text, problems), text


def read_protocol(text: str, problems: Problems) -> Protocol | None:
    """Return the protocol in the text; None, with problems, if it is not valid."""
    tree = read_yaml(FILE, text, problems)
    return None if tree is None else protocol_of(tree, problems)


def protocol_of(tree: Tree, problems: Problems) -> Protocol | None:
    """Return the protocol with the values of a file; None, with problems, if they are not valid."""
    if not isinstance(tree.data, dict):
        problems.add(FILE, 1, None, "no keys", "attune, slug, title, sources, questions ...")
        return None
    data = KnownKeys(FILE, tree, problems).of(Protocol, tree.data)
    # A part that is named but empty (`design:`) is treated as missing.
    data = {key: value for key, value in data.items() if value is not None}
    try:
        protocol = Protocol.model_validate(data)
    except ValidationError as error:
        details = error.errors()
        for detail in details:
            if not _follows_from(detail, details):
                _add(detail, tree, problems)
        return None
    if catalogue_of(protocol.language) is None:
        allowed = f"{or_list(catalogues())} for the built-in texts, which are now in English; see docs/languages.md"
        problems.note(FILE, tree.line(("language",)), "language", protocol.language, allowed)
    return None if problems.of(FILE) else protocol


def _follows_from(detail: ErrorDetails, details: Sequence[ErrorDetails]) -> bool:
    """Whether a list is too short for pydantic only because its entries have problems of their own."""
    loc = detail["loc"]
    return detail["type"] == "too_short" and any(
        len(other["loc"]) > len(loc) and other["loc"][: len(loc)] == loc for other in details
    )


def _add(detail: ErrorDetails, tree: Tree, problems: Problems) -> None:
    """Add what pydantic or a validator found."""
    path: Path = ()
    for part in detail["loc"]:
        below: Path = (*path, part)
        path = below if below in tree.lines else path
    match detail.get("ctx", {}).get("error"):
        case BrokenRuleError() as broken:
            add_broken(broken, tree, problems, path)
        case InconsistentPartsError() as parts:
            for broken in parts.broken:
                add_broken(broken, tree, problems)
        case _:
            _add_value(detail, path, tree, problems)


def _add_value(detail: ErrorDetails, path: Path, tree: Tree, problems: Problems) -> None:
    """Add a value that is not allowed."""
    found = _found(tree.data, path)
    allowed = allowed_in_words(detail)
    match detail["type"]:
        case "missing":
            path, found = (*path, str(detail["loc"][-1])), "nothing"
        case "string_pattern_mismatch" if path == ("slug",):
            allowed = "lowercase letters, digits and hyphens between them, at most 64 characters"
        case "string_pattern_mismatch":
            found = str(path[-1]) if detail["loc"][-1] == "[key]" else found
            allowed = "text without leading or trailing spaces"
        case "union_tag_invalid":
            path, found, allowed = (*path, "type"), str(detail["ctx"]["tag"]), or_list(KINDS)
        case "union_tag_not_found":
            path, found, allowed = (*path, "type"), "nothing", or_list(KINDS)
    problems.add(FILE, tree.line(path), dotted(path), found, allowed)


def add_broken(broken: BrokenRuleError, tree: Tree, problems: Problems, path: Path = ()) -> None:
    """Add the problem of a part that breaks a rule. `path`: where the part is, if the error does not name it."""
    path = path or _nearest(broken.part, tree)
    found = _found(tree.data, path) if broken.found is None else broken.found
    problems.add(FILE, tree.line(path), dotted(path), found, broken.rule, is_rule=True)


def _nearest(part: str, tree: Tree) -> Path:
    """Return the path of a part, such as `analysis.primary.2.test`, as far as it is in the file."""
    path: Path = tuple(int(name) - 1 if name.isdecimal() else name for name in part.split("."))
    while path and path not in tree.lines:
        path = path[:-1]
    return path


def _found(data: Any, path: Path) -> str:  # noqa: ANN401 - any value of the file
    for part in path:
        data = data[part]
    return found_in_words(data)
