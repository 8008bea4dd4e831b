"""Deletions are recorded outside of the database, and repeated after an older backup is restored."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi import FastAPI
from sqlalchemy import Engine, text

from app.base.backups.verified_backup import restore_compared, verified_backup
from app.base.database.engine import make_engine
from app.rating.withdrawal.deletions import DeletionList, delete_again, deletion_of_study
from app.studies.studies import delete_study
from tests.kit.rater_pages import Visitor

TABLES = ("raters", "rating_sessions", "ratings", "platform_ids", "assignments", "withdrawals")


def counts(engine: Engine) -> dict[str, int]:
    with engine.connect() as db:
        return {name: int(db.execute(text(f"SELECT count(*) FROM {name}")).scalar_one()) for name in TABLES}  # noqa: S608


def test_an_erased_rater_stays_erased_after_an_older_backup_is_restored(
    engine: Engine,
    app: FastAPI,
    study: Callable[..., int],
    visitor: Callable[[], Visitor],
    new_database: Callable[[str | None], str],
    tmp_path: Path,
) -> None:
    study(n_items=2)
    anna, ben = visitor(), visitor()
    for rater, who in ((anna, "anna"), (ben, "ben")):
        rater.rate(rater.begin(who))
    url = engine.url.render_as_string(hide_password=False)
    before = len(app.state.deletions.read())
    verified_backup(url, tmp_path / "older.backup")
    anna.post("/s/study/withdraw", data={"withdraw": "delete"})
    deletions = app.state.deletions.read()[before:]
    assert len(deletions) == 1
    assert "anna" not in str(deletions)

    restored = new_database(None)
    restore_compared(restored, tmp_path / "older.backup")
    other = make_engine(restored)
    try:
        assert counts(other)["raters"] == 2
        with other.begin() as db:
            assert delete_again(db, deletions) == 1
        assert counts(other) == counts(engine)
        assert counts(other)["raters"] == 1
        with other.begin() as db:
            assert delete_again(db, deletions) == 0
            receipts = db.execute(text("SELECT receipt FROM withdrawals WHERE deleted_at IS NOT NULL")).scalars().all()
        assert receipts == [deletions[0]["withdrawal"]["receipt"]]
    finally:
        other.dispose()


def test_a_deleted_study_stays_deleted_and_a_new_one_of_its_number_does_not(
    engine: Engine, study: Callable[..., int]
) -> None:
    study_id = study(n_items=2)
    with engine.begin() as db:
        deletion = deletion_of_study(db, study_id)
        assert delete_again(db, [{**deletion, "token": "another"}]) == 0
        assert delete_again(db, [deletion]) == 1
        assert db.execute(text("SELECT count(*) FROM studies")).scalar_one() == 0


def test_an_answer_kept_after_withdrawal_is_on_no_list(
    app: FastAPI, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=2)
    anna = visitor()
    anna.rate(anna.begin())
    before = app.state.deletions.read()
    anna.post("/s/study/withdraw", data={"withdraw": "stop"})
    assert app.state.deletions.read() == before


def test_a_list_with_a_line_cut_off_is_read_up_to_there(tmp_path: Path) -> None:
    noted = DeletionList(tmp_path)
    noted.add({"kind": "study", "study": 1, "token": "a"})
    noted.add({"kind": "study", "study": 1, "token": "a"})
    with noted.file.open("a") as file:
        file.write('{"kind": "stu')
    assert noted.read() == [{"kind": "study", "study": 1, "token": "a"}]
    assert noted.file.stat().st_mode & 0o077 == 0


def test_a_deletion_goes_on_where_nothing_can_be_written(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    DeletionList(tmp_path / "file" / "backups").add({"kind": "study", "study": 1, "token": "a"})
    assert "could not be recorded" in caplog.text


def test_raters_of_a_deleted_study_are_not_sent_back_to_their_link(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = study(n_items=2)
    rater = visitor()
    page = rater.begin("anna")
    with engine.begin() as db:
        delete_study(db, study_id)
    answers = [rater.rate(page), rater.post("/s/study/pause"), rater.get("/s/study/rate"), rater.arrive("anna")]
    assert [answer.status_code for answer in answers] == [404] * len(answers)
    assert all("There is no study at this address." in answer.text for answer in answers)
