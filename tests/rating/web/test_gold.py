"""Gold trials: mixed into every rater's trials, without seats, excluded from estimates, and checked after answers."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Engine, text

from app.analysis import analyze
from app.base.database.engine import transactions
from app.protocol.study import Protocol
from app.rating.life_cycle import OpeningError, open_study
from app.rating.simulation.simulate import simulate
from app.results.data.frames import study_frames
from app.studies.coverage import get_coverage
from app.studies.protocols import record_version
from tests.kit.builder import EMPATHY, PREFERENCE, protocol_of
from tests.kit.database import rows
from tests.kit.rater_pages import FULL, Visitor, form_address, heading

TEXTS = [{"key": key} for key in ("item-0", "item-1", "item-2", "sure")]
GOLD: dict[str, Any] = {"item": "sure", "expect": {"preference": "sure:model", "empathy": [4, 5]}}
MOOD = {"key": "mood", "target": "rater", "type": "slider", "text": "Your mood?"}
CHECKS = {"gold": [GOLD], "flag_at": 1}


def checks(engine: Engine) -> Sequence[Any]:
    return rows(engine, "SELECT detail ->> 'check', detail -> 'is_passed' FROM events WHERE kind = 'check' ORDER BY id")


@pytest.fixture
def opened(study: Callable[..., int]) -> Callable[..., int]:
    def make(**parts: Any) -> int:  # noqa: ANN401 - parts of a protocol
        return study(texts=TEXTS, **{"checks": CHECKS, **parts})

    return make


def is_gold(page: Any) -> bool:  # noqa: ANN401 - httpx's response
    return "The situation of sure" in page.text


def expected(page: Any, points: str = "4") -> dict[str, str]:  # noqa: ANN401
    side = "left" if page.text.index("model on sure") < page.text.index("person on sure") else "right"
    return {"q0": side, "q1r0": points, "q1r1": "5"}


def rate_all(anna: Visitor, page: Any, answer: Callable[[Any], dict[str, str]]) -> tuple[Any, str]:  # noqa: ANN401
    """Rate to the end; returns the last page and the position of the gold trial."""
    address = ""
    while heading(page).startswith("Item"):
        address = form_address(page) if is_gold(page) else address
        page = anna.rate(page, answer(page) if is_gold(page) else FULL)
    return page, address


def test_gold_trial_appears_once_and_takes_no_seat(
    engine: Engine, opened: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = opened(design={"raters_per_trial": 1})
    anna = visitor()
    page = anna.arrive()
    assert "You will rate 4 items, one per page (about " in page.text
    page, _ = rate_all(anna, anna.begin(), expected)
    assert heading(page) == "You have finished. Thank you."
    assert checks(engine) == [("sure", True)]
    kept = rows(engine, "SELECT i.key, exclude, count(*) FROM ratings r JOIN items i ON i.id = r.item_id GROUP BY 1, 2")
    assert sorted(kept, key=str) == [("item-0", None, 3), ("item-1", None, 3), ("item-2", None, 3), ("sure", "gold", 3)]
    with engine.connect() as db:
        coverage = get_coverage(db, study_id)
        found = study_frames(db, study_id).checks
    assert found is not None
    assert found[["check", "is_passed"]].to_numpy().tolist() == [["sure", True]]
    assert (coverage.n_trials, coverage.n_seats, coverage.distribution) == (3, 3, [(1, 3)])
    assert coverage.n_rated == 3
    assert (coverage.reconciliation.n_served, coverage.reconciliation.n_answered) == (4, 4)
    assert (coverage.reconciliation.n_lost, coverage.reconciliation.n_double) == (0, 0)
    assert coverage.reconciliation.n_unaccounted == 0


def test_wrong_gold_answer_is_flagged_until_changed(
    engine: Engine, opened: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    # A last page about the rater keeps the answers changeable, wherever the gold trial is in the order.
    parts: dict[str, Any] = {"questions": [PREFERENCE, EMPATHY, MOOD], "checks": CHECKS}
    study_id = opened(**parts)
    protocol = Protocol.model_validate(protocol_of(**parts))
    anna = visitor()
    page = anna.begin()
    while not is_gold(page):
        page = anna.rate(page)
    address, right = form_address(page), expected(page)
    wrong = {**right, "q1r0": "1"}
    page = anna.post(address, data=wrong)
    assert checks(engine) == [("sure", False)]
    with engine.connect() as db:
        report = analyze(study_frames(db, study_id), protocol)
    (flagged,) = [estimate for estimate in report.estimates if estimate.statistic == "flagged_share"]
    assert flagged.estimate == 1
    assert "Failed 1 of 1 checks" in flagged.note
    assert not [estimate for estimate in report.estimates if "sure" in str(estimate.scope)]
    saved = anna.post(f"{address}/save", data={"slot": "q1r0", "q1r0": "5"})
    assert saved.status_code == 200
    assert checks(engine) == [("sure", True)]
    anna.post(address, data=wrong)
    assert checks(engine) == [("sure", False)]


def test_report_repeats_estimates_without_flagged_raters(
    engine: Engine, opened: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = opened()
    for name, points in (("anna", "4"), ("ben", "4"), ("cem", "1")):
        browser = visitor()
        rate_all(browser, browser.begin(name), partial(expected, points=points))
    assert sorted(checks(engine)) == [("sure", False), ("sure", True), ("sure", True)]
    with engine.begin() as db:
        # These raters did not read anything, which is flagged too.
        db.execute(text("UPDATE ratings SET active_ms = 60000"))
        report = analyze(study_frames(db, study_id), Protocol.model_validate(protocol_of(checks=CHECKS)))
    left_out = [estimate for estimate in report.estimates if estimate.scope.get("flagged") == "left_out"]
    assert {estimate.question for estimate in left_out} == {"preference", "empathy"}
    assert {estimate.n_raters for estimate in left_out} == {2}
    everybody = [f for f in report.estimates if f.question == "empathy" and f.statistic == left_out[0].statistic]
    assert max(estimate.n_items or 0 for estimate in everybody) == 3


TURNS = [{"speaker": "Ada", "text": "It died."}, {"speaker": "Bo", "text": "Oh no."}]
WARM = {"key": "warm", "target": "turn", "type": "rating", "text": "Warm?", "scale": {1: "no", 2: "yes"}}
WHOLE = {"key": "whole", "target": "item", "type": "rating", "text": "In all?", "scale": {1: "no", 2: "yes"}}


def test_dialogue_by_turns_works_as_practice_and_gold_trial(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(
        questions=[WARM, WHOLE],
        design={"trials": "dialogue", "reveal": "turns"},
        texts=[{"key": key, "turns": TURNS, "responses": {}} for key in ("item", "try", "sure")],
        flow={"practice": {"trials": [{"item": "try", "expect": {"warm": 1, "whole": 2}}]}},
        checks={"gold": [{"item": "sure", "expect": {"warm": 2, "whole": 1}}]},
    )
    anna = visitor()
    page = anna.begin()
    assert heading(page) == "Practice 1 of 1"
    assert "Oh no." in page.text
    page = anna.post("/s/study/practice/1", data={"q0t1": "1", "q0t2": "1", "q1": "2"})
    assert "2 of 2 practice answers match ours." in page.text
    page = anna.get("/s/study/rate")
    for _ in range(2):
        assert "Oh no." not in page.text
        page = anna.rate(page, {"q0t1": "2", "turn": "1"})
        page = anna.rate(page, {"q0t2": "2", "turn": "2"})
        assert len(checks(engine)) == 0
        page = anna.rate(page, {"q1": "1"})
    assert heading(page) == "You have finished. Thank you."
    assert checks(engine) == [("sure", True)]
    kept = "SELECT exclude, count(*) FROM ratings GROUP BY 1 ORDER BY 1"
    assert rows(engine, kept) == [("gold", 3), (None, 3)]


def test_gold_trial_follows_condition_and_uses_both_sides(engine: Engine, opened: Callable[..., int]) -> None:
    opened(conditions={"label": {"kind": "shown_label", "levels": ["none", "true"]}}, design={"raters_per_trial": 4})
    assert simulate(transactions(engine), "study", 8, seed=6).n_finished == 8
    same = """
        SELECT count(*) FROM assignments a JOIN trials t ON t.id = a.trial_id
        JOIN rating_sessions s ON s.id = a.rating_session_id WHERE t.purpose = 'gold' AND t.condition = s.condition
    """
    assert rows(engine, same) == [(8,)]
    shown = "SELECT count(DISTINCT a.response_ids) FROM assignments a JOIN trials t ON t.id = a.trial_id WHERE {}"
    assert rows(engine, shown.format("t.purpose = 'gold'")) == [(2,)]
    assert rows(engine, "SELECT count(*) FROM events WHERE kind = 'check'") == [(8,)]
    per_trial = """
        SELECT n, count(*) FROM (
          SELECT count(*) AS n FROM seats s JOIN assignments a ON a.id = s.assignment_id AND a.state = 'done'
          GROUP BY s.trial_id) x
        GROUP BY n
    """
    assert rows(engine, per_trial) == [(4, 6)]


def test_expired_gold_trial_is_returned_only_to_its_rater(
    engine: Engine, opened: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    opened(design={"raters_per_trial": 1})
    anna, ben = visitor(), visitor()
    anna.begin()
    with engine.begin() as db:
        db.execute(text("UPDATE rating_sessions SET lease_expires_at = now() - interval '1 s'"))
    ben.begin("ben")
    state = "SELECT a.rater_id, a.state FROM assignments a JOIN trials t ON t.id = a.trial_id WHERE t.purpose = 'gold'"
    (of_anna, of_ben) = sorted(rows(engine, state))
    assert (of_anna[1], of_ben[1] in {"planned", "leased"}) == ("returned", True)
    page, _ = rate_all(ben, ben.get("/s/study/rate"), expected)
    assert heading(page) == "You have finished. Thank you."
    assert anna.get("/s/study/rate").url.path == "/s/study/wait"
    assert min(rows(engine, state))[1] == "returned"


def test_returning_rater_keeps_list_with_gold_trial(
    engine: Engine, opened: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    opened()
    anna, ben = visitor(), visitor()
    anna.begin()
    order = "SELECT position, trial_id, state FROM assignments WHERE rater_id = 1 ORDER BY position"
    order = order.replace("rater_id = 1", "rater_id = (SELECT min(rater_id) FROM assignments)")
    before = rows(engine, order)
    with engine.begin() as db:
        db.execute(text("UPDATE rating_sessions SET lease_expires_at = now() - interval '1 s'"))
    ben.begin("ben")
    assert {state for _, _, state in rows(engine, order)} == {"returned"}
    anna.get("/s/study/rate")
    assert rows(engine, order) == before


def new_version(engine: Engine, study_id: int, **parts: Any) -> None:  # noqa: ANN401 - parts of a protocol
    """Give the raters of an open study another design."""
    written = protocol_of(**parts)
    with engine.begin() as db:
        record_version(db, study_id, 2, Protocol.model_validate(written), json.dumps(written))
        open_study(db, "study")


@pytest.mark.parametrize("parts", [{"checks": CHECKS}, {"flow": {"practice": {"trials": [{"item": "sure"}]}}}])
def test_item_with_seats_cannot_become_a_special_trial(
    engine: Engine, opened: Callable[..., int], parts: dict[str, Any]
) -> None:
    study_id = opened(checks={})
    with pytest.raises(
        OpeningError, match="names the item sure, which has been up for rating since the study was opened"
    ) as found:
        new_version(engine, study_id, **parts)
    assert "cannot be opened" not in str(found.value)


def test_item_of_a_removed_gold_trial_gets_no_seats_that_nobody_can_take(
    engine: Engine, opened: Callable[..., int]
) -> None:
    study_id = opened(design={"raters_per_trial": 1})
    new_version(engine, study_id, design={"raters_per_trial": 1})
    with engine.connect() as db:
        assert get_coverage(db, study_id).n_seats == 3
