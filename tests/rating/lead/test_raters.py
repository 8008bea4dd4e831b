"""The raters page: one row per rater, decisions with a reason, released seats, files for Prolific."""

import re
from html import unescape

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.rating.arrival.arrivals import record_invite
from app.rating.life_cycle import open_study
from app.rating.review.raters_page import MAX_ROWS
from app.results.data.frames import study_frames
from app.results.registration.preregister import to_register
from app.studies.load import load_study
from app.studies.studies import get_study
from tests.kit.builder import PREFERENCE
from tests.kit.lead_studies import rate, study_of
from tests.kit.small import read_small

PAGE = "/studies/small/raters"


@pytest.fixture
def study_id(db: Connection, lead: Lead) -> int:
    study_id = study_of(db, lead)
    open_study(db, "small")
    rate(db, study_id, rater="anna", n_trials=2)
    rate(db, study_id, rater="robot", is_simulated=True)
    rate(db, study_id, rater="ben", state="leased")
    return study_id


def rater_id(db: Connection, key: str) -> int:
    return int(db.execute(text("SELECT id FROM raters WHERE key = :key"), {"key": key}).scalar_one())


def from_prolific(db: Connection, study_id: int, key: str, *, n_failed: int = 0, state: str = "active") -> None:
    """Mark the rater as coming from Prolific, with failed checks and in this state."""
    values = {"study": study_id, "rater": rater_id(db, key)}
    db.execute(
        text(
            "INSERT INTO platform_ids (study_id, rater_id, platform, platform_id)"
            " VALUES (:study, :rater, 'prolific', :id)"
        ),
        values | {"id": f"5f-{key}"},
    )
    for number in range(n_failed):
        db.execute(
            text(
                "INSERT INTO events (study_id, rater_id, kind, detail) VALUES (:study, :rater, 'check',"
                " jsonb_build_object('check', CAST(:name AS text), 'is_passed', false))"
            ),
            values | {"name": f"look-{number}"},
        )
    db.execute(
        text(
            "UPDATE rating_sessions SET state = :state, finished_at = CASE WHEN :state = 'finished' THEN now() END"
            " WHERE rater_id = :rater"
        ),
        {"state": state, "rater": values["rater"]},
    )


def test_answers_that_came_excluded_are_said_beside_their_rater(client: TestClient, db: Connection, lead: Lead) -> None:
    """All of a rater's answers were left out by a file, and the page showed no word of it."""
    load_study(db, read_small(), lead.id)
    assert "answers excluded" not in client.get(PAGE).text
    db.execute(text("UPDATE ratings SET exclude = 'too fast' WHERE rater_id = (SELECT min(rater_id) FROM ratings)"))
    page = " ".join(client.get(PAGE).text.split())
    assert page.count("answers excluded in the file") == 1
    assert "All answers excluded in the file they came with: <bdi>too fast</bdi>" in page
    assert "Include again" not in page


def test_people_and_simulated_raters_are_listed_separately(client: TestClient, study_id: int) -> None:
    page = client.get(PAGE).text
    people, _, simulated = page.partition("Simulated raters")
    assert "anna" in people
    assert "ben" in people
    assert "robot" in simulated
    assert "robot" not in people


def test_only_imported_raters_are_called_imported(client: TestClient, db: Connection, study_id: int) -> None:
    """Others without a session were invited or listed, and are not here yet: they are people, below those who are."""
    db.execute(
        text("""
            INSERT INTO raters (study_id, key, kind, is_imported) VALUES (:study, 'aron', 'person', false),
              (:study, 'sheet', 'person', true), (:study, 'folder', 'person', false), (:study, 'judge', 'model', false)
        """),
        {"study": study_id},
    )
    db.execute(
        text("""
            INSERT INTO ratings (study_id, rater_id, question, item_id, outcome, chosen_response_id)
            SELECT study_id, :rater, question, item_id, outcome, chosen_response_id FROM ratings LIMIT 1
        """),
        {"rater": rater_id(db, "folder")},
    )
    assert "Model judges" not in client.get(PAGE).text, "it is only planned"
    db.execute(
        text("""
            INSERT INTO ratings (study_id, rater_id, question, item_id, outcome, chosen_response_id)
            SELECT study_id, :rater, question, item_id, outcome, chosen_response_id FROM ratings LIMIT 1
        """),
        {"rater": rater_id(db, "judge")},
    )
    page = client.get(PAGE).text
    groups = dict(re.findall(r'<h2 id="group-\d">(.+?) <span(.+?)</section>', page, re.DOTALL))
    assert {name: re.findall(r"<th [^>]*>.*?<bdi>(\w+)</bdi>", part) for name, part in groups.items()} == {
        "People": ["anna", "ben", "aron"],
        "Imported raters": ["sheet", "folder"],
        "Model judges": ["judge"],
        "Simulated raters": ["robot"],
    }
    assert [part.count("listed, not invited yet") for part in groups.values()] == [1, 0, 0, 0]
    assert groups["Imported raters"].count("imported") == 2


def test_excluded_rater_leaves_results_and_can_be_restored(client: TestClient, db: Connection, study_id: int) -> None:
    address = f"{PAGE}/{rater_id(db, 'anna')}/exclusion"
    assert client.post(address, data={"exclude": "true", "reason": " "}).status_code == 400
    assert client.post(address, data={"exclude": "true", "reason": "Knows the author"}).status_code == 303
    ratings = study_frames(db, study_id).ratings
    assert set(ratings.loc[ratings["rater"] == "anna", "exclude"]) == {"rater excluded: Knows the author"}
    assert ratings.loc[ratings["rater"] == "robot", "exclude"].isna().all()
    assert "Knows the author" in client.get(f"{PAGE}?show=excluded").text
    client.post(address, data={"exclude": "false", "reason": "It was a mistake"})
    assert study_frames(db, study_id).ratings["exclude"].isna().all()
    assert "Rater excluded" in client.get("/studies/small/settings").text


def test_deleting_simulated_raters_leaves_people(client: TestClient, db: Connection, study_id: int) -> None:
    assert "Simulated raters have taken trials" in client.get("/studies/small").text
    client.post("/studies/small/status", data={"status": "paused"})
    assert "Simulated raters have taken trials" in client.get("/studies/small").text
    assert "Delete the simulated raters" in client.get(PAGE).text
    assert client.post(f"{PAGE}/simulated/deletion").headers["location"] == PAGE
    assert db.execute(text("SELECT key FROM raters ORDER BY key")).scalars().all() == ["anna", "ben"]
    assert "Simulated raters" not in client.get(PAGE).text
    assert "Simulated raters have taken trials" not in client.get("/studies/small").text
    assert "Simulated raters deleted" in client.get("/studies/small/settings").text


def test_lead_can_release_seats(client: TestClient, db: Connection, study_id: int) -> None:
    client.post(f"{PAGE}/{rater_id(db, 'ben')}/release")
    states = db.execute(text("SELECT state FROM assignments WHERE rater_id = :r"), {"r": rater_id(db, "ben")})
    assert states.scalars().all() == ["returned"]


def test_released_place_is_taken_over_when_no_place_is_free(client: TestClient, db: Connection, study_id: int) -> None:
    client.post(f"{PAGE}/{rater_id(db, 'ben')}/release")
    page = client.get(PAGE).text
    assert ("1 released" in page, "taken over by others" in page) == (True, False)
    seated = text("""
        UPDATE seats s SET assignment_id = a.id
        FROM (SELECT id, trial_id, row_number() OVER (PARTITION BY trial_id ORDER BY id) AS seat
              FROM assignments WHERE state = 'done') AS a
        WHERE s.study_id = :study AND s.trial_id = a.trial_id AND s.seat = a.seat
    """)
    db.execute(seated, {"study": study_id})
    page = client.get(PAGE).text
    assert ("1 released" in page, "1 taken over by others" in page) == (False, True)


def test_revealing_participant_id_is_logged(client: TestClient, db: Connection, study_id: int) -> None:
    from_prolific(db, study_id, "anna")
    assert "5f-anna" not in client.get(PAGE).text
    assert "5f-anna" in client.post(f"{PAGE}/{rater_id(db, 'anna')}/identity").text
    assert client.post(f"{PAGE}/{rater_id(db, 'ben')}/identity").status_code == 404
    assert "Participant ID shown" in client.get("/studies/small/settings").text


def test_prolific_file_suggests_approval_or_rejection(client: TestClient, db: Connection, study_id: int) -> None:
    from_prolific(db, study_id, "anna", state="finished")
    from_prolific(db, study_id, "ben", n_failed=2)
    rows = client.post(f"{PAGE}/prolific.csv").text.splitlines()
    assert rows == [
        "participant_id,suggestion,reason",
        "5f-anna,approve,finished the study",
        "5f-ben,reject,failed 2 of 2 attention checks",
    ]
    assert client.post(f"{PAGE}/bonus.csv", data={"amount": "1,5"}).text.splitlines()[1:] == ["5f-anna,1.50"]
    assert "Failed 2 of 2 checks" in client.get(f"{PAGE}?show=flagged").text


def test_excluded_rater_and_rater_who_is_still_rating_get_no_suggestion(
    client: TestClient, db: Connection, study_id: int
) -> None:
    from_prolific(db, study_id, "anna", state="finished")
    from_prolific(db, study_id, "ben")
    client.post(f"{PAGE}/{rater_id(db, 'anna')}/exclusion", data={"exclude": "true", "reason": "Knows the author"})
    db.execute(text("UPDATE rating_sessions SET last_seen_at = now() - interval '5 minutes'"))
    assert client.post(f"{PAGE}/prolific.csv").text.splitlines()[1:] == [
        "5f-anna,decide,excluded from the results: Knows the author",
        "5f-ben,wait,was here within the last hour",
    ]
    assert client.post(f"{PAGE}/bonus.csv").text.splitlines()[1:] == []
    page = client.get(PAGE).text
    assert "Prolific: decide (excluded from the results: Knows the author)" in page
    assert "Prolific: wait (was here within the last hour)" in page
    db.execute(text("UPDATE rating_sessions SET last_seen_at = now() - interval '2 hours'"))
    assert "5f-ben,return,did not finish" in client.post(f"{PAGE}/prolific.csv").text


def test_straight_lining_and_side_bias_are_flagged(client: TestClient, db: Connection, study_id: int) -> None:
    rater = rater_id(db, "anna")
    for turn in range(12):
        db.execute(
            text(
                "INSERT INTO ratings (study_id, rater_id, question, item_id, number, turn) SELECT :s, :r, 'empathy',"
                " min(id), 4, :turn FROM items"
            ),
            {"s": study_id, "r": rater, "turn": turn},
        )
    from_prolific(db, study_id, "anna", state="finished")
    page = client.get(PAGE).text
    assert "12 of 12 ratings are the same" in page
    assert "Prolific: decide (finished, but flagged (straight-lining))" in page


def test_rater_of_another_study_is_not_found(client: TestClient, db: Connection, study_id: int) -> None:
    answer = client.post(f"{PAGE}/999999/exclusion", data={"exclude": "true", "reason": "x"})
    assert answer.status_code == 404


def test_hasty_rater_who_failed_the_check_is_flagged_first_and_never_approved(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    """Seen in a study with one check: ten trials in twelve seconds, a failed check, and *Prolific: approve*."""
    look = {"key": "look-0", "text": "Choose A.", "codes": {"a": "A", "b": "B"}, "correct": "a", "after": 1}
    task = {"key": "task", "text": "What do you rate?", "codes": {"a": "A", "b": "B"}, "correct": "a"}
    study_id = study_of(db, lead, checks={"attention": [look], "comprehension": [task]})
    open_study(db, "small")
    for key, ms in (("anna", 41_000), ("ben", 38_000), ("hasty", 1_200), ("quick", 1_300)):
        rate(db, study_id, rater=key, n_trials=2)
        from_prolific(db, study_id, key, n_failed=key == "hasty", state="finished")
        db.execute(
            text("UPDATE ratings SET active_ms = :ms WHERE rater_id = :rater"), {"ms": ms, "rater": rater_id(db, key)}
        )
    db.execute(
        text(
            "INSERT INTO events (study_id, rater_id, kind, detail) VALUES (:study, :rater, 'check',"
            """ '{"check": "task", "is_passed": false}')"""
        ),
        {"study": study_id, "rater": rater_id(db, "anna")},
    )
    page = client.get(PAGE).text
    assert page.index("hasty") < page.index("quick") < page.index("anna")
    assert "Failed 1 of 1 checks" in page
    assert "1.2 seconds per trial, less than a third of the median (19.6)" in page
    assert 'Flagged <span class="soft">2</span>' in page
    assert [row.split(",")[:2] for row in client.post(f"{PAGE}/prolific.csv").text.splitlines()[1:]] == [
        ["5f-anna", "approve"],
        ["5f-ben", "approve"],
        ["5f-hasty", "decide"],
        ["5f-quick", "decide"],
    ]
    assert "finished, but failed 1 of 1 attention checks and flagged (time)" in page
    paid = client.post(f"{PAGE}/bonus.csv", data={"amount": "1"}).text
    assert paid.splitlines()[1:] == ["5f-anna,1.00", "5f-ben,1.00"]
    credited = client.post(f"{PAGE}/mturk.csv").text
    assert "hasty" not in credited


def test_pages_of_raters_keep_the_filter_and_the_place(
    client: TestClient, db: Connection, study_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.rating.review.raters_page.MAX_ROWS", 2)
    for number in range(5):
        rate(db, study_id, rater=f"crowd-{number}")
    first = client.get(f"{PAGE}?show=unfinished&words=CROWD").text
    assert "1 to 2 of 5" in first
    assert re.findall(r'href="([^"]+)">(Next|Previous) raters', first) == [
        (f"{PAGE}?show=unfinished&amp;words=CROWD&amp;people=2", "Next")
    ]
    last = client.get(f"{PAGE}?show=unfinished&words=CROWD&people=4").text
    assert "crowd-4" in last
    assert "crowd-3" not in last
    assert "robot" not in last
    assert f'{PAGE}?show=unfinished&amp;words=CROWD&amp;people=2">Previous raters' in last
    assert "crowd-4" in client.get(f"{PAGE}?words=crowd&people=400").text, "the last part of a group that has shrunk"
    rater = rater_id(db, "crowd-4")
    action = re.search(rf'action="({PAGE}/{rater}/exclusion[^"]*)"', last)
    assert action
    answer = client.post(unescape(action[1]), data={"exclude": "true", "reason": "Knows the author"})
    assert answer.headers["location"] == f"{PAGE}?show=unfinished&words=CROWD&people=4#rater-{rater}"
    assert "1 to 2 of 7" in client.get(PAGE).text, "groups have pages of their own"
    assert client.get(f"{PAGE}?people=-1").status_code == 422


def test_page_of_raters_has_less_than_100_kb(client: TestClient, db: Connection, study_id: int) -> None:
    """Whether its raters came from a platform and failed checks, or have personal links and open places."""
    from_prolific(db, study_id, "anna", n_failed=2)
    record_invite(db, study_id, rater_id(db, "ben"))
    page = client.get(PAGE).text
    rows = {key: row for row in re.findall(r"<tr.*?</tr>", page, re.DOTALL) for key in re.findall(r"<bdi>(\w+)<", row)}
    assert "Prolific: reject" in rows["anna"]
    assert "Revoke personal link" in rows["ben"]
    around = len(page) - sum(map(len, rows.values()))
    assert around + MAX_ROWS * max(map(len, rows.values())) < 100_000


@pytest.mark.parametrize(
    ("amount", "problem"),
    [("a lot", "a lot&#34;; allowed: a number."), ("0.004", "0.004&#34;; allowed: a number of at least 0.01.")],
)
def test_wrong_amount_of_the_bonus_is_explained(
    client: TestClient, db: Connection, lead: Lead, amount: str, problem: str
) -> None:
    study_of(db, lead)
    answer = client.post("/studies/small/raters/bonus.csv", data={"amount": amount})
    assert answer.status_code == 422
    assert f"Amount: Found &#34;{problem}" in answer.text


def test_flags_of_pasted_answers_come_before_the_counts_behind_them(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    why = {"key": "why", "target": "item", "type": "text", "text": "Why?", "typing_rhythm": True}
    consent = {"version": "1", "text": "We count keystrokes.", "records_typing": True}
    study_id = study_of(db, lead, questions=[PREFERENCE, why], flow={"consent": consent})
    open_study(db, "small")
    rate(db, study_id, rater="anna")
    db.execute(
        text(
            "INSERT INTO ratings (study_id, rater_id, assignment_id, question, item_id, text, n_keystrokes, n_pasted,"
            " typing_ms, rated_at) SELECT study_id, rater_id, assignment_id, 'why', item_id, repeat('x', 90), 10, 80,"
            " 5000, now() FROM ratings WHERE study_id = :study"
        ),
        {"study": study_id},
    )
    page = client.get(PAGE).text
    counts = "Text answers: 10 keystrokes, 80 characters pasted, 2.0 keys per second"
    assert 0 < page.index("Pasted 89% of what was entered in 1 text answer") < page.index(counts)


def test_time_of_raters_who_finished_is_not_that_of_a_later_visit(
    client: TestClient, db: Connection, study_id: int
) -> None:
    rate(db, study_id, rater="carl")
    db.execute(text("UPDATE rating_sessions SET state = 'finished', finished_at = now() - interval '3 hours'"))
    assert "3 hours ago</time>" in client.get(PAGE).text


def test_code_is_there_for_raters_who_finished_in_another_browser(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    study_id = study_of(db, lead, completion={"code": "D0NE"})
    open_study(db, "small")
    rate(db, study_id, rater="anna", n_trials=2)
    db.execute(text("UPDATE rating_sessions SET state = 'finished', finished_at = now()"))
    assert "D0NE" not in client.get(PAGE).text
    moved = """
        INSERT INTO session_moves (study_id, rating_session_id, token_hash, parameters)
        SELECT study_id, id, 'x', '{}' FROM rating_sessions
    """
    db.execute(text(moved))
    page = client.get(PAGE).text
    assert "in more than one browser" in page
    assert "Completion code: <code>D0NE</code>" in page


def test_overview_says_that_trials_of_excluded_raters_stay_taken(
    client: TestClient, db: Connection, study_id: int
) -> None:
    """Trials of excluded raters counted as rated, and nothing told that results leave them out."""
    assert "by excluded raters" not in client.get("/studies/small").text
    client.post(f"{PAGE}/{rater_id(db, 'anna')}/exclusion", data={"exclude": "true", "reason": "Slept"})
    assert "2 of the rated trials are by excluded raters." in " ".join(client.get("/studies/small").text.split())


def test_answers_of_a_rater_excluded_before_registration_are_registered(
    client: TestClient, db: Connection, study_id: int
) -> None:
    client.post(f"{PAGE}/{rater_id(db, 'anna')}/exclusion", data={"exclude": "true", "reason": "Slept"})
    study = get_study(db, "small")
    assert study is not None
    made = to_register(db, study)
    assert sum(made.left_out.values()) == made.n_ratings - made.n_simulated
    assert set(made.left_out) == {"rater excluded: Slept"}
