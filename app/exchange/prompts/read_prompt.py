"""Read a prompt file into a ModelPrompt, or into problems with line numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from app.design.model_runs.model_prompt import OWN_FIELDS, ModelPrompt, fields_of
from app.design.problem import InvalidInputError, Problem
from app.design.validation_words import allowed_in_words, found_in_words
from app.design.word_lists import or_list
from app.exchange.problems import Problems
from app.exchange.protocol.yaml_tree import dotted, read_yaml
from app.exchange.tabular.encoding import not_text, open_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pydantic_core import ErrorDetails

    from app.exchange.protocol.yaml_tree import Tree

_TWO = 2
_ALLOWED = {
    "extra_forbidden": f"one of the keys {or_list(ModelPrompt.model_fields)}; examples have situation, response and "
    "fields, length has words, match, tolerance and retries",
    "string_pattern_mismatch": "letters, digits, hyphens, points and underscores",
}


def read_prompt(data: bytes, file: str) -> tuple[ModelPrompt, str]:
    """The prompt in the bytes of a prompt file, and its text.

    Raises:
        InvalidInputError: every problem of the file.
    """
    problems = Problems()
    if (reason := not_text(data)) is not None:
        raise InvalidInputError([Problem(file, None, None, reason, "text in UTF-8")])
    lines, _ = open_text(data)
    with lines:
        text = lines.read()
    tree = read_yaml(file, text, problems)
    problems.raise_if_any()
    if tree is None or not isinstance(tree.data, dict):
        raise InvalidInputError([Problem(file, 1, None, "no keys", or_list(ModelPrompt.model_fields))])
    try:
        prompt = ModelPrompt.model_validate({key: value for key, value in tree.data.items() if value is not None})
    except ValidationError as error:
        raise InvalidInputError([_problem(file, tree, detail) for detail in error.errors()]) from None
    _check_examples(prompt, tree, file, problems)
    problems.raise_if_any()
    return prompt, text


def _check_examples(prompt: ModelPrompt, tree: Tree, file: str, problems: Problems) -> None:
    """Add a problem for each field of `user` that an example does not fill."""
    for number, example in enumerate(prompt.examples):
        known = {"situation", *example.fields}
        for name in fields_of(prompt.user):
            if name not in known:
                place = f"examples.{number + 1}.fields"
                problems.add(file, tree.line(("examples", number)), place, f"no {name}", "every field of user")


def _problem(file: str, tree: Tree, detail: ErrorDetails) -> Problem:
    path = tuple(detail["loc"])
    found = "nothing" if detail["type"] == "missing" else found_in_words(detail["input"])
    allowed = _ALLOWED.get(detail["type"]) or allowed_in_words(detail)
    return Problem(file, tree.line(path), dotted(path), found, allowed)


def check_prompt(prompt: ModelPrompt, file: str, attributes: Collection[str], sources: Collection[str]) -> None:
    """Make sure that a study can fill the fields of a prompt.

    Raises:
        InvalidInputError: a field is no field, or the source whose length is matched is no source.
    """
    known = [*OWN_FIELDS, *attributes]
    problems = [
        Problem(file, None, place, f"{{{name}}}", f"a field that every item of the study fills: {or_list(known, 30)}")
        for place, name in prompt.used_fields()
        if name not in known
    ]
    length = prompt.length
    problems += [
        Problem(file, None, place, "{words}", "a prompt with a length")
        for place, name in prompt.used_fields()
        if name == "words" and length is None
    ]
    if length and length.match is not None and length.match not in sources:
        problems.append(Problem(file, None, "length.match", length.match, f"a source: {or_list(sources)}"))
    if problems:
        raise InvalidInputError(problems)


def check_speaker(prompt: ModelPrompt, file: str, dialogues: Sequence[Collection[str]]) -> None:
    """Make sure that it is known whose part a model takes in each dialogue.

    Args:
        prompt: the prompt.
        file: its name.
        dialogues: the names of the speakers of each dialogue.

    Raises:
        InvalidInputError: no dialogue has the speaker, or a dialogue of three or more leaves it open.
    """
    known = sorted(set().union(*dialogues))
    many = next((names for names in dialogues if len(names) > _TWO), None)
    if prompt.speaker is not None and prompt.speaker not in known:
        allowed = or_list(known) if known else "no such key, because no item is a dialogue"
        raise InvalidInputError([Problem(file, None, "speaker", prompt.speaker, allowed)])
    if prompt.speaker is None and many is not None:
        found = f"a dialogue of {len(many)} speakers"
        raise InvalidInputError(
            [Problem(file, None, "speaker", found, f"whose part the model takes: {or_list(known)}")]
        )
