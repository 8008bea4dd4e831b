"""A judge that asks in batches: one batch for all, found again after a kill, with what it costs and what is missing."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Engine

from app.llm.client.budget import Budget, Prices
from app.llm.client.endpoint import BatchPace
from app.llm.judges.judge_pages import judged_study
from app.llm.judges.judging import judging
from tests.kit.batch_server import BatchServer, serving_batches
from tests.kit.builder import build_study, protocol_of
from tests.kit.models_server import first_offer
from tests.llm.judges.judge import IMPATIENT, Judge

PACE = BatchPace(quiet_s=0.05, poll_s=0.02)
N_ITEMS = 6


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with serving_batches(BatchServer(first_offer)) as one:
        yield one


@pytest.fixture
def judge(engine: Engine, server: BatchServer) -> Judge:
    with engine.begin() as db:
        build_study(db, protocol_of(), n_items=N_ITEMS)
    return Judge(engine, server, both_sides=False)


def test_all_requests_are_one_batch_at_its_price(judge: Judge, server: BatchServer) -> None:
    server.is_open.set()
    prices = Prices(2.5, 10.0)
    progress = judge.go(budget := Budget(prices), batch_pace=PACE)
    assert (progress.by_outcome, len(server.made)) == ({"answered": N_ITEMS}, 1)
    assert budget.cost == pytest.approx(prices.cost(100 * N_ITEMS, 20 * N_ITEMS))
    assert judge.rows("SELECT count(*) FROM ratings WHERE question = 'preference'") == [(N_ITEMS,)]


def test_a_batch_has_at_most_so_many_requests(judge: Judge, server: BatchServer) -> None:
    server.is_open.set()
    progress = judge.go(batch_pace=BatchPace(quiet_s=0.05, n_at_most=4, poll_s=0.02))
    assert (progress.by_outcome, len(server.made)) == ({"answered": N_ITEMS}, 2)


@pytest.mark.parametrize("ends", ["completed", "cancelled"])
def test_a_killed_run_finds_its_batch_and_asks_nothing_twice(judge: Judge, server: BatchServer, ends: str) -> None:
    server.ends = ends

    async def killed() -> None:
        with judge.engine.connect() as db:
            study = judged_study(db, judge.study.id, 1)
        work = judging(judge.engine.begin, judge.run, study, judge.endpoint, Budget(Prices()), batch_pace=PACE)
        task = asyncio.create_task(work.work())
        while not server.made:  # noqa: ASYNC110 - a server in another thread
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(killed())
    assert server.seen == []
    server.is_open.set()
    progress = judge.go(batch_pace=PACE)
    assert (progress.by_outcome, len(server.made), len(server.seen)) == ({"answered": N_ITEMS}, 1, N_ITEMS)


def test_a_batch_that_another_key_sent_is_not_sent_again_with_a_new_key(judge: Judge, server: BatchServer) -> None:
    judge.go(batch_pace=replace(PACE, patience_s=0.1))
    own = judge.endpoint
    judge.again(replace(own, key="of-another-account"))
    server.is_open.set()
    progress = judge.go(batch_pace=PACE)
    assert (progress.by_outcome.get("answered", 0), len(server.made), server.seen) == (0, 1, [])
    assert judge.stop_reason == (
        "The server does not find the batch batch-0 of this run. If another account's key sent it, continue with that "
        "key: its answers are paid for. If it is lost, delete the run and start it again."
    )
    judge.again(own)
    progress = judge.go(batch_pace=PACE)
    assert (progress.by_outcome, len(server.made), len(server.seen)) == ({"answered": N_ITEMS}, 1, N_ITEMS)
    judge.again(replace(own, key="of-another-account"))
    assert judge.run.batches == ()


@pytest.mark.parametrize("failing", ["GET batches", "POST batches", "POST files"])
def test_an_answer_of_the_server_that_is_lost_loses_no_batch_and_asks_nothing_twice(
    judge: Judge, server: BatchServer, failing: str
) -> None:
    server.is_open.set()
    server.fails = {failing: 503}
    progress = judge.go(batch_pace=PACE)
    assert progress.by_outcome == {"answered": N_ITEMS}
    assert (len(server.made), len(server.seen)) == (1, N_ITEMS)


def test_other_line_separators_within_an_answer_do_not_split_it(judge: Judge, server: BatchServer) -> None:
    server.is_open.set()
    server.lines = lambda number: {"id": f"line\u2028{number}"}
    assert judge.go(batch_pace=PACE).by_outcome == {"answered": N_ITEMS}
    assert len(server.seen) == N_ITEMS


def test_a_batch_that_the_server_no_longer_shows_is_not_waited_for(judge: Judge, server: BatchServer) -> None:
    server.fails = {"GET batches/batch-0": 404}
    progress = judge.go(batch_pace=PACE)
    assert progress.by_outcome == {"failed": N_ITEMS}
    assert "HTTP 404" in judge.problems[0][1]


WRONG: dict[int, Any] = {
    2: {"response": {"status_code": 400, "body": {"error": {"message": "Filtered", "code": "content_filter"}}}},
    3: {"response": {"status_code": 400, "body": {"error": {"message": "Maximum context length is 8"}}}},
}


def test_what_a_batch_leaves_open_is_asked_again_and_errors_are_outcomes(judge: Judge, server: BatchServer) -> None:
    server.is_open.set()
    server.lines = lambda number: None if number == 1 else WRONG.get(number, {})
    progress = judge.go(batch_pace=PACE)
    assert progress.by_outcome == {"answered": N_ITEMS - 2, "refused": 1, "too_long": 1}
    assert (len(server.made), len(server.seen)) == (2, N_ITEMS + 1)


def test_a_batch_that_expires_again_and_again_fails_with_the_reason(judge: Judge, server: BatchServer) -> None:
    server.is_open.set()
    server.ends, server.lines = "expired", lambda _number: None
    progress = judge.go(batch_pace=PACE)
    assert progress.by_outcome == {"failed": N_ITEMS}
    assert len(server.made) == IMPATIENT.n_tries
    assert judge.problems[0][1] == "The batch ended before this request was answered."
