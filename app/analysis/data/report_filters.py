"""Filters that restrict which answers a report uses; shown in recipes, sentences and downloads."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, Self

from app.base.words import readable
from app.protocol.labels import Labels

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Filters:
    """The answers to keep; empty parts keep everything. `items` and `raters` are pairs of attribute and value.

    `until` is the last day that is included, in UTC; it also leaves out answers without a time.
    """

    sources: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    pools: tuple[str, ...] = ()
    items: Pairs = ()
    raters: Pairs = ()
    until: date | None = None
    without_flagged: bool = False

    def __bool__(self) -> bool:
        """Return whether anything is filtered."""
        return any(getattr(self, field.name) for field in fields(self))

    def as_conditions(self) -> list[str]:
        """Return the filters as conditions on rows, for recipes.

        >>> Filters(sources=("a", "b"), raters=(("age", "30"),)).as_conditions()
        ['source in (a, b)', 'rater age = 30']
        """
        lists = (("source", self.sources), ("condition", self.conditions), ("pool", self.pools))
        found = [f"{name} in ({', '.join(values)})" for name, values in lists if values]
        found += [f"item {name} = {value}" for name, value in self.items]
        found += [f"rater {name} = {value}" for name, value in self.raters]
        found += ["rater is not flagged"] if self.without_flagged else []
        return [*found, f"rated_at <= {self.until.isoformat()}"] if self.until else found

    def as_options(self) -> list[str]:
        """Return the filters as options of `attune analyze`.

        >>> Filters(sources=("a", "b"), raters=(("age", "30"),), without_flagged=True).as_options()
        ['--source', 'a', '--source', 'b', '--rater', 'age:30', '--without-flagged']
        """
        lists = (("--source", self.sources), ("--condition", self.conditions), ("--pool", self.pools))
        found = [part for option, values in lists for value in values for part in (option, value)]
        for option, pairs in (("--item", self.items), ("--rater", self.raters)):
            found += [part for name, value in pairs for part in (option, f"{name}:{value}")]
        found += ["--until", self.until.isoformat()] if self.until else []
        return [*found, *(["--without-flagged"] if self.without_flagged else [])]

    def as_document(self) -> dict[str, Any]:
        """Return the filters in use as plain JSON types."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: _plain(value) for name, value in named.items() if value}

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> Self:
        """Return the filters that `as_document` described.

        >>> filters = Filters(sources=("a",), items=(("topic", "work"),), until=date(2026, 5, 1))
        >>> Filters.of_document(filters.as_document()) == filters
        True
        """
        return cls(
            sources=tuple(document.get("sources", ())),
            conditions=tuple(document.get("conditions", ())),
            pools=tuple(document.get("pools", ())),
            items=tuple((name, value) for name, value in document.get("items", ())),
            raters=tuple((name, value) for name, value in document.get("raters", ())),
            until=date.fromisoformat(document["until"]) if "until" in document else None,
            without_flagged=bool(document.get("without_flagged")),
        )

    def in_words(self, labels: Labels) -> str:
        """Return the filters as text for people; empty without filters.

        >>> from app.protocol.labels import Labels
        >>> Filters(sources=("gpt_4",), without_flagged=True).in_words(Labels())
        'responses of GPT 4; without flagged raters'
        """
        return "; ".join(self._words(labels))

    def _words(self, labels: Labels) -> Iterator[str]:
        if self.sources:
            yield f"responses of {', '.join(map(labels.source, self.sources))}"
        if self.conditions:
            yield f"condition {', '.join(map(labels.condition, self.conditions))}"
        if self.pools:
            yield f"raters of {', '.join(map(labels.pool, self.pools))}"
        for kind, pairs in (("items", self.items), ("raters", self.raters)):
            yield from (
                f"{kind} with {labels.attributes.get(name) or readable(name)}: {value}" for name, value in pairs
            )
        if self.without_flagged:
            yield "without flagged raters"
        if self.until:
            yield f"ratings until {self.until.day} {self.until:%B %Y} (UTC)"


def _plain(value: Any) -> Any:  # noqa: ANN401 - a field of any type
    """Return a value as JSON gives it back: lists for tuples, and a day as text."""
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value.isoformat() if isinstance(value, date) else value


ALL = Filters()
