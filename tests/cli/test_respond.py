"""attune respond and attune compare-prompts: items from a file, estimate, run, and what two prompts changed."""

from pathlib import Path

import pytest
from sqlalchemy import create_engine

from app.settings import settings
from tests.kit.builder import build_study, protocol_of
from tests.kit.command_line import Attune, attune
from tests.kit.models_server import KEY, ModelServer, serving

__all__ = ["attune"]


def test_responses_from_the_estimate_to_the_comparison(
    attune: Attune, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    attune("db", "upgrade")
    monkeypatch.setenv("ATTUNE_MODEL_KEY", KEY)
    database = settings().database_url
    assert database
    settings.cache_clear()
    engine = create_engine(database.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as db:
        build_study(db, protocol_of(), texts=[{"key": "one", "text": "My cat is ill."}])
    engine.dispose()
    warm, brief, items = tmp_path / "warm.yaml", tmp_path / "brief.yaml", tmp_path / "items.csv"
    warm.write_text("name: p\nsystem: Be warm.\n")
    brief.write_text("name: p\nversion: 2\nsystem: Be brief.\nlength: {words: 9}\n")
    items.write_text("item,text\ntwo,I lost my job.\n")

    with serving(ModelServer(lambda prompt, _rng: f"As an AI, I am {len(prompt.page)}.")) as server:
        options = ("--model", "m", "--base-url", server.address)
        planned = attune("respond", "study", *options, "--prompt", warm, "--items", items, "--dry-run")
        assert "Added 1 items from items.csv." in planned.err
        assert (planned.code, "2 items, 2 requests: about" in planned.err, server.seen) == (0, True, [])
        first = attune("respond", "study", *options, "--prompt", warm)
        assert (first.code, "Texts: 2" in first.err) == (0, True)
        assert "one may reveal its source: As an AI, I am" in first.err
        again = attune("respond", "study", *options, "--prompt", warm)
        assert "Continuing the run m-p-1: 0 of 2 requests are left." in again.err
        second = attune("respond", "study", *options, "--prompt", brief)
        assert "Outside the requested length after all attempts: 2" in second.err
        n_asked = len(server.seen)
        warm.write_text("name: p\nuser: '{patient}'\n")
        assert (
            'found "{patient}"; allowed: a field that every item'
            in attune("respond", "study", *options, "--prompt", warm, "--name", "x").err
        )
        assert len(server.seen) == n_asked
    compared = attune("compare-prompts", "study", "m-p-1", "m-p-2", "--width", 100).out
    assert "Prompt (7 words differ)" in compared
    assert "system: Be [warm.]" in compared
    assert attune("compare-prompts", "study", "m-p-1", "none").code == 1
