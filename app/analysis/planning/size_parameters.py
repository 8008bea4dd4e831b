"""What makes an interval narrower: more items, raters per trial, or raters; and how far each of them reaches.

The squared width of an interval falls with each of these numbers as a constant plus a term in 1/n: what the others
leave stays. A line through simulated widths gives both. More raters alone have fewer trials each.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtri

from app.analysis.planning.plan import PlanRow

SizeParameter = Literal["items", "raters_per_trial", "raters"]
SIZE_PARAMETERS: dict[SizeParameter, str] = {
    "items": "n_items",
    "raters_per_trial": "raters_per_trial",
    "raters": "n_raters",
}
# Normal quantiles of the ends of 95% and 90% intervals.
TEST_Z, ONE_SIDED_Z = 1.959964, 1.644854
MAX_TIMES = 50


@dataclass(frozen=True, slots=True)
class Reach:
    """How far one parameter goes: the narrowest interval that it gives, and the number that reaches the goal.

    `most` is the largest number that is considered; more items or raters per trial than that may still reach the goal.
    """

    parameter: SizeParameter
    now: int
    needed: int | None
    narrowest: float
    most: int


def width_for_power(difference: float, *, power: float = 0.8, n_tests: int = 1) -> float:
    """The width of a 95% interval with which a difference is detected in this share of studies.

    With several tests the smallest p-value has to be below .05 over their number (Bonferroni), which Holm's method
    does not exceed.

    >>> round(width_for_power(0.3), 2)
    0.42
    """
    return 2 * TEST_Z * abs(difference) / (float(ndtri(1 - 0.025 / n_tests)) + float(ndtri(power)))


def width_for_margin(room: float, *, is_two_sided: bool, power: float = 0.8, n_tests: int = 1) -> float:
    """The width of a 90% interval with which one or two one-sided tests against a margin succeed in so many studies.

    Chow, Shao and Wang (2008, Sample Size Calculations in Clinical Research, 3.2): each of two tests has to miss in at
    most half of the other studies, if there is no difference.

    Args:
        room: the distance of the true difference from the margin, in points.
        is_two_sided: whether the difference has to be within the margin on both sides (equivalence).
        power: the share of studies.
        n_tests: how many tests are adjusted together, by Bonferroni's method.

    >>> round(width_for_margin(0.3, is_two_sided=False), 2)
    0.4
    """
    level, beta = float(ndtri(1 - 0.05 / n_tests)), 1 - power
    return 2 * ONE_SIDED_Z * max(room, 0.0) / (level + float(ndtri(1 - beta / (2 if is_two_sided else 1))))


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
    # chance changes squared widths by a share of them, so wide ones count no more than narrow ones
    slope, constant = map(float, np.polyfit(x, y, 1, w=1 / y))
    if constant < 0:
        slope, constant = float(np.sum(x / y) / np.sum(x**2 / y**2)), 0.0
    elif slope < 0:
        slope, constant = 0.0, float(np.sum(1 / y) / np.sum(1 / y**2))
    room = goal**2 - constant
    needed = math.ceil(slope / room) if room > 0 else None
    # one trial each is the least that raters can have
    most = min(row.n_seats for row in rows) if parameter == "raters" else MAX_TIMES * now
    if needed is not None and needed > most:
        needed = None
    return Reach(parameter, now, None if needed is None else max(needed, 1), math.sqrt(constant), most)


def binding(reaches: Sequence[Reach]) -> SizeParameter | None:
    """The setting that holds the precision back: the one whose increase alone gets closest to the goal."""
    possible = [one for one in reaches if one.needed is not None]
    if possible:
        return min(possible, key=lambda one: (one.needed or 0) / one.now).parameter
    return min(reaches, key=lambda one: one.narrowest).parameter if reaches else None
