"""Hidden repeats: the same trial again later, with sides swapped, without a seat, and marked in the CSV."""

import csv
from pathlib import Path

import pytest
from sqlalchemy import Engine

from app.rating.life_cycle import open_study
from app.rating.seats.assignment_view import AssignmentView
from app.studies.coverage import get_coverage
from app.studies.export import study_folder
from app.studies.folder.write import write_folder
from tests.kit.builder import build_study, protocol_of
from tests.kit.database import rows
from tests.kit.stored_raters import Rater
from tests.rating.seats.test_assignments import expire, state_of

REPEATS = {"n": 2, "min_distance": 3}


@pytest.fixture
def study(engine: Engine) -> int:
    """Six pairs, two raters per pair, and two of each rater's trials repeated."""
    with engine.begin() as db:
        made = build_study(db, protocol_of(design={"raters_per_trial": 2, "repeats": REPEATS}), n_items=6)
        open_study(db, "study")
    return made


def test_repeats_take_no_seats_and_every_trial_is_filled(engine: Engine, study: int) -> None:
    assert [Rater(engine, f"rater-{n}").go_all_the_way() for n in range(3)] == [8, 8, 0]
    assert set(rows(engine, "SELECT count(*) FROM assignments WHERE repeat = 0 GROUP BY trial_id")) == {(2,)}
    with engine.connect() as db:
        coverage = get_coverage(db, study)
    assert coverage.distribution == [(2, 6)]
    line = coverage.reconciliation
    assert (line.n_served, line.n_answered, line.n_lost, line.n_double, line.n_unaccounted) == (16, 16, 0, 0, 0)


def test_repeat_swaps_sides_and_csv_names_the_repeated_trial(engine: Engine, study: int, tmp_path: Path) -> None:
    Rater(engine, "anna").go_all_the_way()
    with engine.connect() as db:
        write_folder(tmp_path / "out", study_folder(db, study))
    with (tmp_path / "out" / "ratings.csv").open(newline="") as lines:
        choices = {
            (row["item"], row["repeat"]): row for row in csv.DictReader(lines) if row["question"] == "preference"
        }
    again = {item: row for (item, repeat), row in choices.items() if repeat == "1"}
    assert len(again) == 2
    for item, second in again.items():
        first = choices[item, "0"]
        assert (second["left_response"], second["right_response"]) == (first["right_response"], first["left_response"])
        assert int(second["position"]) - int(first["position"]) >= 3


def test_announced_length_includes_repeats(engine: Engine, study: int) -> None:
    page = Rater(engine, "anna").begin()
    assert isinstance(page, AssignmentView)
    assert page.n_all == 8


def test_returning_rater_repeats_only_own_trials(engine: Engine, study: int) -> None:
    anna = Rater(engine, "anna")
    page = anna.begin()
    for _ in range(3):
        assert isinstance(page, AssignmentView)
        anna.submit(page)
        page = anna.look()
    expire(engine, anna)
    # Two others take all free seats; those of the trials that anna has completed are not free.
    assert [Rater(engine, f"rater-{n}").go_all_the_way() for n in range(2)] == [8, 3]
    anna.go_all_the_way()
    orphans = """
        SELECT count(*) FROM assignments r WHERE r.repeat > 0 AND r.state <> 'returned' AND NOT EXISTS (
          SELECT FROM assignments a WHERE a.rater_id = r.rater_id AND a.trial_id = r.trial_id AND a.repeat = 0
          AND a.state = 'done')
    """
    assert rows(engine, orphans) == [(0,)]
    assert set(
        rows(engine, "SELECT count(*) FROM assignments WHERE repeat = 0 AND state = 'done' GROUP BY trial_id")
    ) == {(2,)}


def test_reclaimed_seat_renews_its_lease(engine: Engine, study: int) -> None:
    anna, ben, carl = (Rater(engine, who) for who in ("anna", "ben", "carl"))
    page = anna.begin()
    ben.begin()
    for rater in (anna, ben):
        expire(engine, rater)
    carl.begin()
    assert isinstance(page, AssignmentView)
    assert anna.submit(page)
    assert state_of(engine, anna) == "active"
