"""Run time of the mean difference with its two-way cluster interval, for 1e4 to 1e6 ratings.

Prints seconds (wall and processor time; the limit applies to the latter) and growth, compared to statsmodels' two-way
clustered regression of the same ratings in the same run.
Run: python benchmarks/two_way.py
"""

import time

import numpy as np
import statsmodels.api as sm

from app.stats.comparison.describe import mean_difference

SIZES = (10_000, 100_000, 1_000_000)
BOUND = 1.0


def study(n: int) -> tuple[np.ndarray, ...]:
    """Return ratings on five points: each item is rated five times, each time for a randomly drawn source and rater."""
    rng = np.random.default_rng(1)
    item, rater = np.arange(n) // 5, rng.integers(0, n // 200, n)
    source = rng.integers(0, 2, n)
    latent = rng.normal(size=n // 5)[item] + rng.normal(size=n // 200)[rater] + 0.3 * source + rng.normal(size=n)
    return np.clip(np.rint(latent + 3), 1, 5), source == 1, item, rater


def main() -> None:
    before = 0.0
    for n in SIZES:
        value, treated, item, rater = study(n)
        start, start_cpu = time.perf_counter(), time.process_time()
        result = mean_difference(value, treated, item=item, rater=rater)
        wall, seconds = time.perf_counter() - start, time.process_time() - start_cpu
        start = time.process_time()
        fit = sm.OLS(value, sm.add_constant(treated.astype(float)))
        fit.fit(cov_type="cluster", cov_kwds={"groups": np.column_stack([item, rater])})
        other = time.process_time() - start
        growth = f"{seconds / before:5.1f} x" if before else "       "
        print(
            f"{n:>9,} ratings {wall:7.3f} s, {seconds:7.3f} s of processor {growth}   "
            f"statsmodels {other:6.3f} s, {other / seconds:4.1f} times   "
            f"difference {result.estimate:.4f} ({result.standard_error:.4f})"
        )
        before = seconds
    assert before < BOUND, "slower than promised"


if __name__ == "__main__":
    main()
