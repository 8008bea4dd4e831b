"""Files are made by jobs, whatever happens to workers, studies and the database meanwhile."""

import io
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

import pytest
from sqlalchemy import Connection, Engine, text

from app.base.jobs import worker as worker_module
from app.base.jobs.children import Children
from app.base.jobs.worker import Work, Worker
from app.base.processes.side_process import OutOfMemoryError, SideProcessError
from app.results.downloads import download_files, whole_study
from app.results.downloads.download_names import DownloadName
from app.results.making.bounded_jobs import UNEXPECTED, Place, ReportBounds
from app.results.making.made_files import Made, copy_content, forget_made
from app.results.making.making import FILES, InTheMaking, Making, Wanted, job_args
from app.results.making.making_job import MakingJobs
from app.results.making.task import Task
from app.studies.studies import StudyRow, delete_study
from tests.kit.jobs import run_due
from tests.kit.making_here import jobs_here, making_here

ARCHIVE = Wanted("archive", "study.zip", name="small.zip")
WIDE, READ_R = (Wanted("download", name, {"file": name}, f"small-{name}") for name in ("wide.csv", "read.R"))


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that are gone are noticed within a second or two."""
    for name, seconds in (("BEAT_S", 0.3), ("SILENT_S", 1.0), ("LOOK_S", 0.2), ("OUTAGE_S", 0.2)):
        monkeypatch.setattr(worker_module, name, seconds)


def content(engine: Engine, made: Made | InTheMaking) -> bytes:
    assert isinstance(made, Made)
    file = io.BytesIO()
    with engine.begin() as db:
        copy_content(db, made, file)
    return file.getvalue()


def working(engine: Engine) -> Worker:
    jobs = jobs_here(engine.begin)
    work = Work(FILES, partial(jobs.work, FILES), 0, give_up=partial(jobs.give_up, FILES))
    return Worker(engine.url.render_as_string(hide_password=False), [work])


def test_process_of_a_job_makes_the_same_bytes_as_a_call(engine: Engine, study: StudyRow) -> None:
    url, children = engine.url.render_as_string(hide_password=False), Children()
    jobs = MakingJobs(engine.begin, lambda: Place(url, url), ReportBounds(), children)

    def ask(_: Connection, study_id: int, wanted: Any) -> None:  # noqa: ANN401 - Wanted
        jobs.work(FILES, **job_args(study_id, wanted))

    try:
        there = Making(engine.begin, ask=ask).get(study, WIDE, patience_s=60)
    finally:
        children.stop()
    there_content = content(engine, there)
    here = making_here(engine.begin).get(study, WIDE, patience_s=60)
    assert there_content == content(engine, here) != b""


def test_each_request_gets_a_file_begun_after_it_and_a_refresh_the_same(engine: Engine, study: StudyRow) -> None:
    wanted, making = READ_R, Making(engine.begin)
    first = making.get(study, wanted, patience_s=0)
    assert isinstance(first, InTheMaking)
    run_due(working(engine))
    made = making.get(study, wanted, since=first.since, patience_s=0)
    assert isinstance(made, Made)
    assert made.begun_at > first.since
    assert isinstance(making.get(study, wanted, patience_s=0), InTheMaking)
    assert making.get(study, wanted, since=first.since, patience_s=0) == made


def test_what_is_lasting_is_made_once(engine: Engine, study: StudyRow) -> None:
    wanted = replace(READ_R, is_lasting=True)
    making = making_here(engine.begin)
    assert making.get(study, wanted, patience_s=0) == making.get(study, wanted, patience_s=0)


def test_large_files_are_kept_in_pieces(engine: Engine, study: StudyRow, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = bytes(range(256)) * 40_000
    monkeypatch.setattr(whole_study, "write_study_zip", lambda task: task.path.write_bytes(expected))
    made = making_here(engine.begin).get(study, ARCHIVE, patience_s=0)
    with engine.begin() as db:
        assert db.execute(text("SELECT count(*) FROM made_files")).scalar_one() == 3
        db.execute(text("UPDATE made_files SET drop_at = now() - interval '1 second'"))
    assert content(engine, made) == expected
    with engine.begin() as db:
        forget_made(db)
        assert db.execute(text("SELECT count(*) FROM made_files")).scalar_one() == 0


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            OutOfMemoryError("The computation needed more than 4,000 MB of memory and was stopped."),
            "more than 4,000 MB",
        ),
        (ZeroDivisionError(), UNEXPECTED),
    ],
)
def test_what_cannot_be_made_says_why(
    engine: Engine, study: StudyRow, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def fail(*_: object) -> NoReturn:
        raise error

    monkeypatch.setattr(whole_study, "write_study_zip", fail)
    made = making_here(engine.begin).get(study, ARCHIVE, patience_s=0)
    assert isinstance(made, Made)
    assert made.state == "stopped"
    assert words in made.words


def test_job_of_a_killed_worker_is_done_by_another(engine: Engine, study: StudyRow) -> None:
    making = Making(engine.begin)
    asked = making.get(study, ARCHIVE, patience_s=0)
    with engine.begin() as db:  # as a worker leaves it that was killed
        db.execute(text("UPDATE procrastinate_jobs SET status = 'doing'"))
    assert isinstance(asked, InTheMaking)
    one = working(engine).start()
    try:
        made = making.get(study, ARCHIVE, since=asked.since, patience_s=15)
    finally:
        one.stop()
    assert content(engine, made).startswith(b"PK")


def test_job_whose_process_is_killed_each_time_is_given_up_with_words(
    engine: Engine, study: StudyRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[None] = []

    def die(*_: object) -> NoReturn:
        calls.append(None)
        raise SideProcessError

    monkeypatch.setattr(whole_study, "write_study_zip", die)
    making = Making(engine.begin)
    asked = making.get(study, ARCHIVE, patience_s=0)
    assert isinstance(asked, InTheMaking)
    for _ in range(worker_module.MAX_ATTEMPTS):
        run_due(working(engine))
    made = making.get(study, ARCHIVE, since=asked.since, patience_s=0)
    assert isinstance(made, Made)
    assert (made.state, made.words) == ("stopped", SideProcessError.words)
    assert len(calls) == worker_module.MAX_ATTEMPTS


def test_job_whose_study_was_deleted_meanwhile_leaves_nothing(engine: Engine, study: StudyRow) -> None:
    Making(engine.begin).get(study, ARCHIVE, patience_s=0)
    with engine.begin() as db:
        delete_study(db, study.id)
    run_due(working(engine))
    with engine.begin() as db:
        assert db.execute(text("SELECT count(*) FROM made_files")).scalar_one() == 0
        assert db.execute(text("SELECT count(*) FROM procrastinate_jobs")).scalar_one() == 0


def _delete_study(db: Connection, study: StudyRow) -> None:
    delete_study(db, study.id)


def _delete_answers(db: Connection, study: StudyRow) -> None:
    db.execute(
        text("""
            INSERT INTO withdrawals (study_id, token_hash, receipt, protocol_version, outcome, deleted_at)
            VALUES (:study, '\\x00', 'AAAA-BBBB', 1, 'withdrew', now())
        """),
        {"study": study.id},
    )


@pytest.mark.parametrize("delete", [_delete_study, _delete_answers])
def test_file_of_answers_that_were_deleted_meanwhile_is_not_kept(
    engine: Engine,
    study: StudyRow,
    monkeypatch: pytest.MonkeyPatch,
    delete: Callable[[Connection, StudyRow], None],
) -> None:
    def make(task: Task) -> None:
        task.path.write_bytes(b"answers")
        with engine.begin() as db:
            delete(db, study)

    monkeypatch.setattr(whole_study, "write_study_zip", make)
    jobs_here(engine.begin).work(FILES, **job_args(study.id, ARCHIVE))
    with engine.begin() as db:
        assert db.execute(text("SELECT count(*) FROM made_files")).scalar_one() == 0


def test_database_that_goes_away_during_a_job_delays_it(
    engine: Engine, study: StudyRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[None] = []
    write = download_files.write_one

    def interrupted(task: Task, file: DownloadName) -> None:
        calls.append(None)
        if len(calls) == 1:
            with task.reading() as db:
                db.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
        write(task, file)

    monkeypatch.setattr(download_files, "write_one", interrupted)
    one = working(engine).start()
    try:
        made = Making(engine.begin).get(study, READ_R, patience_s=15)
    finally:
        one.stop()
    assert content(engine, made).startswith(b"# Reads")
    assert len(calls) == 2


def test_request_behind_a_long_queue_does_not_wait_and_two_workers_make_each_file_once(
    engine: Engine, study: StudyRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[None] = []
    write = download_files.write_one

    def counted(task: Task, file: DownloadName) -> None:
        calls.append(None)
        write(task, file)

    monkeypatch.setattr(download_files, "write_one", counted)
    with engine.begin() as db:
        db.execute(
            text("""
            INSERT INTO procrastinate_jobs (queue_name, task_name, lock, queueing_lock, args, scheduled_at)
            SELECT 'files', 'file', 'file 0 ' || i, 'file 0 ' || i, '{}', now() + interval '1 day'
            FROM generate_series(1, 10000) i
            """)
        )
    making = Making(engine.begin)
    asked = making.get(study, READ_R, patience_s=0)
    assert isinstance(asked, InTheMaking)
    assert isinstance(making.get(study, READ_R, patience_s=0), InTheMaking)
    workers = [working(engine).start() for _ in range(2)]
    try:
        making.get(study, READ_R, since=asked.since, patience_s=60)
    finally:
        for one in workers:
            one.stop()
    assert len(calls) == 1
