"""The API: what a program reads and changes with a token, and what it is told if that is not possible."""

import csv
import io
import json
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.lead_access import begin_session
from app.accounts.leads import Lead
from app.accounts.rate_limits import Rate
from app.accounts.roles import Role
from app.results.reports.live_report import LiveReports
from app.results.reports.outcomes import LiveReport
from app.studies.audit import list_acts
from app.studies.members.api_tokens import list_api_tokens, record_api_token
from app.studies.members.members import record_member, remove_member
from tests.api.conftest import STUDY
from tests.kit.lead_studies import rate


def all_rows(program: TestClient, table: str, limit: int) -> list[dict[str, Any]]:
    """The rows of all pages."""
    rows: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        page = program.get(f"{STUDY}/{table}", params={"cursor": cursor, "limit": limit}).json()
        assert len(page["rows"]) <= limit
        rows += page["rows"]
        cursor = page["next"]
    return rows


def set_in_protocol(db: Connection, place: str, value: object) -> None:
    """Change the stored protocol, and its hash, by which parsed protocols are kept."""
    db.execute(
        text("""
            UPDATE protocols SET sha256 = md5(random()::text),
              document = jsonb_set(document::jsonb, CAST(:place AS text[]), CAST(:value AS jsonb))::json
        """),
        {"place": place, "value": json.dumps(value)},
    )


def test_study_has_its_progress(program: TestClient) -> None:
    found = program.get(STUDY).json()
    assert (found["slug"], found["title"], found["status"]) == ("small", "A small study", "open")
    assert found["progress"]["n_items"] == 2
    assert found["progress"]["n_ratings"] == 2
    assert found["rater_link"].startswith("http://testserver/s/")


def test_protocol_is_that_of_the_study_folder(program: TestClient) -> None:
    found = program.get(f"{STUDY}/protocol").json()
    assert '"slug": "small"' in found["yaml"]
    archive = zipfile.ZipFile(io.BytesIO(program.get(f"{STUDY}/study.zip").content))
    assert archive.read("small/study.yaml").decode() == found["yaml"]


@pytest.mark.parametrize("limit", [1, 2, 3, 1000])
def test_pages_give_every_row_once(program: TestClient, limit: int) -> None:
    assert [row["item"] for row in all_rows(program, "items", limit)] == ["exam", "voicemail"]
    responses = all_rows(program, "responses", limit)
    assert len({row["response"] for row in responses}) == len(responses) == 4
    assert {row["source"] for row in responses} == {"person", "model"}


def test_raters_are_pseudonyms_with_the_decision_about_them(program: TestClient) -> None:
    path = f"{STUDY}/raters/r1/exclusion"
    assert program.post(path, json={"exclude": True, "reason": " failed checks "}).json()["is_excluded"] is True
    (rater,) = all_rows(program, "raters", 10)
    assert (rater["rater"], rater["n_done"]) == ("r1", 2)
    assert (rater["is_excluded"], rater["exclusion_reason"]) == (True, "failed checks")
    program.post(path, json={"exclude": False, "reason": "checked by hand"})
    assert all_rows(program, "raters", 10)[0]["is_excluded"] is False


def test_estimates_and_files_are_those_of_the_browser(program: TestClient) -> None:
    answer = program.get(f"{STUDY}/estimates")
    report = answer.json()
    assert answer.headers["last-modified"].endswith("GMT")
    assert report["study"] == "small"
    unchanged = program.get(f"{STUDY}/estimates", headers={"If-None-Match": f'"other", W/{answer.headers["etag"]}'})
    assert (unchanged.status_code, unchanged.content, unchanged.headers["etag"]) == (304, b"", answer.headers["etag"])
    assert any(estimate["n_ratings"] == 2 for estimate in report["estimates"])
    lines = program.get(f"{STUDY}/ratings.csv").text.splitlines()
    assert lines[0].startswith("rater,item,")
    assert len(lines) == 1 + 2


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("status", r'{"status": "\ud800"}'),
        ("status", r'{"status": "open", "\ud800": 1}'),
        ("links", r'{"raters": ["\ud800"]}'),
        ("links", r'{"raters": ["a\u0000"]}'),
        ("raters/r1/exclusion", r'{"exclude": true, "reason": "\ud800"}'),
        ("raters/r1/exclusion", r'{"exclude": true, "reason": "a\u0000b"}'),
    ],
)
def test_text_that_cannot_be_stored_is_a_wrong_field(program: TestClient, path: str, body: str) -> None:
    answer = program.post(f"{STUDY}/{path}", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, len(answer.json()["problems"])) == (422, 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[(kind, "no-such-key") for kind in ("source", "condition", "pool", "question")],
        *[("item", "i1"), ("rater", "r1"), ("rater", ":r1"), ("flagged", "no"), ("pool", "\0")],
        *[(name, "x") for name in ("snapshot", "of", "x", "y")],
    ],
)
def test_filter_of_estimates_that_would_be_ignored_or_match_nothing_is_refused(
    program: TestClient, name: str, value: str
) -> None:
    answer = program.get(f"{STUDY}/estimates", params={name: value})
    assert answer.status_code == 422, answer.text[:200]
    assert name in answer.text


def test_estimates_of_a_source_and_a_question_are_narrowed(program: TestClient) -> None:
    question = program.get(f"{STUDY}/ratings").json()["rows"][0]["question"]
    report = program.get(f"{STUDY}/estimates", params={"source": "person", "question": question, "item": ""}).json()
    assert report["filters"] == {"sources": ["person"]}
    assert {one["question"] for one in report["estimates"]} <= {question, None}


def test_time_in_last_modified_asks_for_ratings_that_were_read_later(
    program: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HTTP tells whole seconds, and ratings are read at microseconds."""
    reports: LiveReports = program.app.state.reports  # type: ignore[attr-defined]  # Starlette's client
    now = reports.now
    found: list[tuple[LiveReport, datetime | None]] = []

    def noted(*given: Any) -> LiveReport:  # noqa: ANN401 - as `now`
        made = now(*given)
        found.append((made, given[-1]))
        return made

    monkeypatch.setattr(reports, "now", noted)
    read_at = parsedate_to_datetime(program.get(f"{STUDY}/estimates").headers["last-modified"])
    program.get(f"{STUDY}/estimates", params={"after": f"{read_at:%Y-%m-%dT%H:%M:%SZ}"})
    (first, _), (_, after) = found
    assert after
    assert first.read_at <= after


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_ratings_are_the_rows_of_the_file(program: TestClient, limit: int) -> None:
    rows = all_rows(program, "ratings", limit)
    written = list(csv.DictReader(io.StringIO(program.get(f"{STUDY}/ratings.csv").text)))
    assert len(rows) == len(written) == 2
    for row, line in zip(rows, written, strict=True):
        assert {name: row[name] or "" for name in line} == line


def test_status_changes_and_is_logged_with_the_token(program: TestClient, db: Connection, study_id: int) -> None:
    assert program.post(f"{STUDY}/status", json={"status": "paused"}).json() == {"status": "paused"}
    assert program.get(STUDY).json()["status"] == "paused"
    act = list_acts(db, study_id)[0]
    assert (act.action, act.email) == ("status changed", "lead@example.org")
    assert act.detail == {"before": "open", "after": "paused", "api_token": "for owner"}


def test_study_with_placeholders_is_opened_once_they_are_confirmed(program: TestClient, db: Connection) -> None:
    set_in_protocol(db, "{instructions}", "Ask [name] if you have questions.")
    db.execute(text("UPDATE studies SET status = 'draft'"))
    refused = program.post(f"{STUDY}/status", json={"status": "open"})
    assert refused.status_code == 409
    assert "placeholders that have not been filled in: [name]" in refused.json()["detail"]
    answer = program.post(f"{STUDY}/status", json={"status": "open", "as_written": ["[name]"]})
    assert answer.json() == {"status": "open"}


def test_impossible_change_of_status_is_explained(program: TestClient, db: Connection) -> None:
    set_in_protocol(db, "{monitoring}", {"blind_interim": True})
    assert program.post(f"{STUDY}/status", json={"status": "closed"}).status_code == 200
    answer = program.post(f"{STUDY}/status", json={"status": "open"})
    assert answer.status_code == 409
    assert "cannot be reopened" in answer.json()["detail"]
    assert program.get(STUDY).json()["status"] == "closed"


def test_personal_links_lead_to_the_study(program: TestClient, visitor: TestClient, db: Connection) -> None:
    set_in_protocol(db, "{design,links}", "personal")
    made = program.post(f"{STUDY}/links", json={"raters": ["ann", "ben"]})
    assert made.status_code == 201
    assert [one["rater"] for one in made.json()["links"]] == ["ann", "ben"]
    address = made.json()["links"][0]["link"].removeprefix("http://testserver")
    assert visitor.get(address).status_code == 303
    again = program.post(f"{STUDY}/links", json={"raters": ["ann"]}).json()["links"][0]["link"]
    assert again != made.json()["links"][0]["link"]


@pytest.mark.parametrize(
    ("names", "words"),
    [(["ann", "ann"], "ann"), ([" "], "row 1"), (["a\nb"], "row 1")],
    ids=["twice", "empty", "line break"],
)
def test_unusable_names_make_no_link(program: TestClient, names: list[str], words: str) -> None:
    answer = program.post(f"{STUDY}/links", json={"raters": names})
    assert answer.status_code == 422
    assert words in answer.json()["detail"]


def test_repeated_request_is_carried_out_once(program: TestClient, db: Connection, study_id: int) -> None:
    path, sent = f"{STUDY}/raters/r1/exclusion", {"exclude": True, "reason": "failed checks"}
    first, second = (program.post(path, json=sent, headers={"idempotency-key": "k1"}) for _ in range(2))
    assert first.status_code == second.status_code == 200
    assert first.json() == second.json()
    assert [act.action for act in list_acts(db, study_id)].count("rater excluded") == 1
    other = program.post(path, json={**sent, "exclude": False}, headers={"idempotency-key": "k1"})
    assert other.status_code == 409
    assert "idempotency key" in other.json()["detail"]


def test_key_of_a_failed_request_can_be_used_again(program: TestClient) -> None:
    headers = {"idempotency-key": "k2"}
    sent = {"exclude": True, "reason": "x"}
    assert program.post(f"{STUDY}/raters/nobody/exclusion", json=sent, headers=headers).status_code == 404
    assert program.post(f"{STUDY}/raters/r1/exclusion", json=sent, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("path", "sent", "field", "words"),
    [
        ("status", {"status": "deleted"}, "body.status", 'Found "deleted"; allowed: open, paused or closed.'),
        ("status", {"status": "open", "when": "now"}, "body.when", "There is no such field."),
        ("status", {}, "body.status", "This field is required."),
        ("status", {"status": ["open"]}, "body.status", 'Found "open"; allowed: open, paused or closed.'),
        (
            "raters/r1/exclusion",
            {"exclude": "x", "reason": "y"},
            "body.exclude",
            'Found "x"; allowed: true or false.',
        ),
        (
            "raters/r1/exclusion",
            {"exclude": True, "reason": "   "},
            "body.reason",
            'Found "   "; allowed: text with at least 1 character.',
        ),
        ("links", {"raters": []}, "body.raters", 'Found "an empty list"; allowed: at least 1 entry.'),
    ],
)
def test_wrong_fields_are_named(
    program: TestClient, path: str, sent: dict[str, object], field: str, words: str
) -> None:
    answer = program.post(f"{STUDY}/{path}", json=sent)
    assert answer.status_code == 422
    (problem,) = answer.json()["problems"]
    assert (problem["field"], problem["problem"]) == (field, words)


def test_a_body_that_is_not_said_to_be_json_is_told_the_header(program: TestClient) -> None:
    answer = program.post(f"{STUDY}/links", content=b'{"raters": ["r1"]}')
    (problem,) = answer.json()["problems"]
    said = "Send a JSON object, with the header Content-Type: application/json."
    assert (answer.status_code, problem) == (422, {"field": "body", "problem": said})


@pytest.mark.parametrize("cursor", ["x", "!!!", "AAAAAAAAAAAAAAAAAAAA", "_" * 11])
def test_foreign_cursor_is_refused(program: TestClient, cursor: str) -> None:
    answer = program.get(f"{STUDY}/items", params={"cursor": cursor})
    assert answer.status_code == 422
    assert "cursor" in answer.json()["detail"]


def test_missing_and_wrong_tokens_are_told_apart(visitor: TestClient, study_id: int) -> None:
    missing = visitor.get(STUDY)
    wrong = visitor.get(STUDY, headers={"authorization": "Bearer attune_guess"})
    assert missing.status_code == wrong.status_code == 401
    assert missing.headers["www-authenticate"] == "Bearer"
    assert missing.json()["detail"] != wrong.json()["detail"]


def test_token_ends_with_its_time_and_with_membership(
    with_token: Callable[[Role], TestClient], db: Connection, study_id: int, lead: Lead, other_lead: Lead
) -> None:
    record_member(db, study_id, other_lead.id, "owner")
    program, second = with_token("owner"), with_token("analyst")
    db.execute(text("UPDATE api_tokens SET expires_at = now() WHERE name = 'for owner'"))
    assert program.get(STUDY).status_code == 401
    assert second.get(STUDY).status_code == 200
    remove_member(db, study_id, lead.id)
    assert second.get(STUDY).status_code == 401
    assert list_api_tokens(db, study_id) == []


def test_token_never_has_more_rights_than_its_lead(
    with_token: Callable[[Role], TestClient], db: Connection, study_id: int, lead: Lead
) -> None:
    program = with_token("owner")
    record_member(db, study_id, lead.id, "monitor")
    assert program.get(f"{STUDY}/estimates").status_code == 403
    assert program.post(f"{STUDY}/status", json={"status": "open"}).status_code == 403


def test_cookie_is_not_enough(visitor: TestClient, db: Connection, lead: Lead, study_id: int) -> None:
    visitor.cookies.set("attune-lead", begin_session(db, lead))
    assert visitor.get("/studies/small").status_code == 200
    assert visitor.get(STUDY).status_code == 401


def test_blinded_study_gives_no_ratings(program: TestClient, db: Connection) -> None:
    set_in_protocol(db, "{monitoring}", {"blind_interim": True})
    for path in ("estimates", "ratings", "ratings.csv", "study.zip"):
        answer = program.get(f"{STUDY}/{path}")
        assert answer.status_code == 403
        assert "hidden until it closes, as its design says" in answer.json()["detail"]


def test_too_many_requests_say_how_long_to_wait(program: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.accounts.rate_limits.MAX_API_REQUESTS", Rate(2, 1))
    answers = [program.get(STUDY) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert 1 <= int(answers[2].headers["retry-after"]) <= 60


def test_tokens_are_stored_as_hashes(db: Connection, study_id: int, lead: Lead) -> None:
    record_api_token(db, study_id, lead.id, token="secret", name="x", role="owner", valid=timedelta(days=1))
    assert "secret" not in str(db.execute(text("SELECT t::text FROM api_tokens t")).all())


def test_error_is_a_problem_document(program: TestClient) -> None:
    answer = program.get(f"{STUDY}/items", params={"cursor": "x"})
    assert answer.headers["content-type"] == "application/problem+json"
    found = answer.json()
    assert (found["type"], found["status"], "cursor" in found["detail"]) == ("about:blank", 422, True)
    other = program.put(STUDY)
    assert (other.status_code, other.headers["allow"], other.json()["title"]) == (405, "GET", "Method Not Allowed")


@pytest.mark.parametrize("path", ["", "/items", "/ratings", "/estimates", "/webhooks"])
def test_unknown_parameter_is_refused(program: TestClient, path: str) -> None:
    """It was ignored: `rater_kind` misspelled gave people and judges together."""
    answer = program.get(f"{STUDY}{path}", params={"ratter_kind": "person"})
    assert answer.status_code == 422
    assert "no parameter 'ratter_kind': it takes" in answer.json()["detail"]


@pytest.mark.parametrize("name", ["source", "rater", "question"])
def test_filter_with_a_sign_that_no_key_can_have_finds_nothing(program: TestClient, name: str) -> None:
    answer = program.get(f"{STUDY}/ratings", params={name: ["a", "b\0"]})
    assert answer.status_code == 422
    assert f"This study has no {name} " in answer.json()["detail"]


@pytest.mark.parametrize("path", ["", "/protocol", "/items", "/ratings", "/webhooks"])
def test_what_has_not_changed_is_not_sent_again(program: TestClient, path: str) -> None:
    etag = program.get(f"{STUDY}{path}").headers["etag"]
    answer = program.get(f"{STUDY}{path}", headers={"if-none-match": etag})
    assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", etag)


def test_status_that_changed_has_another_etag(program: TestClient) -> None:
    etag = program.get(STUDY).headers["etag"]
    program.post(f"{STUDY}/status", json={"status": "paused"})
    assert program.get(STUDY, headers={"if-none-match": etag}).status_code == 200


@pytest.mark.parametrize(
    ("table", "filters", "n"),
    [
        ("responses", {"source": "model"}, 2),
        ("responses", {"source": ["model", "person"], "item": "exam"}, 2),
        ("raters", {"kind": "person"}, 1),
        ("raters", {"kind": "model"}, 1),
        ("raters", {"is_simulated": "true"}, 0),
        ("ratings", {"rater_kind": "person"}, 2),
        ("ratings", {"rater_kind": "model"}, 1),
        ("ratings", {"rater": ["judge", "r1"]}, 3),
        ("ratings", {"question": "preference", "is_simulated": "false"}, 3),
        ("ratings", {"rated": "today"}, 3),
        ("ratings", {"rated": "before"}, 0),
        ("ratings", {"rated": "later"}, 0),
    ],
)
def test_filters_leave_out_rows(
    program: TestClient, db: Connection, study_id: int, table: str, filters: dict[str, Any], n: int
) -> None:
    rate(db, study_id, rater="judge", n_trials=1)
    db.execute(text("UPDATE raters SET kind = 'model' WHERE key = 'judge'"))
    first, last = db.execute(text("SELECT min(rated_at), max(rated_at) FROM ratings")).one()
    days = {
        "today": {"since": first.date(), "until": last.date()},
        "before": {"until": first.date() - timedelta(days=1)},
        "later": {"since": last.date() + timedelta(days=1)},
    }
    given = days[filters["rated"]] if "rated" in filters else filters
    pages = program.get(f"{STUDY}/{table}", params={**given, "limit": 1}).json()
    assert len(pages["rows"]) == min(n, 1)
    assert len(program.get(f"{STUDY}/{table}", params=given).json()["rows"]) == n


def test_filter_of_sources_reads_the_column_source(program: TestClient) -> None:
    rows = all_rows(program, "ratings", 10)
    for source in ("person", "model"):
        found = program.get(f"{STUDY}/ratings", params={"source": source}).json()["rows"]
        assert found == [row for row in rows if row["source"] == source]


@pytest.mark.parametrize("filters", [{"source": "nobody"}, {"question": "nothing"}, {"rater": "nobody"}])
def test_filter_for_what_the_study_does_not_have_is_refused(program: TestClient, filters: dict[str, str]) -> None:
    answer = program.get(f"{STUDY}/ratings", params=filters)
    assert answer.status_code == 422
    (name,) = filters
    assert f"no {name} '{filters[name]}'" in answer.json()["detail"]
