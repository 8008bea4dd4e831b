"""Run time of alpha with its interval and 1,000 resamples, for 1e4 to 1e6 ratings, compared to `krippendorff`.

Each item has five ratings on five points. The package is given precomputed value counts, its fastest input; resampling
items and calling it is timed and extrapolated to 1,001 calls. Our time includes everything from long-format arrays to
estimate, interval and resamples. Times are processor seconds, the best of several runs; wall time is printed too.
Run: python -m benchmarks.alpha
"""

import resource
import time
from collections.abc import Callable
from itertools import pairwise

import krippendorff
import numpy as np

from app.stats.agreement import alpha_bootstrap, alpha_without_each_rater, krippendorff_alpha
from app.stats.ratings import Ratings

SIZES = (10_000, 100_000, 1_000_000)
PER_ITEM, N_RESAMPLES = 5, 1000
FASTEST_RATIO, LONGEST = 1000, 0.5


def study(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return n ratings: units, raters and values, shape (n,) each."""
    rng = np.random.default_rng(1)
    unit = np.repeat(np.arange(n // PER_ITEM), PER_ITEM)
    latent = rng.normal(size=n // PER_ITEM)[unit] + rng.normal(size=n)
    return unit, rng.integers(0, n // 5000 + 5, n), np.clip(np.rint(latent + 3), 1, 5)


def best(run: Callable[[], object], times: int = 5) -> tuple[float, float]:
    """Return processor and wall seconds of the fastest of several runs."""
    seconds = []
    for _ in range(times):
        start = time.process_time(), time.perf_counter()
        run()
        seconds.append((time.process_time() - start[0], time.perf_counter() - start[1]))
    return min(seconds)


def package(counts: np.ndarray) -> tuple[float, float]:
    """Return the seconds for one call on all units and 1,000 on resampled units, extrapolated from a few calls."""
    rng = np.random.default_rng(2)

    def once() -> None:
        resample = counts[rng.integers(0, len(counts), len(counts))]
        krippendorff.alpha(value_counts=resample, level_of_measurement="ordinal")

    processor, wall = best(once)
    return processor * (N_RESAMPLES + 1), wall * (N_RESAMPLES + 1)


def measure(n: int) -> tuple[float, float]:
    """Print the row for n ratings; return our processor seconds and the package's."""
    unit, rater, value = study(n)
    ratings = Ratings(unit, rater, value)
    # the bootstrap's Result includes the analytic estimate, and needs its interval
    ours, wall = best(
        lambda: alpha_bootstrap(Ratings(unit, rater, value), level="ordinal", n_resamples=N_RESAMPLES), 20
    )
    theirs, their_wall = package(ratings.counts)
    both, _ = best(lambda: krippendorff_alpha(ratings, level="ordinal", inference="new_units_and_raters"))
    without, _ = best(lambda: alpha_without_each_rater(ratings, level="ordinal"))
    print(
        f"{n:>9,} ratings: alpha, interval, {N_RESAMPLES} resamples {ours:6.3f} s ({wall:6.3f} s wall); "
        f"krippendorff {N_RESAMPLES + 1} times {theirs:6.1f} s ({their_wall:6.1f} s wall), "
        f"{theirs / ours:5.0f} times as long; "
        f"two-way interval {both:6.3f} s, without each rater {without:6.3f} s"
    )
    return ours, theirs


def main() -> None:
    alpha_bootstrap(Ratings(*study(1000)), level="ordinal")  # warm up: imports
    seconds = [measure(n) for n in SIZES]
    growth = [f"{after[0] / before[0]:.1f}" for before, after in pairwise(seconds)]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"ten times the ratings cost {' and '.join(growth)} times as much; {memory:.0f} MB, the package's included")
    ours, theirs = seconds[-1]
    assert ours < LONGEST, "slower than promised"
    assert theirs / ours > FASTEST_RATIO, "not as much faster as promised"


if __name__ == "__main__":
    main()
