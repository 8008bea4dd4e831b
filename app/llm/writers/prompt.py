"""A prompt file: what a model is asked so that it writes a response to each item of a study."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from app.base.files.encoding import text_of
from app.base.files.yaml_tree import Tree, dotted, read_yaml
from app.base.problem import InvalidInputError, Problem
from app.base.problems import Problems
from app.base.words import allowed_in_words, found_in_words, or_list

_FIELD = re.compile(r"\{(\w[\w .-]*)\}")
# Fields that every item can fill; the others are attributes of the items.
OWN_FIELDS = ("situation", "profile", "words")
KEY = r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$"
MAX_TEXT = 100_000


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PromptExample(_Part):
    """An example of a situation and the response to it, shown before the item (few-shot)."""

    situation: str = Field(min_length=1, max_length=MAX_TEXT)
    response: str = Field(min_length=1, max_length=MAX_TEXT)
    fields: dict[str, str] = Field(default_factory=dict)
    """What other fields of `user` hold in this example."""


class PromptLength(_Part):
    """How long a response should be: a number of words, or as many as the response of a source to the same item."""

    words: int | None = Field(default=None, ge=1, le=10_000)
    match: str | None = None
    tolerance: float = Field(default=0.2, ge=0, le=1)
    """The share by which a response may be shorter or longer."""
    retries: int = Field(default=2, ge=0, le=10)
    """How often the model is asked for the same text in another length."""

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        if (self.words is None) == (self.match is None):
            raise ValueError("either words or match")
        return self

    def bounds(self, target: int) -> tuple[int, int]:
        """The smallest and largest number of words that are allowed.

        >>> PromptLength(words=100).bounds(100)
        (80, 120)
        """
        return max(1, round(target * (1 - self.tolerance))), round(target * (1 + self.tolerance))


class ModelPrompt(_Part):
    """The prompt. `steps` are said one after the other, each after the answer to the one before: a chain of steps.

    The answer to the last step, or to `user` if there are none, is the response.
    """

    name: str = Field(pattern=KEY, max_length=60)
    version: str = Field(default="1", pattern=KEY, max_length=30)
    system: str = Field(default="", max_length=MAX_TEXT)
    examples: tuple[PromptExample, ...] = ()
    user: str = Field(default="{situation}", min_length=1, max_length=MAX_TEXT)
    steps: tuple[str, ...] = ()
    speaker: str | None = Field(default=None, min_length=1, max_length=200)
    """Whose part the model takes in dialogues: their earlier turns are given as its own."""
    length: PromptLength | None = None

    @property
    def n_stages(self) -> int:
        """The number of requests for one response, without repairs and further lengths."""
        return 1 + len(self.steps)

    def used_fields(self) -> Iterator[tuple[str, str]]:
        """Each place of the file with a field that it uses."""
        places = [("system", self.system), ("user", self.user)]
        places += [(f"steps.{number + 1}", step) for number, step in enumerate(self.steps)]
        for place, template in places:
            for name in fields_of(template):
                yield place, name


def fields_of(template: str) -> list[str]:
    """The fields of a text, each once.

    >>> fields_of("Reply to {name}: {situation} {name}")
    ['name', 'situation']
    """
    return list(dict.fromkeys(_FIELD.findall(template)))


def filled(template: str, values: Mapping[str, str]) -> str:
    """A text with its fields filled in; what is filled in is not searched for fields again.

    >>> filled("{a} and {b}", {"a": "{b}", "b": "2"})
    '{b} and 2'
    """
    return _FIELD.sub(lambda match: values[match[1]], template)


# Read a prompt file into a ModelPrompt, or into problems with line numbers.

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
    text = text_of(data, file)
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
