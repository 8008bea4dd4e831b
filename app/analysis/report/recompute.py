"""Recompute an estimate from its recipe: with the same data and software it is exactly the same."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from app.analysis import analyze
from app.analysis.data.frames import Frames
from app.analysis.data.report_filters import Filters
from app.analysis.estimate import Estimate
from app.protocol.study import Protocol

# The fields that identify an estimate; all others are results.
IDENTITY = ("section", "question", "scope", "statistic", "unit", "method")
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Again:
    """The recomputed estimate, if there is one, and how it differs from the record, one sentence per difference."""

    estimate: Estimate | None
    differences: tuple[str, ...]


def again(frames: Frames, protocol: Protocol, record: Mapping[str, Any]) -> Again:
    """Recompute the estimate of a record of `report.json` from the given data.

    Raises:
        ValueError: the record is not from `report.json`.
    """
    recipe = record.get("recipe")
    if not isinstance(recipe, dict) or any(name not in record for name in IDENTITY):
        raise ValueError("a record of report.json, which has a section, a statistic, a scope, a method and a recipe")
    filters = Filters.of_document(recipe.get("filters", {}))
    report = analyze(frames, protocol, full=bool(recipe.get("full")), filters=filters)
    wanted = [record[key] for key in IDENTITY]
    of_record = ((estimate, estimate.as_record()) for estimate in report.estimates)
    same = [estimate for estimate, fields in of_record if [fields[key] for key in IDENTITY] == wanted]
    found = next((estimate for estimate in same if estimate.recipe["seed"] == recipe.get("seed")), None)
    if found is None:
        now = report.estimates[0].recipe if report.estimates else {}
        why = [line for line in _between("recipe", recipe, now) if line.startswith(("data", "software"))]
        return Again(None, ("these data do not give this estimate", *why))
    made = found.as_record()
    return Again(found, tuple(line for name in made for line in _between(name, record.get(name), made[name])))


def _between(name: str, before: object, now: object) -> Iterator[str]:
    """Yield the difference between two values; recipes are compared part by part."""
    if isinstance(before, dict) and isinstance(now, dict) and name == "recipe":
        for part in now:
            yield from _between(part, before.get(part), now[part])
    elif before != now:
        yield f"{name}: {before} in the record, {now} now"
