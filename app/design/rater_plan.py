"""One rater's plan: in which order their trials come, in which blocks, and what is repeated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.design.allocation import blocked
from app.design.latin import balanced_order
from app.design.repeats import Showing, has_room_for_repeats, with_repeats

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from app.design.cells import Cell
    from app.design.protocol import Protocol


@dataclass(frozen=True, slots=True)
class OwnTrial:
    """A trial of one rater, as the order needs it: its cell, and its block where items come in blocks."""

    cell: Cell
    block: str = ""


def plan_rater(protocol: Protocol, trials: Sequence[OwnTrial], rater_number: int, rng: Random) -> list[Showing]:
    """A rater's trials in the order in which they are shown, with hidden repeats.

    Args:
        protocol: the study. A design that repeats needs room, see `repeats.has_room_for_repeats`; where a rater has
            too few trials for that, nothing is repeated.
        trials: of this rater, in the study's order.
        rater_number: how many raters of the same cell between raters came before, from 0.
        rng: of this rater.
    """
    order = _order(protocol, len(trials), rater_number, rng)
    for name, factor in protocol.conditions.items():
        if factor.blocks:
            places = blocked([trials[trial].cell for trial in order], name, list(factor.levels), rater_number)
            order = [order[place] for place in places]
    if protocol.design.blocks and protocol.design.blocks.column:
        order = _in_blocks(order, [trial.block for trial in trials], rater_number)
    repeats = protocol.design.repeats
    if repeats and not has_room_for_repeats(len(order), repeats):
        repeats = None
    return [
        Showing(order[showing.trial], showing.repeat, showing.is_swapped)
        for showing in with_repeats(len(order), repeats, rng)
    ]


def _order(protocol: Protocol, n: int, rater_number: int, rng: Random) -> list[int]:
    match protocol.design.order:
        case "latin_square":
            return list(balanced_order(n, rater_number)) if n else []
        case "fixed":
            return list(range(n))
        case _:
            return rng.sample(range(n), n)


def _in_blocks(order: Sequence[int], blocks: Sequence[str], rater_number: int) -> list[int]:
    names = list(dict.fromkeys(blocks))
    if not names:
        return []
    rank = {names[name]: place for place, name in enumerate(balanced_order(len(names), rater_number))}
    return sorted(order, key=lambda trial: rank[blocks[trial]])


def pauses(protocol: Protocol, blocks: Sequence[str]) -> list[int]:
    """After how many trials a pause comes.

    Args:
        protocol: the study.
        blocks: the block of each trial, in the order in which they are shown.
    """
    design = protocol.design.blocks
    if design is None:
        return []
    if design.size is not None:
        return list(range(design.size, len(blocks), design.size))
    return [place for place in range(1, len(blocks)) if blocks[place] != blocks[place - 1]]
