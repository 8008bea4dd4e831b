"""Personal links in the browser, one by one and for a mail merge; files for Mechanical Turk and SONA."""

import csv
import io
import re
from collections.abc import Callable

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.rating.life_cycle import open_study
from app.studies.audit import list_acts
from app.studies.members.members import record_member
from tests.kit.builder import build_study, protocol_of

RATERS = "/studies/small/raters"
PAGE = f"{RATERS}/invitations"


def link_in(page: str) -> str:
    """The address in the personal link that a page shows."""
    return str(re.findall(r'value="http://[^/]+(/s/[^"]+)"', page)[0])


@pytest.fixture
def study_id(db: Connection, lead: Lead) -> int:
    """An open study that raters enter by personal links only."""
    design = {"trials": "pairs", "raters_per_trial": 2, "links": "personal"}
    study_id = build_study(db, protocol_of("small", design=design), n_items=2)
    record_member(db, study_id, lead.id, "owner")
    open_study(db, "small")
    return study_id


def test_personal_link_admits_one_rater(client: TestClient, visit: Callable[[], TestClient], study_id: int) -> None:
    link = link_in(client.post(PAGE, data={"people": "r01"}).text)
    assert "invited, not here yet" in client.get(RATERS).text
    assert visit().get(link).status_code == 303
    assert "attune study invite" not in client.get("/studies/small").text


def test_revoked_link_opens_nothing_until_there_is_a_new_one(
    client: TestClient, visit: Callable[[], TestClient], db: Connection, study_id: int
) -> None:
    """A browser in which the study is open can go on; the rater is told what to do, and the lead what happened."""
    old = link_in(client.post(PAGE, data={"people": "r01"}).text)
    rater = visit()
    assert rater.get(old).status_code == 303
    revocation = re.findall(r'action="[^"]*(/studies/small/raters/\d+/link/revocation)', client.get(RATERS).text)[0]
    client.post(revocation)
    raters = client.get(RATERS).text
    assert "personal link revoked" in raters
    assert "Revoke personal link" not in raters
    assert list_acts(db, study_id)[0].action == "personal link revoked"
    answer = visit().get(old)
    assert (answer.status_code, "ask the person who sent it for a new one" in answer.text) == (403, True)
    assert rater.get(old.split("?")[0]).status_code == 303
    assert visit().get(link_in(client.post(PAGE, data={"people": "r01"}).text)).status_code == 303
    assert "personal link revoked" not in client.get(RATERS).text


def test_uploaded_list_returns_columns_with_personal_links(client: TestClient, db: Connection, study_id: int) -> None:
    sheet = b"rater;name;e-mail\nr01;Ada Roe;ada@example.org\nr02;=cmd();bo@example.org\n"
    answer = client.post(PAGE, files={"file": ("people.csv", sheet)})
    rows = list(csv.reader(io.StringIO(answer.text)))
    assert rows[0] == ["rater", "name", "e-mail", "link"]
    assert [row[0] for row in rows[1:]] == ["r01", "r02"]
    assert not rows[2][1].startswith("=")
    assert all("?invite=" in row[3] for row in rows[1:])
    everything = " ".join(db.execute(text("SELECT raters::text FROM raters")).scalars().all())
    assert "Ada" not in everything
    assert "ada@example.org" not in everything
    assert list_acts(db, study_id)[0].detail == {"n_raters": 2, "pool": ""}


@pytest.mark.parametrize(
    ("people", "words"),
    [
        ("", "nobody"),
        ("r01\nr01", "each ID once"),
        (",ada@example.org", "an ID for each person"),
        ("rater\n" + "\n".join(f"r{n}" for n in range(5001)), "at most 5,000"),
    ],
)
def test_list_with_a_problem_invites_no_one(
    client: TestClient, db: Connection, study_id: int, people: str, words: str
) -> None:
    answer = client.post(PAGE, data={"people": people})
    assert (answer.status_code, words in answer.text) == (422, True)
    assert db.execute(text("SELECT count(*) FROM invites")).scalar_one() == 0


def test_non_text_file_and_unknown_pool_are_reported(client: TestClient, study_id: int) -> None:
    assert client.post(PAGE, files={"file": ("people.csv", b"\xff\xfe\x00r")}).status_code == 422
    assert "no pool experts" in client.post(PAGE, data={"people": "r01", "pool": "experts"}).text


def came(db: Connection, study_id: int, key: str, platform: str, parameters: str = "{}") -> None:
    """A rater who came from a platform and finished."""
    rater = db.execute(
        text("INSERT INTO raters (study_id, key) VALUES (:s, :key) RETURNING id"), {"s": study_id, "key": key}
    ).scalar_one()
    db.execute(
        text(
            "INSERT INTO platform_ids (study_id, rater_id, platform, platform_id, parameters)"
            " VALUES (:s, :r, :platform, :id, CAST(:parameters AS jsonb))"
        ),
        {"s": study_id, "r": rater, "platform": platform, "id": f"id-{key}", "parameters": parameters},
    )
    db.execute(
        text(
            "INSERT INTO rating_sessions (study_id, rater_id, token_hash, protocol_version, state, lease_expires_at,"
            " finished_at) VALUES (:s, :r, :token, 1, 'finished', now(), now())"
        ),
        {"s": study_id, "r": rater, "token": key.encode()},
    )


def test_raters_page_exports_mturk_and_sona_files(client: TestClient, db: Connection, study_id: int) -> None:
    came(db, study_id, "anna", "mturk", '{"assignmentId": "A1"}')
    came(db, study_id, "ben", "sona")
    page = client.get("/studies/small/raters").text
    assert "Mechanical Turk" in page
    assert "Download credits" in page
    mturk = client.post("/studies/small/raters/mturk.csv").text.splitlines()
    assert mturk == [
        "WorkerId,AssignmentId,Approve,Reject,Suggestion",
        "id-anna,A1,x,,approve: finished the study",
    ]
    sona = client.post("/studies/small/raters/sona.csv").text.splitlines()
    assert sona == ["survey_code,suggestion,reason", "id-ben,grant credit,finished the study"]


def test_list_with_old_mac_line_endings_is_read(client: TestClient, study_id: int) -> None:
    answer = client.post(PAGE, files={"file": ("people.csv", b"rater,name\rr01,Ada\rr02,Bo\r")})
    assert [row[0] for row in csv.reader(io.StringIO(answer.text))] == ["rater", "r01", "r02"]


def test_platform_rater_cannot_be_issued_a_personal_link(client: TestClient, db: Connection, study_id: int) -> None:
    client.post(PAGE, data={"people": "r01"})
    row = {"study": study_id}
    db.execute(
        text("""
            INSERT INTO platform_ids (study_id, rater_id, platform, platform_id)
            SELECT study_id, id, 'prolific', 'p1' FROM raters WHERE study_id = :study AND key = 'r01'
        """),
        row,
    )
    assert client.post(PAGE, data={"people": "r01"}).status_code == 422
    db.execute(text("INSERT INTO raters (study_id, key, is_simulated) VALUES (:study, 'r02', true)"), row)
    assert client.post(PAGE, data={"people": "r02"}).status_code == 422
