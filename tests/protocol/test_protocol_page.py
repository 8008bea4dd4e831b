"""docs/protocol.md explains every field of study.yaml, and shows each in a valid example."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel
from ruamel.yaml import YAML

from app.base.problems import Problems
from app.protocol.questions.registry import Question
from app.protocol.questions.scale import Scale
from app.protocol.study import Protocol
from app.protocol.study_parts import description_of
from app.protocol.yaml.study_yaml import read_protocol

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
PARTS = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
LOADED = [YAML(typ="safe").load(example) for example in EXAMPLES]
SAME_AS = {
    "flow.after": "flow.before",
    "waves.questionnaires": "flow.before",
    "draft.help_lines": "conversation.help_lines",
    "waves.completion": "completion.otherwise",
}


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401 - any type
    """Yield the models within a type such as `tuple[Blocks, ...] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel) and get_origin(annotation) is None:
        yield annotation
    for part in get_args(annotation):
        yield from models_in(part)


def fields_by_path(model: type[BaseModel], path: str = "") -> Iterator[tuple[str, set[str]]]:
    """Yield each part of study.yaml with its fields; all kinds of question are combined."""
    yield path or "study.yaml", set(model.model_fields)
    for name, field in model.model_fields.items():
        below = f"{path}.{name}".lstrip(".")
        if below == "questions":
            yield below, {key for kind in get_args(get_args(Question)[0]) for key in kind.model_fields}
        elif below not in SAME_AS:
            for part in models_in(field.annotation):
                if part is not Scale:
                    yield from fields_by_path(part, below)


FIELDS = dict(fields_by_path(Protocol))


def keys_in(data: Any, path: str) -> set[str]:  # noqa: ANN401 - an example
    """Return the keys that an example uses at a path, skipping names in mappings of models and indices of lists."""
    found = [data]
    for name in path.split(".") if path != "study.yaml" else ():
        found = [part for whole in found if isinstance(whole, dict) and name in whole for part in entries(whole[name])]
    return {key for part in found if isinstance(part, dict) for key in part}


def entries(data: Any) -> list[Any]:  # noqa: ANN401 - an example
    if isinstance(data, list):
        return data
    return [data, *data.values()] if isinstance(data, dict) else []


def test_protocol_page_covers_all_parts() -> None:
    assert {"study.yaml", "questions", "design.pools", "flow.practice.trials", "checks.gold"} <= set(FIELDS)
    assert set(PARTS) == set(FIELDS)


@pytest.mark.parametrize("path", FIELDS)
def test_protocol_page_explains_exactly_the_existing_fields(path: str) -> None:
    heads = re.findall(r"^- ((?:`\w+`(?:, )?)+):", PARTS[path], re.MULTILINE)
    assert {name for head in heads for name in re.findall(r"`(\w+)`", head)} == FIELDS[path]


def fields_described(model: type[BaseModel], path: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield part, field and description of every field that a form shows."""
    for name, field in model.model_fields.items():
        below = f"{path}.{name}".lstrip(".")
        if name not in {"attune", "type"}:
            yield path or "study.yaml", name, description_of(model, name)
        for part in models_in(field.annotation):
            if part is not Scale and below not in SAME_AS:
                yield from fields_described(part, below)


@pytest.mark.parametrize(("path", "name", "description"), sorted(set(fields_described(Protocol))))
def test_every_field_has_a_form_description(path: str, name: str, description: str) -> None:
    assert description


@pytest.mark.parametrize("path", [path for path in FIELDS if not path.startswith("questions")])
def test_page_says_of_each_field_what_its_description_says(path: str) -> None:
    """One text for forms and page; of questions, whose kinds differ, the page says it in common."""
    plain = re.sub(r"```.*?```", "", PARTS[path], flags=re.DOTALL)
    bullets = re.findall(r"^- ((?:`\w+`(?:, )?)+): (.*?)(?=^- |\n\n|\Z)", plain, re.MULTILINE | re.DOTALL)
    said = {name: " ".join(words.split()) for head, words in bullets for name in re.findall(r"`(\w+)`", head)}
    wanted = {name: text for part, name, text in fields_described(Protocol) if part == path}
    wanted = {name: " ".join(text.split()).removesuffix(".") for name, text in wanted.items()}
    assert {name: words for name, words in said.items() if name in wanted} == {
        name: text[:1].lower() + text[1:] for name, text in wanted.items()
    }


@pytest.mark.parametrize("path", FIELDS)
def test_every_field_appears_in_an_example(path: str) -> None:
    used = {key for example in LOADED for key in keys_in(example, path)}
    assert FIELDS[path] - used == set()


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_example_is_valid(number: int) -> None:
    missing = set(LOADED[0]) - set(LOADED[number])
    text = EXAMPLES[number] + "".join(part for part in top_level(EXAMPLES[0]) if part.split(":")[0] in missing)
    problems = Problems()
    assert read_protocol(text, problems) is not None, problems._problems
    assert not problems._problems
    assert not problems.notes


def top_level(yaml: str) -> list[str]:
    """Split a YAML text at its top-level keys."""
    return re.findall(r"^\w+:.*?(?=^\w+:|\Z)", yaml, re.MULTILINE | re.DOTALL)


def test_unknown_field_has_no_description() -> None:
    assert description_of(Protocol, "unknown") == ""


def all_models(model: type[BaseModel]) -> set[type[BaseModel]]:
    """Return a model and all models within its fields."""
    below = {part for field in model.model_fields.values() for part in models_in(field.annotation)}
    return {model}.union(*(all_models(part) for part in below))


def test_no_model_reads_its_source_when_it_is_imported() -> None:
    """It takes a tenth of a second of every command; `description_of` reads the source when a description is needed."""
    slow = [model.__name__ for model in all_models(Protocol) if model.model_config.get("use_attribute_docstrings")]
    assert slow == []
