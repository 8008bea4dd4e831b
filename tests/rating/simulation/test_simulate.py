"""Simulated raters use the real code, are marked as simulated, and can be reproduced from their seed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text

from app.base.database.engine import make_engine, transactions
from app.rating.arrival.arrivals import get_arrival_study
from app.rating.arrival.invitations import invite_raters
from app.rating.life_cycle import close_study, open_study
from app.rating.simulation.simulate import StudyNotOpenError, simulate
from app.rating.simulation.simulate_folder import HasRatingsError, simulate_folder
from app.rating.withdrawal.withdraw import delete_simulated
from app.studies.folder.read import read_folder
from app.studies.load import load_study
from tests.kit.builder import EMPATHY, PREFERENCE, build_study, protocol_of
from tests.kit.database import rows

TURNS = [{"speaker": "Ada", "text": "It died."}, {"speaker": "Bo", "text": "Oh no."}]
EVERY_KIND: list[dict[str, Any]] = [
    {**PREFERENCE, "neither": True, "strength": True},
    {**EMPATHY, "cannot_judge": True},
    {"key": "warm", "target": "response", "type": "slider", "text": "How warm?"},
    {"key": "mood", "target": "turn", "type": "rating", "text": "Mood?", "scale": {0: "low", 1: "high"}},
    {"key": "does", "target": "response", "type": "category", "text": "Does?", "codes": ["a", "b"], "multiple": True},
    {"key": "fact", "target": "item", "type": "category", "text": "Fact?", "codes": ["a", "b"], "correct": "b"},
    {"key": "topic", "target": "item", "type": "category", "text": "Topic?", "codes": ["a", "b"]},
    {"key": "why", "target": "item", "type": "text", "text": "Why?", "required": True},
    {"key": "more", "target": "item", "type": "text", "text": "More?"},
    {"key": "age", "target": "rater", "type": "slider", "text": "Your age", "min": 18, "max": 99},
]
ANSWERS = """
    SELECT x.key, i.key, p.key, question, turn, number, outcome, c.key, strength, codes, r.text, side, r.position,
           active_ms, exclude
    FROM ratings r JOIN raters x ON x.id = r.rater_id LEFT JOIN items i ON i.id = r.item_id
    LEFT JOIN responses p ON p.id = r.response_id LEFT JOIN responses c ON c.id = r.chosen_response_id
    ORDER BY 1, 2 NULLS FIRST, 4, 3, 5
"""


def open_a_study(engine: Engine, **parts: Any) -> None:  # noqa: ANN401 - parts of a protocol
    texts = [{"key": f"item-{n}", "turns": TURNS} for n in range(4)]
    with engine.begin() as db:
        build_study(db, protocol_of(**parts), texts=texts)
        open_study(db, "study")


def test_every_question_type_is_answered_and_every_trial_filled(engine: Engine) -> None:
    open_a_study(engine, questions=EVERY_KIND)
    seen: list[tuple[int, int]] = []
    outcome = simulate(transactions(engine), "study", 4, 7, lambda _, done, of: seen.append((done, of)))
    assert (outcome.n_raters, outcome.n_finished, outcome.n_assignments) == (4, 3, 12)
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert rows(engine, "SELECT state, count(*) FROM assignments GROUP BY state") == [("done", 12)]
    assert {row[0] for row in rows(engine, "SELECT DISTINCT question FROM ratings")} == {
        question["key"] for question in EVERY_KIND if question["key"] != "more"
    }
    assert rows(engine, "SELECT count(*) FROM ratings WHERE exclude IS NOT NULL") == [(0,)]
    # The fourth rater found no seat and left no data behind.
    assert rows(engine, "SELECT state, count(*) FROM rating_sessions GROUP BY state") == [("finished", 3)]
    assert rows(engine, "SELECT count(*) FROM raters") == [(3,)]


def test_deleted_simulated_raters_leave_their_seats_to_people(engine: Engine) -> None:
    open_a_study(engine, questions=EVERY_KIND)
    with engine.begin() as db:
        db.execute(text("INSERT INTO raters (study_id, key) SELECT id, 'listed' FROM studies"))
    first = simulate(transactions(engine), "study", 3, 7)
    assert (first.n_finished, rows(engine, "SELECT count(*) FROM seats WHERE assignment_id IS NULL")) == (3, [(0,)])
    with engine.begin() as db:
        assert delete_simulated(db, db.execute(text("SELECT id FROM studies")).scalar_one()) == 3
    assert rows(engine, "SELECT key, is_simulated FROM raters") == [("listed", False)]
    counted = "(SELECT count(*) FROM ratings), (SELECT count(*) FROM assignments), (SELECT count(*) FROM withdrawals)"
    assert rows(engine, f"SELECT count(*), {counted} FROM rating_sessions") == [(0, 0, 0, 0)]  # noqa: S608 - a constant
    # Nothing is left in the way: the same raters can rate all trials once more.
    assert simulate(transactions(engine), "study", 3, 7) == first


def test_simulated_raters_are_marked_without_platform_id(engine: Engine) -> None:
    open_a_study(engine)
    simulate(transactions(engine), "study", 2, 7)
    assert rows(engine, "SELECT key, is_simulated FROM raters ORDER BY key") == [
        ("sim-7-0001", True),
        ("sim-7-0002", True),
    ]
    assert rows(engine, "SELECT count(*) FROM platform_ids") == [(0,)]


def test_same_seed_gives_same_answers_in_another_database(
    engine: Engine, new_database: Callable[[str | None], str], migrated_template: str
) -> None:
    other = make_engine(new_database(migrated_template))
    with other.begin() as db:
        build_study(db, protocol_of("before"))
    for where in (engine, other):
        open_a_study(where, questions=EVERY_KIND)
        simulate(transactions(where), "study", 3, 7)
    assert rows(engine, ANSWERS) == rows(other, ANSWERS)
    other.dispose()


def test_different_seed_gives_different_answers(engine: Engine) -> None:
    open_a_study(engine)
    begin = transactions(engine)
    simulate(begin, "study", 1, 7)
    simulate(begin, "study", 1, 8)
    numbers = (
        "SELECT array_agg(number ORDER BY item_id, response_id) FROM ratings WHERE number IS NOT NULL GROUP BY rater_id"
    )
    first, second = rows(engine, numbers)
    assert first != second


def test_closed_or_unknown_study_cannot_be_simulated(engine: Engine) -> None:
    open_a_study(engine)
    with engine.begin() as db:
        close_study(db, "study")
    for slug in ("study", "nothing"):
        with pytest.raises(StudyNotOpenError, match=slug):
            simulate(transactions(engine), slug, 1, 7)


def test_folder_simulation_writes_ratings_and_stores_no_study(
    engine: Engine, tmp_path: Path, small_folder: Path
) -> None:
    outcome = simulate_folder(engine, small_folder, 3, 7, lambda *_: None)
    folder = read_folder(small_folder)
    assert outcome.n_finished == 3
    assert list(folder.raters["is_simulated"]) == [True] * 3
    assert len(folder.ratings) == outcome.n_assignments * 3
    assert rows(engine, "SELECT (SELECT count(*) FROM studies) + (SELECT count(*) FROM raters)") == [(0,)]
    with pytest.raises(HasRatingsError):
        simulate_folder(engine, small_folder, 3, 7, lambda *_: None)


@pytest.fixture
def small_folder(tmp_path: Path) -> Path:
    """A study folder of two items with one pair each."""
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    (folder / "items.csv").write_text("item,text\na,I lost my keys\nb,I won\n")
    (folder / "responses.csv").write_text("item,source,text\na,person,Oh\na,model,Hm\nb,person,Great\nb,model,Good\n")
    return folder


STUDY = """
attune: 1
slug: small
title: Small
sources: {person: {kind: human}, model: {kind: model}}
questions:
  - {key: better, target: pair, type: choice, text: Which?, tie: true}
  - {key: warm, target: response, type: rating, text: How warm?, scale: {1: cold, 2: cool, 3: warm}}
"""


NAMED = """
design:
  trials: pairs
  pools: {expert: {raters_per_trial: 2}, owner: {items: own}, crowd: {raters_per_trial: 1}}
  open_pool: crowd
"""


@pytest.fixture
def named_folder(small_folder: Path) -> Path:
    """The small folder with listed raters: two experts, the owner of an item, and a model judge; and a crowd."""
    text_question = "\n  - {key: why, target: item, type: text, text: Why?, min_length: 45, required: true}\n"
    (small_folder / "study.yaml").write_text(STUDY.rstrip() + text_question + NAMED)
    (small_folder / "items.csv").write_text("item,text,rater\na,I lost my keys,owner\nb,I won,\n")
    (small_folder / "raters.csv").write_text(
        "rater,kind,pool,years\nnorth,person,expert,12\nsouth,person,expert,7\nowner,person,owner,1\njudge,model,,\n"
    )
    return small_folder


def test_named_raters_of_folder_are_simulated_first(engine: Engine, named_folder: Path) -> None:
    outcome = simulate_folder(engine, named_folder, 6, 7, lambda *_: None)
    folder = read_folder(named_folder)
    raters = folder.raters.set_index("rater")
    assert dict(raters["is_simulated"]) == {
        "north": True,
        "south": True,
        "owner": True,
        "judge": False,
        "sim-7-0001": True,
    }
    assert list(raters.loc[["north", "south"], "years"]) == ["12", "7"]
    assert set(folder.ratings[folder.ratings["rater"] == "owner"]["item"]) == {"a"}
    assert set(raters.loc["sim-7-0001":"sim-7-0001", "pool"]) == {"crowd"}
    assert (outcome.n_raters, outcome.n_finished) == (6, 4)


def test_simulated_text_reaches_minimum_length(engine: Engine, named_folder: Path) -> None:
    simulate_folder(engine, named_folder, 1, 7, lambda *_: None)
    texts = read_folder(named_folder).ratings["text"].dropna()
    assert len(texts)
    assert texts.str.len().min() >= 45


def test_named_rater_with_personal_link_is_not_simulated(engine: Engine, named_folder: Path) -> None:
    with engine.begin() as db:
        load_study(db, read_folder(named_folder))
        open_study(db, "small")
        arrival_study = get_arrival_study(db, "small")
        assert arrival_study
        invite_raters(db, arrival_study, ["north"])
    simulate(transactions(engine), "small", 6, 7)
    marked = dict(rows(engine, "SELECT key, is_simulated FROM raters"))
    assert {name: marked[name] for name in ("north", "south", "owner", "judge")} == {
        "north": False,
        "south": True,
        "owner": True,
        "judge": False,
    }


def test_only_named_raters_are_simulated_without_open_pool(engine: Engine, named_folder: Path) -> None:
    protocol = (
        (named_folder / "study.yaml").read_text().replace(", crowd: {raters_per_trial: 1}}\n  open_pool: crowd", "}")
    )
    (named_folder / "study.yaml").write_text(protocol)
    outcome = simulate_folder(engine, named_folder, 9, 7, lambda *_: None)
    assert outcome.n_finished == 3
