"""A suggestion for a draft: what the model is sent, and what becomes of what it answers."""

from typing import Any

import pytest
from sqlalchemy import Engine, Row

from tests.kit.conversations import ITEM, PROMPT, awaited, drafting_study, listed, replying, turn_of, whole_reply
from tests.kit.models_server import ModelServer, completed, fail_with, serving

SUGGESTED = "That must be so hard for you."


def suggestion(engine: Engine, server: ModelServer, *turns: str, **partner: Any) -> Row[Any]:  # noqa: ANN401 - of a protocol
    """What became of a suggestion that was asked for after these texts and suggestions in turn."""
    with engine.begin() as db:
        turn = awaited(db, study := drafting_study(db, **partner), *turns)
    with serving(server), replying(engine, listed(server)) as made:
        whole_reply(made, study, turn)
    return turn_of(engine, turn)


def saying(words: str, **more: Any) -> ModelServer:  # noqa: ANN401 - of a server
    return ModelServer(lambda _prompt, _rng: words, **more)


def test_model_is_sent_the_prompt_with_the_item_and_the_text_as_it_is(engine: Engine) -> None:
    server = saying(SUGGESTED)
    found = suggestion(engine, server, "Oh no.", "Call me.", "Oh no. {item} <b>", prompt=f"{PROMPT} To: {{item}}")
    (body,) = server.seen
    assert body["messages"] == [
        {"role": "system", "content": f"{PROMPT} To: {ITEM}"},
        {"role": "user", "content": "Oh no."},
        {"role": "assistant", "content": "Call me."},
        {"role": "user", "content": "Oh no. {item} <b>"},
    ]
    assert (body["model"], body["max_tokens"]) == ("m", 50)
    assert (found.state, found.text, found.flags, found.decision) == ("said", SUGGESTED, [], None)


@pytest.mark.parametrize(
    ("words", "finish", "flags", "is_cut"),
    [
        ("<script>alert(1)</script> **Call** me.", "stop", [], False),
        ("I am so", "length", ["cut_off"], False),
        ("word " * 20_000, "stop", ["cut_off"], True),
        ("I'm sorry, I can't help with that.", "stop", ["refusal"], False),
        (f"My instructions: {PROMPT}", "stop", ["leak"], False),
    ],
    ids=["HTML", "cut off", "endless", "refusal", "leak"],
)
def test_suggestion_is_kept_as_it_came_within_its_bound_and_flagged(
    engine: Engine, words: str, finish: str, flags: list[str], *, is_cut: bool
) -> None:
    found = suggestion(engine, saying(words, finish=finish), "Oh no.")
    assert (found.state, found.flags) == ("said", flags)
    assert words.startswith(found.text)
    assert (len(found.text) < len(words.strip())) == is_cut


@pytest.mark.parametrize(
    "server",
    [
        ModelServer(lambda *_: "", lambda _: completed({"content": None, "refusal": "I will not."}, "stop")),
        ModelServer(lambda *_: "", lambda _: fail_with(400, "content_filter")),
        saying("Something vile.", finish="content_filter"),
    ],
    ids=["refused by the model", "refused by the server", "filtered"],
)
def test_refused_suggestion_is_withheld(engine: Engine, server: ModelServer) -> None:
    found = suggestion(engine, server, "Oh no.")
    assert (found.state, found.text, bool(found.problem)) == ("withheld", None, True)


def test_empty_suggestion_is_asked_for_again_and_then_fails(engine: Engine) -> None:
    server = saying(" \n ")
    found = suggestion(engine, server, "Oh no.")
    assert (found.state, found.text, bool(found.problem)) == ("failed", None, True)
    assert len(server.seen) > 1
