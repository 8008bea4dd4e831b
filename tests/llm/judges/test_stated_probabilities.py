"""Judges that state the probability of their answers: stored, exported, and compared with what people say."""

import asyncio
import json
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import Engine, text

from app.analysis.estimate import Estimate
from app.llm.client.budget import Budget, Prices
from app.llm.client.endpoint import Endpoint
from app.llm.judges.judge_pages import judged_study
from app.llm.judges.judge_runs import begin_run
from app.llm.judges.judge_settings import JudgeSettings
from app.llm.judges.judging import judging
from app.studies.export import study_folder
from app.studies.folder.read import read_folder
from app.studies.folder.write import write_folder
from app.studies.studies import get_study
from tests.kit.builder import EMPATHY, PREFERENCE, build_study, protocol_of
from tests.kit.frames import find, only
from tests.kit.models_server import KEY, Behave, ModelServer, Prompt, fail_with, serving
from tests.kit.study_report import report_of_study
from tests.kit.token_stream import OTHER, Stated
from tests.llm.judges.test_known_judges import build_rated_study, quality


def judge_with(engine: Engine, name: str, server: ModelServer) -> None:
    """Let a judge with these answers rate the study."""
    with serving(server):
        endpoint = Endpoint(server.address, name, KEY)
        settings = JudgeSettings(both_sides=False, seed=2, temperature=1.0, with_probabilities=True)
        with engine.begin() as db:
            study = get_study(db, "study")
            assert study
            run, _ = begin_run(db, study, endpoint, settings, name)
            judged = judged_study(db, study.id, 1)
        asyncio.run(judging(engine.begin, run, judged, endpoint, Budget(Prices()), n_at_once=1).work())


def points(level: int) -> dict[str, float]:
    """What people say about a text of this quality: one point less, the same, or one more."""
    shares = dict.fromkeys("12345", 1e-9)
    for noise in (-1, 0, 1):
        shares[str(min(5, max(1, level + noise)))] += 1 / 3
    return shares


def rates(*, is_sure: bool) -> Behave:
    """A judge that states what people say; or one that is sure of the most probable point."""

    def behave(prompt: Prompt, _rng: Random) -> Stated:
        rated = {f"q2_{letter}": points(quality(prompt, letter)) for letter in "AB"}
        if is_sure:
            tops = {name: max(shares, key=shares.__getitem__) for name, shares in rated.items()}
            rated = {name: {**dict.fromkeys("12345", 0.025), top: 0.9} for name, top in tops.items()}
        return Stated(q1={"Response A": 0.6, "Response B": 0.4}, **rated)

    return behave


def test_calibrated_judge_and_overconfident_judge(engine: Engine, tmp_path: Path) -> None:
    with engine.begin() as db:
        build_rated_study(db, 60)
    judge_with(engine, "calibrated", ModelServer(rates(is_sure=False)))
    judge_with(engine, "overconfident", ModelServer(rates(is_sure=True)))
    with engine.begin() as db:
        study = get_study(db, "study")
        assert study
        report = report_of_study(db, study)[0]
        folder = study_folder(db, study.id)

    def value(statistic: str, judge: str) -> Estimate:
        return only(report, statistic, scope={"rater_kind": "model", "raters": [judge]}, question="empathy")

    fair, sure = (value("overconfidence", name) for name in ("calibrated", "overconfident"))
    assert fair.ci_low is not None
    assert fair.ci_high is not None
    assert fair.ci_low < 0 < fair.ci_high
    assert sure.ci_low is not None
    assert sure.ci_low > 0.25
    assert value("stated_probability", "overconfident").estimate == pytest.approx(0.8, abs=0.12)
    assert value("calibration_error", "calibrated").ci_low == 0
    assert (value("calibration_error", "overconfident").ci_low or 0) > 0.25
    lowest = value("brier_lowest", "calibrated").estimate
    assert lowest is not None
    assert value("brier_score", "calibrated").estimate == pytest.approx(lowest, abs=0.06)
    assert (value("brier_score", "overconfident").estimate or 0) > lowest + 0.2
    bins = find(report, "calibration_bin_share", question="empathy")
    assert sum(one.n_units or 0 for one in bins if one.scope["raters"] == ["calibrated"]) == 120
    # Nobody chose between the responses, so there is nothing to compare the choices with.
    assert not find(report, "overconfidence", question="preference")
    write_folder(tmp_path, folder)
    again, before = (
        frame["probabilities"].dropna().tolist() for frame in (read_folder(tmp_path).ratings, folder.ratings)
    )
    assert len(again) == 2 * 3 * 60
    assert sorted(again) == sorted(before)


def test_stored_by_request_and_by_answer(engine: Engine) -> None:
    with engine.begin() as db:
        build_study(db, protocol_of(questions=[{**PREFERENCE, "tie": True}, EMPATHY]), n_items=1)
    shares = {"Response A": 0.5, "Response B": 0.2, "About the same": 0.3}
    point = {"1": 0.1, "2": 0.2, "3": 0.4, "4": 0.2, "5": 0.1}

    def behave(_prompt: Prompt, _rng: Random) -> Stated:
        return Stated(q1=shares, q2_A=point, q2_B=point)

    judge_with(engine, "judge", ModelServer(behave))
    with engine.connect() as db:
        (found,) = db.execute(text("SELECT probabilities FROM model_requests")).scalars()
        rows = db.execute(
            text("""
            SELECT q.question, q.probabilities, l.key AS left, r.key AS right, q.outcome, q.number FROM ratings q
            JOIN responses l ON l.id = q.left_response_id JOIN responses r ON r.id = q.right_response_id
        """)
        ).all()
    assert found["q1"]["allowed"] == pytest.approx({sign: share * (1 - OTHER) for sign, share in shares.items()})
    assert found["q1"]["given"] == pytest.approx(found["q1"]["allowed"][found["q1"]["sign"]])
    choice = next(row for row in rows if row.question == "preference")
    expected = {choice.left: 0.475, choice.right: 0.19, "tie": 0.285}
    assert json.loads(choice.probabilities) == pytest.approx(expected)
    for row in rows:
        if row.question == "empathy":
            assert json.loads(row.probabilities) == pytest.approx({sign: p * 0.95 for sign, p in point.items()})


def test_server_without_log_probabilities_is_asked_without_them(engine: Engine) -> None:
    with engine.begin() as db:
        build_study(db, protocol_of(), n_items=2)
    server = ModelServer(lambda prompt, _rng: {name: allowed[0] for name, allowed in prompt.fields.items()})

    def refuse(number: int) -> tuple[int, dict[str, str], bytes] | None:
        asked = server.seen[number - 1].get("top_logprobs", 0)
        return fail_with(403, "You are not allowed to request logprobs from this model") if asked else None

    server.troubles = refuse
    judge_with(engine, "judge", server)
    assert [body.get("top_logprobs") for body in server.seen] == [20, 5, None, None]
    with engine.connect() as db:
        assert db.execute(text("SELECT outcome, probabilities FROM model_requests")).all() == [("answered", None)] * 2
