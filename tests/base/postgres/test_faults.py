"""A short fault run: each kind of kill once while raters rate; and its check finds the errors that it looks for.

The default run kills these one at a time, in `test_embedded_restart.py` and the two `test_workers.py`.
"""

from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from app.rating.life_cycle import open_study
from app.rating.seats.assignment_view import AssignmentView
from benchmarks.fault_check import Verdict, compare
from benchmarks.fault_disk import small_disk
from benchmarks.fault_rater import Page
from benchmarks.fault_servers import DISK_FULL
from benchmarks.faults import run
from tests.kit.builder import build_study, protocol_of
from tests.kit.processes import IN_PROC
from tests.kit.stored_raters import Rater

KINDS = (
    "host",
    "backend",
    "clock",
    "browser connections",
    "database connections",
    "postmaster",
    "worker",
    "workers",
    "keeper",
    "parent",
)
CLEAN = Verdict(lost=0, altered=0, doubled=0, above_k=0, stuck=0)


@pytest.mark.skipif(not IN_PROC, reason="finds the processes in /proc")
@pytest.mark.slow
def test_acknowledged_answers_survive_every_kind_of_kill(data_dir: Path) -> None:
    with small_disk(data_dir) as has_small_disk:
        # Where no file system can be mounted, the disk is not filled.
        kinds = (*KINDS, *([DISK_FULL] if has_small_disk else []))
        result = run(data_dir, kinds, 4, n_items=300, between_s=0.1, n_changed=20)
    assert result.verdict == CLEAN
    assert result.n_kills == len(kinds)
    assert result.n_acknowledged > 100
    assert result.n_changed >= 20
    assert result.n_copies > 0
    assert float("inf") not in [seconds for each in result.recovery_s.values() for seconds in each]


def rated(engine: Engine) -> dict[str, Page]:
    """One rated page, and its ledger."""
    with engine.begin() as db:
        build_study(db, protocol_of(design={"raters_per_trial": 2, "trials_per_rater": 1}), n_items=2)
        open_study(db, "study")
    rater = Rater(engine, "anna")
    view = rater.begin()
    assert isinstance(view, AssignmentView)
    rater.submit(view)
    return {str(view.token): Page({"q0": "left", "q1r0": "4", "q1r1": "2"}, is_submitted=True)}


def verdict(engine: Engine, ledger: dict[str, Page], k: int = 2) -> Verdict:
    with engine.connect() as db:
        return compare(db, ledger, ["done"], k)


def test_matching_ledger_is_clean(engine: Engine) -> None:
    assert verdict(engine, rated(engine)) == CLEAN


def test_missing_answer_is_lost(engine: Engine) -> None:
    ledger = rated(engine)
    with engine.begin() as db:
        db.execute(text("DELETE FROM ratings WHERE question = 'preference'"))
    assert verdict(engine, ledger).lost == 1


def test_unsubmitted_page_is_lost(engine: Engine) -> None:
    ledger = rated(engine)
    with engine.begin() as db:
        db.execute(text("UPDATE ratings SET exclude = 'not submitted'"))
    assert verdict(engine, ledger).lost == 1


def test_changed_value_is_altered(engine: Engine) -> None:
    ledger = rated(engine)
    with engine.begin() as db:
        db.execute(text("UPDATE ratings SET number = 1 WHERE side = 'right' AND question = 'empathy'"))
    assert verdict(engine, ledger).altered == 1


def test_unacknowledged_answer_is_doubled(engine: Engine) -> None:
    ledger = rated(engine)
    del next(iter(ledger.values())).answers["q1r1"]
    assert verdict(engine, ledger).doubled == 1


def test_more_raters_than_seats_are_above_k(engine: Engine) -> None:
    assert verdict(engine, rated(engine), k=0).above_k == 1
