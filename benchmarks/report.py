"""How long a whole report takes, from 1e4 to 1e6 ratings: every estimate of a question with two sources, texts read.

Each item is rated by five raters in both sources. Up to 20,000 ratings the mixed models and the resampling run too,
which larger studies get with `--full` only: so growth is shown from 1e5 on. Seconds are of the processor.
Run: python -m benchmarks.report
"""

from __future__ import annotations

import resource
import time

import numpy as np
import pandas as pd

from app.analysis import analyze
from app.analysis.data.frames import Frames, canonical, rating_frame
from app.design.protocol.study import Protocol

SIZES = (10_000, 100_000, 300_000, 1_000_000)
LONGEST, STEEPEST = 60.0, 1.5
PROTOCOL = Protocol.model_validate(
    {
        "attune": 1,
        "slug": "benchmark",
        "title": "Benchmark",
        "sources": {name: {"kind": name} for name in ("human", "model")},
        "questions": [
            {
                "key": "empathy",
                "target": "response",
                "type": "rating",
                "text": "?",
                "scale": dict.fromkeys(range(1, 6), ""),
            }
        ],
        "analysis": {"reference": "human", "cut": {"empathy": 4}},
    }
)


def study(n: int) -> Frames:
    """A study of n ratings on five points."""
    rng = np.random.default_rng(1)
    n_items, n_raters = n // 10, max(20, n // 2000)
    items = [f"i{k}" for k in range(n_items)]
    sources = ("human", "model")
    responses = pd.DataFrame(
        {
            "response": [f"{item}:{source}" for item in items for source in sources],
            "item": [item for item in items for _ in sources],
            "source": [*sources] * n_items,
            "text": ["I am sorry. You could rest.", "That sounds hard! I am so sorry. Have you tried to rest?"]
            * n_items,
        },
        dtype=object,
    )
    item = np.repeat(np.arange(n_items), 10)
    rater = (
        ((rng.integers(0, n_raters, n_items)[:, np.newaxis] + np.arange(5) * 3) % n_raters).repeat(2, axis=1).ravel()
    )
    source = np.tile([0, 1], n // 2)
    latent = rng.normal(size=n_items)[item] + rng.normal(0, 0.5, n_raters)[rater] + 0.3 * source + rng.normal(size=n)
    ratings = rating_frame(
        {
            "rater": [f"r{k}" for k in rater],
            "item": [items[k] for k in item],
            "response": [f"{items[k]}:{sources[s]}" for k, s in zip(item, source, strict=True)],
            "question": ["empathy"] * n,
            "number": np.clip(np.rint(latent + 3), 1, 5),
        },
        n,
    )
    raters = pd.DataFrame({"rater": [f"r{k}" for k in range(n_raters)]}, dtype=object)
    raters = raters.assign(kind="person", pool=None, is_simulated=False).astype({"kind": object, "pool": object})
    return Frames(pd.DataFrame({"item": items}, dtype=object), responses, raters, canonical(ratings))


def main() -> None:
    analyze(study(1_000), PROTOCOL)  # imports
    before = (0, 0.0)
    for n in SIZES:
        frames = study(n)
        start, wall = time.process_time(), time.perf_counter()
        report = analyze(frames, PROTOCOL)
        seconds, wall = time.process_time() - start, time.perf_counter() - wall
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        grown = seconds / before[1] / (n / before[0]) if before[0] > SIZES[0] else 0.0
        words = f"{grown:.2f} times as much a rating as before" if grown else ""
        cost = f"{len(report.estimates):,} estimates in {seconds:6.2f} s ({wall:6.2f} s wall), {memory:.0f} MB"
        print(f"{n:>9,} ratings: {cost}; {words}")
        assert grown < STEEPEST, "the cost does not grow linearly"
        before = (n, seconds)
    assert before[1] < LONGEST, "slower than promised"


if __name__ == "__main__":
    main()
