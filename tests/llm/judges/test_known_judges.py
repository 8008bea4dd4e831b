"""Judges with a known truth: a biased one is found biased, an unbiased one passes; a killed run loses nothing."""

import asyncio
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import Connection, Engine, text

from app.analysis.findings.judge_summary import judge_summaries
from app.analysis.report.report import Report
from app.llm.client.budget import Budget, Prices
from app.llm.client.endpoint import Endpoint
from app.llm.judges.judge_pages import judged_study
from app.llm.judges.judge_runs import begin_run
from app.llm.judges.judge_settings import JudgeSettings
from app.llm.judges.judging import judging
from app.settings import settings
from app.studies.studies import get_study
from tests.kit.builder import EMPATHY, PREFERENCE, build_study, protocol_of
from tests.kit.command_line import Attune, attune_alone
from tests.kit.frames import find, only
from tests.kit.models_server import KEY, ModelServer, Prompt, first_offer, serving
from tests.kit.study_report import report_of_study
from tests.llm.judges.judge import no_room

__all__ = ["attune_alone"]

ROOT = Path(__file__).resolve().parents[3]
N_ITEMS, N_PEOPLE = 24, 4
MARK = re.compile(r"quality (\d)")
_PEOPLE = text("""
    WITH r AS (INSERT INTO raters (study_id, key) VALUES (:study, :key) RETURNING id)
    INSERT INTO ratings (study_id, rater_id, question, item_id, response_id, number, left_response_id,
                         right_response_id, rated_at)
    SELECT :study, r.id, 'empathy', p.item_id, p.id, greatest(1, least(5, p.quality + p.noise)), p.one, p.other, now()
    FROM r CROSS JOIN (
      SELECT id, item_id, CAST(substring(text FROM 'quality (\\d)') AS integer) AS quality,
             (abs(hashtext(key || :key)) % 3) - 1 AS noise,
             min(id) OVER (PARTITION BY item_id) AS one, max(id) OVER (PARTITION BY item_id) AS other
      FROM responses WHERE study_id = :study) AS p
""")


def build_rated_study(db: Connection, n_items: int = N_ITEMS) -> None:
    """A study whose texts name their quality, rated by people who see it with an error of at most one point."""
    rng = Random(3)  # noqa: S311 - a test's own dice
    texts = [
        {
            "key": f"item-{n}",
            "text": f"Situation {n}",
            "responses": {
                name: f"quality {rng.randint(1, 5)}{' words' * rng.randint(0, 9)}" for name in ("person", "model")
            },
        }
        for n in range(n_items)
    ]
    study_id = build_study(db, protocol_of(questions=[PREFERENCE, EMPATHY]), texts=texts)
    for number in range(N_PEOPLE):
        db.execute(_PEOPLE, {"study": study_id, "key": f"person-{number}"})


def quality(prompt: Prompt, letter: str) -> int:
    found = MARK.search(prompt.response(letter))
    assert found
    return int(found[1])


def unbiased(prompt: Prompt, rng: Random) -> object:
    """What people say, with an error of at most one point; prefers the better response."""
    rated = {letter: quality(prompt, letter) for letter in "AB"}
    better = max(rated, key=lambda letter: (rated[letter], prompt.response(letter)))
    noisy = {
        letter: str(min(5, max(1, value + rng.choice((-1, 0, 0, 0, 0, 0, 0, 1))))) for letter, value in rated.items()
    }
    return {"q1": f"Response {better}", "q2_A": noisy["A"], "q2_B": noisy["B"]}


def biased(_prompt: Prompt, _rng: Random) -> object:
    """Whatever stands first is best."""
    return {"q1": "Response A", "q2_A": "5", "q2_B": "1"}


def report_with(engine: Engine, *judges: tuple[str, object]) -> Report:
    """The results of the study after these judges rated it."""
    for name, behave in judges:
        with serving(ModelServer(behave)) as server:  # type: ignore[arg-type]  # any behaviour
            endpoint = Endpoint(server.address, name, KEY)
            with engine.begin() as db:
                study = get_study(db, "study")
                assert study
                run, _ = begin_run(db, study, endpoint, JudgeSettings(repeats=2, seed=1, temperature=1.0), name)
                judged = judged_study(db, study.id, 1)
            asyncio.run(judging(engine.begin, run, judged, endpoint, Budget(Prices())).work())
    with engine.begin() as db:
        study = get_study(db, "study")
        assert study
        return report_of_study(db, study)[0]


def test_a_biased_judge_is_found_biased_and_an_unbiased_one_passes(engine: Engine) -> None:
    with engine.begin() as db:
        build_rated_study(db)
    before = report_with(engine)
    report = report_with(engine, ("good", unbiased), ("bad", biased))
    good, bad = (dict[str, "Sequence[str]"](rater_kind="model", raters=[name]) for name in ("good", "bad"))

    def value(statistic: str, scope: dict[str, Sequence[str]], question: str) -> float:
        estimate = only(report, statistic, scope=scope, question=question).estimate
        assert estimate is not None, statistic
        return estimate

    assert value("alt_test_winning_rate", good, "empathy") == 1
    assert value("alt_test_winning_rate", bad, "empathy") == 0
    assert value("first_side_share", bad, "preference") == 1
    assert value("side_consistency", bad, "preference") == 0
    assert value("side_consistency", good, "preference") > 0.9
    assert value("retest_agreement", bad, "empathy") == 1
    assert 0.4 < value("retest_agreement", good, "empathy") < 0.95
    assert abs(value("length_bias", good, "empathy")) < 0.3
    # Over both sides the bad judge says the same of every response.
    assert value("side_effect", bad, "empathy") == 4
    assert only(report, "judge_correlation", scope=bad, question="empathy").reason == "no_variation"
    assert value("judge_correlation", good, "empathy") > 0.7
    verdicts = {one.name: one.verdict for one in judge_summaries(report)}
    assert verdicts["bad"] == "Biased"
    assert verdicts["good"] in {"Passes", "Does not pass"}
    # Judges change no estimate about people, and their showings are not left out.
    assert not [note for note in report.notes if "repeats" in note]
    assert [one.estimate for one in find(report, "krippendorff_alpha_ordinal", scope={})] == [
        one.estimate for one in find(before, "krippendorff_alpha_ordinal", scope={})
    ]


@pytest.mark.slow
@pytest.mark.parametrize("n_items", [20, 500])
def test_a_killed_run_goes_on_and_nothing_is_lost_or_doubled(
    engine: Engine, attune_alone: Attune, monkeypatch: pytest.MonkeyPatch, n_items: int
) -> None:
    n_requests, n_at_once = 2 * n_items, 4
    with engine.begin() as db:
        build_study(db, protocol_of(), n_items=n_items)
    server = ModelServer(first_offer, delay_s=0.02)
    with serving(server):
        first = start_judge(engine, server, n_at_once)
        deadline = time.monotonic() + 300
        while len(server.seen) < n_requests // 2 and first.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        first.kill()
        first.communicate(timeout=60)
        assert first.returncode == -9
        n_before = len(server.seen)
        assert n_requests // 2 <= n_before < n_requests
        for name, value in environment_of(engine).items():
            monkeypatch.setenv(name, value)
        settings.cache_clear()
        second = attune_alone(*command(server, n_at_once))
    assert second.code == 0, second.err
    assert f"Answered: {n_requests:,}" in second.err
    with engine.connect() as db:
        assert (
            db.execute(text("SELECT count(*) FROM model_requests WHERE outcome = 'answered'")).scalar_one()
            == n_requests
        )
        assert db.execute(text("SELECT count(*) FROM ratings")).scalar_one() == 3 * n_requests
    # Only requests that were under way at the kill were sent twice.
    assert len(server.by_id) == n_requests
    assert len(server.seen) - n_requests <= n_at_once


def command(server: ModelServer, n_at_once: int) -> tuple[str, ...]:
    return ("judge", "study", "--model", "m", "--base-url", server.address, "--at-once", str(n_at_once))


def environment_of(engine: Engine) -> dict[str, str]:
    address = engine.url.render_as_string(hide_password=False).replace("+psycopg", "")
    return {"DATABASE_URL": address, "ATTUNE_MODEL_KEY": KEY}


def start_judge(engine: Engine, server: ModelServer, n_at_once: int) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "app", *command(server, n_at_once)],
        cwd=ROOT,
        env=os.environ | environment_of(engine),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_of_two_commands_with_one_name_only_one_asks(engine: Engine) -> None:
    with engine.begin() as db:
        build_study(db, protocol_of(), n_items=10)
    has_refused = threading.Event()

    def in_time(prompt: Prompt, rng: Random) -> dict[str, object]:
        has_refused.wait(300)
        return first_offer(prompt, rng)

    server = ModelServer(in_time)
    with serving(server):
        one = start_judge(engine, server, 1)
        while not server.seen and one.poll() is None:
            time.sleep(0.01)
        other = start_judge(engine, server, 1)
        _, refused = other.communicate(timeout=300)
        has_refused.set()
        one.communicate(timeout=300)
    assert (one.returncode, other.returncode) == (0, 1)
    assert "Another process is working on the run m." in refused
    assert "Traceback" not in refused
    assert len(server.seen) == len(server.by_id) == 20


@pytest.mark.slow
def test_a_full_disk_ends_the_command_with_a_sentence(engine: Engine) -> None:
    with engine.begin() as db:
        build_study(db, protocol_of(), n_items=2)
        no_room(db, "true")
    with serving(ModelServer(first_offer)) as server:
        command = start_judge(engine, server, 1)
        said = command.communicate(timeout=300)[1]
        with engine.begin() as db:
            db.execute(text("DROP TRIGGER no_room ON ratings"))
        again = start_judge(engine, server, 1)
        again.communicate(timeout=300)
    assert command.returncode == 1
    assert "Stopped, because the disk of the database is full (53100)." in said
    assert "Traceback" not in said
    assert (again.returncode, len(server.seen), len(server.by_id)) == (0, 5, 4)
