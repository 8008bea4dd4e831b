"""Binomial confidence intervals, which treat all choices as independent; shown in addition to the clustered one."""

from collections.abc import Callable

from scipy import special

from app.stats.result import Interval, Method, Result, undefined

_Ends = Callable[[int, int, float], tuple[float, float]]


def _binomial(n_successes: int, n: int, ends: _Ends, method: Method, level: float) -> Result:
    if n == 0:
        return undefined("no_pairable_units", "There are no choices.", method=method, n_units=0, n_ratings=0)
    low, high = ends(n_successes, n, level)
    interval = Interval(max(0.0, low), min(1.0, high), method, level, inference="ratings")
    p_value = sign_test_p(n_successes, n)
    return Result(n_successes / n, method, interval=interval, p_value=p_value, n_units=n, n_ratings=n)


def sign_test_p(n_successes: int, n: int) -> float:
    """Return the exact two-sided p-value of this many heads in n coin tosses: twice the smaller tail, at most 1."""
    return min(1.0, float(2 * special.bdtr(min(n_successes, n - n_successes), n, 0.5)))


def _wilson_ends(k: int, n: int, level: float) -> tuple[float, float]:
    z = float(special.ndtri(0.5 + level / 2))
    middle, reach = k / n + z**2 / (2 * n), z * (k / n * (1 - k / n) / n + z**2 / (4 * n**2)) ** 0.5
    return (middle - reach) / (1 + z**2 / n), (middle + reach) / (1 + z**2 / n)


def _corrected_ends(k: int, n: int, level: float) -> tuple[float, float]:
    """Return the limits of Newcombe (1998), method 4."""
    z, p = float(special.ndtri(0.5 + level / 2)), k / n
    below = z * (z**2 - 2 - 1 / n + 4 * p * (n * (1 - p) + 1)) ** 0.5 if k else 0.0
    above = z * (z**2 + 2 - 1 / n + 4 * p * (n * (1 - p) - 1)) ** 0.5 if k < n else 0.0
    low = (2 * k + z**2 - 1 - below) / (2 * (n + z**2)) if k else 0.0
    high = (2 * k + z**2 + 1 + above) / (2 * (n + z**2)) if k < n else 1.0
    return low, high


def _exact_ends(k: int, n: int, level: float) -> tuple[float, float]:
    tail = (1 - level) / 2
    low = float(special.betaincinv(k, n - k + 1, tail)) if k else 0.0
    high = float(special.betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
    return low, high


def wilson(n_successes: int, n: int, *, level: float = 0.95) -> Result:
    """Return the Wilson (1927) score interval; p is from the exact sign test against one half.

    Ignores clusters: only if each item and each rater occurs once, or to reproduce a published estimate.
    """
    return _binomial(n_successes, n, _wilson_ends, Method("wilson"), level)


def wilson_cc(n_successes: int, n: int, *, level: float = 0.95) -> Result:
    """Return the Wilson interval with continuity correction, as R's prop.test (Newcombe 1998, Stat. Med. 17:857)."""
    return _binomial(n_successes, n, _corrected_ends, Method("wilson_cc"), level)


def clopper_pearson(n_successes: int, n: int, *, level: float = 0.95) -> Result:
    """Return the Clopper-Pearson (1934) exact interval: coverage at least `level`, positive width even at 0 or n."""
    return _binomial(n_successes, n, _exact_ends, Method("clopper_pearson"), level)
