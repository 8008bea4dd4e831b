"""The page of model judges: progress and problems of each, start from the list of servers, stop and continue."""

import re

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.llm.client.endpoint import Endpoint
from app.llm.client.servers import ModelServer
from app.llm.judges.judge_runs import begin_run
from app.llm.judges.judge_settings import JudgeSettings
from app.llm.outcomes import Outcome
from app.llm.runs.requests import Answered, list_open, record_answered, record_asked
from app.llm.runs.runs import RunRow, get_run, is_stopped, only_worker, record_limits, record_stop
from app.results.registration.preregister import to_register
from app.studies.studies import get_study
from tests.kit.lead_studies import study_of
from tests.kit.models_server import KEY, first_offer, picky, queued_runs, serving
from tests.kit.models_server import ModelServer as FalseServer


@pytest.fixture
def run(db: Connection, lead: Lead) -> RunRow:
    """A judge with one answered and one failed request."""
    study_of(db, lead)
    study = get_study(db, "small")
    assert study
    endpoint = Endpoint("http://127.0.0.1:8000/v1", "a-model", KEY)
    made, _ = begin_run(db, study, endpoint, JudgeSettings(), "a-judge")
    first, second, *_ = list_open(db, made)
    record_answered(db, made, first.id, Answered(Outcome.ANSWERED, tokens_in=120, tokens_out=9, model_version="m-2"))
    record_answered(db, made, second.id, Answered(Outcome.FAILED, "The endpoint answered HTTP <500>."))
    return made


def test_a_judge_is_shown_with_its_progress_and_problems(client: TestClient, db: Connection, run: RunRow) -> None:
    page = client.get("/studies/small/judges").text
    for words in ("a-judge", "a-model", "m-2", "Answered: 1", "120 in prompts", "HTTP &lt;500&gt;.", "Not running"):
        assert words in page
    assert KEY not in page
    assert "Stop a-judge" not in page
    with only_worker(db.engine, run):
        assert "Stop a-judge" in client.get("/studies/small/judges").text


def test_several_judges_are_compared_in_a_table(client: TestClient, db: Connection, run: RunRow) -> None:
    study = get_study(db, "small")
    assert study
    assert "All judges" not in client.get("/studies/small/judges").text
    other, _ = begin_run(db, study, Endpoint("http://127.0.0.1:8000/v1", "b", KEY), JudgeSettings(), "b-judge")
    first, second, *_ = list_open(db, other)
    record_asked(db, other, first.id, [])
    record_answered(db, other, first.id, Answered(Outcome.REFUSED, "No.", cost=1.234))
    record_answered(db, other, second.id, Answered(Outcome.ANSWERED, cost=0.5))
    page = client.get("/studies/small/judges").text
    (row,) = re.findall(r'<tr[^>]*>(?:(?!</tr>).)*href="#card-\d+"><bdi>b-judge.*?</tr>', page, re.DOTALL)
    assert re.sub(r"<[^>]+>|\s+", " ", row).split() == ["b-judge", "4", "1", "1", "0", "1.73", "0.0"]


def test_a_stop_is_seen_by_the_run(client: TestClient, db: Connection, run: RunRow, lead: Lead) -> None:
    assert client.post(f"/studies/small/model-runs/{run.id}/stop").status_code == 303
    assert is_stopped(db, run)
    page = client.get("/studies/small/judges").text
    assert f"Stopped by {lead.email}." in page
    assert "Stop a-judge" not in page


def test_requests_are_read_asked_again_and_deleted_in_the_browser(
    client: TestClient, db: Connection, run: RunRow
) -> None:
    study, prompt = run.study_id, [{"role": "user", "content": "<Rate> this."}]
    third = db.execute(
        text("SELECT max(id) FROM model_requests WHERE study_id = :study"), {"study": study}
    ).scalar_one()
    db.execute(text("UPDATE model_requests SET outcome = NULL, answered_at = NULL WHERE id = :id"), {"id": third})
    record_asked(db, run, third, prompt)
    said = Answered(Outcome.UNPARSED, "No JSON.", raw_answer="<b>7</b>", thoughts="Hm.", finish_reason="stop", cost=0.5)
    record_answered(db, run, third, said)
    address = f"/studies/small/model-runs/{run.id}"
    page = client.get(f"{address}/requests?outcome=unparsed").text
    for words in (
        "&lt;b&gt;7&lt;/b&gt;",
        "Hm.",
        "&lt;Rate&gt; this.",
        "finish reason stop",
        "cost 0.500000",
        "No JSON.",
    ):
        assert words in page
    assert "HTTP" not in page
    assert "Ask again" in client.get("/studies/small/judges").text
    assert client.post(f"{address}/redo", data={"outcomes": ["unparsed"]}).status_code == 303
    assert [one.kind for one in list_open(db, run)].count("redo") == 1
    assert client.post(f"{address}/delete").status_code == 303
    assert get_run(db, study, "judge", "a-judge") is None
    assert client.get(f"{address}/requests").status_code == 404


def test_a_judge_that_is_done_is_asked_again(
    client: TestClient, db: Connection, run: RunRow, listed: ModelServer
) -> None:
    address, judges = f"/studies/small/judges/{run.id}/again", "/studies/small/judges"
    assert "Ask the same again" not in client.get(judges).text
    early = client.post(address, data={"max_tokens": 900})
    assert (early.status_code, "left. Continue it before you ask it again." in early.text) == (400, True)
    db.execute(text("UPDATE model_requests SET outcome = 'answered', answered_at = now()"))
    assert "Ask the same again" in client.get(judges).text
    unknown = client.post(address, data={"max_tokens": 900, "anchors": "no such column"})
    assert (unknown.status_code, "No item to judge has a value in the column" in unknown.text) == (400, True)
    assert client.post(address, data={"max_tokens": 99_999}).status_code == 303
    again = get_run(db, run.study_id, "judge", "a-judge@2")
    assert again
    assert (again.settings["series"], again.limits) == ("a-judge", {"server": listed.name, "max_tokens": 10_000})
    assert client.post("/studies/small/judges/999/again", data={"max_tokens": 9}).status_code == 404


def test_a_study_without_judges_says_how_to_start_one(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead)
    page = client.get("/studies/small/judges").text
    assert "No model has judged this study yet." in page
    assert "attune judge small --model NAME" in page


FORM = {"place": "0:1", "name": "a-judge", "repeats": "1", "temperature": "0", "answer_tokens": "500", "tokens": "5000"}


@pytest.fixture
def listed(client: TestClient) -> ModelServer:
    """A list of one server with two models."""
    server = ModelServer(
        name="Local",
        base_url="http://127.0.0.1:8000/v1",
        models=("other", "a-model"),
        max_tokens=10_000,
        key=KEY,
        price_in=1,
    )
    client.app.state.model_servers = (server,)  # type: ignore[attr-defined]  # the application of the test
    return server


def test_a_judge_starts_only_with_the_estimate_of_its_own_settings(
    client: TestClient, db: Connection, lead: Lead, listed: ModelServer
) -> None:
    study_id = study_of(db, lead)
    assert "a-model (Local)" in client.get("/studies/small/judges/new").text
    page = client.post("/studies/small/judges/new", data=FORM).text
    found = re.search(r'name="estimated" value="([^"]+)"', page)
    assert found
    assert found[1].startswith("2 requests: about ")
    assert "costing about" in found[1]
    more = {"reason_first": "true", "examples": "> My dog died.\r\nq1: Response A"}
    reasoned = client.post("/studies/small/judges/new", data=FORM | more).text
    assert found[1] not in reasoned
    assert re.search(r'name="reason_first"[^>]*checked', reasoned)
    assert "My dog died." in reasoned
    started = FORM | {"step": "start", "estimated": found[1]}
    again = client.post("/studies/small/judges/new", data=started | {"repeats": "3"})
    assert (again.status_code, "6 requests" in again.text) == (200, True)
    assert queued_runs(db) == []
    assert client.post("/studies/small/judges/new", data=started).status_code == 303
    (queued,) = queued_runs(db)
    assert (queued.study_id, queued.name, queued.model) == (study_id, "a-judge", "a-model")
    assert queued.limits == {"server": "Local", "max_tokens": 5000}
    assert KEY not in str(queued)
    page = client.get("/studies/small/judges").text
    assert "Waiting to start" in page
    assert KEY not in page


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"place": "http://169.254.169.254/"}, "Choose a model from the list."),
        ({"place": "0:9"}, "Choose a model from the list."),
        ({"place": "7:0"}, "Choose a model from the list."),
        ({"name": " "}, "Enter a name."),
        ({"seed": "many"}, "The seed must be a whole number of at most 18 digits. Leave it empty to send none."),
        ({"seed": "9" * 20}, "The seed must be a whole number of at most 18 digits. Leave it empty to send none."),
        ({"tokens": "10001"}, "The token budget on Local can be at most 10,000."),
        ({"tokens": "9" * 15}, "The token budget on Local can be at most 10,000."),
    ],
)
def test_start_that_is_not_allowed_is_refused_with_reason(
    client: TestClient, db: Connection, lead: Lead, listed: ModelServer, changed: dict[str, str], words: str
) -> None:
    study_of(db, lead)
    answer = client.post("/studies/small/judges/new", data=FORM | changed)
    assert (answer.status_code, words in answer.text) == (422, True)


def test_requests_are_sent_in_batches_where_the_server_takes_them(
    client: TestClient, db: Connection, lead: Lead, listed: ModelServer
) -> None:
    study_of(db, lead)
    assert "in batches" not in client.get("/studies/small/judges/new").text
    refused = client.post("/studies/small/judges/new", data=FORM | {"batch": "true"})
    assert (refused.status_code, "Local takes no batches." in refused.text) == (422, True)
    client.app.state.model_servers = (listed.model_copy(update={"batches": True, "price_in": 1e6}),)  # type: ignore[attr-defined]  # the application of the test
    usual, halved = (
        client.post("/studies/small/judges/new", data=FORM | batch).text for batch in ({}, {"batch": "true"})
    )
    costs = [
        float(found[1].replace(",", "")) for found in re.finditer(r"costing about ([\d,.]+), with", usual + halved)
    ]
    assert costs[-1] == pytest.approx(costs[0] / 2)
    assert re.search(r'name="batch"[^>]*checked', halved)
    found = re.search(r'name="estimated" value="([^"]+)"', halved)
    assert found
    started = FORM | {"batch": "true", "step": "start", "estimated": found[1]}
    assert client.post("/studies/small/judges/new", data=started).status_code == 303
    (queued,) = queued_runs(db)
    assert queued.limits == {"server": "Local", "max_tokens": 5000, "batch": True}
    record_stop(db, queued, "Stopped by a lead.")
    page = client.get("/studies/small/judges").text
    assert "A batch that was sent goes on at the server" in page
    assert client.post(f"/studies/small/model-runs/{queued.id}/continue", data={"max_tokens": 900}).status_code == 303
    (again,) = queued_runs(db)
    assert again.limits == {"server": "Local", "max_tokens": 900, "batch": True}


def test_a_run_continues_in_the_browser_if_its_server_is_in_the_list(
    client: TestClient, db: Connection, run: RunRow, listed: ModelServer
) -> None:
    assert "Continue a-judge" in client.get("/studies/small/judges").text
    assert client.post(f"/studies/small/model-runs/{run.id}/continue", data={"max_tokens": 99_999}).status_code == 303
    queued = get_run(db, run.study_id, "judge", "a-judge")
    assert queued
    assert (queued.is_queued, queued.limits) == (True, {"server": "Local", "max_tokens": 10_000})
    client.app.state.model_servers = ()  # type: ignore[attr-defined]  # as above
    refused = client.post(f"/studies/small/model-runs/{run.id}/continue", data={"max_tokens": 5})
    assert (refused.status_code, "not in the list of servers" in refused.text) == (400, True)


def test_a_run_that_a_process_works_on_is_not_continued(
    client: TestClient, db: Connection, run: RunRow, listed: ModelServer
) -> None:
    with only_worker(db.engine, run):
        assert "Continue a-judge" not in client.get("/studies/small/judges").text
        refused = client.post(f"/studies/small/model-runs/{run.id}/continue", data={"max_tokens": 900})
    assert (refused.status_code, "A process is working on the run a-judge." in refused.text) == (400, True)
    assert queued_runs(db) == []


def test_a_stopped_run_whose_process_is_still_ending_is_not_to_be_stopped_again(
    client: TestClient, db: Connection, run: RunRow
) -> None:
    address = f"/studies/small/model-runs/{run.id}"
    client.post(f"{address}/stop")
    with only_worker(db.engine, run):
        again = client.post(f"{address}/redo", data={"outcomes": ["unparsed"]})
        deletion = client.post(f"{address}/delete")
    words = "A process is working on the run a-judge."
    assert (again.status_code, f"{words} Ask again when that process has ended." in again.text) == (400, True)
    assert f"{words} Delete the run when that process has ended." in deletion.text
    assert "Stop it" not in again.text + deletion.text


def test_a_run_that_a_command_sends_in_batches_goes_on_in_them(
    client: TestClient, db: Connection, run: RunRow, listed: ModelServer
) -> None:
    record_limits(db, run, {"batch": True})
    page = client.get("/studies/small/judges").text
    assert re.search(r'name="max_tokens"[^>]*value="1000000"', page)
    assert "</bdi>, in batches" in page
    assert client.post(f"/studies/small/model-runs/{run.id}/continue", data={"max_tokens": 900}).status_code == 303
    (queued,) = queued_runs(db)
    assert queued.limits == {"server": "Local", "max_tokens": 900, "batch": True}


def test_a_server_is_checked_before_the_judge_starts(
    client: TestClient, db: Connection, lead: Lead, listed: ModelServer
) -> None:
    study_of(db, lead)
    false = FalseServer(first_offer, refuses=picky(temperature="temperature is not supported"))
    with serving(false):
        own = listed.model_copy(update={"base_url": false.address})
        client.app.state.model_servers = (own,)  # type: ignore[attr-defined]  # the application of the test
        page = client.post("/studies/small/judges/new", data=FORM | {"step": "check"}).text
    assert "What the server can do" in page
    assert "<strong>refused: sent without</strong>" in " ".join(page.split()).replace("> ", ">").replace(" <", "<")
    assert queued_runs(db) == []
    client.app.state.model_servers = (own.model_copy(update={"base_url": "http://127.0.0.1:9/v1"}),)  # type: ignore[attr-defined]  # as above
    failed = client.post("/studies/small/judges/new", data=FORM | {"step": "check"})
    assert (failed.status_code, "The endpoint cannot be reached" in failed.text) == (422, True)


PROFILES = "rater\tpersona\tage\r\nanna\tYou are Anna.\t34\r\nben\t\t71\r\n"


def test_each_row_of_the_profiles_is_a_judge_and_all_start_or_none(
    client: TestClient, db: Connection, lead: Lead, listed: ModelServer
) -> None:
    study_id = study_of(db, lead)
    form = FORM | {"profiles": PROFILES, "persona": "You rate for a study."}
    page = client.post("/studies/small/judges/new", data=form).text
    found = re.search(r'name="estimated" value="([^"]+)"', page)
    assert found
    assert found[1].startswith("2 judges, 4 requests: about ")
    assert found[1].endswith("Each judge has 2,500 tokens of the budget.")
    study = get_study(db, "small")
    assert study
    endpoint = Endpoint(listed.base_url, "a-model", KEY)
    other, _ = begin_run(db, study, endpoint, JudgeSettings(), "a-judge-ben")
    record_answered(db, other, list_open(db, other)[0].id, Answered(Outcome.ANSWERED))
    started = form | {"step": "start", "estimated": found[1]}
    refused = client.post("/studies/small/judges/new", data=started)
    assert (refused.status_code, "began with other settings" in refused.text) == (422, True)
    assert get_run(db, study_id, "judge", "a-judge-anna") is None
    started["name"] = "b-judge"
    assert client.post("/studies/small/judges/new", data=started).status_code == 303
    anna, ben = queued_runs(db)
    assert (anna.name, ben.name, anna.limits) == (
        "b-judge-anna",
        "b-judge-ben",
        {"server": "Local", "max_tokens": 2500},
    )
    assert JudgeSettings.of(anna.settings).before.startswith("You rate for a study.\n\nYou are Anna.\n\nAnswer as a")
    assert JudgeSettings.of(ben.settings).profile == (("age", "71"),)


def test_a_planned_judge_asks_nothing_is_registered_and_starts_later(
    client: TestClient, db: Connection, lead: Lead, listed: ModelServer
) -> None:
    study_id = study_of(db, lead)
    form = FORM | {"persona": "You rate."}
    page = client.post("/studies/small/judges/new", data=form).text
    found = re.search(r'name="estimated" value="([^"]+)"', page)
    assert found
    assert "Plan only" in page
    assert (
        client.post("/studies/small/judges/new", data=form | {"step": "plan", "estimated": found[1]}).status_code == 303
    )
    assert queued_runs(db) == []
    assert "Not started" in client.get("/studies/small/judges").text
    study = get_study(db, "small")
    assert study
    (judge,) = to_register(db, study).judges
    assert judge["name"] == "a-judge"
    assert (judge["model"], judge["persona"]) == (
        "a-model",
        JudgeSettings(persona="You rate.").attributes("", "")["persona"],
    )
    run = get_run(db, study_id, "judge", "a-judge")
    assert run
    assert client.post(f"/studies/small/model-runs/{run.id}/continue", data={"max_tokens": 900}).status_code == 303
    assert [one.name for one in queued_runs(db)] == ["a-judge"]


def test_each_prompt_is_a_judge(client: TestClient, db: Connection, lead: Lead, listed: ModelServer) -> None:
    study_of(db, lead)
    form = FORM | {
        "prompts": "Be strict.\r\n ---\r\n\r\nTake the view\r\nof the writer.\r\n---\r\n",
        "persona": "You rate.",
    }
    page = client.post("/studies/small/judges/new", data=form).text
    found = re.search(r'name="estimated" value="([^"]+)"', page)
    assert found
    assert found[1].startswith("2 judges, ")
    assert "of the writer." in page
    assert (
        client.post("/studies/small/judges/new", data=form | {"step": "start", "estimated": found[1]}).status_code
        == 303
    )
    one, two = queued_runs(db)
    assert (one.name, two.name) == ("a-judge-prompt1", "a-judge-prompt2")
    assert JudgeSettings.of(two.settings).before == "You rate.\n\nTake the view\nof the writer."
    rows = (
        db.execute(text("SELECT attributes ->> 'prompt' FROM raters WHERE kind = 'model' ORDER BY id")).scalars().all()
    )
    assert rows == ["prompt1", "prompt2"]


@pytest.mark.parametrize(
    ("profiles", "words"),
    [
        ("name,age\nanna,3", "no such column"),
        ("rater,age\nanna,3,4\n", "3 cells"),
        ("rater,age,age\nanna,3,4\n", "a name that no other column has"),
        ("rater,model\nanna,x", "a name that is not a setting of a judge"),
        ("rater\n" + "\n".join(f"r{n}" for n in range(21)), "These are 21 judges"),
    ],
)
def test_unusable_profiles_are_refused_with_reason(
    client: TestClient, db: Connection, lead: Lead, listed: ModelServer, profiles: str, words: str
) -> None:
    study_of(db, lead)
    answer = client.post("/studies/small/judges/new", data=FORM | {"profiles": profiles})
    assert (answer.status_code, words in answer.text) == (422, True)


def test_without_a_list_of_servers_nothing_can_be_started(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead)
    assert "ATTUNE_MODEL_SERVERS_FILE" in client.get("/studies/small/judges/new").text
    assert client.post("/studies/small/judges/new", data=FORM).status_code == 422
