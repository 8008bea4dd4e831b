"""Run time of the cumulative link mixed model: crossed intercepts, then source slopes, for 1e3 to 1e5 ratings.

Prints seconds, the growth from one size to the next, and peak memory; fails if a limit is exceeded. Limits apply to
processor seconds of the single worker thread, which do not depend on the load of the machine.
Run: python benchmarks/clmm.py [largest number of ratings]
"""

import resource
import sys
import time

import numpy as np

from app.stats.mixed.clmm_fit import fit_clmm

SIZES = {1_000: (100, 40), 10_000: (1_000, 100), 100_000: (10_000, 200), 1_000_000: (100_000, 400)}
BOUNDS = {10_000: 2.0, 100_000: 20.0}
MEGABYTES = 1_000


def study(n_items: int, n_raters: int, per_item: int = 5) -> dict[str, np.ndarray]:
    """Return a study in which each item is rated by `per_item` raters in both sources, on five points."""
    rng = np.random.default_rng(7)
    item = np.tile(np.repeat(np.arange(n_items), per_item), 2)
    first = rng.integers(0, n_raters, n_items)[:, np.newaxis]
    rater = np.tile(((first + np.arange(per_item) * 7) % n_raters).ravel(), 2)
    source = np.repeat([0, 1], n_items * per_item)
    by_item, by_rater = rng.normal(0, [0.9, 0.4], (n_items, 2)), rng.normal(0, [0.8, 0.4], (n_raters, 2))
    latent = by_item[item, 0] + by_rater[rater, 0] + source * (0.5 + by_item[item, 1] + by_rater[rater, 1])
    y = np.searchsorted([-2, -0.7, 0.6, 2.1], latent + rng.logistic(size=len(item)))
    return {"y": y, "item": item, "rater": rater, "columns": np.array([np.ones(len(y)), source - 0.5])}


def main(largest: int) -> None:
    for has_slopes in (False, True):
        print(f"crossed intercepts{' and source slopes' if has_slopes else ''}")
        before = 0.0
        for n, shape in SIZES.items():
            if n > largest:
                continue
            d = study(*shape)
            columns = d["columns"] if has_slopes else d["columns"][:1]
            start, start_cpu = time.perf_counter(), time.process_time()
            fit = fit_clmm(
                d["y"], d["columns"][1:], item=d["item"], rater=d["rater"], item_columns=columns, rater_columns=columns
            )
            wall, seconds = time.perf_counter() - start, time.process_time() - start_cpu
            megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            growth = f"{seconds / before:5.1f} x" if before else "       "
            assert fit is not None
            print(
                f"{n:>9,} ratings {wall:7.2f} s, {seconds:7.2f} s of processor {growth}  {megabytes:6.0f} MB  "
                f"log odds ratio {fit.beta[0]:.4f} ({fit.beta_errors[0]:.4f})"
            )
            assert has_slopes or seconds < BOUNDS.get(n, np.inf), "slower than promised"
            assert n not in BOUNDS or megabytes < MEGABYTES, "larger than promised"
            before = seconds


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
