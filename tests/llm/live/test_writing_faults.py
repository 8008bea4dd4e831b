"""A short fault run of conversations and drafts; and its check finds the errors that it looks for."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text

from benchmarks.fault_writer import Writing
from benchmarks.fault_writing import MODEL, compare, run
from benchmarks.slow_model import WORDS
from tests.kit.conversations import awaited, conversing_study
from tests.kit.processes import IN_PROC

_KEYS = text("""
    SELECT a.token::text, left(encode(sha256(convert_to(concat(a.token, '-', t.number), 'UTF8')), 'hex'), 40)
    FROM conversation_turns t JOIN assignments a ON a.study_id = t.study_id AND a.id = t.assignment_id
    WHERE t.speaker = 'partner'
""")
_SAID = text("""
    UPDATE conversation_turns SET state = 'said', text = :words, said_at = now(), tokens_in = 90, tokens_out = 25,
      n_tries = 1 WHERE speaker = 'partner'
""")
_TWICE = """
    INSERT INTO conversation_turns (study_id, assignment_id, number, speaker, state, text, said_at)
    SELECT study_id, assignment_id, 3, speaker, state, text, said_at FROM conversation_turns WHERE number = 1
"""


@pytest.mark.skipif(not IN_PROC, reason="finds the processes in /proc")
@pytest.mark.slow
def test_nothing_that_raters_write_is_lost_or_paid_twice_by_kills(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTUNE_MODEL_SERVERS_FILE", "")  # the run names its own
    result = run(data_dir, (MODEL, "worker", "postmaster", "host"), 6, between_s=0.1)
    assert result.verdict.is_clean, result.verdict
    assert result.n_messages > 6
    assert result.n_decisions > 3
    assert result.told
    assert float("inf") not in [seconds for each in result.recovery_s.values() for seconds in each]


def verdict(engine: Engine, change: str = "SELECT 1", *, asked: int = 1, **of_writing: Any) -> dict[str, int]:  # noqa: ANN401
    """What is found of one message and its reply, after a change of the database, as far as it is not 0."""
    with engine.begin() as db:
        awaited(db, conversing_study(db), "Hello.")
        db.execute(_SAID, {"words": WORDS})
        ((token, key),) = db.execute(_KEYS).all()
        db.execute(text(change))
        ledger = {token: Writing(**{"messages": {1: "Hello."}} | of_writing)}
        made = compare(db, ledger, Counter({key: asked}), Counter({key: asked}))
    return {name: n for name in made.__slots__ if (n := getattr(made, name))}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("SELECT 1", {}),
        ("DELETE FROM conversation_turns WHERE number = 1", {"lost": 1}),
        ("UPDATE conversation_turns SET text = 'Hallo.' WHERE number = 1", {"altered": 1}),
        (_TWICE, {"doubled": 1}),
        (
            "UPDATE conversation_turns SET state = 'failed', text = NULL, said_at = NULL WHERE number = 2",
            {"unanswered": 1},
        ),
        ("UPDATE conversation_turns SET tokens_out = 20 WHERE number = 2", {"uncounted": 1, "overcounted": 1}),
        ("UPDATE conversation_turns SET tokens_out = 50 WHERE number = 2", {"overcounted": 1}),
        ("UPDATE assignments SET token = gen_random_uuid()", {"lost": 1, "asked_under_another_key": 1}),
    ],
)
def test_error_is_found(engine: Engine, change: str, found: dict[str, int]) -> None:
    assert verdict(engine, change) == found


def test_second_answer_that_is_not_counted_is_found(engine: Engine) -> None:
    assert verdict(engine, asked=2) == {"uncounted": 1}


def test_conversation_that_is_not_over_is_lost(engine: Engine) -> None:
    assert verdict(engine, is_over=True) == {"lost": 1}
