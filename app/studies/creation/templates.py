"""New studies from study templates, as folders that a lead edits."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from app.base.files.new_folder import new_folder
from app.base.files.yaml_tree import read_yaml
from app.base.problems import Problems
from app.protocol.study_parts import Slug
from app.studies.folder.study_templates import FOLDER, PROTOCOL, Template, list_templates, template_folder


class SlugError(ValueError):
    """The slug is not valid."""


def new_study(name: str, out: Path, slug: str, title: str) -> Path:
    """Write a template to a new folder, under another slug and title.

    Args:
        name: the template.
        out: the folder to write; it may exist if it is empty.
        slug: the new study's slug.
        title: the new study's title.

    Raises:
        TemplateMissingError: the template does not exist.
        SlugError: the slug is not valid.
        FolderExistsError: `out` is not an empty folder; nothing was written.
    """
    files = files_of(name, slug, title)
    with new_folder(out) as half:
        for file, content in files.items():
            (half / file).write_bytes(content)
    return out


def files_of(name: str, slug: str, title: str) -> dict[str, bytes]:
    """The files of a template by name, under another slug and title and otherwise unchanged.

    Raises:
        TemplateMissingError: the template does not exist.
        SlugError: the slug is not valid.
    """
    files = {file.name: file.read_bytes() for file in sorted(template_folder(name).iterdir())}
    try:
        TypeAdapter(Slug).validate_python(slug)
    except ValidationError as error:
        raise SlugError(
            f"{slug} is not a valid slug. Use lowercase letters, digits and hyphens, at most 64 characters."
        ) from error
    return files | {PROTOCOL: renamed(files[PROTOCOL].decode("utf-8"), slug, title).encode()}


def renamed(yaml: str, slug: str, title: str) -> str:
    r"""A protocol with another slug and title; comments and layout are kept.

    >>> renamed("attune: 1\nslug: old\ntitle: Old words\n", "new-one", "New: words")
    'attune: 1\nslug: new-one\ntitle: "New: words"\n'
    """
    with_slug = re.sub(r"^slug: .*$", f"slug: {slug}", yaml, count=1, flags=re.MULTILINE)
    quoted = json.dumps(title, ensure_ascii=False)
    return re.sub(r"^title: .*$", lambda _: f"title: {quoted}", with_slug, count=1, flags=re.MULTILINE)


# What the page of study templates says about each template: questions, kinds of design, needs, minutes, contrasts.
#
# `study_templates/cards.json` holds it, so that the page does not read and validate 26 protocols. A test compares it
# with the templates; `python -m tests.studies.creation.describe_templates --write` writes it again.

CARDS = FOLDER / "cards.json"
# The kinds of design that the list can be narrowed to, with the words of the filter.
KINDS = {
    "pairs": "Two responses",
    "single": "One response",
    "set": "Ranking",
    "dialogue": "Conversations",
    "turns": "Turn by turn",
    "texts": "Texts without responses",
    "conversation": "Raters have conversations",
    "draft": "Raters write responses",
    "experiment": "Experiments",
    "key": "Answer key",
    "pools": "Groups of raters",
}


# What most studies are for: the first choices on the page, each with its goal.
FIRST = {
    "ayers-pair": "Compare two responses",
    "four-dimensions": "Rate one response at a time",
    "perceived-empathy": "Rate whole conversations",
}


@dataclass(frozen=True, slots=True)
class TemplateCard:
    """One template: its own title, what it is for, whose design it follows, and what a study like it takes.

    `minutes` is the time that its consent form names. `kinds` are keys of `KINDS`.
    """

    name: str
    title: str
    purpose: str
    source: str
    kinds: tuple[str, ...]
    questions: tuple[str, ...]
    needs: str
    raters: str
    minutes: int
    primary: tuple[str, ...]

    def matches(self, words: str) -> bool:
        """Whether each of the words occurs in what the card says."""
        labels = (KINDS[kind] for kind in self.kinds)
        said = " ".join((self.name, self.title, self.purpose, self.source, *self.questions, *labels)).casefold()
        return all(word in said for word in words.casefold().split())


@cache
def template_cards() -> tuple[TemplateCard, ...]:
    """The card of every template, in the order of the index."""
    described = json.loads(CARDS.read_text(encoding="utf-8"))
    return tuple(_card(template, described[template.name]) for template in list_templates())


def _card(template: Template, described: dict[str, Any]) -> TemplateCard:
    facts: dict[str, Any] = {
        field: tuple(value) if isinstance(value, list) else value for field, value in described.items()
    }
    return TemplateCard(name=template.name, purpose=template.purpose, source=template.source, **facts)


def template_card(name: str) -> TemplateCard | None:
    """The card of one template; None if there is no such template."""
    return next((card for card in template_cards() if card.name == name), None)


def first_cards() -> list[tuple[TemplateCard, str]]:
    """The templates that most studies start from, each with its goal."""
    return [(card, FIRST[card.name]) for card in template_cards() if card.name in FIRST]


def find_cards(words: str, kind: str) -> list[TemplateCard]:
    """The cards of one kind that contain all words; every card if nothing is asked for."""
    return [card for card in template_cards() if card.matches(words) and (kind in card.kinds or kind not in KINDS)]


def kinds_in_use(cards: Iterable[TemplateCard]) -> dict[str, int]:
    """How many of the cards are of each kind, in the order of the filter."""
    used = [kind for card in cards for kind in card.kinds]
    return {kind: used.count(kind) for kind in KINDS if kind in used}


# The questions of every study template, which leads can add to a study one by one.


@dataclass(frozen=True, slots=True)
class TemplateQuestions:
    """A template with its questions, as written in its study.yaml."""

    name: str
    purpose: str
    questions: tuple[dict[str, Any], ...]


@cache
def template_questions() -> tuple[TemplateQuestions, ...]:
    """Every template, in the order of the index."""
    return tuple(
        TemplateQuestions(template.name, template.purpose, _questions(template.name)) for template in list_templates()
    )


def template_question(name: str, key: str) -> dict[str, Any] | None:
    """One question of a template; None if it does not exist."""
    found = (one for template in template_questions() if template.name == name for one in template.questions)
    question = next((one for one in found if one["key"] == key), None)
    # The conditions of the template's study do not exist in this one.
    return {field: value for field, value in question.items() if field != "condition"} if question else None


def _questions(name: str) -> tuple[dict[str, Any], ...]:
    text = (template_folder(name) / PROTOCOL).read_text(encoding="utf-8")
    tree = read_yaml(PROTOCOL, text, Problems())
    return tuple(tree.data["questions"]) if tree else ()
