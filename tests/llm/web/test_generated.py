"""Pages of generated responses: start, review each text, add them to the study, and compare two prompts."""

import re

import pytest
from sqlalchemy import Connection
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.llm.client.endpoint import Endpoint
from app.llm.client.servers import ModelServer
from app.llm.outcomes import Outcome
from app.llm.runs.requests import Answered, list_open, record_answered
from app.llm.runs.runs import RunRow
from app.llm.writers.prompt import read_prompt
from app.llm.writers.respond_runs import begin_respond
from app.llm.writers.respond_settings import RespondSettings
from app.llm.writers.texts import NewText, list_texts, record_text
from app.studies.protocols import get_protocol
from app.studies.studies import get_study
from tests.kit.lead_studies import study_of
from tests.kit.models_server import KEY, queued_runs


def add_run(db: Connection, name: str, system: str, texts: tuple[str, ...]) -> RunRow:
    """A run whose model has written these texts."""
    study = get_study(db, "small")
    assert study
    parsed, file = read_prompt(f"name: p\nsystem: {system}\nlength: {{words: 4}}\n".encode(), "prompt.yaml")
    settings = RespondSettings(parsed.model_dump(mode="json"), file)
    endpoint = Endpoint("http://127.0.0.1:8000/v1", "a-model", KEY)
    run, _ = begin_respond(db, study, endpoint, settings, name, file="prompt.yaml")
    for planned, words in zip(list_open(db, run), texts, strict=False):
        record_answered(db, run, planned.id, Answered(Outcome.ANSWERED, raw_answer=words, model_version="m-2"))
        record_text(db, run, NewText(planned.id, planned.item_id, words, len(words.split()), 4))
    return run


@pytest.fixture
def run(db: Connection, lead: Lead) -> RunRow:
    """A run with a text for each of the two items."""
    study_of(db, lead)
    return add_run(db, "warm", "Be warm.", ("As an AI, I <care>.", "So sorry."))


def decide(client: TestClient, run: RunRow, text: int, decision: str, edited: str = "") -> int:
    """Decide about a text; return the status of the answer."""
    address = f"/studies/small/generated/{run.id}/texts/{text}"
    return client.post(address, data={"decision": decision, "edited": edited}).status_code


def test_texts_are_reviewed_and_added_to_the_study(client: TestClient, db: Connection, run: RunRow, lead: Lead) -> None:
    assert "Review 2 texts" in client.get("/studies/small/generated").text
    page = client.get(f"/studies/small/generated/{run.id}").text
    assert "May reveal its source" in page
    assert "As an AI, I &lt;care&gt;." in page
    assert "2 words, 4 requested." in page
    assert "Outside the requested length." in page
    assert "Add" not in page.split("Texts from")[1].split("<article")[0]
    first, second = list_texts(db, run)
    assert decide(client, run, first.id, "edited", "I care for you.") == 303
    assert decide(client, run, second.id, "edited", "So sorry.") == 303
    assert [row.decision for row in list_texts(db, run)] == ["edited", "accepted"]
    page = client.get(f"/studies/small/generated/{run.id}").text
    assert "Add 2 texts to the study" in page
    assert f"Reviewed by {lead.email}." in page
    assert "As the model wrote it" in page
    used = client.post(f"/studies/small/generated/{run.id}/use", data={"source": "gpt", "save": "0"})
    assert used.status_code == 303
    protocol = get_protocol(db, run.study_id, 1)
    assert [protocol.sources[key].kind for key in ("gpt", "gpt-edited")] == ["model", "human+model"]
    assert decide(client, run, first.id, "rejected") == 400
    assert decide(client, run, 10_000, "rejected") == 404
    again = client.post(f"/studies/small/generated/{run.id}/use", data={"source": "gpt", "save": "1"})
    assert (again.status_code, "Accept or edit at least one text first." in again.text) == (400, True)


def test_what_two_prompts_changed_is_shown_side_by_side(client: TestClient, db: Connection, run: RunRow) -> None:
    other = add_run(db, "brief", "Be brief.", ("As an AI, I <can>.", "So sorry."))
    page = client.get(f"/studies/small/generated/{other.id}/compare?other={run.id}").text
    assert "<del> warm.</del>" in page
    assert "<ins> &lt;can&gt;.</ins>" in page
    assert client.get(f"/studies/small/generated/{other.id}/compare?other=99999").status_code == 404


def test_a_run_starts_with_a_prompt_from_the_form(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead)
    server = ModelServer(name="Local", base_url="http://127.0.0.1:8000/v1", models=("a-model",), max_tokens=10_000)
    client.app.state.model_servers = (server,)  # type: ignore[attr-defined]  # the application of the test
    form = {"place": "0:0", "name": "a-run", "tokens": "5000", "prompt": "name: p\r\nuser: '{patient}'\r\n"}
    wrong = client.post("/studies/small/generated/new", data=form)
    assert (wrong.status_code, "{patient}" in wrong.text, "a field that every item" in wrong.text) == (422, True, True)
    form["prompt"] = "name: p\r\nsystem: Be warm.\r\n"
    found = re.search(r'name="estimated" value="([^"]+)"', client.post("/studies/small/generated/new", data=form).text)
    assert found
    started = client.post("/studies/small/generated/new", data=form | {"step": "start", "estimated": found[1]})
    assert started.status_code == 303
    (queued,) = queued_runs(db)
    assert (queued.purpose, queued.name, queued.settings["prompt_file"]) == (
        "respond",
        "a-run",
        "name: p\nsystem: Be warm.\n",
    )
