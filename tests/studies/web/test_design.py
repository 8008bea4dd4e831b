"""The design pages: drafts, problems next to their fields, versions, concurrent edits by two leads, the preview."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.rating.life_cycle import close_study, open_study, pause_study
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.lead_studies import rate, study_of

HX = {"hx-request": "true"}


def number_on(page: str) -> str:
    found = re.search(r'name="number"\s+value="(\d+)"', page)
    assert found
    return found[1]


def protocols(db: Connection) -> list[Any]:
    return list(db.execute(text("SELECT version, document FROM protocols ORDER BY version")))


def n_edits(db: Connection) -> int:
    return int(db.execute(text("SELECT count(*) FROM protocol_edits WHERE number > 0")).scalar_one())


def test_saved_title_applies_to_draft(client: TestClient, db: Connection, study_id: int) -> None:
    answer = client.post("/studies/small/design/study", data={"number": "0", "title": "Another title"})
    assert answer.status_code == 303
    assert protocols(db)[0].document["title"] == "Another title"
    assert 'value="Another title"' in client.get("/studies/small/design/study").text


def test_unchanged_form_saves_nothing(client: TestClient, db: Connection, study_id: int) -> None:
    client.post("/studies/small/design/study", data={"number": "0", "title": "A small study", "language": "en"})
    assert n_edits(db) == 0


def test_section_is_added_by_button(client: TestClient, db: Connection, study_id: int) -> None:
    answer = client.post("/studies/small/design/consent", data={"number": "0", "do": "add flow.consent"})
    assert answer.headers["location"] == "/studies/small/design/consent?add=flow.consent#flow.consent"
    assert 'name="flow.consent.text"' in client.get(answer.headers["location"]).text
    form = {"number": "0", "flow.consent.version": "1", "flow.consent.text": "You may stop at any time."}
    client.post("/studies/small/design/consent", data=form)
    assert protocols(db)[0].document["flow"]["consent"]["text"] == "You may stop at any time."
    client.post("/studies/small/design/consent", data={"number": "1", "do": "remove flow.consent"})
    assert protocols(db)[0].document["flow"]["consent"] is None


def test_problem_is_kept_and_shown_at_its_field(client: TestClient, db: Connection, study_id: int) -> None:
    client.post("/studies/small/design/study", data={"number": "0", "title": " "})
    page = client.get("/studies/small/design/study").text
    assert re.search(r'data-at="title">\s*Found: nothing. Expected: a value', page)
    assert "<title>Error:" in page.replace("\n", "")
    assert protocols(db)[0].document["title"] == "A small study"
    assert ">Title and instructions: Title</a>" in client.get("/studies/small/design").text


def test_autosave_returns_state_and_problems(client: TestClient, study_id: int) -> None:
    page = client.post("/studies/small/design/study", data={"number": "0", "title": ""}, headers=HX).text
    assert "<form" not in page
    assert 'data-path="title">Found: nothing.' in unescape(page)


def test_autosaved_title_is_the_heading_at_once(client: TestClient, db: Connection, study_id: int) -> None:
    def saved(title: str) -> list[str]:
        form = {"number": str(n_edits(db)), "title": title}
        page = client.post("/studies/small/design/study", data=form, headers=HX).text
        return re.findall(r'hx-swap-oob="true">\s*<h1><bdi>(.*?)</bdi></h1>', page)

    assert saved("Another title") == ["Another title"]
    assert saved("") == ["Another title"]
    open_study(db, "small")
    assert saved("A title for the next version") == ["Another title"]
    assert client.post("/studies/small/design/consent", data={"number": "0"}, headers=HX).text.count("<h1>") == 0


def test_autosave_brings_browser_title_and_states_of_steps_along(
    client: TestClient, db: Connection, study_id: int
) -> None:
    def saved(part: str, **fields: str) -> str:
        return client.post(
            f"/studies/small/design/{part}", data={"number": str(n_edits(db)), **fields}, headers=HX
        ).text

    title = "Title and instructions · Another title · Attune</title>"
    page = saved("study", title="Another title")
    assert (f"<title>{title}" in page, steps_on(page)["Questions"]) == (True, "done")
    page = saved("study", title="")
    assert (f"<title>Error: {title}" in page, steps_on(page)["Questions"]) == (True, "to do")
    assert steps_on(saved("study", title="A third title"))["Questions"] == "done"
    assert steps_on(saved("questions/1", text="[a question]"))["Questions"] == "to do"
    assert steps_on(saved("recruitment", **{"recruitment.pay": "much"}))["Recruitment"] == "to do"


def steps_on(page: str) -> dict[str, str]:
    """The states of the steps on a page, by their titles."""
    found = re.findall(r">\s*([A-Z][a-z ]+?)\s*(?:</a>)?\s*<span class=\"visually-hidden\">\((.*?)\)</span>", page)
    return dict(found)


@pytest.mark.parametrize("address", ["none", "questions/0", "questions/9"])
def test_unknown_design_address_is_not_found(client: TestClient, study_id: int, address: str) -> None:
    assert client.get(f"/studies/small/design/{address}").status_code == 404
    assert client.post(f"/studies/small/design/{address}", data={"number": "0"}).status_code == 404


def test_concurrent_edits_to_different_parts_are_both_kept(client: TestClient, db: Connection, study_id: int) -> None:
    client.post("/studies/small/design/study", data={"number": "0", "title": "First"})
    answer = client.post("/studies/small/design/consent", data={"number": "0", "flow.help": "Ask us."})
    assert answer.status_code == 303
    document = protocols(db)[0].document
    assert (document["title"], document["flow"]["help"]) == ("First", "Ask us.")


def test_conflicting_edit_shows_both_values(client: TestClient, db: Connection, study_id: int) -> None:
    client.post("/studies/small/design/study", data={"number": "0", "title": "First"})
    answer = client.post("/studies/small/design/study", data={"number": "0", "title": "Second"})
    assert answer.status_code == 409
    assert "First" in answer.text
    assert "Second" in answer.text
    assert protocols(db)[0].document["title"] == "First"
    client.post("/studies/small/design/study", data={"number": number_on(answer.text), "title": "Second"})
    assert protocols(db)[0].document["title"] == "Second"


def test_own_change_in_another_tab_is_not_said_to_be_of_someone_else(client: TestClient, study_id: int) -> None:
    client.post("/studies/small/design/study", data={"number": "0", "title": "First"})
    page = client.post("/studies/small/design/study", data={"number": "0", "title": "Second"}).text
    assert "You changed this part in another tab" in page
    assert "Your change here (not saved)" in page
    assert "Someone else" not in page
    assert "theirs" not in page


def test_change_of_layout_alone_does_not_wait(client: TestClient, db: Connection, study_id: int) -> None:
    open_study(db, "small")
    yaml = client.get("/studies/small/design/study.yaml").text
    other = yaml.replace("A small study", "Another title")
    for number, (sent, does_wait) in enumerate(((f"# Ours\n{yaml}", False), (other, True), (yaml, False))):
        client.post("/studies/small/design/text", data={"number": str(number), "yaml": sent})
        assert ("The design was changed" in client.get("/studies/small").text) is does_wait


def test_changing_an_opened_study_creates_new_version(client: TestClient, db: Connection, study_id: int) -> None:
    open_study(db, "small")
    client.post("/studies/small/design/study", data={"number": "0", "instructions": "Read **both**."})
    assert len(protocols(db)) == 1
    assert "Use this as version 2" in client.get("/studies/small/design").text
    waits, unregistered = "The design was changed after version 1.", "A registration made now is without them."
    assert waits in client.get("/studies/small").text
    assert unregistered in client.get("/studies/small/preregistration").text
    assert client.post("/studies/small/design/version").status_code == 303
    assert "The design was changed" not in client.get("/studies/small").text
    assert unregistered not in client.get("/studies/small/preregistration").text
    first, second = protocols(db)
    assert (first.document["instructions"], second.document["instructions"]) == ("", "Read **both**.")
    page = client.get("/studies/small/design").text
    assert "Raters get version 2" in page
    assert "Read **both**." in page


def test_problem_of_a_page_as_a_whole_is_said_on_it(client: TestClient, db: Connection, study_id: int) -> None:
    open_study(db, "small")
    client.post("/studies/small/design/monitoring", data={"number": "0", "monitoring.alpha": "0.01"})
    page = client.get("/studies/small/design/monitoring").text
    assert "Must stay as it is once the study has been opened" in page
    assert 'value="0.01"' in page


def test_draft_with_problems_creates_no_version(client: TestClient, db: Connection, study_id: int) -> None:
    open_study(db, "small")
    client.post("/studies/small/design/study", data={"number": "0", "title": ""})
    assert client.post("/studies/small/design/version").status_code == 400
    assert len(protocols(db)) == 1


def test_study_with_problems_in_its_draft_does_not_open(client: TestClient, db: Connection, study_id: int) -> None:
    client.post("/studies/small/design/study", data={"number": "0", "title": ""})
    page = client.get("/studies/small").text
    assert 'href="/studies/small/design/study' in page
    refused = client.post("/studies/small/status", data={"status": "open"})
    assert "The design has 1 problem, and raters would get it as it was before." in refused.text
    assert db.execute(text("SELECT status FROM studies")).scalar_one() == "draft"


def test_new_placeholder_of_an_open_study_needs_confirmation(client: TestClient, study_id: int) -> None:
    client.post("/studies/small/design/study", data={"number": "0", "instructions": "Ask [a name]."})
    client.post("/studies/small/status", data={"status": "open", "as_written": ["[a name]"]})
    client.post("/studies/small/design/study", data={"number": "1", "instructions": "Ask [a name] or [an office]."})
    page = client.get("/studies/small/design").text
    assert 'value="[an office]"' in page
    assert 'value="[a name]"' not in page
    assert "filled in: [an office]." in client.post("/studies/small/design/version").text
    confirmed = client.post("/studies/small/design/version", data={"as_written": ["[an office]"]})
    assert confirmed.status_code == 303


def test_raising_raters_per_trial_adds_seats_immediately(client: TestClient, db: Connection, study_id: int) -> None:
    open_study(db, "small")
    before = db.execute(text("SELECT count(*) FROM seats")).scalar_one()
    client.post("/studies/small/design/assignment", data={"number": "0", "design.raters_per_trial": "3"})
    client.post("/studies/small/design/version")
    assert db.execute(text("SELECT count(*) FROM seats")).scalar_one() == before * 3 // 2


@pytest.mark.parametrize("stop", [pause_study, close_study])
def test_version_that_cannot_be_carried_out_is_refused_before_reopening(
    client: TestClient, db: Connection, study_id: int, stop: Callable[[Connection, str], None]
) -> None:
    open_study(db, "small")
    stop(db, "small")
    seats = db.execute(text("SELECT count(*) FROM seats")).scalar_one()
    too_few = {"number": "0", "design.raters_per_trial": "3", "design.max_raters": "1"}
    client.post("/studies/small/design/assignment", data=too_few)
    refused = client.post("/studies/small/design/version")
    assert (refused.status_code, "cannot be carried out." in refused.text) == (400, True)
    assert len(protocols(db)) == 1
    enough = {"number": "1", "design.raters_per_trial": "3", "design.max_raters": "3"}
    client.post("/studies/small/design/assignment", data=enough)
    assert client.post("/studies/small/design/version").status_code == 303
    assert len(protocols(db)) == 2
    assert db.execute(text("SELECT count(*) FROM seats")).scalar_one() == seats


def test_protocol_file_can_be_edited_as_text(client: TestClient, db: Connection, study_id: int) -> None:
    yaml = client.get("/studies/small/design/study.yaml").text
    changed = yaml.replace("A small study", "From the file")
    assert client.post("/studies/small/design/text", data={"number": "0", "yaml": changed}).status_code == 303
    assert protocols(db)[0].document["title"] == "From the file"
    page = client.post("/studies/small/design/text", data={"number": "1", "yaml": "title: [\n"})
    assert page.status_code == 422
    assert "YAML 1.2" in page.text
    assert "title: [" in page.text


def test_preview_takes_no_seat_and_creates_no_rater(client: TestClient, db: Connection, study_id: int) -> None:
    open_study(db, "small")
    assert "The situation of exam" in client.get("/studies/small/design/preview").text
    tables = ("raters", "rating_sessions", "assignments", "ratings", "events")
    assert [db.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() for table in tables] == [0] * len(tables)  # noqa: S608 - constants


@pytest.mark.parametrize(("design", "length"), [({}, 3), ({"trials_per_rater": 2}, 2), ({"trials_per_rater": 9}, 3)])
def test_preview_has_as_many_items_as_a_rater_gets(
    client: TestClient, db: Connection, lead: Lead, design: dict[str, int], length: int
) -> None:
    """Also while the design has a problem, such as no raters per trial."""
    study_of(db, lead, item_keys=("exam", "voicemail", "move"), design=design)
    yaml = db.execute(text("SELECT yaml FROM protocols")).scalar_one()
    wrong = json.dumps(json.loads(yaml) | {"design": {"trials": "pairs", **design, "raters_per_trial": 0}})
    for number, shown in enumerate((yaml, wrong)):
        client.post("/studies/small/design/text", data={"number": str(number), "yaml": shown})
        assert f"Item 1 of {length}" in client.get("/studies/small/design/preview").text
        assert f"You will rate {length} items" in client.get("/studies/small/design/preview?at=instructions").text


def test_study_without_responses_has_no_rating_page_to_preview(
    client: TestClient, db: Connection, study_id: int
) -> None:
    db.execute(text("DELETE FROM responses"))
    assert "no rating page to show" in client.get("/studies/small/design/preview").text


def test_condition_with_imported_ratings_stays_in_the_draft(client: TestClient, db: Connection, lead: Lead) -> None:
    told = {"told": {"kind": "instruction", "levels": {"a": "Read.", "b": "Imagine."}}}
    rate(db, study_of(db, lead, conditions=told), rater="anna", state="leased")
    db.execute(
        text(
            "INSERT INTO ratings (study_id, rater_id, question, item_id, response_id, number, condition) SELECT"
            " r.study_id, a.id, 'empathy', r.item_id, r.id, 3, 'told=b'"
            " FROM responses r, raters a ORDER BY r.id LIMIT 1"
        )
    )
    yaml = db.execute(text("SELECT yaml FROM protocols")).scalar_one()
    without = json.dumps({key: part for key, part in json.loads(yaml).items() if key != "conditions"})
    client.post("/studies/small/design/text", data={"number": "0", "yaml": without})
    words = "Conditions</a>: Must include every condition that has ratings. Found: no Told: b."
    assert words in unescape(client.get("/studies/small/design").text)
    assert "told" in protocols(db)[0].document["conditions"]


def test_later_version_that_counts_typing_needs_a_consent_form_that_declares_it(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    why = {"key": "why", "target": "item", "type": "text", "text": "Why?"}
    study_of(db, lead, questions=[PREFERENCE, why], flow={"consent": {"version": "1", "text": "Voluntary."}})
    open_study(db, "small")
    pause_study(db, "small")
    page = client.get("/studies/small/design/questions/2").text
    saved = client.post(
        "/studies/small/design/questions/2", data={"number": number_on(page), "questions.1.typing_rhythm": "true"}
    )
    assert saved.status_code == 303
    refused = client.post("/studies/small/design/version")
    assert (refused.status_code, "say there that typing is recorded" in refused.text) == (400, True)
    assert [row.version for row in protocols(db)] == [1]
    page = client.get("/studies/small/design/consent").text
    assert "The text says that typing is recorded" in page
    client.post(
        "/studies/small/design/consent", data={"number": number_on(page), "flow.consent.records_typing": "true"}
    )
    assert client.post("/studies/small/design/version").status_code == 303
    assert [row.version for row in protocols(db)] == [1, 2]


def test_later_version_needs_help_lines_that_were_checked(client: TestClient, db: Connection, lead: Lead) -> None:
    today = datetime.now(UTC).date()
    again = today - timedelta(days=1)
    lines = [{"country": "GB", "name": "Samaritans", "number": "116 123", "checked": f"{today}"}]
    diary = {"partners": {"diary": {"replies": "none"}}, "alert_words": ["suicid*"], "alert": "Talk."}
    parts: dict[str, Any] = {
        "sources": {"diary": {"kind": "human"}},
        "questions": [EMPATHY],
        "design": {"trials": "conversation"},
    }
    study_of(db, lead, **parts, conversation=diary | {"help_lines": lines})
    open_study(db, "small")
    pause_study(db, "small")
    page = client.get("/studies/small/design/conversation").text
    assert f'type="date"\n           value="{today}"' in page
    field = "conversation.help_lines.0.checked"
    old = {"number": number_on(page), field: f"{today.year - 2}-02-01"}
    client.post("/studies/small/design/conversation", data=old)
    refused = client.post("/studies/small/design/version")
    assert refused.status_code == 400
    assert "The help line Samaritans (United Kingdom) was last checked on" in refused.text
    page = client.get("/studies/small/design/conversation").text
    client.post("/studies/small/design/conversation", data={"number": number_on(page), field: f"{again}"})
    assert client.post("/studies/small/design/version").status_code == 303
    stored = [one.document["conversation"]["help_lines"][0]["checked"] for one in protocols(db)]
    assert stored == [f"{today}", f"{again}"]


def test_summary_names_where_a_problem_is_as_the_pages_do(client: TestClient, study_id: int) -> None:
    page = client.get("/studies/small/design/assignment").text
    client.post("/studies/small/design/assignment", data={"number": number_on(page), "design.trials_per_rater": "0"})
    summary = client.get("/studies/small/design").text
    assert ">Trials: Trials per rater</a>: Found: 0. Expected: a number of at least 1." in summary
