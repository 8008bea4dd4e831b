"""Keystrokes of a draft: stored once, only with the consent to it; exported, counted, and deleted with the rest."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import Engine

from app.protocol.keystrokes import MAX_CHANGES, MAX_IN_BATCH
from app.rating.simulation.simulate import simulate
from app.studies.export import study_events, study_rating_sessions
from tests.kit.database import rows
from tests.kit.dyads import begin
from tests.kit.rater_pages import Visitor
from tests.rating.web.test_conversation import CONSENT
from tests.rating.web.test_draft import ALONE, INSERTED, press, write_study

AGREED = {"flow": {"consent": {**CONSENT, "records_keystrokes": True}}}
BATCHES = "SELECT detail FROM events WHERE kind = 'keystrokes' ORDER BY id"
TYPED = [[1500, "typed", 0, 0, 1], [1600, "typed", 1, 0, 1]]


def sent(name: str, changes: list[list[Any]]) -> dict[str, str]:
    return {"keystrokes": json.dumps({"id": name, "changes": changes})}


def recording(study: Callable[..., int], **draft: Any) -> int:  # noqa: ANN401 - bounds of drafts
    return write_study(study, ALONE, draft={"keystrokes": True, **draft}, **AGREED)


def test_batch_is_stored_once_counted_exported_and_deleted(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    recording(study)
    one = visitor()
    one.arrive("anna")
    consent = one.get("/s/study/consent").text
    assert "each change is recorded: when, where, how many characters" in consent
    assert "Each change while you write" in one.get("/s/study/privacy").text
    one.post("/s/study/consent", data={"consent": "agree"})
    page = one.post("/s/study/start")
    assert 'data-age="' in page.text
    later = [[5000, "pasted", 2, 0, 18], [5200, "typed", 0, 1, 0]]
    page = press(one, page, "keep", "Oh", **sent("a", TYPED))
    page = press(one, page, "keep", "Oh", **sent("a", TYPED))  # sent again
    page = press(one, page, "end", "h, I am so sorry. Yes", **sent("b", later))
    assert rows(engine, BATCHES) == [({"batch": "a", "changes": TYPED},), ({"batch": "b", "changes": later},)]
    ((found,),) = rows(engine, "SELECT attributes FROM responses")
    counted = ("first_key_seconds", "n_pauses", "pause_seconds", "share_pasted", "n_revisions")
    assert [found[name] for name in counted] == ["1.5", "1", "3.4", "0.9", "1"]
    with engine.begin() as db:
        table = study_rating_sessions(db, 1)["keystrokes"]
        assert "keystrokes" not in {*study_events(db, 1)["kind"]}
    listed = table[["ms", "kind", "at", "n_removed", "n_added"]].to_numpy().tolist()
    assert listed == TYPED + later
    assert {*table["item"]} == {"dog"}
    assert {*table["response"]} == {rows(engine, "SELECT key FROM responses")[0][0]}
    one.post(page.url.path, data={"q0r0": "4"})
    one.get("/s/study/rate")
    mine = one.get("/s/study/my-data.json").json()
    assert [event["detail"]["changes"] for event in mine["events"] if event["kind"] == "keystrokes"] == [TYPED, later]
    one.post("/s/study/withdraw", data={"withdraw": "delete"})
    assert rows(engine, BATCHES) == []


def test_nothing_is_recorded_without_consent(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    write_study(study, ALONE)
    one, page = begin(visitor)
    assert "data-age" not in page.text
    refused = press(one, page, "keep", "Oh", **sent("a", TYPED))
    assert (refused.status_code, "does not record how you type" in refused.text) == (422, True)
    press(one, page, "end", "Oh no, my dear")
    assert rows(engine, "SELECT count(*) FROM events WHERE kind = 'keystrokes'") == [(0,)]
    assert "n_pauses" not in rows(engine, "SELECT attributes FROM responses")[0][0]
    with engine.begin() as db:
        assert "keystrokes" not in study_rating_sessions(db, 1)


@pytest.mark.parametrize("words", ["the letters", '{"id": "a", "changes": [[1, "typed", 0, 0, "secret"]]}'])
def test_what_no_page_sends_is_refused(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, words: str
) -> None:
    recording(study)
    one, page = begin(visitor)
    refused = press(one, page, "keep", "Oh", keystrokes=words)
    assert (refused.status_code, "could not be read" in refused.text) == (422, True)
    assert rows(engine, BATCHES) == []


def test_number_of_changes_is_bounded(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    recording(study)
    one, page = begin(visitor)
    many = [[ms, "typed", ms, 0, 1] for ms in range(MAX_IN_BATCH - 1)]
    for number in range(MAX_CHANGES // len(many) + 2):
        press(one, page, "keep", "", **sent(str(number), many))
    found = [len(detail["changes"]) for (detail,) in rows(engine, BATCHES)]
    assert sum(found) == MAX_CHANGES
    assert found[-1] < found[0] == len(many)
    assert "How empathetic is it?" in press(one, page, "end", "Oh no, my dear").text


def test_simulated_raters_type_drafts(study: Callable[..., int], engine: Engine, app: FastAPI) -> None:
    bounds = {"partners": {"help": INSERTED}, "min_words": 30, "max_words": 60, "keystrokes": True}
    write_study(study, draft=bounds, design={"trials": "draft", "raters_per_trial": 4}, **AGREED)
    simulate(app.state.begin, "study", 4, seed=1)
    found = rows(engine, "SELECT text, attributes FROM responses")
    changes = [detail["changes"] for (detail,) in rows(engine, BATCHES)]
    assert [sum(one[4] for one in each) for each in changes] == [len(words) for words, _ in found]
    assert all(float(counted["first_key_seconds"]) > 0 for _, counted in found)
