"""study.yaml to a Protocol, or to faults that name the line."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel, ValidationError

from app.design.composite import Composite
from app.design.protocol import Analysis, Completion, Design, Protocol
from app.design.question import Question
from app.exchange.encoding import not_text, open_text
from app.exchange.faults import listed
from app.exchange.yaml_tree import Path, Tree, dotted, read_yaml

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pydantic_core import ErrorDetails

    from app.exchange.faults import Faults

FILE = "study.yaml"
_QUESTIONS: dict[str, type[BaseModel]] = {
    get_args(model.model_fields["type"].annotation)[0]: model for model in get_args(get_args(Question)[0])
}
_PARTS: dict[str, type[BaseModel]] = {"design": Design, "analysis": Analysis, "completion": Completion}
# How alike a key must be to one that is known to count as a slip: `raters_per_trail`, not `notes`.
_ALIKE = 0.75


def protocol_from_bytes(data: bytes, faults: Faults) -> tuple[Protocol | None, str]:
    """The protocol in the bytes of a study.yaml, and its text."""
    if (reason := not_text(data)) is not None:
        faults.add(FILE, None, None, reason, "text in UTF-8")
        return None, ""
    lines, utf8 = open_text(data)
    if not utf8:
        faults.note(FILE, None, None, "bytes that are not UTF-8", "UTF-8; the file was read as Windows-1252")
    with lines:
        text = lines.read()
    return read_protocol(text, faults), text


def read_protocol(text: str, faults: Faults) -> Protocol | None:
    """The protocol that the text says; None, and faults, where it is none."""
    tree = read_yaml(FILE, text, faults)
    if tree is None:
        return None
    if not isinstance(tree.data, dict):
        faults.add(FILE, 1, None, "no keys", "attune, slug, title, sources, questions ...")
        return None
    data = _known(tree.data, (), Protocol.model_fields, tree, faults)
    for name, model in _PARTS.items():
        if isinstance(data.get(name), dict):
            data[name] = _known(data[name], (name,), model.model_fields, tree, faults)
    data["analysis"] = _known_composites(data.get("analysis"), tree, faults)
    data["questions"] = _known_questions(data.get("questions"), tree, faults)
    # A part that is named and left empty (`design:`) is as good as not named.
    data = {key: value for key, value in data.items() if value is not None}
    try:
        protocol = Protocol.model_validate(data)
    except ValidationError as error:
        for detail in error.errors():
            _add(detail, tree, faults)
        return None
    return None if faults.of(FILE) else protocol


def _known_composites(analysis: Any, tree: Tree, faults: Faults) -> Any:  # noqa: ANN401 - whatever is written
    if not isinstance(analysis, dict) or not isinstance(analysis.get("composites"), dict):
        return analysis
    known = {
        name: _known(parts, ("analysis", "composites", name), Composite.model_fields, tree, faults)
        if isinstance(parts, dict)
        else parts
        for name, parts in analysis["composites"].items()
    }
    return {**analysis, "composites": known}


def _known_questions(questions: Any, tree: Tree, faults: Faults) -> Any:  # noqa: ANN401 - whatever is written
    if not isinstance(questions, list):
        return questions
    all_fields = {name for model in _QUESTIONS.values() for name in _names(model)}
    return [
        _known(
            question,
            ("questions", number),
            _names(_QUESTIONS.get(question.get("type", ""))) or all_fields,
            tree,
            faults,
        )
        if isinstance(question, dict)
        else question
        for number, question in enumerate(questions)
    ]


def _names(model: type[BaseModel] | None) -> set[str]:
    if model is None:
        return set()
    return set(model.model_fields) | ({"options"} if "codes" in model.model_fields else set())


def _known(values: Mapping[str, Any], path: Path, names: Collection[str], tree: Tree, faults: Faults) -> dict[str, Any]:
    for key in values:
        if key in names:
            continue
        line, column = tree.line((*path, key)), dotted((*path, key))
        meant = get_close_matches(key, names, n=1, cutoff=_ALIKE)
        if meant:
            faults.add(FILE, line, column, key, f"{meant[0]}, which was probably meant")
        else:
            faults.note(FILE, line, column, key, f"{listed(sorted(names), 30)}; the key was ignored")
    return {key: value for key, value in values.items() if key in names}


def _add(detail: ErrorDetails, tree: Tree, faults: Faults) -> None:
    path: Path = ()
    for part in detail["loc"]:
        below: Path = (*path, part)
        path = below if below in tree.lines else path
    column = dotted(path)
    found = _found(tree.data, path)
    context = detail.get("ctx", {})
    match detail["type"]:
        case "missing":
            name = str(detail["loc"][-1])
            faults.add(FILE, tree.line(path), dotted((*path, name)), "nothing", "a value, it is required")
        case "string_pattern_mismatch" if path == ("slug",):
            faults.add(FILE, tree.line(path), column, found, "a to z, 0 to 9 and inner hyphens, up to 64 characters")
        case "string_pattern_mismatch":
            faults.add(FILE, tree.line(path), column, found, "text without spaces around it")
        case "literal_error":
            faults.add(FILE, tree.line(path), column, found, str(context["expected"]).replace("'", ""))
        case "union_tag_invalid":
            path = (*path, "type")
            faults.add(FILE, tree.line(path), dotted(path), str(context["tag"]), listed(_QUESTIONS))
        case "union_tag_not_found":
            faults.add(FILE, tree.line(path), dotted((*path, "type")), "nothing", listed(_QUESTIONS))
        case _:
            message = detail["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
            _add_sentence(message, path, found, tree, faults)


def _add_sentence(message: str, path: Path, found: str, tree: Tree, faults: Faults) -> None:
    """A validator's own words, "what is allowed, found what"; where it looks across parts they begin with the part."""
    allowed, _, named = message.partition(", found ")
    part = tuple(allowed.split(" ", 1)[0].split("."))
    path = part if not path and part in tree.lines else path
    faults.add(FILE, tree.line(path), dotted(path), named or found, allowed)


def _found(data: Any, path: Path) -> str:  # noqa: ANN401 - whatever is written
    for part in path:
        data = data[part]
    if isinstance(data, dict):
        return listed(data)
    return "nothing" if data is None else str(data)
