"""A figure got again by its recipe: the same data, the same software, the same digits; or what differs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.analysis import analyze

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from app.analysis.data.frames import Frames
    from app.analysis.report.estimate import Figure
    from app.design.protocol.study import Protocol

# what a figure is of; all else is what was found
IDENTITY = ("section", "question", "scope", "statistic", "unit", "method")
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Again:
    """The figure as it comes out now, if it does, and how it differs from the record, a sentence each."""

    figure: Figure | None
    differences: tuple[str, ...]


def again(frames: Frames, protocol: Protocol, record: Mapping[str, Any]) -> Again:
    """The figure of a record of `report.json`, computed again from these data.

    Raises:
        ValueError: it is no such record.
    """
    recipe = record.get("recipe")
    if not isinstance(recipe, dict) or any(name not in record for name in IDENTITY):
        raise ValueError("a record of report.json, which has a section, a statistic, a scope, a method and a recipe")
    report = analyze(frames, protocol, full=bool(recipe.get("full")))
    same = [figure for figure in report.figures if all(getattr(figure, key) == record[key] for key in IDENTITY)]
    found = next((figure for figure in same if figure.recipe["seed"] == recipe.get("seed")), None)
    if found is None:
        now = report.figures[0].recipe if report.figures else {}
        why = [line for line in _between("recipe", recipe, now) if line.startswith(("data", "software"))]
        return Again(None, ("these data give no such figure", *why))
    made = found.as_record()
    return Again(found, tuple(line for name in made for line in _between(name, record.get(name), made[name])))


def _between(name: str, before: object, now: object) -> Iterator[str]:
    """Where two values differ; of recipes, part by part."""
    if isinstance(before, dict) and isinstance(now, dict) and name == "recipe":
        for part in now:
            yield from _between(part, before.get(part), now[part])
    elif before != now:
        yield f"{name}: {before} in the record, {now} now"
