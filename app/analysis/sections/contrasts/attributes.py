"""Effects of attributes of the sources, such as reasoning, family or prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.analysis.data.questions.scopes import groups
from app.stats.factors.source_attributes import attribute_effect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from app.analysis.data.questions.question_data import ScaledData
    from app.analysis.estimate import Estimate
    from app.design.protocol.study import Protocol

SECTION = "contrast"
MAX_LEVELS = 6
_TWO, _THREE = 2, 3


def attributes(data: ScaledData, protocol: Protocol) -> Iterator[Estimate]:
    """Yield each level of each attribute that groups the sources against its first level, for human raters."""
    answers = groups(data.codes)[0].of(data.answers)
    for name, level_of in attributes_of(protocol).items():
        declared = protocol.attributes.get(name)
        levels = reference_first(dict.fromkeys(level_of.values()), declared.reference_level if declared else None)
        of_source = [level_of.get(source) for source in data.codes.sources]
        at = np.array([-1 if level is None else levels.index(level) for level in of_source])[answers.source]
        at = np.where(answers.source >= 0, at, -1)
        for other in range(1, len(levels)):
            here = (at == 0) | (at == other)
            part = answers.select(here)
            found = attribute_effect(part.value, at[here] == other, part.source, **part.where)
            scope = {"attribute": name, "level": levels[other], "reference_level": levels[0]}
            yield data.record(found, part, section=SECTION, scope=scope, statistic="attribute_effect", unit="rating")


def reference_first(levels: Iterable[str], reference: str | None) -> list[str]:
    """Return the levels with the declared reference before the others, which keep their order.

    >>> reference_first(["gpt", "llama", "human"], "human"), reference_first(["gpt", "llama"], None)
    (['human', 'gpt', 'llama'], ['gpt', 'llama'])
    """
    return sorted(levels, key=lambda level: level != reference)


def attributes_of(protocol: Protocol) -> dict[str, dict[str, str]]:
    """Return the level of each source, for each attribute that groups sources.

    An attribute with one level, or with a different level for every source, adds no comparison to those of sources.
    """
    found: dict[str, dict[str, str]] = {}
    for key, source in protocol.sources.items():
        for name, value in source.attributes.items():
            if isinstance(value, str | int | float | bool):
                found.setdefault(name, {})[key] = str(value)
    return {
        name: levels
        for name, levels in found.items()
        if len(levels) >= _THREE and _TWO <= len(set(levels.values())) <= min(MAX_LEVELS, len(levels) - 1)
    }
