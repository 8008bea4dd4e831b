"""Seats: exactly k per trial, whichever raters arrive, leave or come back."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import Engine, text

from app.rating.life_cycle import open_study
from app.rating.seats.assignment_view import AssignmentView
from tests.kit.builder import EMPATHY, build_study, protocol_of
from tests.kit.database import rows
from tests.kit.stored_raters import Rater

THREE = {name: {"kind": "model"} for name in "abc"}


@pytest.fixture
def study(engine: Engine) -> Callable[..., int]:
    """Open studies on the test's own database; the arguments are parts of the design, and `n_items`, `protocol`."""

    def make(n_items: int = 4, protocol: dict[str, Any] | None = None, **design: Any) -> int:  # noqa: ANN401
        with engine.begin() as db:
            study_id = build_study(db, protocol_of(design=design, **(protocol or {})), n_items=n_items)
            open_study(db, "study")
        return study_id

    return make


def state_of(engine: Engine, rater: Rater) -> object:
    with engine.connect() as db:
        found = text("SELECT state FROM rating_sessions WHERE rater_id = :id")
        return db.execute(found, {"id": rater.rater_id}).scalar_one()


def expire(engine: Engine, rater: Rater) -> None:
    with engine.begin() as db:
        db.execute(
            text("UPDATE rating_sessions SET lease_expires_at = now() - interval '1 minute' WHERE rater_id = :id"),
            {"id": rater.rater_id},
        )


def assert_exact(engine: Engine, k: int) -> None:
    """Each trial was rated by k different raters, with each answer stored once, nothing lost and nothing open."""
    per_trial = rows(
        engine,
        """
        SELECT t.id, count(a.id), count(DISTINCT a.rater_id)
        FROM trials t LEFT JOIN assignments a ON a.trial_id = t.id AND a.state = 'done' GROUP BY t.id
    """,
    )
    assert {(done, different) for _, done, different in per_trial} == {(k, k)}
    assert Counter(row[0] for row in rows(engine, "SELECT state FROM assignments")).keys() <= {"done", "returned"}
    answers = rows(engine, "SELECT assignment_id, count(*) FROM ratings WHERE exclude IS NULL GROUP BY assignment_id")
    assert len(answers) == k * len(per_trial)
    assert {n for _, n in answers} == {3}


@pytest.mark.parametrize("per_rater", [5, 7, 40])
def test_32_concurrent_raters_fill_every_trial_exactly(
    engine: Engine, study: Callable[..., int], per_rater: int
) -> None:
    study(n_items=40, raters_per_trial=3, trials_per_rater=per_rater)
    with ThreadPoolExecutor(32) as pool:
        stored = list(pool.map(lambda n: Rater(engine, f"rater-{n}").go_all_the_way(), range(32)))
    assert sum(stored) == 120
    assert_exact(engine, 3)


@pytest.mark.parametrize("assign", ["between", "within"])
def test_32_concurrent_raters_fill_every_condition_exactly(
    engine: Engine, study: Callable[..., int], assign: str
) -> None:
    told = {"kind": "instruction", "levels": {"near": "Feel along.", "far": "Stay outside."}, "assign": assign}
    study(n_items=16, protocol={"conditions": {"told": told}}, raters_per_trial=4, trials_per_rater=4)
    with ThreadPoolExecutor(32) as pool:
        stored = list(pool.map(lambda n: Rater(engine, f"rater-{n}").go_all_the_way(), range(32)))
    assert sum(stored) == 16 * 2 * 4
    assert_exact(engine, 4)
    per_rater = rows(engine, "SELECT count(DISTINCT condition) FROM ratings GROUP BY rater_id")
    assert {n for (n,) in per_rater} == ({1} if assign == "between" else {2})
    if assign == "between":
        chosen = "SELECT condition, count(*) FROM rating_sessions GROUP BY condition ORDER BY condition"
        assert [tuple(row) for row in rows(engine, chosen)] == [("told=far", 16), ("told=near", 16)]


def test_concurrent_arrivals_of_one_rater_share_one_list(engine: Engine, study: Callable[..., int]) -> None:
    study(n_items=6)
    with ThreadPoolExecutor(8) as pool:
        pages = list(pool.map(lambda _: Rater(engine, "anna").begin(), range(8)))
    assert {page.token for page in pages if isinstance(page, AssignmentView)} == {pages[0].token}  # type: ignore[union-attr]
    counts = "SELECT (SELECT count(*) FROM raters), (SELECT count(*) FROM rating_sessions), count(*) FROM assignments"
    assert tuple(rows(engine, counts)[0]) == (1, 1, 6)


def test_least_covered_trials_come_first(engine: Engine, study: Callable[..., int]) -> None:
    study(n_items=9, raters_per_trial=4, trials_per_rater=3)
    for n in range(6):
        Rater(engine, f"rater-{n}").go_all_the_way()
        per_trial = rows(engine, "SELECT (SELECT count(*) FROM assignments a WHERE a.trial_id = t.id) FROM trials t")
        assert max(per_trial)[0] - min(per_trial)[0] <= 1


def test_rater_gets_one_trial_per_item_by_default(engine: Engine, study: Callable[..., int]) -> None:
    study(n_items=3, protocol={"sources": THREE}, raters_per_trial=2)
    for n in range(2):
        Rater(engine, f"rater-{n}").begin()
    per_item = rows(
        engine, "SELECT count(*) FROM assignments a JOIN trials t ON t.id = a.trial_id GROUP BY a.rater_id, t.item_id"
    )
    assert [row[0] for row in per_item] == [1] * 6


def test_single_responses_of_an_item_may_go_to_same_rater(engine: Engine, study: Callable[..., int]) -> None:
    study(n_items=3, protocol={"questions": [EMPATHY]}, trials="single", raters_per_trial=1)
    Rater(engine, "anna").begin()
    assert rows(engine, "SELECT count(*), count(DISTINCT trial_id) FROM assignments")[0] == (6, 6)


def test_sides_are_balanced_for_each_rater(engine: Engine, study: Callable[..., int]) -> None:
    study(n_items=10, raters_per_trial=4)
    for n in range(4):
        Rater(engine, f"rater-{n}").begin()
    swapped = rows(
        engine,
        "SELECT count(*) FILTER (WHERE a.response_ids <> t.response_ids) FROM assignments a"
        " JOIN trials t ON t.id = a.trial_id GROUP BY a.rater_id",
    )
    assert [row[0] for row in swapped] == [5] * 4


def test_raters_get_items_in_different_orders(engine: Engine, study: Callable[..., int]) -> None:
    study(n_items=10)
    for who in ("anna", "ben"):
        Rater(engine, who).begin()
    orders = rows(engine, "SELECT array_agg(trial_id ORDER BY position) FROM assignments GROUP BY rater_id")
    assert orders[0] != orders[1]


def test_late_rater_waits_for_a_returned_seat(engine: Engine, study: Callable[..., int]) -> None:
    study(n_items=2, raters_per_trial=1)
    anna, ben = Rater(engine, "anna"), Rater(engine, "ben")
    anna.begin()
    assert ben.begin() == "wait"
    expire(engine, anna)
    assert isinstance(ben.look(), AssignmentView)
    assert state_of(engine, anna) == "expired"


def test_lease_of_a_clock_that_was_ahead_lasts_no_longer_than_others(engine: Engine, study: Callable[..., int]) -> None:
    study(n_items=2, raters_per_trial=1)
    anna, ben = Rater(engine, "anna"), Rater(engine, "ben")
    anna.begin()
    with engine.begin() as db:
        db.execute(text("UPDATE rating_sessions SET lease_expires_at = now() + interval '30 days'"))
    assert ben.begin() == "wait"
    at_most = "SELECT lease_expires_at <= now() + make_interval(mins => lease_minutes) FROM rating_sessions"
    assert rows(engine, at_most) == [(True,), (True,)]
    assert state_of(engine, anna) == "active"


def test_rater_arriving_after_completion_is_told_study_is_full(engine: Engine, study: Callable[..., int]) -> None:
    study(n_items=2, raters_per_trial=1)
    assert Rater(engine, "anna").go_all_the_way() == 2
    ben = Rater(engine, "ben")
    assert ben.begin() == "full"
    assert not ben.finish()
    assert state_of(engine, ben) == "full"


def test_returning_rater_regains_free_seats(engine: Engine, study: Callable[..., int]) -> None:
    study(n_items=4, raters_per_trial=2)
    anna, ben = Rater(engine, "anna"), Rater(engine, "ben")
    first = anna.begin()
    assert isinstance(first, AssignmentView)
    anna.submit(first)
    second = anna.look()
    expire(engine, anna)
    ben.begin()
    again = anna.look()
    assert isinstance(second, AssignmentView)
    assert isinstance(again, AssignmentView)
    assert (again.token, again.place, again.n_all) == (second.token, 2, 4)
    assert anna.go_all_the_way() == 3


def test_returning_rater_without_free_seats_gets_others_or_ends(engine: Engine, study: Callable[..., int]) -> None:
    study(n_items=4, raters_per_trial=1, trials_per_rater=4)
    anna, ben = Rater(engine, "anna"), Rater(engine, "ben")
    first = anna.begin()
    assert isinstance(first, AssignmentView)
    anna.submit(first)
    expire(engine, anna)
    assert ben.go_all_the_way() == 3
    assert anna.look() == "done"
    assert anna.finish()
    assert_exact(engine, 1)


def test_open_page_with_reassigned_seat_is_not_stored_as_done(engine: Engine, study: Callable[..., int]) -> None:
    study(n_items=1, raters_per_trial=1)
    anna, ben = Rater(engine, "anna"), Rater(engine, "ben")
    page = anna.begin()
    assert isinstance(page, AssignmentView)
    expire(engine, anna)
    ben.begin()
    assert not anna.submit(page)
    assert ben.go_all_the_way() == 1
    assert_exact(engine, 1)


def test_open_page_with_released_seat_is_stored(engine: Engine, study: Callable[..., int]) -> None:
    study(n_items=1, raters_per_trial=2)
    anna, ben, carl = (Rater(engine, who) for who in ("anna", "ben", "carl"))
    page = anna.begin()
    assert isinstance(page, AssignmentView)
    ben.begin()
    expire(engine, anna)
    expire(engine, ben)
    assert isinstance(carl.begin(), AssignmentView)
    assert anna.submit(page)


def test_added_items_get_seats_when_study_reopens(engine: Engine, study: Callable[..., int]) -> None:
    study_id = study(n_items=2, raters_per_trial=2)
    assert Rater(engine, "anna").go_all_the_way() == 2
    with engine.begin() as db:
        db.execute(
            text("INSERT INTO items (study_id, key, position, text) VALUES (:id, 'new', 9, 'New')"), {"id": study_id}
        )
        db.execute(
            text(
                "INSERT INTO responses (study_id, key, position, item_id, source_id, text)"
                " SELECT :id, 'new:' || s.key, s.position, i.id, s.id, 'Hm' FROM items i, sources s"
                " WHERE i.key = 'new'"
            ),
            {"id": study_id},
        )
        open_study(db, "study")
        open_study(db, "study")
    assert rows(engine, "SELECT count(*), count(DISTINCT trial_id) FROM seats")[0] == (6, 3)
    assert Rater(engine, "ben").go_all_the_way() == 3


def test_full_list_is_not_extended(engine: Engine, study: Callable[..., int]) -> None:
    study(n_items=5, trials_per_rater=2)
    assert Rater(engine, "anna").go_all_the_way() == 2
    assert rows(engine, "SELECT count(*) FROM assignments")[0][0] == 2
