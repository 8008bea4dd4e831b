"""Run time of a whole report for 1e4 to 1e6 ratings: every estimate of a question with two sources, and text measures.

Each item is rated by five raters in both sources. Up to 20,000 ratings, mixed models and resampling run too, which
larger studies get only with `--full`; growth is therefore measured from 1e5 ratings on. Times are processor seconds.

Targets are printed too, for small studies as well: seconds of a new process including imports, and for comparison those
of `pandas.read_csv` on the same ratings in the same run. Modules are compiled before, as `pip install` does. A missed
target is reported, not asserted.
Run: python -m benchmarks.report
"""

import io
import os
import resource
import subprocess
import sys
import time
from dataclasses import replace
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from app.analysis import analyze
from app.analysis.data.frames import Frames, canonical, rating_frame
from app.protocol.study import Protocol

# time used by the process before this file was read is counted as imports too
IMPORTS_FROM = 0.0
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
    """Return a study of n ratings on five points."""
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
            # rows share one string object per id, as when reading from the database or a study folder
            "rater": np.array([f"r{k}" for k in range(n_raters)], dtype=object)[rater],
            "item": np.array(items, dtype=object)[item],
            "response": responses["response"].to_numpy(dtype=object)[2 * item + source],
            "question": np.array(["empathy"], dtype=object).repeat(n),
            "number": np.clip(np.rint(latent + 3), 1, 5),
        },
        n,
    )
    raters = pd.DataFrame({"rater": [f"r{k}" for k in range(n_raters)]}, dtype=object)
    raters = raters.assign(kind="person", pool=None, is_simulated=False).astype({"kind": object, "pool": object})
    return Frames(pd.DataFrame({"item": items}, dtype=object), responses, raters, canonical(ratings))


# ratings per question, questions, whether with `--full`, processor seconds
GOALS = ((24, 1, False, 1.2), (855, 11, False, 6.0), (100_000, 1, True, 15.0), (1_000_000, 1, False, 6.0))
LARGEST_MEGABYTES = 800
# ratings per question, questions, processor seconds until the primary contrasts are known
ANSWER_RATINGS, ANSWER_QUESTIONS, ANSWER_GOAL_S = 860, 11, 1.0


def several(frames: Frames, n_questions: int) -> tuple[Frames, Protocol]:
    """Return the same study with the question repeated `n_questions` times."""
    if n_questions == 1:
        return frames, PROTOCOL
    keys = [f"empathy{k}" if k else "empathy" for k in range(n_questions)]
    declared = PROTOCOL.model_dump(mode="json", exclude_defaults=True)
    asked = [{**declared["questions"][0], "key": key} for key in keys]
    ratings = pd.concat([frames.ratings.assign(question=key) for key in keys], ignore_index=True)
    return replace(frames, ratings=canonical(ratings)), Protocol.model_validate({**declared, "questions": asked})


def goal(n: int, n_questions: int, *, full: bool) -> None:
    """Print seconds of the report and of reading, and memory; to be run in its own process."""
    started = time.process_time()
    frames, protocol = several(study(max(n // 10 * 10, 20)), n_questions)
    made = time.process_time()
    analyze(frames, protocol, full=full)
    seconds = time.process_time() - made + started - IMPORTS_FROM
    # measured before the ratings are written and read: an in-memory file is not part of the report
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    text = io.StringIO(frames.ratings.to_csv(index=False))
    before = time.process_time()
    pd.read_csv(text)
    read = time.process_time() - before
    print(f"{seconds:.2f} {read:.2f} {memory:.0f} {made - started:.2f}")


def print_goals() -> None:
    """Print each target with its measurement, each from a new process."""
    with TemporaryDirectory() as compiled:
        measured(*GOALS[0][:3], compiled)
        for n, n_questions, full, limit in GOALS:
            seconds, read, memory = measured(n, n_questions, full, compiled)
            is_met = seconds <= limit and (n < GOALS[-1][0] or memory < LARGEST_MEGABYTES)
            print(
                f"{n:>9,} ratings x {n_questions:>2} questions{' --full' if full else '       '}: {seconds:6.2f} s, "
                f"goal {limit:4.1f} s {'met' if is_met else 'missed'}; pandas.read_csv {read:5.2f} s; {memory:.0f} MB"
            )


def measured(n: int, n_questions: int, full: bool, compiled: str) -> tuple[float, float, float]:  # noqa: FBT001 - a row of GOALS
    """Return what `goal` prints in a new process whose compiled modules are in this folder."""
    command = [sys.executable, "-m", "benchmarks.report", str(n), str(n_questions), str(int(full))]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = compiled
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.split()
    seconds, read, memory = (float(number) for number in out[:3])
    return seconds, read, memory


def print_answer() -> None:
    """Print how soon the primary contrasts are known that answer the question, and the whole report."""
    frames, protocol = several(study(ANSWER_RATINGS), ANSWER_QUESTIONS)
    start, after = time.process_time(), []
    analyze(frames, protocol, first=lambda _: after.append(time.process_time() - start))
    print(f"{len(frames.ratings):>9,} ratings: answer after {after[0]:.2f} s, goal {ANSWER_GOAL_S:.0f} s; ", end="")
    print(f"report after {time.process_time() - start:.2f} s")


def main() -> None:
    print_goals()
    analyze(study(1_000), PROTOCOL)  # warm up: imports
    print_answer()
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
    if len(sys.argv) > 1:
        goal(int(sys.argv[1]), int(sys.argv[2]), full=bool(int(sys.argv[3])))
    else:
        main()
