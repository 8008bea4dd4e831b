"""Simulated raters come back for later waves, and their export says which wave each answer is of."""

import csv

from sqlalchemy import Engine, text

from app.rating.life_cycle import open_study
from app.rating.simulation.simulate import simulate
from app.results.downloads.ratings_export import ratings_file
from app.studies.studies import get_study
from tests.kit.builder import EMPATHY, PREFERENCE, build_study, protocol_of

LONELY = {"key": "lonely", "target": "rater", "type": "slider", "text": "How lonely are you?"}


def test_simulated_raters_answer_later_waves_and_some_do_not_come_back(engine: Engine) -> None:
    waves = [{"days": 14}, {"days": 30}]
    protocol = protocol_of(questions=[PREFERENCE, EMPATHY, LONELY], waves=waves, design={"raters_per_trial": 40})
    with engine.begin() as db:
        build_study(db, protocol, n_items=1)
        open_study(db, protocol["slug"])
    simulate(engine.begin, protocol["slug"], 40, seed=1)
    with engine.connect() as db:
        answered = db.execute(text("SELECT question, count(*) FROM ratings WHERE item_id IS NULL GROUP BY question"))
        counts = {str(row[0]): int(row[1]) for row in answered}
        apart = db.execute(
            text("""
                SELECT DISTINCT date(b.rated_at) - date(a.rated_at) FROM ratings a
                JOIN ratings b USING (rater_id) WHERE a.question = 'lonely' AND b.question = 'lonely@3'
            """)
        ).scalars()
        assert [*apart] == [30]
        study = get_study(db, protocol["slug"])
    assert counts["lonely"] == 40 > counts["lonely@2"] > counts["lonely@3"] > 20
    assert study is not None
    path = ratings_file(engine.begin, study)
    with path.open() as file:
        rows = [*csv.DictReader(file)]
    path.unlink()
    assert {row["question"]: row["wave"] for row in rows} == {
        "preference": "1",
        "empathy": "1",
        "lonely": "1",
        "lonely@2": "2",
        "lonely@3": "3",
    }
