"""What a page shows in a cell: instruction, labels, profile, layout, turns and scale direction."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.base.language.language import language_of
from app.base.language.message import Message, message
from app.protocol.cells import cell_of
from app.protocol.conditions import Factor, Kind
from app.protocol.study import Protocol
from app.protocol.study_parts import swapped_source

UNKNOWN_LABEL = message("The author of this text is not shown.")
LABELS = {
    "human": message("Written by a person"),
    "model": message("Written by an AI"),
    "human+model": message("Written by a person with the help of an AI"),
}


@dataclass(frozen=True, slots=True)
class Presentation:
    """What a page shows in one cell.

    `label` is the level of the shown label. `layout` is None if the design's kind of trials applies. `source` is the
    only source whose responses are rated in this cell, or None for all.
    """

    instruction: str
    label: str
    profile_shown: bool
    layout: str | None
    turn_by_turn: bool
    scale_turned: bool
    source: str | None


def presentation(protocol: Protocol, condition: str) -> Presentation:
    """What a page of a trial shows in a cell of the design: label, profile, layout and instruction.

    Args:
        protocol: the study. What is not varied is taken from its design.
        condition: the text of the cell.
    """
    levels = _levels(protocol, condition)
    design = protocol.design
    factor, level = levels.get("instruction", (None, ""))
    return Presentation(
        instruction=factor.levels[level] if factor else "",
        label=_level(levels, "shown_label") or ("none" if design.blind else "true"),
        profile_shown=(_level(levels, "profile") or design.profile) == "shown",
        layout=_level(levels, "layout"),
        turn_by_turn=(_level(levels, "reveal") or design.reveal) == "turns",
        scale_turned=_level(levels, "scale_direction") == "turned",
        source=_level(levels, "source"),
    )


def shown_labels(protocol: Protocol, condition: str, sources: Sequence[str]) -> tuple[str | None, ...]:
    """The label shown to raters for the source of each response; None for no label.

    Args:
        protocol: the study.
        condition: the text of the cell.
        sources: the sources of the responses, in the order shown.
    """
    level = presentation(protocol, condition).label
    if level == "none":
        return (None,) * len(sources)
    if level == "unknown":
        return (language_of(protocol.language).say(UNKNOWN_LABEL),) * len(sources)
    if level == "swapped":
        factor, _ = _levels(protocol, condition)["shown_label"]
        sources = [swapped_source(protocol.sources, factor, source) or source for source in sources]
    return tuple(label_of(protocol, source) for source in sources)


def label_of(protocol: Protocol, source: str) -> str:
    """The true label of a source for raters, in the language of the study."""
    label = protocol.sources[source].shown_label or LABELS[protocol.sources[source].kind]
    return language_of(protocol.language).say(label) if isinstance(label, Message) else label


def _levels(protocol: Protocol, condition: str) -> dict[Kind, tuple[Factor, str]]:
    return {
        protocol.conditions[name].kind: (protocol.conditions[name], level) for name, level in cell_of(condition).levels
    }


def _level(levels: dict[Kind, tuple[Factor, str]], kind: Kind) -> str | None:
    return levels[kind][1] if kind in levels else None
