"""200 concurrent raters, four worker processes, 2,000 trials: exact, balanced, nothing lost, nothing duplicated."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from benchmarks.rater_client import RaterClient
from tests.kit.processes import IN_PROC
from tests.kit.serving import serving
from tests.rating.seats.test_assignments import assert_exact

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not IN_PROC, reason="finds the workers in /proc")]
N_RATERS, N_ITEMS, K = 200, 1000, 5
TOLD = {"kind": "instruction", "levels": {"plain": "Read it.", "other": "Imagine how this person feels."}}
# For every rater who finished: the condition, and how many trials were done, left open, or in another condition.
FINISHED = text("""
    SELECT s.condition, count(*) FILTER (WHERE a.state = 'done') AS n_done,
           count(*) FILTER (WHERE a.state IN ('planned', 'leased')) AS n_open,
           count(*) FILTER (WHERE t.condition <> s.condition) AS n_strange
    FROM rating_sessions s JOIN assignments a ON a.study_id = s.study_id AND a.rating_session_id = s.id
    JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    WHERE s.state = 'finished' GROUP BY s.id, s.condition
""")
SIDES = text("""
    SELECT max(abs(n_left - n_right)) FROM (
      SELECT count(*) FILTER (WHERE a.response_ids = t.response_ids) AS n_left,
             count(*) FILTER (WHERE a.response_ids <> t.response_ids) AS n_right
      FROM assignments a JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
      WHERE a.state = 'done' GROUP BY a.rater_id) AS each
""")


def test_200_raters_on_4_workers_fill_2000_trials_exactly(
    engine: Engine, study: Callable[..., int], tmp_path: Path
) -> None:
    n_each = 2 * N_ITEMS * K // N_RATERS
    study(n_items=N_ITEMS, design={"raters_per_trial": K, "trials_per_rater": n_each}, conditions={"told": TOLD})
    with serving(engine, tmp_path / "log", workers=4) as (address, _), ThreadPoolExecutor(N_RATERS) as pool:
        raters = [RaterClient(address, "study", f"rater-{n}") for n in range(N_RATERS)]
        assert set(pool.map(lambda rater: rater.go_all_the_way(600), raters)) == {"done"}
        late = RaterClient(address, "study", "late")
        assert late.go_all_the_way() == "full"
    assert_exact(engine, K)
    with engine.connect() as db:
        finished = db.execute(FINISHED).all()
        tokens = db.execute(text("SELECT token::text FROM assignments WHERE state = 'done'")).scalars().all()
        assert db.execute(SIDES).scalar_one() <= 1
    n_by_condition = Counter(row.condition for row in finished)
    assert len(n_by_condition) == 2
    assert max(n_by_condition.values()) - min(n_by_condition.values()) <= 1
    assert {(row.n_done, row.n_open, row.n_strange) for row in finished} == {(n_each, 0, 0)}
    acknowledged = [token for rater in raters for token in rater.acknowledged]
    assert len(acknowledged) == len(set(acknowledged)), "nothing is doubled"
    assert set(acknowledged) == set(tokens), "nothing is lost"


def test_client_whose_first_answer_was_lost_begins_nevertheless(
    engine: Engine, study: Callable[..., int], tmp_path: Path
) -> None:
    """Requests on broken connections are sent again: the server then takes the second for another browser."""
    study()
    with serving(engine, tmp_path / "log", workers=1) as (address, _):
        lost, again = (RaterClient(address, "study", "anna") for _ in range(2))
        assert lost.ask("GET", "/s/study?participant=anna")[0] == 303
        assert again.begin() == "show"
        lost.close()
        again.close()
