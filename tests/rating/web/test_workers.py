"""Two workers, 32 concurrent raters, one worker killed midway: exact, nothing lost, nothing duplicated."""

import os
import re
import signal
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from urllib.request import urlopen

import pytest
from sqlalchemy import Engine, text

from benchmarks.rater_client import RaterClient
from tests.kit.processes import IN_PROC, all_end, workers_of
from tests.kit.serving import serving
from tests.rating.seats.test_assignments import assert_exact

pytestmark = pytest.mark.skipif(not IN_PROC, reason="finds the workers in /proc")


def counted_pages(address: str) -> int:
    """Submitted pages that /metrics has counted, in all processes."""
    with urlopen(f"{address}/metrics") as answer:  # noqa: S310 - our own server
        text = answer.read().decode()
    rows = re.findall(
        r'attune_requests_total\{method="POST",route="/s/\{slug\}/rate/\{token\}",status="2.."\} (\S+)', text
    )
    return sum(int(float(n)) for n in rows)


def go(address: str, slug: str, pool: ThreadPoolExecutor) -> tuple[list[RaterClient], list[Future[str]]]:
    """Start 32 raters at once."""
    raters = [RaterClient(address, slug, f"{slug}-{n}") for n in range(32)]
    return raters, [pool.submit(rater.go_all_the_way) for rater in raters]


# The three belong to one server, because its processes take longer to start than all the rest of this test.
@pytest.mark.slow
@pytest.mark.long
def test_32_raters_rate_each_trial_three_times_also_if_a_worker_is_killed_and_workers_end_with_the_server(
    engine: Engine, study: Callable[..., int], tmp_path: Path
) -> None:
    study(slug="calm", n_items=20, design={"raters_per_trial": 3, "trials_per_rater": 2})
    # So many trials that all raters have arrived when the worker is killed.
    study(slug="killed", n_items=40, design={"raters_per_trial": 3, "trials_per_rater": 5})
    with serving(engine, tmp_path / "log", workers=2) as (address, pid):
        with ThreadPoolExecutor(32) as pool:
            calm, ends = go(address, "calm", pool)
            assert {end.result() for end in ends} <= {"done", "full"}
            assert counted_pages(address) == sum(len(rater.acknowledged) for rater in calm)
            killed, ends = go(address, "killed", pool)
            while sum(len(rater.acknowledged) for rater in killed) < 30:
                time.sleep(0.01)
            os.kill(workers_of(pid)[0], signal.SIGKILL)
            assert {end.result() for end in ends} <= {"done", "full"}
        workers = until_there_are(2, pid)
        os.kill(pid, signal.SIGKILL)
    assert all_end(workers)
    assert_exact(engine, 3)

    with engine.connect() as db:
        done = db.execute(text("SELECT token::text FROM assignments WHERE state = 'done'")).scalars().all()
    assert {token for rater in (*calm, *killed) for token in rater.acknowledged} == set(done)


def until_there_are(n: int, pid: int) -> list[int]:
    """The workers of a server, once the killed one has been replaced."""
    end = time.monotonic() + 60
    while len(found := workers_of(pid)) < n:
        assert time.monotonic() < end
        time.sleep(0.05)
    return found
