"""Labels: what people read in place of the keys in files and code."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, field_validator

from app.base.problem import Broken, broken
from app.base.words import and_list, readable
from app.protocol.cells import cell_of
from app.protocol.questions.scale import Label


class Attribute(BaseModel):
    """Metadata about a column that no other part of the protocol describes."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    label: Label | None = None
    """The column's name on the lead's pages and in charts."""
    reference_level: str | None = None
    """The level that the other levels are compared with; default: of sources the first one in study.yaml, of a conjoint
    design the first one in alphabetical order.
    """

    @field_validator("reference_level", mode="before")
    @classmethod
    def _as_text(cls, level: Any) -> Any:  # noqa: ANN401 - whatever the lead wrote
        return str(level) if isinstance(level, bool | int | float) else level


class ItemNouns(NamedTuple):
    """What one and several items of a study are called in sentences about results, in English and in German."""

    one: str
    several: str
    german: tuple[str, str]


ITEMS = ItemNouns("item", "items", ("Item", "Items"))
# What raters write is analysed as items of their own: each is what one rater, or two, wrote.
WRITTEN = {
    "conversation": ItemNouns("conversation", "conversations", ("Gespräch", "Gespräche")),
    "draft": ItemNouns("text", "texts", ("Text", "Texte")),
}


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of a study, by key. For a key without a label, a readable one is made from the key."""

    sources: Mapping[str, str] = field(default_factory=dict)
    questions: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    factors: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    pools: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)
    items: ItemNouns = ITEMS

    def source(self, key: str) -> str:
        """The label of a source."""
        return self.sources.get(key) or readable(key)

    def question(self, key: str, code: str | None = None) -> str:
        """The label of a question or composite; both labels for one code of a question."""
        if code is not None:
            return f"{self.question(key)}: {self.codes[key].get(code) or readable(code)}"
        return self.questions.get(key) or readable(key)

    def pool(self, key: str) -> str:
        """The label of a pool."""
        return self.pools.get(key) or readable(key)

    def column(self, name: str) -> str:
        """The label of a column: an attribute, a score, or the answers to a question."""
        return self.attributes.get(name) or self.question(name)

    def condition(self, text: str) -> str:
        """A cell, or a part of one, written with labels.

        >>> Labels(levels={"told": {"other": "The other person"}}).condition("label=true; told=other")
        'Label: true; Told: The other person'
        """
        levels = cell_of(text).levels if "=" in text else ()
        parts = (f"{self.factors.get(name) or readable(name)}: {self.level(name, level)}" for name, level in levels)
        return "; ".join(parts) or text

    def level(self, factor: str, level: str) -> str:
        """The label of a level; without one, the level itself with underscores replaced by spaces."""
        return self.levels.get(factor, {}).get(level) or level.replace("_", " ")


def unique(declared: Mapping[str, str | None]) -> dict[str, str]:
    """Declared labels or else readable keys; the key itself if another label reads the same."""
    found = {key: label or readable(key) for key, label in declared.items()}
    counts = Counter(label.casefold() for label in found.values())
    return {key: label if declared[key] or counts[label.casefold()] == 1 else key for key, label in found.items()}


def same_labels(part: str, labels: Sequence[str | None]) -> Broken:
    """A sentence if labels of the same kind are used twice, ignoring case."""
    given = [label for label in labels if label]
    counts = Counter(label.casefold() for label in given)
    if twice := sorted({label for label in given if counts[label.casefold()] > 1}):
        yield broken(part, "must have different labels", f"{and_list(twice)} more than once")
