"""Nine judges with planted faults: what each is called, which conclusion it changes, its bounds, and its costs."""

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from app.analysis.estimate import Scope
from app.analysis.findings.summary import summary_of
from app.llm.client.budget import Budget, Prices
from app.llm.client.endpoint import Endpoint
from app.llm.judges.judge_pages import judged_study
from app.llm.judges.judge_runs import begin_run
from app.llm.judges.judge_settings import JudgeSettings
from app.llm.judges.judging import judging
from app.studies.studies import get_study
from tests.kit.builder import EMPATHY, PREFERENCE, build_study, protocol_of
from tests.kit.frames import only
from tests.kit.models_server import KEY, ModelServer, Prompt, fail_with, serving
from tests.kit.study_report import report_of_study
from tests.kit.token_stream import Stated
from tests.llm.judges.test_known_judges import quality

pytestmark = [pytest.mark.slow, pytest.mark.long]
N_ITEMS, N_PEOPLE, LONG_TEXT, TROUBLE = 60, 5, 75, 17
PRICES = Prices(2.5, 10.0)
SOURCES = {"person": {"kind": "human"}, "model": {"kind": "model", "family": "acme"}}
# People see the quality with an error of at most one point, and prefer the response that they rate higher.
_PEOPLE = text("""
    WITH r AS (INSERT INTO raters (study_id, key) VALUES (:study, :key) RETURNING id),
    p AS (
      SELECT item_id, id,
             CAST(substring(text FROM 'quality (\\d)') AS integer) + (abs(hashtext(key || :key)) % 3) - 1 AS q,
             min(id) OVER (PARTITION BY item_id) AS one, max(id) OVER (PARTITION BY item_id) AS other
      FROM responses WHERE study_id = :study
    ),
    rated AS (
      INSERT INTO ratings (study_id, rater_id, question, item_id, response_id, number, left_response_id,
                           right_response_id, rated_at)
      SELECT :study, r.id, 'empathy', item_id, p.id, greatest(1, least(5, q)), one, other, now() FROM r, p
    )
    INSERT INTO ratings (study_id, rater_id, question, item_id, outcome, chosen_response_id, left_response_id,
                         right_response_id, rated_at)
    SELECT :study, r.id, 'preference', a.item_id, CASE WHEN a.q = b.q THEN 'tie' ELSE 'response' END,
           CASE WHEN a.q > b.q THEN a.id WHEN b.q > a.q THEN b.id END, a.id, b.id, now()
    FROM r, p AS a JOIN p AS b ON a.item_id = b.item_id AND a.id = a.one AND b.id = b.other
""")


def build_rated_study(db: Connection) -> None:
    """The model writes better responses by a point; lengths say nothing about quality."""
    rng = Random(3)  # noqa: S311 - a test's own dice
    texts = []
    for n in range(N_ITEMS):
        levels = {"person": rng.randint(1, 4), "model": rng.randint(2, 5)}
        said = {name: f"quality {level}{' words' * rng.randint(0, 20)} by {name}" for name, level in levels.items()}
        texts.append({"key": f"item-{n}", "text": f"Situation {n}{' (violent)' if n % 2 else ''}", "responses": said})
    study = protocol_of(sources=SOURCES, questions=[PREFERENCE, EMPATHY], analysis={"reference": "person"})
    study_id = build_study(db, study, texts=texts)
    for number in range(N_PEOPLE):
        db.execute(_PEOPLE, {"study": study_id, "key": f"person-{number}"})


def said(prompt: Prompt, rated: dict[str, int]) -> dict[str, str]:
    """The ratings, and the choice that follows from them."""
    kept = {letter: min(5, max(1, value)) for letter, value in rated.items()}
    tie = next(one for one in prompt.fields["q1"] if not one.startswith("Response"))
    best = tie if kept["A"] == kept["B"] else f"Response {max(kept, key=kept.__getitem__)}"
    return {"q1": best, "q2_A": str(kept["A"]), "q2_B": str(kept["B"])}


def rates(add: Callable[[str, str], int] = lambda _letter, _text: 0) -> Callable[[Prompt, Random], Any]:
    """A judge that rates as people do, a little more reliably, and adds points by the side or the text."""

    def behave(prompt: Prompt, rng: Random) -> object:
        noisy = {letter: quality(prompt, letter) + rng.choice((-1, 0, 0, 0, 0, 1)) for letter in "AB"}
        return said(prompt, {letter: value + add(letter, prompt.response(letter)) for letter, value in noisy.items()})

    return behave


def at_random(prompt: Prompt, rng: Random) -> object:
    return said(prompt, {letter: rng.randint(1, 5) for letter in "AB"})


def inverted(prompt: Prompt, rng: Random) -> object:
    return said(prompt, {letter: 6 - quality(prompt, letter) + rng.choice((-1, 0, 1)) for letter in "AB"})


def refusing(prompt: Prompt, rng: Random) -> object:
    return "I'm sorry, I can't help with that." if "(violent)" in prompt.page else rates()(prompt, rng)


def sure(prompt: Prompt, rng: Random) -> object:
    """Rates as people do, and states a probability of 95% for whatever it says."""
    found: Any = rates()(prompt, rng)
    offered = prompt.fields["q1"]
    stated = {f"q2_{letter}": {**dict.fromkeys("12345", 0.0125), found[f"q2_{letter}"]: 0.95} for letter in "AB"}
    return Stated(q1={**dict.fromkeys(offered, 0.05 / (len(offered) - 1)), found["q1"]: 0.95}, **stated)


JUDGES: dict[str, Callable[[Prompt, Random], Any]] = {
    "fair": rates(),
    "side": rates(lambda letter, _: 2 if letter == "A" else -1),
    "length": rates(lambda _, words: 2 if len(words) > LONG_TEXT else -1),
    "own-family": rates(lambda _, words: 2 if "by model" in words else -1),
    "harsh": rates(lambda *_: -1),
    "random": at_random,
    "inverted": inverted,
    "refusing": refusing,
    "sure": sure,
}


def judge_all(engine: Engine) -> None:
    """Let all judges rate; each server fails now and then, and counts what it is paid for."""
    for name, behave in JUDGES.items():
        server = ModelServer(behave, troubles=lambda n: None if n % TROUBLE else fail_with(503, Retry_After="0"))
        with serving(server):
            endpoint = Endpoint(server.address, name, KEY)
            family = "acme" if name == "own-family" else ""
            settings = JudgeSettings(seed=1, temperature=1.0, family=family, with_probabilities=name == "sure")
            with engine.begin() as db:
                study = get_study(db, "study")
                assert study
                run, _ = begin_run(db, study, endpoint, settings, name)
                judged = judged_study(db, study.id, 1)
            budget = Budget(PRICES)
            asyncio.run(judging(engine.begin, run, judged, endpoint, budget).work())
        n_paid = sum(number % TROUBLE > 0 for number in range(1, len(server.seen) + 1))
        assert len(server.seen) > n_paid == 2 * N_ITEMS
        assert budget.cost == pytest.approx(PRICES.cost(100 * n_paid, 20 * n_paid), abs=1e-9)


def test_each_planted_fault_is_named(engine: Engine) -> None:
    with engine.begin() as db:
        build_rated_study(db)
    judge_all(engine)
    with engine.begin() as db:
        study = get_study(db, "study")
        assert study
        report, protocol = report_of_study(db, study)
    summary = summary_of(report, protocol)
    of = {one.name: one for one in summary.judges}
    for name in ("fair", "sure"):
        assert of[name].n_passed >= 1
        assert (of[name].n_tested, of[name].n_below) == (2, 0)
    assert of["harsh"].n_passed < of["harsh"].n_tested
    for name in ("random", "inverted"):
        assert (of[name].n_passed, of[name].n_below) == (0, 2)
    assert of["refusing"].answered == pytest.approx(0.5)
    told = {name: " ".join(one.biases) for name, one in of.items()}
    assert "chooses the first side" in told["side"]
    assert "rates the left response higher (2." in told["side"]
    assert "favours longer texts" in told["length"]
    assert "favours its own family" in told["own-family"]
    assert {of[name].verdict for name in ("side", "length", "own-family")} == {"Biased"}
    (preference,) = [one for one in summary.conclusions if one.label == "Preference"]
    changing = {one.judge for one in preference.judges if one.changes}
    assert changing == {"length", "random", "inverted"}
    half: Scope = {"rater_kind": "model", "raters": ["refusing"]}
    bounds = [
        only(report, f"judge_correlation{end}", scope=half, question="empathy").estimate or 0.0
        for end in ("_lowest", "", "_highest")
    ]
    assert bounds == sorted(bounds)
    assert bounds[0] < 0.3
    assert bounds[2] > 0.8
    confident: Scope = {"rater_kind": "model", "raters": ["sure"]}
    assert (only(report, "overconfidence", scope=confident, question="preference").ci_low or 0.0) > 0.1
