"""One lead's small report while another lead's huge one is computed: seconds alone, and seconds beside it.

python -m benchmarks.reports_beside [--ratings 1000000]. Both reports go through the processes of the web server. The
small study has 2,000 ratings. What remains of the difference is the processor: on one with two cores, the huge report
takes one of them.
"""

from __future__ import annotations

import argparse
import time
from threading import Thread
from typing import TYPE_CHECKING

from app.analysis import analyze
from app.results.reports.report_process import ReportProcess
from benchmarks.report import PROTOCOL, study

if TYPE_CHECKING:
    from app.analysis.data.frames import Frames

SMALL, ROUNDS = 2_000, 3


def seconds(process: ReportProcess, frames: Frames) -> float:
    """Seconds on the clock for one report."""
    start = time.perf_counter()
    process.ask(analyze, frames, PROTOCOL, n_ratings=len(frames.ratings))
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ratings", type=int, default=1_000_000)
    given = parser.parse_args()
    process, small, huge = ReportProcess(), study(SMALL), study(given.ratings)
    seconds(process, small)  # the process starts
    alone = [seconds(process, small) for _ in range(ROUNDS)]
    taken: list[float] = []
    other = Thread(target=lambda: taken.append(seconds(process, huge)))
    other.start()
    time.sleep(1)
    beside = []
    while other.is_alive():
        beside.append(seconds(process, small))
    other.join()
    process.stop()
    print(f"{SMALL:,} ratings alone: {min(alone):.2f} to {max(alone):.2f} s")
    print(
        f"beside a report of {given.ratings:,} ratings, which took {taken[0]:.2f} s: {len(beside)} small reports, "
        f"{min(beside):.2f} to {max(beside):.2f} s"
    )
    assert len(beside) > 1, "the small report waited for the huge one"


if __name__ == "__main__":
    main()
