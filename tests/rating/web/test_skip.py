"""Skipping: for one of the study's reasons, without penalty, and the seat is released."""

import csv
import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine

from app.base.database.engine import transactions
from app.studies.coverage import get_coverage
from app.studies.studies import get_study
from tests.kit.database import rows
from tests.kit.making_here import study_zip
from tests.kit.rater_pages import Visitor, form_address, heading

REASONS = ["I would rather not read this", "I know the person"]
FLOW = {"skip_reasons": REASONS}


def skip(anna: Visitor, page: Any, reason: str = REASONS[0]) -> Any:  # noqa: ANN401 - httpx's response
    return anna.post(f"{form_address(page)}/skip", data={"reason": reason})


def test_skipped_trial_keeps_reason_and_releases_seat(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1, flow=FLOW, design={"raters_per_trial": 1})
    anna, ben = visitor(), visitor()
    page = anna.begin("anna")
    anna.post(f"{form_address(page)}/save", json={"slot": "q0", "q0": "left"})
    for _ in range(2):
        assert heading(skip(anna, page, REASONS[1])) == "You have finished. Thank you."
    assert rows(engine, "SELECT state, skip_reason FROM assignments") == [("skipped", REASONS[1])]
    assert rows(engine, "SELECT count(*) FROM ratings") == [(0,)]
    detail = {"reason": REASONS[1], "item": "item-0", "position": 1, "repeat": 0}
    assert rows(engine, "SELECT kind, detail, assignment_id IS NOT NULL FROM events") == [("skip", detail, True)]
    assert heading(ben.rate(ben.begin("ben"))) == "You have finished. Thank you."
    with engine.connect() as db:
        counted = get_coverage(db, 1)
    assert counted.reconciliation == (2, 1, 1, 0, 0, 0, 0)
    assert counted.distribution == [(1, 1)]
    assert counted.skip_reasons == [(REASONS[1], 1)]


def test_only_declared_skip_reasons_are_accepted(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1, flow=FLOW)
    study(n_items=1, slug="other")
    anna, ben = visitor(), visitor()
    page, other = anna.begin("anna"), ben.begin("ben", "other")
    assert skip(anna, page, "no desire").status_code == 409
    assert anna.post(f"{form_address(page)}/skip").status_code == 409
    assert "Skip this item" not in other.text
    assert skip(ben, other).status_code == 409
    assert rows(engine, "SELECT DISTINCT state FROM assignments") == [("leased",)]


def test_content_note_is_always_a_skip_reason(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(texts=[{"key": "loss", "content_note": "A death."}, {"key": "exam"}], design={"order": "fixed"})
    anna = visitor()
    page = anna.begin()
    assert "Because of its content note" in page.text
    following = skip(anna, page, "content note")
    assert heading(following) == "Item 2 of 2"
    assert "Skip this item" not in following.text
    assert 'id="back"' not in following.text
    assert rows(engine, "SELECT skip_reason FROM assignments WHERE state = 'skipped'") == [("content note",)]


def test_skipped_trials_are_final_and_rated_trials_unskippable(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=3, flow=FLOW)
    anna = visitor()
    first = anna.begin()
    second = anna.rate(first)
    third = skip(anna, second)
    assert f'href="{form_address(first)}"' in third.text
    assert heading(anna.get(form_address(second))) == heading(anna.rate(second)) == "Item 3 of 3"
    refused = anna.post(f"{form_address(second)}/save", json={"slot": "q0", "q0": "left"})
    assert (refused.status_code, refused.json()["detail"]) == (409, "You skipped this item.")
    assert "Skip this item" not in anna.get(form_address(first)).text
    assert heading(skip(anna, first)) == "Item 3 of 3"
    assert rows(engine, "SELECT state FROM assignments ORDER BY position") == [("done",), ("skipped",), ("leased",)]


def test_skipping_a_trial_removes_its_repeat(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    design = {"repeats": {"n": 1, "min_distance": 1}, "raters_per_trial": 1}
    study(n_items=3, flow=FLOW, design=design)
    anna = visitor()
    page, n_shown = anna.begin(), 0
    repeated = rows(engine, "SELECT trial_id FROM assignments WHERE repeat = 1")[0][0]
    while heading(page).startswith("Item"):
        n_shown += 1
        token = form_address(page).rsplit("/", 1)[1]
        trial = rows(engine, f"SELECT trial_id FROM assignments WHERE token = '{token}'")[0][0]  # noqa: S608
        page = skip(anna, page) if trial == repeated else anna.rate(page)
    assert (n_shown, heading(page)) == (3, "You have finished. Thank you.")
    assert rows(engine, "SELECT state FROM assignments WHERE repeat = 1") == [("returned",)]


def test_htmx_skip_returns_next_item_and_address(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(n_items=2, flow=FLOW)
    anna = visitor()
    address = form_address(anna.begin())
    answer = anna.post(f"{address}/skip", data={"reason": REASONS[0]}, headers={"HX-Request": "true"})
    assert answer.text.lstrip().startswith('<div class="sheet"')
    assert answer.headers["hx-push-url"] != address


def test_skips_appear_on_study_page_and_in_export(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=2, flow=FLOW)
    anna = visitor()
    skip(anna, anna.rate(anna.begin()))
    with engine.connect() as db:
        row = get_study(db, "study")
    assert row
    path = study_zip(transactions(engine), row)
    with zipfile.ZipFile(path) as archive:
        names = ("assignments", "rating_sessions", "events")
        tables = {name: list(csv.DictReader(io.StringIO(archive.read(f"study/{name}.csv").decode()))) for name in names}
    path.unlink()
    assert [(a["position"], a["state"], a["skip_reason"]) for a in tables["assignments"]] == [
        ("1", "done", ""),
        ("2", "skipped", REASONS[0]),
    ]
    (session,) = tables["rating_sessions"]
    assert [session[f"n_{name}"] for name in ("served", "answered", "skipped", "returned", "open")] == list("21100")
    assert session["finished_at"].endswith("Z")
    assert "skip" in {event["kind"] for event in tables["events"]}


@pytest.mark.parametrize("step", ["", "/save", "/skip"])
def test_assignment_of_another_rater_is_not_found(
    study: Callable[..., int], visitor: Callable[[], Visitor], step: str
) -> None:
    study(n_items=1, flow=FLOW)
    address = form_address(visitor().begin())
    ben = visitor()
    ben.begin("ben")
    assert ben.post(f"{address}{step}", data={"reason": REASONS[0]}).status_code == 404
