"""Study settings: rename, copy, archive, delete with a receipt; the audit log."""

import re
from html import unescape

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.llm.client.servers import ModelServer
from app.rating.life_cycle import close_study, open_study
from app.studies.creation.read_new_study import read_template, store_study
from app.studies.editor.sections import SECTIONS
from tests.kit.builder import TEMPLATE_WORDS
from tests.kit.lead_studies import rate
from tests.kit.templates import every_template

PAGE = "/studies/small/settings"
# Of the partners of templates in which raters write.
SERVER = ModelServer(name="local", base_url="http://127.0.0.1:9/v1", models=("gpt-4o-mini",), max_tokens=1000)


def test_draft_can_be_renamed(client: TestClient, study_id: int) -> None:
    assert client.post(f"{PAGE}/title", data={"title": "Replies at night"}).status_code == 303
    assert "Replies at night" in client.get("/studies").text
    assert client.post(f"{PAGE}/title", data={"title": " "}).status_code == 422
    refused = client.post(f"{PAGE}/title", data={"title": "Replies\x07at night"})
    assert (refused.status_code, "U+0007" in refused.text) == (422, True)
    assert 'value="Replies\x07at night"' in refused.text


def test_renaming_opened_study_creates_new_version(client: TestClient, db: Connection, study_id: int) -> None:
    open_study(db, "small")
    client.post(f"{PAGE}/title", data={"title": "Replies at night"})
    assert "Replies at night" in client.get("/studies").text
    assert db.execute(text("SELECT count(*) FROM protocols")).scalar_one() == 2


def test_copy_has_design_and_texts_without_answers(client: TestClient, db: Connection, lead: Lead) -> None:
    store_study(db, read_template("label-experiment", "Ours", "ours"), lead.id)
    answer = client.post("/studies/ours/settings/copy", data={"title": "Second", "slug": "second"})
    assert answer.headers["location"] == "/studies/new/second/texts?copied=1"
    assert "Which texts is it about?" in client.get(answer.headers["location"]).text
    counts = "SELECT count(*) FROM responses r JOIN studies s ON s.id = r.study_id WHERE s.slug = :slug"
    first, second = (db.execute(text(counts), {"slug": slug}).scalar_one() for slug in ("ours", "second"))
    assert first == second > 0
    for name in ("ours", "Not a slug"):
        answer = client.post("/studies/ours/settings/copy", data={"title": "Third", "slug": name})
        assert answer.status_code == 422
        assert {'value="Third"', f'value="{name}"'} <= {*re.findall('value="[^"]*"', answer.text)}


def test_copy_keeps_questions_consent_and_recruitment_with_codes_of_its_own(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    store_study(db, read_template("label-experiment", "Ours", "ours"), lead.id)
    address = "/studies/ours/design/recruitment"
    client.post(address, data={"number": "0", "do": "channel prolific", "recruitment.pay": "3"})
    client.post("/studies/ours/settings/copy", data={"title": "Second", "slug": "second"})
    query = text("SELECT document FROM protocols p JOIN studies s ON s.id = p.study_id AND s.slug = :slug")
    first, second = (db.execute(query, {"slug": slug}).scalar_one() for slug in ("ours", "second"))
    for part in ("questions", "flow", "recruitment", "design", "analysis", "checks", "sources"):
        assert first[part] == second[part], part
    assert first["completion"]["code"] != second["completion"]["code"]
    assert first["completion"]["otherwise"].keys() == second["completion"]["otherwise"].keys()
    assert second["recruitment"]["platform"] == "prolific"


def test_archived_study_is_listed_separately(client: TestClient, study_id: int) -> None:
    client.post(f"{PAGE}/archive", data={"archive": "true"})
    assert "Archived studies (1)" in client.get("/studies").text
    assert '<span class="chip">archived</span>' in client.get(PAGE).text
    client.post(f"{PAGE}/archive", data={"archive": "false"})
    assert '<span class="chip">archived</span>' not in client.get(PAGE).text
    assert "Archived studies" not in client.get("/studies").text


def test_deleting_study_removes_everything_and_leaves_receipt(
    client: TestClient, db: Connection, study_id: int
) -> None:
    open_study(db, "small")
    rate(db, study_id, rater="anna", n_trials=2)
    assert "Close it on the overview before you delete it." in client.post(f"{PAGE}/delete").text
    assert "Type <code>small</code> to confirm" not in client.get(PAGE).text
    close_study(db, "small")
    token = db.execute(text("SELECT rater_token FROM studies")).scalar_one()
    link = f"/s/{token}?participant=bert"
    assert client.get(link).status_code != 404
    wrong = client.post(f"{PAGE}/delete", data={"confirm": "smal"})
    assert (wrong.status_code, "To delete the study, type small." in wrong.text) == (422, True)
    receipt = client.post(f"{PAGE}/delete", data={"confirm": "small"}).headers["location"]
    assert "1 rater and 2 answers" in client.get(receipt).text
    assert client.get("/studies/small").status_code == 404
    assert (client.get(link).status_code, "Study not found" in client.get(link).text) == (404, True)
    for table in ("studies", "protocols", "items", "responses", "raters", "ratings", "assignments", "seats", "trials"):
        assert db.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() == 0  # noqa: S608 - constants


def test_audit_log_can_be_downloaded(client: TestClient, study_id: int) -> None:
    client.post("/studies/small/status", data={"status": "open"})
    rows = client.get(f"{PAGE}/log.csv").text.splitlines()
    assert rows[0] == "happened_at,lead,action,detail"
    assert "lead@example.org,status changed" in rows[1]


def assert_shown(client: TestClient) -> None:
    """Every form of the design has a page, and so has every step of raters."""
    for section in SECTIONS:
        assert client.get(f"/studies/ours/design/{section.key}").status_code == 200
    page = client.get("/studies/ours/design").text
    shown = [unescape(at) for at in re.findall(r'<option value="([^"]+)"', page)]
    assert "rating" in {at.partition("|")[0] for at in shown}
    # The rating pages are looked at in test_plain_text.py.
    for at in (at for at in shown if at.partition("|")[0] != "rating"):
        answer = client.get("/studies/ours/design/preview", params={"at": at})
        assert answer.status_code == 200
        assert "no rating page to show" not in answer.text
        assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]
        assert "form-action 'none'" in answer.headers["content-security-policy"]


# Between them, these have every kind of question and trial, arms, pools, practice, and questionnaires.
@pytest.mark.parametrize(
    "template",
    every_template(
        in_gate={
            "conjoint",
            "emotion-cause",
            "label-experiment",
            "ranking",
            "recipient",
            "refusal-by-turn",
            "suggestions",
            "theory-of-mind",
            "venting",
        }
    ),
)
def test_every_template_can_be_previewed_edited_opened_copied_and_deleted(
    client: TestClient, db: Connection, lead: Lead, template: str
) -> None:
    client.app.state.model_servers = (SERVER,)  # type: ignore[attr-defined]  # the application of the test
    store_study(db, read_template(template, "Ours", "ours"), lead.id)
    assert_shown(client)
    form = client.get("/studies/ours/design/study").text
    number = re.search(r'name="number"\s+value="(\d+)"', form)
    assert number
    edited = {"number": number[1], "title": "Ours, edited", "instructions": "Read **everything**."}
    assert client.post("/studies/ours/design/study", data=edited).status_code == 303
    assert client.get("/studies/ours/design/preview").status_code == 200
    assert client.post("/studies/ours/status", data={"status": "open", "as_written": TEMPLATE_WORDS}).status_code == 303
    copy = client.post("/studies/ours/settings/copy", data={"title": "Second", "slug": "second"})
    assert copy.headers["location"] == "/studies/new/second/texts?copied=1"
    assert "Read **everything**." in client.get("/studies/second/design/text").text
    client.post("/studies/ours/status", data={"status": "closed"})
    assert client.post("/studies/ours/settings/delete", data={"confirm": "ours"}).status_code == 303
    assert db.execute(text("SELECT slug FROM studies")).scalars().all() == ["second"]
