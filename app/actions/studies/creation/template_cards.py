"""What the page of study templates says about each template: questions, kinds of design, needs, minutes, contrasts.

`study_templates/cards.json` holds it, so that the page does not read and validate 26 protocols. A test compares it
with the templates; `python -m tests.actions.studies.creation.describe_templates --write` writes it again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from app.exchange.folder.study_templates import FOLDER, Template, list_templates

if TYPE_CHECKING:
    from collections.abc import Iterable

CARDS = FOLDER / "cards.json"
# The kinds of design that the list can be narrowed to, with the words of the filter.
KINDS = {
    "pairs": "Two responses",
    "single": "One response",
    "set": "Ranking",
    "dialogue": "Conversations",
    "turns": "Turn by turn",
    "texts": "Texts without responses",
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
