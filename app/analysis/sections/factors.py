"""Effects of the factors of the design, overall and per source: a label, an instruction, a profile shown."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from app.analysis.data.encoded_study import Ints
from app.analysis.data.question_data import ScaledData
from app.analysis.data.scopes import groups
from app.analysis.data.splits import Split
from app.analysis.estimate import Estimate, Scope
from app.analysis.statistic import Bounds, Column, PageTable, Recorded, Statistic, declare
from app.protocol.cells import cell_of
from app.protocol.conditions import Factor
from app.protocol.study import Protocol
from app.stats.clusters import METHOD
from app.stats.factors import attribute_effect, factor_effect
from app.stats.result import undefined

# Effects of attributes of the sources, such as reasoning, family or prompt.

MAX_LEVELS = 6
_TWO, _THREE = 2, 3

declare(
    Statistic(
        "factor_effect",
        "Effect of the factor",
        "points",
        docs="contrasts",
        no_difference=0.0,
        bounds=Bounds(times=1),
        tests={"factor_effect": Recorded(keys=("factor", "level", "reference_level"))},
    ),
    Statistic(
        "attribute_effect",
        "Effect of an attribute of the sources",
        "points",
        docs="contrasts",
        no_difference=0.0,
        bounds=Bounds(times=1),
        tests={"attribute_effect": Recorded(keys=("attribute", "level", "reference_level"))},
    ),
)
EFFECTS = PageTable("Effect of each factor, with 95% CIs", (Column("Effect", ("factor_effect",)),))


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
            scope: Scope = {"attribute": name, "level": levels[other], "reference_level": levels[0]}
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


SECTION = "contrast"


def factors(data: ScaledData, splits: Sequence[Split], declared: Mapping[str, Factor]) -> Iterator[Estimate]:
    """Yield each level of each factor against its first level, for human raters, and records for unrated levels."""
    if data.question.target == "rater":
        return
    for split in splits:
        for name, names in named_factors(split, splits):
            yield from _levels(data, split, name, names, declared)
    for name, factor in declared.items():
        yield from _unrated(data, name, factor)


def _unrated(data: ScaledData, name: str, factor: Factor) -> Iterator[Estimate]:
    """Yield a record for each declared level without ratings."""
    answers = groups(data.codes)[0].of(data.answers)
    cells = data.codes.kept["condition"].iloc[answers.row].dropna().unique()
    seen = {cell_of(str(cell)).level(name) for cell in cells} - {None}
    rated = [level for level in reference_first(factor.levels, factor.reference_level) if level in seen]
    for level in factor.levels if rated else ():
        if level not in seen:
            scope: Scope = {"factor": name, "level": level, "reference_level": rated[0]}
            found = undefined("no_pairable_units", f"There are no ratings at level {level} of {name}.", method=METHOD)
            nothing = answers.select(np.zeros(len(answers.value), dtype=bool))
            yield data.record(found, nothing, section=SECTION, scope=scope, statistic="factor_effect", unit="rating")


def named_factors(split: Split, splits: Sequence[Split]) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of the factor and its levels; nothing for whole cells if their factors are split separately."""
    has_factors = any(other.kind == "condition" and other.name != "condition" for other in splits)
    if split.kind == "condition" and split.name == "condition" and has_factors:
        return
    if split.of_factor:
        yield split.of_factor[0][0], [level for _, level in split.of_factor]
    else:
        yield split.name, list(split.levels)


def in_declared_order(present: Ints, names: Sequence[str], factor: Factor | None) -> list[int]:
    """Return the levels in the order of the protocol; the first is the reference unless another one is declared.

    Args:
        present: numbers of the levels, may repeat.
        names: names of all levels, by number.
        factor: as declared; None if it is not declared as a condition, in which case levels are in alphabetical order.
    """
    found: list[int] = np.unique(present).tolist()
    declared = reference_first(factor.levels, factor.reference_level) if factor is not None else []
    return sorted(found, key=lambda level: declared.index(names[level]) if names[level] in declared else level)


def _levels(
    data: ScaledData, split: Split, factor: str, names: list[str], declared: Mapping[str, Factor]
) -> Iterator[Estimate]:
    answers = groups(data.codes)[0].of(data.answers)
    code = split.of(answers)
    present = in_declared_order(code[code >= 0], names, declared.get(factor))
    for level in present[1:]:
        here = np.isin(code, [present[0], level])
        both, at_level = answers.select(here), code[here] == level
        compared: Scope = {"factor": factor, "level": names[level], "reference_level": names[present[0]]}
        for source in (None, *data.sources):
            mine = np.ones(len(both.value), bool) if source is None else both.source == data.code_of(source)
            part, scope = both.select(mine), compared if source is None else {**compared, "source": source}
            found = factor_effect(part.value, at_level[mine], **part.where)
            yield data.record(found, part, section=SECTION, scope=scope, statistic="factor_effect", unit="rating")
