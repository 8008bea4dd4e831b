"""How much of the error rate is spent by a share of the information (Lan and DeMets 1983)."""

from __future__ import annotations

import math
from typing import Literal

from scipy.stats import norm

Spending = Literal["obrien_fleming", "pocock"]


def spent(fraction: float, *, alpha: float, spending: Spending) -> float:
    """The two-sided error rate that may be used up by a fraction of the information.

    `obrien_fleming` spends little at first: 4 - 4 Phi(z(1 - alpha/4) / sqrt(t)), two one-sided rates of alpha/2 each.
    `pocock` spends evenly: alpha log(1 + (e - 1) t). Verified against ldbounds and gsDesign (see the tests).

    Args:
        fraction: of the planned information, above 0; from 1 on everything is spent.
        alpha: the two-sided error rate of all looks together.
        spending: the shape.

    >>> round(spent(0.5, alpha=0.05, spending="obrien_fleming"), 6)
    0.003051
    """
    t = min(fraction, 1.0)
    if spending == "pocock":
        return alpha * math.log(1 + (math.e - 1) * t)
    return float(4 * norm.sf(norm.isf(alpha / 4) / math.sqrt(t)))
