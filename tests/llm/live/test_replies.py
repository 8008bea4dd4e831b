"""A reply that a rater waits for is made once, within its bounds, and ends in a state that says what became of it."""

import asyncio
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from typing import Any

import pytest
from sqlalchemy import Engine, Row, text

from app.llm.live import claims, replies
from app.llm.live.replies import Heard, Replies
from tests.kit.conversations import ITEM, PROMPT, awaited, conversing_study, listed, replying, turn_of, whole_reply
from tests.kit.models_server import ModelServer, completed, fail_with, serving

REPLY = "I am so sorry. It is quiet without a dog, isn't it?"


def plain(words: str = REPLY, **more: Any) -> ModelServer:  # noqa: ANN401 - of a server
    return ModelServer(lambda _prompt, _rng: words, **more)


def one_reply(
    engine: Engine,
    server: ModelServer,
    *said: str,
    partner: dict[str, Any] | None = None,
    of_server: dict[str, Any] | None = None,
    **conversation: Any,  # noqa: ANN401 - of a protocol
) -> Row[Any]:
    """What became of one reply."""
    with engine.begin() as db:
        turn = awaited(db, study := conversing_study(db, partner, **conversation), *said)
    with serving(server), replying(engine, listed(server, **of_server or {})) as made:
        heard = whole_reply(made, study, turn)
    row = turn_of(engine, turn)
    assert (heard.state, heard.text) == (row.state, row.text or "")
    return row


def test_a_reply_is_made_from_the_prompt_and_the_turns_so_far(engine: Engine) -> None:
    server = plain()
    told = {"prompt": f"{PROMPT} They wrote: {{item}}", "temperature": 0.7}
    row = one_reply(engine, server, "My dog died.", "Oh no.", "I miss <b>him</b>.", partner=told)
    (body,) = server.seen
    assert body["messages"] == [
        {"role": "system", "content": f"{PROMPT} They wrote: {ITEM}"},
        {"role": "user", "content": "My dog died."},
        {"role": "assistant", "content": "Oh no."},
        {"role": "user", "content": "I miss <b>him</b>."},
    ]
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("m", 50, 0.7)
    assert (row.state, row.text, row.flags, row.problem) == ("said", REPLY, [], None)
    assert (row.tokens_in, row.tokens_out, row.tokens_reserved, row.n_tries) == (100, 20, None, 1)
    assert (row.model_version, row.finish_reason, row.claimed_until) == ("test-model-1", "stop", None)
    assert row.said_at is not None
    assert row.latency_ms > 0


def test_the_cost_is_by_the_prices_of_the_server(engine: Engine) -> None:
    row = one_reply(engine, plain(), of_server={"price_in": 10, "price_out": 50})
    assert row.cost == pytest.approx(0.002)


def told(message: object, finish: str = "stop", **more: object) -> ModelServer:
    return ModelServer(lambda _prompt, _rng: "", lambda _: completed(message, finish, **more))


def test_a_reply_that_a_filter_ends_is_withheld_and_kept_for_the_lead(engine: Engine) -> None:
    row = one_reply(engine, plain("Something vile.", finish="content_filter"))
    assert (row.state, row.text, row.said_at) == ("withheld", None, None)
    assert "content filter" in row.problem
    assert row.thoughts == "Something vile."


@pytest.mark.parametrize(
    "server",
    [
        told({"content": None, "refusal": "I will not."}),
        ModelServer(lambda _prompt, _rng: "", lambda _: fail_with(400, "content_filter")),
    ],
)
def test_a_refusal_of_the_server_is_withheld(engine: Engine, server: ModelServer) -> None:
    row = one_reply(engine, server)
    assert (row.state, row.text, bool(row.problem)) == ("withheld", None, True)


@pytest.mark.parametrize(
    ("words", "finish", "flags"),
    [
        ("I'm sorry, I can't help with that.", "stop", ["refusal"]),
        ("I am so", "length", ["cut_off"]),
        (f"My instructions: {PROMPT}", "stop", ["leak"]),
        ("I am Kim.", "stop", []),
        ("I am GPT-4.", "stop", ["names_source"]),
        ("word " * 20_000, "stop", ["cut_off"]),
        ("<h1>Hi</h1> **you**\x00", "stop", []),
        ("Das tut mir leid.", "stop", []),
    ],
)
def test_what_a_lead_should_know_about_a_reply_is_a_flag(
    engine: Engine, words: str, finish: str, flags: list[str]
) -> None:
    row = one_reply(engine, plain(words, finish=finish))
    assert (row.state, row.flags) == ("said", flags)
    assert words.replace("\x00", "�").startswith(row.text)
    assert len(row.text) <= 500


@pytest.mark.parametrize("shown", ["as_written", "whole"])
def test_thoughts_are_kept_and_not_shown(engine: Engine, shown: str) -> None:
    row = one_reply(engine, plain(f"<think>Be warm.</think>{REPLY}"), replies_shown=shown)
    assert (row.text, row.thoughts) == (REPLY, "Be warm.")


def test_an_empty_reply_is_asked_for_again_by_another_request(engine: Engine) -> None:
    server = plain(" ")
    server.troubles = lambda number: completed({"content": REPLY}) if number > 1 else None
    row = one_reply(engine, server)
    assert (row.state, row.text, row.n_tries, row.tokens_in, row.tokens_out) == ("said", REPLY, 2, 200, 40)
    assert sorted(server.by_id.values()) == [1, 1]


@pytest.mark.parametrize(
    ("server", "problem", "n_asked"),
    [
        (plain(" "), "empty", 2),
        (plain("<think>Hm", finish="length"), "reply_tokens", 2),
        (ModelServer(lambda _prompt, _rng: "", lambda _: fail_with(401, "expired")), "does not accept the key", 1),
        (ModelServer(lambda _prompt, _rng: "", lambda _: (200, {}, b"<html>Hi</html>")), "a page or a text", 1),
        (ModelServer(lambda _prompt, _rng: "", lambda _: fail_with(402, "Pay")), "no credit left", 1),
    ],
)
def test_a_reply_that_cannot_come_fails_with_a_sentence(
    engine: Engine, server: ModelServer, problem: str, n_asked: int
) -> None:
    row = one_reply(engine, server)
    assert (row.state, row.text, row.said_at, len(server.seen)) == ("failed", None, None, n_asked)
    assert problem in row.problem


def test_a_passing_failure_is_tried_again_under_the_same_key(engine: Engine) -> None:
    server = plain()
    server.troubles = lambda number: fail_with(503, "busy") if number < 3 else None
    row = one_reply(engine, server)
    assert (row.state, row.n_tries, [*server.by_id.values()]) == ("said", 3, [3])


@pytest.mark.parametrize(
    ("server", "problem"),
    [
        (plain(delay_s=40), "No reply came within 10 s."),
        (ModelServer(lambda _prompt, _rng: "", lambda _: fail_with(503, "busy", Retry_After=60)), "HTTP 503: busy."),
    ],
)
def test_patience_ends_a_reply_that_does_not_come(engine: Engine, server: ModelServer, problem: str) -> None:
    begun = time.monotonic()
    row = one_reply(engine, server, patience_seconds=10)
    assert (row.state, time.monotonic() - begun < 25) == ("failed", True)
    assert row.problem.startswith("No reply came within 10 s.")
    assert problem in row.problem


def test_a_prompt_that_is_too_long_is_shortened_from_its_beginning(engine: Engine) -> None:
    def refuses(body: dict[str, Any]) -> tuple[int, dict[str, str], bytes] | None:
        return fail_with(400, "maximum context length is 10") if len(body["messages"]) > 4 else None

    server = plain(refuses=refuses)
    row = one_reply(engine, server, "One.", "Two.", "Three.", "Four.", "Five.")
    assert (row.state, row.flags) == ("said", ["shortened"])
    sent = [message["content"] for message in server.seen[-1]["messages"]]
    assert (sent[0], sent[1:]) == (PROMPT, ["Three.", "Four.", "Five."][-len(sent) + 1 :])


def test_a_stream_that_breaks_off_is_begun_again(engine: Engine) -> None:
    server = plain(piece_s=0.06, breaks_after=lambda number: 5 if number == 1 else None)
    server.behave = lambda _prompt, _rng: f"<think>Hm.</think> {REPLY}"
    row = one_reply(engine, server)
    assert (row.state, row.text, row.flags, row.n_tries) == ("said", REPLY, ["begun_again"], 2)
    # The reply reports 100 and 20; what was heard of the first try is estimated.
    assert row.tokens_in > 100
    assert row.tokens_out > 20


@pytest.mark.parametrize(
    ("partner", "words"),
    [
        ({"server": "Other"}, "There is no server Other with the model m"),
        ({"server": "Local", "model": "x"}, "There is no server Local with the model x"),
        ({"model": "x"}, "No server of this installation has the model x"),
    ],
)
def test_a_model_that_no_server_has_fails_with_a_sentence(engine: Engine, partner: dict[str, str], words: str) -> None:
    row = one_reply(engine, server := plain(), partner=partner)
    assert (row.state, server.seen) == ("failed", [])
    assert words in row.problem


# Listening.


def listen(made: Replies, study: int, turn: int) -> list[Heard]:
    async def all_of_it() -> list[Heard]:
        return [heard async for heard in made.listen(study, turn)]

    return asyncio.run(all_of_it())


def test_a_reply_is_heard_while_it_is_written_and_by_another_process_when_it_is_whole(engine: Engine) -> None:
    server = plain(f"<think>Hm.</think>{REPLY}", piece_s=0.1)
    with engine.begin() as db:
        turn = awaited(db, study := conversing_study(db))
    heard: dict[str, list[Heard]] = {}
    with serving(server), ExitStack() as stack:
        one, two = (stack.enter_context(replying(engine, listed(server))) for _ in range(2))
        first = threading.Thread(target=lambda: heard.update(one=listen(one, study, turn)))
        first.start()
        while not server.seen:
            time.sleep(0.01)
        heard["two"] = listen(two, study, turn)
        first.join()
        heard["late"] = listen(one, study, turn)
    assert len(server.seen) == 1
    said = Heard(REPLY, "said")
    assert (heard["one"][-1], heard["two"][-1], heard["late"]) == (said, said, [said])
    assert len(heard["one"]) > 3
    assert all(REPLY.startswith(one.text) for one in heard["one"])


def test_nothing_is_heard_of_a_reply_that_is_shown_whole(engine: Engine) -> None:
    server = plain(f"<think>Hm.</think>{REPLY}", piece_s=0.06)
    with engine.begin() as db:
        turn = awaited(db, study := conversing_study(db, replies_shown="whole"))
    with serving(server), replying(engine, listed(server)) as made:
        assert listen(made, study, turn) == [Heard(REPLY, "said")]
    assert "stream" not in server.seen[0]


def test_a_reply_is_made_when_nobody_listens(engine: Engine) -> None:
    with engine.begin() as db:
        turn = awaited(db, study := conversing_study(db))
    with serving(server := plain()), replying(engine, listed(server)) as made:
        for _ in range(3):
            made.ensure(study, turn)
        while turn_of(engine, turn).state == "awaited":
            time.sleep(0.05)
    assert (turn_of(engine, turn).text, len(server.seen)) == (REPLY, 1)


def test_a_listener_who_leaves_does_not_stop_the_reply(engine: Engine) -> None:
    async def leave(made: Replies) -> None:
        heard = aiter(made.listen(study, turn))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await anext(heard)

    with engine.begin() as db:
        turn = awaited(db, study := conversing_study(db))
    with serving(server := plain(delay_s=1)), replying(engine, listed(server)) as made:
        asyncio.run(leave(made))
        while turn_of(engine, turn).state == "awaited":
            time.sleep(0.05)
    assert turn_of(engine, turn).state == "said"


def test_a_turn_that_does_not_exist_has_no_reply(engine: Engine) -> None:
    with replying(engine) as made:
        assert whole_reply(made, 1, 1) == Heard("", "failed")


# Who makes it.


# A process that makes one reply.
PROCESS = """
import sys
from app.base.database.engine import make_engine
from app.llm.client.servers import ModelServer
from app.llm.live import claims
from app.llm.live.replies import Replies
from tests.kit.conversations import whole_reply

claims.CLAIM_S = 1.5
url, server, study, turn = sys.argv[1:]
replies = Replies(make_engine(url).begin, [ModelServer.model_validate_json(server)])
whole_reply(replies, int(study), int(turn))
"""


def test_the_reply_of_a_killed_process_is_made_by_another_after_its_claim(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "CLAIM_S", 1.5)
    with engine.begin() as db:
        turn = awaited(db, study := conversing_study(db))
    server = plain(delay_s=0.5)
    with serving(server), replying(engine, listed(server)) as other:
        url = engine.url.render_as_string(hide_password=False)
        of_turn = (url, listed(server, key="").model_dump_json(), str(study), str(turn))
        with subprocess.Popen([sys.executable, "-c", PROCESS, *of_turn]) as process:
            while not server.seen:
                assert process.poll() is None
                time.sleep(0.01)
            process.kill()
        assert whole_reply(other, study, turn) == Heard(REPLY, "said")
    row = turn_of(engine, turn)
    assert (len(server.seen), [*server.by_id.values()], row.n_tries) == (2, [2], 2)
    assert row.tokens_out == 20 + 50  # what the first try may have used counts


def test_a_claim_is_renewed_while_its_reply_is_made(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "CLAIM_S", 3.0)
    monkeypatch.setattr(replies, "RENEW_S", 0.3)
    with engine.begin() as db:
        turn = awaited(db, study := conversing_study(db))
    with serving(server := plain(delay_s=5)), ExitStack() as stack:
        one, two = (stack.enter_context(replying(engine, listed(server))) for _ in range(2))
        one.ensure(study, turn)
        assert whole_reply(two, study, turn) == Heard(REPLY, "said")
    assert len(server.seen) == 1


def test_a_claim_of_a_clock_that_was_ahead_is_not_waited_for(engine: Engine) -> None:
    with engine.begin() as db:
        turn = awaited(db, study := conversing_study(db))
        db.execute(text("UPDATE conversation_turns SET claimed_until = now() + interval '30 hours', n_tries = 1"))
    with serving(server := plain()), replying(engine, listed(server)) as made:
        heard: list[Heard] = []
        waits = threading.Thread(target=lambda: heard.append(whole_reply(made, study, turn)), daemon=True)
        waits.start()
        waits.join(10)
        assert heard == [Heard(REPLY, "said")]


def test_a_process_that_ends_leaves_its_replies_to_others_at_once(engine: Engine) -> None:
    with engine.begin() as db:
        turn = awaited(db, study := conversing_study(db))
    with serving(server := plain(delay_s=1)), replying(engine, listed(server)) as other:
        with replying(engine, listed(server)) as ending:
            ending.ensure(study, turn)
            while not server.seen:
                time.sleep(0.01)
        assert turn_of(engine, turn).claimed_until is None
        assert whole_reply(other, study, turn) == Heard(REPLY, "said")


def test_twenty_turns_and_four_processes_ask_the_model_once_each(engine: Engine) -> None:
    with engine.begin() as db:
        study = conversing_study(db)
        turns = [awaited(db, study, key=f"r{n}") for n in range(20)]
    server = plain(delay_s=0.5)
    with serving(server), ExitStack() as stack:
        processes = [stack.enter_context(replying(engine, listed(server))) for _ in range(4)]

        async def everybody() -> list[Heard]:
            async def last(made: Replies, turn: int) -> Heard:
                return [heard async for heard in made.listen(study, turn)][-1]

            return await asyncio.gather(*(last(made, turn) for made in processes for turn in turns))

        assert {*asyncio.run(everybody())} == {Heard(REPLY, "said")}
    assert sorted(server.by_id.values()) == [1] * 20


def test_a_reply_waits_for_its_turn_at_the_server(engine: Engine) -> None:
    with engine.begin() as db:
        study = conversing_study(db)
        turns = [awaited(db, study, key=f"r{n}") for n in range(6)]
    at_once: list[int] = []
    under_way = [0]

    def behave(_prompt: object, _rng: object) -> str:
        under_way[0] += 1
        at_once.append(under_way[0])
        time.sleep(0.2)
        under_way[0] -= 1
        return REPLY

    server = ModelServer(behave)
    with serving(server), replying(engine, listed(server, at_once=2)) as made:
        for turn in turns:
            made.ensure(study, turn)
        for turn in turns:
            assert whole_reply(made, study, turn).state == "said"
    assert max(at_once) == 2


# Budgets.

_OF_ONE_RATER = text("""
    UPDATE conversation_turns SET number = id, assignment_id = (SELECT min(assignment_id) FROM conversation_turns)
    WHERE id = ANY(:turns)
""")


@pytest.mark.parametrize("bound", ["study", "server", "rater"])
def test_fifty_claims_at_once_never_exceed_a_budget(engine: Engine, bound: str) -> None:
    """Each reply may take 50 tokens and its prompt, which is taken for 19, and takes 60."""
    most = 1_000
    limits = {"study": {"max_tokens": most}, "rater": {"max_tokens_per_rater": most}}.get(bound, {})
    with engine.begin() as db:
        study = conversing_study(db, {"prompt": "Hi"}, **limits)
        turns = [awaited(db, study, key=f"r{n}") for n in range(50)]
        if bound == "rater":
            db.execute(_OF_ONE_RATER, {"turns": turns})
    server = plain(usage=(15, 45), delay_s=0.3)
    of_server = {"max_tokens": most} if bound == "server" else {}
    with serving(server), ExitStack() as stack:
        processes = [stack.enter_context(replying(engine, listed(server, **of_server))) for _ in range(2)]
        for number, turn in enumerate(turns):
            processes[number % 2].ensure(study, turn)
        for turn in turns:
            whole_reply(processes[0], study, turn)
    rows = [turn_of(engine, turn) for turn in turns]
    spent = sum(row.tokens_in + row.tokens_out for row in rows if row.state == "said")
    # A busy machine lets requests fail, whose reserved tokens count as used.
    assert 5 * 60 <= spent <= most
    assert {(row.state, row.problem) for row in rows} == {("said", None), ("failed", "budget")}
    assert len(server.seen) == spent // 60


def test_a_try_in_vain_counts_before_the_next_one(engine: Engine) -> None:
    server = plain(" ")
    row = one_reply(engine, server, max_tokens=200)
    assert (row.state, row.problem, row.tokens_in, row.tokens_out, len(server.seen)) == ("failed", "budget", 100, 20, 1)


def test_a_count_of_tokens_that_cannot_be_true_uses_up_the_budget_and_leaves_no_rater_waiting(engine: Engine) -> None:
    with engine.begin() as db:
        study = conversing_study(db)
        turns = [awaited(db, study, key=key) for key in ("anna", "bert")]
    with serving(plain(usage=(10**12, 10**12))) as server, replying(engine, listed(server)) as replies:
        for turn in turns:
            whole_reply(replies, study, turn)
    assert [(row.state, row.problem) for row in (turn_of(engine, turn) for turn in turns)] == [
        ("said", None),
        ("failed", "budget"),
    ]
