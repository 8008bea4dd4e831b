"""One run meets every false answer of real servers: each outcome, rating, token and cent is accounted for."""

import json
import re
import time
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from app.llm.client.budget import Budget, Prices
from app.llm.client.endpoint import Endpoint
from app.llm.client.handshake import shake_hands
from app.llm.client.servers import ModelServer as Listed
from app.llm.judges.judge_runs import estimate_run
from app.llm.outcomes import Outcome
from app.llm.runs.request_run import MAX_FAILURES_IN_A_ROW
from tests.kit.models_server import ModelServer, Prompt, completed, fail_with, first_offer, picky, streamed
from tests.llm.judges.judge import Judge, Make, judge, no_room

Sent = tuple[int, dict[str, str], bytes]

__all__ = ["judge"]

PRICES = Prices(2.5, 10.0)
TIMEOUT_S = 2.0
ANSWER = '{"q1": "Response A", "q2_A": "3", "q2_B": "2"}'
WORDS = completed({"content": "I would say four."})
HARMONY = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>"
CONTEXT = fail_with(400, "This model's maximum context length is 10 tokens.", code="context_length_exceeded")


def says(content: object, finish: str = "stop", **beside: object) -> Sent:
    return completed({"content": content, **beside}, finish)


def waits(name: str, value: str) -> Sent:
    """Busy, with this header."""
    status, _, body = fail_with(429, "Slow down")
    return status, {name: value}, body


# How each request ends at last, and what the server sends at each try before it answers as it should. A refusal to take
# a field (schema, temperature, log-probabilities, an answer that is not streamed) comes before all of them.
FALSE: dict[str, tuple[str, list[Sent]]] = {
    "list-of-parts": ("answered", [says([{"type": "text", "text": ANSWER}])]),
    "null-message": ("unparsed", [completed(None), completed(None)]),
    "null-content": ("unparsed", [says(None), says(None)]),
    "no-choice": ("failed, then answered", [(200, {}, b'{"choices": []}')]),
    "thoughts-tagged": ("answered", [says(f"<think>Hm, {{7}}.</think>{ANSWER}")]),
    "thoughts-without-opening": ("answered", [says(f"Hm, {{7}}.</think>{ANSWER}")]),
    "thoughts-in-field": ("answered", [says(ANSWER, reasoning_content="Hm.")]),
    "thoughts-as-part": ("answered", [says([{"type": "thinking", "thinking": "Hm."}, {"text": ANSWER}])]),
    "thoughts-of-harmony": ("answered", [says(f"{HARMONY}{ANSWER}")]),
    "thoughts-unfinished": ("cut_off", [says(f"<think>Perhaps {ANSWER}", "length")]),
    "cut-off": ("cut_off", [says(ANSWER[:20], "length")]),
    "cut-off-after-an-answer": ("cut_off", [says(ANSWER, "MAX_TOKENS")]),
    "filter-of-azure": ("refused", [fail_with(400, "Filtered", code="content_filter")]),
    "filter-of-openrouter": ("refused", [fail_with(403, "Flagged", metadata={"flagged_input": "..."})]),
    "filter-at-the-end": ("refused", [completed(None, "content_filter")]),
    "filter-inside-200": ("refused", [(200, {}, b'{"error": {"message": "Blocked by moderation", "code": 403}}')]),
    "refused-in-words": ("refused", [says("I'm sorry, I can't judge this.")]),
    "error-inside-200": (
        "answered",
        [(200, {}, b'{"error": {"code": 529}, "usage": {"prompt_tokens": 7, "completion_tokens": 1}}')],
    ),
    "quota": ("ends the run, then answered", [fail_with(429, "You exceeded your quota", code="insufficient_quota")]),
    "busy-in-milliseconds": ("answered", [waits("retry-after-ms", "20"), waits("Retry-After", "20ms")]),
    "busy-until-a-date": ("answered", [waits("Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT")]),
    "busy-in-words": ("answered", [fail_with(429, "Limit reached. Please try again in 0.02s.")]),
    "busy-nonsense": ("answered", [waits("Retry-After", "soon"), fail_with(503)]),
    "wrapped": ("answered", [says(f'Here it is: {{"answer": {ANSWER}}}')]),
    "odd-count-of-tokens": ("answered", [completed({"content": ANSWER}, usage={"prompt_tokens": "7", "other": -3})]),
    "not-storable": ("answered", [says(f"{ANSWER} \ud800 \x00")]),
    "repaired": ("answered", [WORDS]),
    "never-readable": ("unparsed", [WORDS, WORDS]),
    "megabyte-of-thoughts": ("answered", [says(f"<think>{'thought ' * 125_000}</think>{ANSWER}")]),
    "megabyte-of-words": ("answered", [says("words " * 170_000)]),
    "too-long": ("too_long", [CONTEXT]),
    "page-in-place-of-an-answer": ("failed, then answered", [(200, {}, b"<html>Bad gateway</html>")]),
    "late": ("answered", []),
    "full-disk": ("ends the process, then answered", []),
    **{f"after-the-key-expired-{n}": ("failed, then answered", []) for n in range(MAX_FAILURES_IN_A_ROW)},
    "last": ("answered", []),
}
_PICKY = picky(
    top_logprobs="logprobs: Input should be a valid integer",
    temperature="Unsupported value: 'temperature' does not support 0.0 with this model.",
)


@dataclass
class FalseServer:
    """What the server answers to a request. It cuts prompts silently, and charges an answer once per request ID."""

    server: ModelServer = field(default_factory=lambda: ModelServer(first_offer))
    new_key: str = ""
    left: dict[str, list[Sent]] = field(default_factory=lambda: {name: [*sent] for name, (_, sent) in FALSE.items()})
    was_late: bool = False
    charged: dict[str, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.server.refuses = self.answer

    def answer(self, body: dict[str, Any]) -> Sent:
        if refused := _PICKY(body):
            return refused
        if body.get("response_format", {}).get("type") == "json_schema":
            return fail_with(400, "This response_format type is unavailable now")
        if not body.get("stream"):
            return fail_with(400, "This model only supports streaming.")
        asked_by = self.server.headers[-1]
        found = re.search(r"The situation of (\S+)", Prompt(body).page)
        name = found[1] if found else ""
        if name.startswith("after-the-key") and self.new_key not in asked_by["Authorization"]:
            return fail_with(401, "expired")
        sent = self._next(body, name)
        usage = json.loads(sent[2]).get("usage") if sent[2].startswith(b"{") else None
        if usage and name != "odd-count-of-tokens":
            key = asked_by["Idempotency-Key"] + ("" if sent[0] == 200 and b"choices" in sent[2] else "-error")
            self.charged[key] = (usage["prompt_tokens"], usage["completion_tokens"])
        return streamed(sent)

    def _next(self, body: dict[str, Any], name: str) -> Sent:
        if name == "late" and not self.was_late:
            self.was_late = True
            time.sleep(TIMEOUT_S + 0.5)
        if self.left.get(name):
            return self.left[name].pop(0)
        version = f"test-model-{1 + ([*FALSE].index(name) > 20 if name else 0)}"
        good = first_offer(Prompt(body), Random(1)) if name else {"word": "none"}  # noqa: S311 - a test's own dice
        return completed({"content": json.dumps(good)}, model=version)


def outcomes(one: Judge) -> dict[str, str]:
    """The last outcome of each request, by item."""
    query = """SELECT DISTINCT ON (q.number) i.key, coalesce(q.outcome, 'open') FROM model_requests q
               JOIN items i ON i.id = q.item_id ORDER BY q.number, q.attempt DESC"""
    return dict(one.rows(query))


def test_one_run_meets_every_false_server(judge: Make) -> None:
    false = FalseServer()
    names = [{"key": name} for name in FALSE]
    one, server = judge(server=false.server, texts=names, both_sides=False, with_probabilities=True)
    one.endpoint = replace(one.endpoint, timeout_s=TIMEOUT_S)

    def go(budget: Budget | None = None) -> str:
        one.go(budget or Budget(PRICES), n_at_once=1)
        return one.stop_reason or ""

    # What a lead reads before the run exists.
    with one.engine.connect() as db:
        longest = estimate_run(db, one.study, one.settings).longest_in
    table = {row.what: row for row in shake_hands(one.endpoint, one.settings.parameters, longest)}
    bad = {what.partition(" (")[0]: row.found for what, row in table.items() if not row.is_good}
    assert bad["JSON"] == "with JSON mode"
    assert bad["Temperature"] == "refused: sent without"
    assert bad["A prompt as long as the longest"] == "cut: the server counted 100 tokens"
    assert table["Sent at once"].found == "no, only piece by piece"
    assert server.seen[-1]["logprobs"] == 20
    n_seen = len(server.seen)
    false.charged.clear()

    assert go(Budget(PRICES, max_cost=0.0)) == "The budget is used up."
    assert len(server.seen) == n_seen

    assert "has no credit left" in go()
    assert outcomes(one)["quota"] == "failed"

    ((item,),) = one.rows("SELECT id FROM items WHERE key = 'full-disk'")
    with one.engine.begin() as db:
        no_room(db, f"NEW.item_id = {item}")
    with pytest.raises(OperationalError, match="No space left on device"):
        go()
    assert outcomes(one)["full-disk"] == "open"
    with one.engine.begin() as db:
        db.execute(text("DROP TRIGGER no_room ON ratings"))

    false.new_key = "another-key"
    assert "10 requests in a row failed. The last one: The endpoint does not accept the key" in go()
    one.again(replace(one.endpoint, key="another-key"))
    assert go() == ""

    wanted = {name: outcome.rpartition("then ")[2] for name, (outcome, _) in FALSE.items()}
    assert outcomes(one) == wanted
    answered = {name for name, outcome in wanted.items() if outcome == Outcome.ANSWERED}
    rated = one.rows("SELECT i.key, count(*) FROM ratings r JOIN items i ON i.id = r.item_id GROUP BY 1")
    assert dict(rated) == dict.fromkeys(answered, 3)
    thoughts = dict(one.rows("SELECT i.key, q.thoughts FROM model_requests q JOIN items i ON i.id = q.item_id"))
    assert not [name for name in FALSE if "thoughts" in name and not thoughts[name]]
    ((versions,),) = one.rows("SELECT attributes ->> 'model_version' FROM raters")
    assert versions == "m, test-model-1, test-model-2"
    unfinished = "SELECT finish_reason, parameters ->> 'max_tokens' FROM model_requests WHERE raw_answer ~ 'Perhaps'"
    assert one.rows(unfinished) == [("length", "1000")]
    tokens_in, tokens_out = map(sum, zip(*false.charged.values(), strict=True))
    used = one.rows("""SELECT sum(tokens_in), sum(tokens_out), sum(cost) FROM model_requests q
                       JOIN items i ON i.id = q.item_id WHERE i.key <> 'odd-count-of-tokens'""")
    assert used == [(tokens_in, tokens_out, pytest.approx(PRICES.cost(tokens_in, tokens_out), abs=1e-9))]


def test_an_answer_that_takes_five_minutes_is_not_waited_for_unless_the_setting_says_so() -> None:
    usual = Listed(name="S", base_url="http://127.0.0.1:9/v1", models=("m",), max_tokens=9)
    patient = usual.model_copy(update={"timeout_s": 600})
    assert Endpoint("http://127.0.0.1:9/v1", "m").timeout_s == usual.endpoint("m").timeout_s == 120
    assert patient.endpoint("m").timeout_s == 600
