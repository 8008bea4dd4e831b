"""Texts of trials are read once per process."""

import re
from pathlib import Path

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import NoResultFound

import app
from app.rating.seats import assignment_view as trial_texts
from app.rating.seats.assignment_view import texts_of
from tests.kit.builder import build_study, protocol_of

RESPONSES = text(
    "SELECT item_id, array_agg(id ORDER BY id DESC) FROM responses WHERE study_id = :study GROUP BY item_id"
)


def test_texts_are_read_once_until_others_displace_them(db: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_texts, "MAX_KEPT", 1)
    monkeypatch.setattr(trial_texts, "kept_texts", {})
    study = build_study(db, protocol_of(), n_items=2)
    (item, shown), (other, others) = db.execute(RESPONSES, {"study": study}).all()
    first = texts_of(db, study, item, shown)
    assert texts_of(db, study, item, shown) is first
    swapped = texts_of(db, study, item, shown[::-1])
    assert swapped["responses"] == first["responses"][::-1]
    assert texts_of(db, study, other, others)["text"] != first["text"]
    assert texts_of(db, study, item, shown) is not first


def test_an_item_that_is_gone_is_an_error(db: Connection) -> None:
    with pytest.raises(NoResultFound):
        texts_of(db, 1, 999, (1,))


def test_no_statement_changes_a_text() -> None:
    files = Path(app.__file__).parent.rglob("*.py")
    changes = {
        change
        for file in files
        for change in re.findall(r"UPDATE (items|responses)\b[\w\s]*? SET (\w+)", " ".join(file.read_text().split()))
    }
    # A draft's item may get an image; a study that is open refuses it.
    image = {("items", "image"), ("items", "image_alt")}
    # What raters wrote, which no process keeps, is erased when they withdraw, also in the studies that reuse it. What
    # is left of a conversation belongs to the one who stays.
    erased = {("responses", "text"), ("responses", "rater_id")}
    kept = {("items", "attributes"), ("items", "retired_because"), ("responses", "attributes")}
    assert changes == image | erased | kept
