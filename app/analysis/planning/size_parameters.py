"""What makes an interval narrower: more items, or more raters for each trial; and how far each of them reaches.

The squared width of an interval falls with the number of items, and of raters per trial, as a constant plus a term in
1/n: what the other one and the differences between raters leave stays. A line through simulated widths gives both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.analysis.planning.plan import PlanRow

SizeParameter = Literal["items", "raters_per_trial"]
SIZE_PARAMETERS: dict[SizeParameter, str] = {"items": "n_items", "raters_per_trial": "raters_per_trial"}
# Normal quantiles: a two-sided test at 5%, and 80% power.
TEST_Z, POWER_Z = 1.959964, 0.841621
MAX_TIMES = 50


@dataclass(frozen=True, slots=True)
class Reach:
    """How far one parameter goes: the narrowest interval that it gives, and the number that reaches the goal."""

    parameter: SizeParameter
    now: int
    needed: int | None
    narrowest: float

    @property
    def most(self) -> int:
        """The largest number that is considered; more than that may still reach the goal."""
        return MAX_TIMES * self.now


def width_for_power(difference: float) -> float:
    """The width of a 95% interval with which a difference is detected in 80% of studies.

    >>> round(width_for_power(0.3), 2)
    0.42
    """
    return 2 * TEST_Z * abs(difference) / (TEST_Z + POWER_Z)


def reach(parameter: SizeParameter, now: int, rows: Sequence[PlanRow], goal: float) -> Reach | None:
    """Fit a line to the squared widths of scenarios that differ in this parameter only.

    Args:
        parameter: what differs.
        now: the present number.
        rows: one statistic's rows; two different numbers at least.
        goal: the width to reach.

    Returns:
        None if there are fewer than two numbers with an interval.
    """
    points = [(1 / getattr(row, SIZE_PARAMETERS[parameter]), row.width**2) for row in rows if row.width is not None]
    if len({x for x, _ in points}) < 2:  # noqa: PLR2004 - a line needs two points
        return None
    x, y = np.array(points).T
    slope, constant = np.polyfit(x, y, 1)
    slope, constant = max(float(slope), 0.0), max(float(constant), 0.0)
    room = goal**2 - constant
    needed = math.ceil(slope / room) if room > 0 else None
    if needed is not None and needed > MAX_TIMES * now:
        needed = None
    return Reach(parameter, now, None if needed is None else max(needed, 1), math.sqrt(constant))


def binding(reaches: Sequence[Reach]) -> SizeParameter | None:
    """The setting that holds the precision back: the one whose increase alone gets closest to the goal."""
    possible = [one for one in reaches if one.needed is not None]
    if possible:
        return min(possible, key=lambda one: (one.needed or 0) / one.now).parameter
    return min(reaches, key=lambda one: one.narrowest).parameter if reaches else None
