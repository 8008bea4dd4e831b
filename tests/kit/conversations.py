"""Conversations in which a reply is awaited, stored directly, and the engine that makes the replies."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, Row, text

from app.base.database.engine import transactions
from app.llm.client.servers import ModelServer as Listed
from app.llm.live.replies import Heard, Replies
from tests.kit.builder import EMPATHY, build_study, protocol_of
from tests.kit.models_server import KEY, ModelServer

PROMPT = "You are Kim, a warm friend. Listen first. Never give advice, and never ask more than one question at a time."
ITEM = "My dog died yesterday."
_RATER = text("""
    WITH r AS (INSERT INTO raters (study_id, key) VALUES (:study, :key) RETURNING id),
    s AS (INSERT INTO rating_sessions (study_id, rater_id, token_hash, protocol_version, state, lease_expires_at)
          SELECT :study, id, decode(md5(:key || :study), 'hex'), 1, 'active', now() FROM r RETURNING id, rater_id),
    t AS (INSERT INTO trials (study_id, item_id, response_ids, condition, shuffle)
          SELECT :study, (SELECT min(id) FROM items WHERE study_id = :study), '{}', :condition, 0.5
          ON CONFLICT (study_id, item_id, response_ids, condition) DO UPDATE SET shuffle = 0.5 RETURNING id)
    INSERT INTO assignments (study_id, trial_id, rater_id, rating_session_id, position, response_ids, state, served_at)
    SELECT :study, t.id, s.rater_id, s.id, 1, '{}', 'leased', now() FROM s, t RETURNING id
""")
_TURN = text("""
    INSERT INTO conversation_turns (study_id, assignment_id, number, speaker, state, text, said_at)
    VALUES (:study, :assignment, :number, :speaker, :state, CAST(:text AS text),
            CASE WHEN :state = 'said' THEN now() END)
    RETURNING id
""")


def conversing_study(db: Connection, partner: Mapping[str, Any] | None = None, **conversation: Any) -> int:  # noqa: ANN401 - of a protocol
    """A study of conversations with one model."""
    partners = {"kim": {"model": "m", "prompt": PROMPT, "reply_tokens": 50} | dict(partner or {})}
    parts = protocol_of(
        sources={"kim": {"kind": "model", "family": "gpt"}},
        questions=[EMPATHY],
        design={"trials": "conversation"},
        conversation={"partners": partners} | conversation,
    )
    return build_study(db, parts, texts=[{"key": "dog", "text": ITEM, "responses": {}}])


def drafting_study(db: Connection, **partner: Any) -> int:  # noqa: ANN401 - of a protocol
    """A study of drafts with suggestions of one model."""
    parts = protocol_of(
        sources={"help": {"kind": "human+model"}},
        questions=[EMPATHY],
        design={"trials": "draft"},
        draft={"partners": {"help": {"model": "m", "prompt": PROMPT, "reply_tokens": 50} | partner}},
    )
    return build_study(db, parts, texts=[{"key": "dog", "text": ITEM, "responses": {}}])


def awaited(
    db: Connection, study: int, *said: str, key: str = "anna", condition: str = "", assignment: int | None = None
) -> int:
    """A turn that a partner is to say, after these of the rater and the partner in turn; returns its ID."""
    if assignment is None:
        assignment = int(db.execute(_RATER, {"study": study, "key": key, "condition": condition}).scalar_one())
    turn = 0
    for number, words in enumerate([*(said or ("Hello.",)), None], 1):
        values = {"study": study, "assignment": assignment, "number": number, "text": words}
        values |= {"speaker": "rater" if number % 2 else "partner", "state": "said" if words else "awaited"}
        turn = int(db.execute(_TURN, values).scalar_one())
    return turn


def turn_of(engine: Engine, turn: int) -> Row[Any]:
    """A turn as it is stored."""
    with engine.begin() as db:
        return db.execute(text("SELECT * FROM conversation_turns WHERE id = :turn"), {"turn": turn}).one()


def listed(server: ModelServer, **more: Any) -> Listed:  # noqa: ANN401 - of a server
    """A false server as an installation lists it."""
    fields = {"name": "Local", "base_url": server.address, "models": ("m",), "max_tokens": 1_000_000, "key": KEY}
    return Listed.model_validate(fields | {"at_once": 200} | more)


@contextmanager
def replying(engine: Engine, *servers: Listed) -> Iterator[Replies]:
    """The engine of one process."""
    replies = Replies(transactions(engine), servers)
    try:
        yield replies
    finally:
        replies.close()


def whole_reply(replies: Replies, study: int, turn: int) -> Heard:
    """How a reply ended, once it has."""

    async def last() -> Heard:
        return [heard async for heard in replies.listen(study, turn)][-1]

    return asyncio.run(last())
