"""Log-likelihood of one ordinal rating and its derivatives, for the logit and the probit link.

A rating y is given if a latent value eta + noise falls between two thresholds: p = F(upper) - F(lower) with
upper = theta_y - eta and lower = theta_(y-1) - eta, infinite at the ends of the scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.stats.core.arrays import Floats

    Parts = tuple[Floats, ...]

LinkName = Literal["logit", "probit"]
_FAR = 500.0
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class Slopes:
    """Per rating: log p, its first derivative in eta, and minus its second derivative, the weight."""

    log_p: Floats
    d1: Floats
    weight: Floats


@dataclass(frozen=True, slots=True)
class Curves:
    """Per rating: derivatives of the weight in eta, and of log p, d1 and weight in both thresholds."""

    weight_eta: Floats
    log_p_upper: Floats
    log_p_lower: Floats
    d1_upper: Floats
    d1_lower: Floats
    weight_upper: Floats
    weight_lower: Floats


class Link(NamedTuple):
    """The functions of a link. `parts` of (upper, lower) are what `slopes` and `curves` have in common."""

    parts: Callable[[Floats, Floats], Parts]
    slopes: Callable[[Parts], Slopes]
    curves: Callable[[Floats, Floats, Parts], Curves]


def _logit_slopes(parts: Parts) -> Slopes:
    """P = F(upper) (1 - F(lower)) (1 - exp(lower - upper)), which is precise in the tails."""
    below, above, gap = parts
    weight = below * (1 - below) + above * (1 - above)
    return Slopes(np.log(np.maximum(below * above * gap, _TINY)), below - above, weight)


def _logit_curves(upper: Floats, lower: Floats, parts: Parts) -> Curves:
    below, above, gap = parts
    f_upper, f_lower = below * (1 - below), above * (1 - above)
    g_upper, g_lower = f_upper * (1 - 2 * below), f_lower * (2 * above - 1)
    log_p_upper = np.where(np.isinf(upper), 0, (1 - below) / (above * gap))
    log_p_lower = np.where(np.isinf(lower), 0, -(1 - above) / (below * gap))
    return Curves(-(g_upper + g_lower), log_p_upper, log_p_lower, f_upper, f_lower, g_upper, g_lower)


def _logit_parts(upper: Floats, lower: Floats) -> Parts:
    """Return F(upper), 1 - F(lower) and 1 - exp(lower - upper)."""
    below = 1 / (1 + np.exp(np.clip(-upper, -_FAR, _FAR)))
    above = 1 / (1 + np.exp(np.clip(lower, -_FAR, _FAR)))
    return below, above, -np.expm1(np.maximum(lower - upper, -_FAR))


def _probit_slopes(parts: Parts) -> Slopes:
    p, f_upper, f_lower, g_upper, g_lower = parts
    d1 = (f_lower - f_upper) / p
    return Slopes(np.log(p), d1, d1 * d1 - (g_upper - g_lower) / p)


def _probit_curves(upper: Floats, lower: Floats, parts: Parts) -> Curves:
    p, f_upper, f_lower, g_upper, g_lower = parts
    h_upper, h_lower = _second(upper, f_upper), _second(lower, f_lower)
    d1, second = (f_lower - f_upper) / p, (g_upper - g_lower) / p
    weight_eta = (h_upper - h_lower) / p + 3 * d1 * second - 2 * d1**3
    log_p_upper, log_p_lower = f_upper / p, -f_lower / p
    d1_upper, d1_lower = -g_upper / p - d1 * log_p_upper, g_lower / p - d1 * log_p_lower
    weight_upper = 2 * d1 * d1_upper - (h_upper / p - second * log_p_upper)
    weight_lower = 2 * d1 * d1_lower - (-h_lower / p - second * log_p_lower)
    return Curves(weight_eta, log_p_upper, log_p_lower, d1_upper, d1_lower, weight_upper, weight_lower)


def _probit_parts(upper: Floats, lower: Floats) -> Parts:
    """Return p, and the densities f and their derivatives g = -t f at both ends; p is computed in the nearer tail."""
    is_right = lower > 0
    near, far = np.where(is_right, -lower, upper), np.where(is_right, -upper, lower)
    p = np.maximum(special.ndtr(near) - special.ndtr(far), _TINY)
    f_upper, f_lower = (np.exp(-(end**2) / 2) / np.sqrt(2 * np.pi) for end in (upper, lower))
    return p, f_upper, f_lower, -_finite(upper) * f_upper, -_finite(lower) * f_lower


def _second(end: Floats, f: Floats) -> Floats:
    return (_finite(end) ** 2 - 1) * f


def _finite(end: Floats) -> Floats:
    return np.where(np.isinf(end), 0, end)


LINKS: dict[LinkName, Link] = {
    "logit": Link(_logit_parts, _logit_slopes, _logit_curves),
    "probit": Link(_probit_parts, _probit_slopes, _probit_curves),
}
