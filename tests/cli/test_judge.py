"""attune judge: estimate, run, continue, and error messages."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from sqlalchemy import create_engine

from app.cli.model_options import ModelOptions
from app.llm.runs.runs import RunRow, list_runs, only_worker, record_limits, record_stop
from app.settings import settings
from tests.kit.batch_server import BatchServer, serving_batches
from tests.kit.builder import build_study, protocol_of
from tests.kit.command_line import Attune, attune
from tests.kit.models_server import KEY, ModelServer, fail_with, first_offer, serving

__all__ = ["attune"]
MODEL = ("--model", "test-model")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving(ModelServer(first_offer)) as made:
        yield made


def _store_a_study() -> None:
    engine = create_engine((settings().database_url or "").replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as db:
        build_study(db, protocol_of(), n_items=2)
    engine.dispose()


def test_a_judge_from_the_estimate_to_the_results(
    attune: Attune, server: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    attune("db", "upgrade")
    (tmp_path / "key").write_text(f"{KEY}\n")
    monkeypatch.setenv("ATTUNE_MODEL_ENDPOINT", server.address)
    monkeypatch.setenv("ATTUNE_MODEL_KEY_FILE", str(tmp_path / "key"))
    _store_a_study()
    settings.cache_clear()

    planned = attune("judge", "study", *MODEL, "--dry-run", "--price-in", 1, "--price-out", 2)
    assert "2 trials, 4 requests, 12 answers" in planned.err
    assert (planned.code, server.seen) == (0, [])

    stored = attune("judge", "study", *MODEL, "--plan")
    assert "Planned: test-model. Register the study" in stored.err
    assert (stored.code, server.seen) == (0, [])

    server.troubles = lambda number: fail_with(404, "no model test-model") if number == 2 else None
    first = attune("judge", "study", *MODEL, "--at-once", 1)
    assert first.code == 1
    assert "Failed: no answer from the endpoint: 1" in first.err
    assert "1 x failed: The endpoint does not know this address or model (HTTP 404): no model test-model" in first.err
    assert "Not complete: 1 of 4 requests are left." in first.err

    second = attune("judge", "study", *MODEL)
    assert "Continuing the run test-model: 1 of 4 requests are left." in second.err
    assert (second.code, "Answered: 4" in second.err) == (0, True)
    assert (len(server.seen), set(server.keys)) == (5, {f"Bearer {KEY}"})
    assert KEY not in first.err + first.out + second.err

    other = attune("judge", "study", *MODEL, "--repeats", 2)
    assert (other.code, "began with other settings (repeats)" in other.err) == (1, True)
    _check_profiles(attune, server, tmp_path)
    for name in ("plain", "warm"):
        (tmp_path / f"{name}.txt").write_text(f"Be {name}.")
    prompts = ("--prompt", tmp_path / "plain.txt", "--prompt", tmp_path / "warm.txt")
    both = attune("judge", "study", *MODEL, "--name", "p", *prompts)
    assert (both.code, "p-plain:" in both.err, "p-warm:" in both.err) == (0, True, True)
    assert "Be warm." in str(server.seen[-1]["messages"])
    twice = attune("judge", "study", *MODEL, *prompts[:2], *prompts[:2])
    assert (twice.code, "Two files have the same name" in twice.err) == (2, True)
    assert attune("judge", "study", *MODEL, "--budget", 1).code == 2
    assert attune("judge", "study", *MODEL, "--base-url", "http://me@127.0.0.1/v1").code == 2
    monkeypatch.delenv("ATTUNE_MODEL_ENDPOINT")
    settings.cache_clear()
    nowhere = attune("judge", "study", *MODEL)
    assert (nowhere.code, "ATTUNE_MODEL_ENDPOINT" in nowhere.err) == (2, True)


def test_a_judge_is_asked_again_about_anchors_and_its_drift_is_told(
    attune: Attune, server: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ATTUNE_MODEL_ENDPOINT", server.address)
    settings.cache_clear()
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "study.yaml").write_text(json.dumps(protocol_of()))
    items = [f"i{k},A text.,{'yes' if k < 3 else ''}" for k in range(5)]
    (folder / "items.csv").write_text("\n".join(["item,text,anchor", *items, ""]))
    responses = [f"i{k}:{source},i{k},{source},A response." for k in range(5) for source in ("person", "model")]
    (folder / "responses.csv").write_text("\n".join(["response,item,source,text", *responses, ""]))
    assert attune("study", "load", folder).code == 0
    missing = attune("judge", "study", "--again", "judge")
    assert (missing.code, "The study study has no judge judge that was asked here." in missing.err) == (1, True)
    assert attune("judge", "study", *MODEL, "--name", "judge", "--limit", 3, "--one-side").code == 0
    early = attune("judge", "study", "--again", "judge")
    assert (early.code, "judge has 2 requests left. Continue it before you ask it again." in early.err) == (1, True)
    assert attune("judge", "study", *MODEL, "--name", "judge", "--one-side").code == 0
    assert attune("judge", "study", "--anchors", "anchor").code == 2
    nothing = attune("judge", "study", "--again", "judge", "--anchors", "anker")
    assert (nothing.code, "No item to judge has a value in the column anker." in nothing.err) == (1, True)
    before = len(server.seen)
    server.version_of = lambda _number: "test-model-2"
    limited = attune("judge", "study", "--again", "judge", "--anchors", "anchor", "--limit", 1)
    assert (limited.code, "3 trials, 3 requests" in limited.err) == (0, True), limited.err
    again = attune("judge", "study", "--again", "judge")
    assert (again.code, "Continuing the run judge@2: 2 of 3" in again.err) == (0, True), again.err
    assert len(server.seen) - before == 3
    third = attune("judge", "study", "--again", "judge@2")
    assert (third.code, "judge@3:" in third.err, len(server.seen) - before) == (0, True, 6)
    report = json.loads(attune("analyze", "study", "--json").out)
    drifts = [one for one in report["estimates"] if one["statistic"] == "drift_same"]
    assert {tuple(one["scope"]["raters"]) for one in drifts} == {("judge", "judge@2"), ("judge", "judge@3")}
    assert {one["estimate"] for one in drifts} == {1.0}
    assert "The model's version changed from test-model-1 to test-model-2." in str(report["notes"])


def test_a_run_in_batches_stays_one_elsewhere(attune: Attune) -> None:
    """What waits in a batch would be paid twice if the browser, or a shorter command, sent it by itself."""
    attune("db", "upgrade")
    database = settings().database_url
    assert database
    engine = create_engine(database.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as db:
        study_id = build_study(db, protocol_of(), n_items=2)

    def stored() -> RunRow:
        with engine.connect() as db:
            (run,) = list_runs(db, study_id, "judge")
        return run

    with serving_batches(BatchServer(first_offer)) as server:
        server.is_open.set()
        command = ("judge", "study", *MODEL, "--base-url", server.address)
        assert attune(*command, "--limit", 1, "--batch").code == 0
        assert (stored().limits, stored().in_batches) == ({"batch": True}, True)
        with engine.begin() as db:
            record_limits(db, stored(), {"server": "Local", "max_tokens": 900, "batch": True})
        refused = attune(*command)
        assert (refused.code, "Add --batch, which finds their answers" in refused.err) == (1, True)
        assert (len(server.made), len(server.seen)) == (1, 1)
        assert attune(*command, "--batch", "--limit", 1).code == 0
        assert (len(server.made), len(server.seen)) == (2, 2)
        n_files = len(server.files)
        attune(*command, "--no-batch")
        assert len(server.files) == n_files, "the rest is sent one by one"
    assert stored().limits == {"server": "Local", "max_tokens": 900, "batch": False}
    engine.dispose()


def test_a_run_that_another_process_works_on_is_left_as_it_is(attune: Attune, server: ModelServer) -> None:
    """A command that only found the run busy let it go on after a lead had stopped it."""
    attune("db", "upgrade")
    engine = create_engine((settings().database_url or "").replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as db:
        study_id = build_study(db, protocol_of(), n_items=2)
    command = ("judge", "study", *MODEL, "--base-url", server.address)
    assert attune(*command, "--plan").code == 0
    with engine.begin() as db:
        (run,) = list_runs(db, study_id, "judge")
        record_stop(db, run, "Stopped by a lead.")
    with only_worker(engine, run):
        refused = attune(*command, "--batch")
    assert (refused.code, "Another process is working on the run test-model." in refused.err) == (1, True)
    with engine.connect() as db:
        (now,) = list_runs(db, study_id, "judge")
    engine.dispose()
    assert (now.stop_reason, now.in_batches, server.seen) == ("Stopped by a lead.", False, [])


def _check_profiles(attune: Attune, server: ModelServer, tmp_path: Path) -> None:
    """Each row of a table of profiles is a judge with its attributes, told to the model."""
    profiles = tmp_path / "profiles.csv"
    profiles.write_text("rater,persona,age,lived_experience\nanna,You are Anna.,34,yes\nben,,71,\n")
    n_seen = len(server.seen)
    said = attune("judge", "study", *MODEL, "--one-side", "--profile", profiles, "--at-once", 1)
    assert (said.code, "test-model-anna:" in said.err, len(server.seen)) == (0, True, n_seen + 4)
    systems = [body["messages"][0]["content"] for body in server.seen[n_seen:]]
    asked = "You are Anna.\n\nAnswer as a rater with this profile:\n- age: 34\n- lived experience: yes\n\nA study"
    assert systems[0].startswith(asked)
    assert systems[2].startswith("Answer as a rater with this profile:\n- age: 71\n\nA study")
    assert "0 of 2 requests are left" in attune("judge", "study", *MODEL, "--one-side", "--profile", profiles).err
    profiles.write_text("rater,age\ncarl,34\ndora,71\n")
    server.usage = (5_000, 0)
    limited = ("--max-tokens", 100, "--budget-tokens", 9_000, "--at-once", 1)
    stopped = attune("judge", "study", *MODEL, "--one-side", "--profile", profiles, *limited)
    assert len(server.seen) == n_seen + 6, "the budget is for all judges together"
    assert "2 of 2 requests are left" in stopped.err
    profiles.write_text("rater,model\nanna,x\nanna,y\n")
    refused = attune("judge", "study", *MODEL, "--profile", profiles)
    assert (refused.code, "a name that is not a setting of a judge" in refused.err) == (1, True)
    assert "an ID that no other profile has" in refused.err


def test_ctrl_c_says_how_to_continue(attune: Attune, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    attune("db", "upgrade")
    monkeypatch.setenv("ATTUNE_MODEL_ENDPOINT", server.address)
    _store_a_study()
    settings.cache_clear()

    def interrupted(*_: object, **_options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as during:
        during.setattr("app.cli.model_work.work_on", interrupted)
        stopped = attune("judge", "study", *MODEL)
    assert stopped.code == 130
    assert "Stopped. The answers so far are saved. To continue, run the same command again." in stopped.err
    assert attune("judge", "study", *MODEL).code == 0


def test_a_seed_that_the_database_cannot_hold_is_refused(attune: Attune) -> None:
    refused = attune("judge", "study", *MODEL, "--seed", 10**18, "--plan")
    assert (refused.code, "at most 18 digits" in refused.err) == (2, True), refused.err


def test_more_tokens_than_the_page_allows_are_refused(attune: Attune) -> None:
    refused = attune("judge", "study", *MODEL, "--max-tokens", 1_000_001, "--plan")
    assert (refused.code, "less than or equal to" in refused.err) == (2, True), refused.err


@pytest.mark.parametrize("header", ["X-Ä=1", "X Y=1", "X=1\r\nY: 2"])
def test_a_header_that_no_request_can_carry_is_refused(header: str) -> None:
    asked = ModelOptions(model="m", base_url="http://127.0.0.1:9/v1", header=[header])
    with pytest.raises(typer.BadParameter, match="one line of ASCII characters"):
        _ = asked.endpoint


@pytest.mark.parametrize("option", ["--persona", "--examples", "--prompt"])
def test_a_file_that_is_not_text_is_named(attune: Attune, tmp_path: Path, option: str) -> None:
    (tmp_path / "warm.txt").write_bytes(b"\xff\0\xfe")
    refused = attune("judge", "study", *MODEL, option, tmp_path / "warm.txt", "--plan")
    said = 'warm.txt: found "a file that is not text"; allowed: text in UTF-8.'
    assert (refused.code, said in refused.err) == (1, True), refused.err
