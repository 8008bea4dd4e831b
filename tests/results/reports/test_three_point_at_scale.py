"""The three-point design at its published size: 1,000 raters, five sources between raters, one rating per response.

Welivita and Pu 2024 (arXiv:2406.05063): 2,000 dialogues, a human and four models, 200 raters per source, ten responses
each.
"""

import pytest
from sqlalchemy import Engine, text

from app.base.database.engine import transactions
from app.rating.life_cycle import open_study
from app.rating.simulation.simulate import simulate
from app.studies.folder.read import read_files
from app.studies.load import load_study

N_ITEMS, N_RATERS, N_EACH = 2000, 1000, 10
SOURCES = ("human", "model_a", "model_b", "model_c", "model_d")
YAML = """\
attune: 1
slug: three
title: Good, okay or bad
sources: {human: {kind: human}, model_a: {kind: model}, model_b: {kind: model}, model_c: {kind: model},
          model_d: {kind: model}}
questions:
  - {key: good, target: response, type: rating, text: How good is it?, scale: {1: bad, 2: okay, 3: good}}
design: {trials: single, raters_per_trial: 1, trials_per_rater: 10, same_item: false}
conditions:
  wrote: {kind: source, assign: between, levels: [human, model_a, model_b, model_c, model_d]}
"""
EACH_RESPONSE = "SELECT count(r.id) FROM responses p LEFT JOIN ratings r ON r.response_id = p.id GROUP BY p.id"
EACH_RATER = """
    SELECT s.condition, count(*), count(DISTINCT p.source_id), count(DISTINCT p.item_id)
    FROM ratings r JOIN assignments a ON a.id = r.assignment_id
    JOIN rating_sessions s ON s.id = a.rating_session_id AND s.state = 'finished'
    JOIN responses p ON p.id = r.response_id GROUP BY s.id, s.condition
"""


def files() -> dict[str, bytes]:
    items = [f"i{n},Situation {n}" for n in range(N_ITEMS)]
    responses = [f"i{n},{source},Response of {source} to {n}" for n in range(N_ITEMS) for source in SOURCES]
    return {
        "study.yaml": YAML.encode(),
        "items.csv": "\n".join(["item,text", *items]).encode(),
        "responses.csv": "\n".join(["item,source,text", *responses]).encode(),
    }


@pytest.mark.slow
def test_thousand_raters_rate_every_response_exactly_once(engine: Engine) -> None:
    with engine.begin() as db:
        load_study(db, read_files(files()), None)
        open_study(db, "three")
    outcome = simulate(transactions(engine), "three", N_RATERS + 1, seed=1)
    assert (outcome.n_finished, outcome.n_assignments) == (N_RATERS, N_RATERS * N_EACH)
    with engine.connect() as db:
        assert set(db.execute(text(EACH_RESPONSE)).scalars()) == {1}
        raters = db.execute(text(EACH_RATER)).all()
    assert {tuple(row)[1:] for row in raters} == {(N_EACH, 1, N_EACH)}
    n_by_condition = {level: sum(row.condition == level for row in raters) for level in {r.condition for r in raters}}
    assert n_by_condition == dict.fromkeys((f"wrote={source}" for source in SOURCES), N_RATERS // len(SOURCES))
