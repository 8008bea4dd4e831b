import csv
import io
import json
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.analysis import analyze
from app.analysis.data.frames import Frames
from app.analysis.data.report_filters import Filters
from app.analysis.data.study_folder import StudyFolder
from app.analysis.report.report import Report
from app.analysis.wording.formatting import UNADJUSTED
from app.base.database.engine import Begin
from app.base.processes.side_process import SideProcessError
from app.protocol.study import Protocol
from app.rating.life_cycle import open_study
from app.results.data.study_mark import get_data
from app.results.documents.report_context import report_context_of
from app.results.pages.sections.parts import TITLES
from app.results.reports import live_report, outcomes
from app.results.reports.kept_results import record_answer
from app.results.reports.live_report import LiveReports
from app.results.reports.outcomes import LiveReport, Shown
from app.results.reports.report_job import ask_for_report
from app.studies.folder.read import read_folder
from app.studies.load import load_study
from app.studies.studies import StudyRow, get_study
from tests.kit.lead_studies import rate, study_of
from tests.kit.reports_here import reports_here
from tests.real_data.ayers import write_ayers


@pytest.fixture(scope="module")
def published(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> StudyFolder:
    """Ayers et al. (2023), JAMA Intern Med 183:589."""
    return read_folder(write_ayers(tmp_path_factory.mktemp("ayers"), shared))


@pytest.fixture
def ayers(db: Connection, lead: Lead, published: StudyFolder) -> None:
    load_study(db, published, lead.id)


@pytest.mark.usefixtures("ayers")
def test_results_page_json_and_csv_show_published_estimates(client: TestClient) -> None:
    page = client.get("/studies/ayers/results").text
    assert "ChatGPT preferred in 78.6%" in page
    assert "0.50 (0.44 to 0.56)" in page
    document = json.loads(client.get("/studies/ayers/results.json").text)
    rows = list(csv.DictReader(io.StringIO(client.get("/studies/ayers/results.csv").text)))
    assert len(rows) == len(document["estimates"])
    wilson = [f for f in document["estimates"] if f["method"].startswith("wilson_cc")][0]  # noqa: RUF015 - the first of several
    assert [round(100 * wilson[end], 2) for end in ("estimate", "ci_low", "ci_high")] == [78.63, 75.04, 81.84]
    paired = [row for row in rows if row["statistic"] == "t_paired"]
    assert [round(float(row["estimate"]), 2) for row in paired] == [13.26, 20.21]


@pytest.mark.usefixtures("ayers")
def test_summary_reports_how_length_changes_the_results(client: TestClient) -> None:
    page = " ".join(client.get("/studies/ayers/results").text.split())
    table = page[page.index("What could change this answer") : page.index("Reviewer 2")]
    assert re.findall("<strong>(.*?) \\(", table) == 2 * ["55.7%", "0.18"], "of Preference and Quality, not of Empathy"
    assert "0.63 (0.39 to 0.88)" in table
    assert "2 of 11 other analyses change the answer.</summary>" in table
    assert len(re.findall('role="rowheader"', table)) == 3 + 11, "each other analysis has a row with its interval"


@pytest.mark.usefixtures("ayers")
def test_results_page_json_and_csv_agree_exactly(client: TestClient) -> None:
    document = json.loads(client.get("/studies/ayers/results.json").text)
    rows = list(csv.DictReader(io.StringIO(client.get("/studies/ayers/results.csv").text)))
    for row, one in zip(rows, document["estimates"], strict=True):
        for name in ("estimate", "ci_low", "ci_high", "p_value"):
            assert (float(row[name]) if row[name] else None) == one[name]
    for one in (f for f in document["estimates"] if f["statistic"] == "mean_difference"):
        page = client.get(f"/studies/ayers/results/estimates?question={one['question']}").text
        assert f"{one['estimate']:.2f}" in page
        assert "(adjusted " in page
        assert UNADJUSTED in page


@pytest.mark.usefixtures("ayers")
def test_models_as_code_are_folded_on_the_page_and_downloaded_alike(client: TestClient) -> None:
    for part in ("comparison", "preference"):
        page = client.get(f"/studies/ayers/results/{part}").text
        assert '<details class="more" id="models-as-code">' in page
        shown = [unescape(text) for text in re.findall(r'<pre class="code"[^>]*>(.*?)</pre>', page, re.DOTALL)]
        names = re.findall(r"Download (models\S*?)</a>", page)
        assert shown == [client.get(f"/studies/ayers/results/code/{name}").text for name in names]
        assert names == ["models.R", "models-brms.R", "models.py"]
    assert "models-as-code" not in client.get("/studies/ayers/results/comparison?source=chatgpt").text
    assert (
        "There is no code for filtered results."
        in client.get("/studies/ayers/results/code/models.R?source=chatgpt").text
    )


@pytest.mark.usefixtures("ayers")
def test_every_json_estimate_appears_in_one_section(client: TestClient) -> None:
    document = json.loads(client.get("/studies/ayers/results.json").text)
    home = client.get("/studies/ayers/results").text
    parts = [part for part in TITLES if f"/results/{part}" in home and part != "estimates"]
    n_shown = sum(client.get(f"/studies/ayers/results/{part}").text.count('<td class="recipe">') for part in parts)
    assert n_shown == len(document["estimates"])


@pytest.mark.usefixtures("ayers")
def test_every_chart_has_image_finding_and_table(client: TestClient) -> None:
    specs = client.get("/studies/ayers/charts.json").json()
    curves = {f"specifications-{n}" for n in (1, 2, 3)}
    every = {"comparison", "distribution-1", "choice-1", "agreement", "plane"} | curves
    assert set(specs) == every
    pages = "".join(client.get(f"/studies/ayers/results/{part}").text for part in ("comparison", "preference"))
    pages += client.get("/studies/ayers/results/agreement").text
    assert pages.count('<figure class="chart') == len(specs)
    for key, spec in specs.items():
        assert f"/drawings/{key}.svg" in pages
        assert spec["description"]
    address = re.findall(r'srcset="([^"]+/drawings/comparison.svg[^"]+theme=dark[^"]+size=narrow)"', pages)[0]
    drawn = client.get(unescape(address))
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert drawn.headers["cache-control"].startswith("private")


@pytest.mark.usefixtures("ayers")
def test_plane_shows_the_two_questions_of_the_address(client: TestClient) -> None:
    swapped = "?x=empathy&y=quality"
    page = client.get(f"/studies/ayers/results/comparison{swapped}").text
    assert "<bdi>Empathy and Quality</bdi>" in page
    assert "drawings/plane.svg?x=empathy&amp;y=quality" in page
    assert client.get(f"/studies/ayers/charts/plane.json{swapped}").json()["title"]["text"] == ["Empathy and Quality"]
    assert client.get(f"/studies/ayers/drawings/plane.svg{swapped}").status_code == 200
    assert "results/agreement?x=empathy&amp;y=quality" in page


@pytest.mark.usefixtures("ayers")
def test_plane_of_unsuitable_questions_shows_the_default_and_says_so(client: TestClient) -> None:
    for wrong in ("?x=quality&y=quality", "?x=quality&y=preference", "?x=quality&y=unknown"):
        page = client.get(f"/studies/ayers/results/comparison{wrong}").text
        assert "Choose two different questions" in page
        assert "<bdi>Quality and Empathy</bdi>" in page


@pytest.mark.usefixtures("ayers")
def test_charts_of_a_selected_question_have_the_same_data_as_their_pictures(client: TestClient) -> None:
    page = client.get("/studies/ayers/results/comparison?question=quality").text
    assert "chart-plane" not in page
    figure = page.partition('id="chart-comparison"')[2].partition("</figure>")[0]
    assert "Quality" in figure
    assert "Empathy" not in figure


@pytest.mark.usefixtures("ayers")
def test_filter_is_named_on_page_in_files_and_in_recipes(client: TestClient) -> None:
    asked = "?source=chatgpt&question=quality"
    page = client.get(f"/studies/ayers/results{asked}").text
    assert "Only question Quality; responses of ChatGPT." in page
    answer = client.get(f"/studies/ayers/results.json{asked}")
    assert "ayers-results-filtered.json" in answer.headers["content-disposition"]
    document = answer.json()
    assert document["filters"] == {"sources": ["chatgpt"]}
    assert all("source in (chatgpt)" in f["recipe"]["filter"] for f in document["estimates"])
    assert {f["question"] for f in document["estimates"]} <= {None, "quality"}
    assert not any("physician" in str(f["scope"]) for f in document["estimates"])
    section = client.get(f"/studies/ayers/results/comparison{asked}").text
    assert "<code>attune analyze ayers --source chatgpt --json</code>" in section
    estimates = client.get(f"/studies/ayers/results/estimates{asked}").text
    assert "<code>attune analyze ayers --source chatgpt --json</code>" in estimates


@pytest.mark.usefixtures("ayers")
def test_filter_without_matches_says_so(client: TestClient) -> None:
    page = client.get("/studies/ayers/results?pool=nobody")
    assert page.status_code == 200
    assert "No ratings match this filter." in page.text
    assert client.get("/studies/ayers/results?until=yesterday").status_code == 400


@pytest.mark.usefixtures("rated")
def test_section_without_results_says_so(client: TestClient) -> None:
    assert "no results of this kind" in client.get("/studies/small/results/turns").text


def test_failed_computation_is_explained(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead)

    def die(*_: object, **__: object) -> Report:
        raise SideProcessError

    client.app.state.reports = reports_here(client.app.state.begin, die)  # type: ignore[attr-defined]  # Starlette's client
    page = client.get("/studies/small/results")
    assert page.status_code == 503
    assert "ran out of memory" in page.text
    again = client.get("/studies/small/results/agreement?source=human").text
    assert "/studies/small/results/agreement?source=human" in again


@pytest.mark.usefixtures("rated")
def test_failed_computation_leaves_the_previous_results(client: TestClient, db: Connection) -> None:
    has_died = Event()

    def analyze_once(frames: Frames, protocol: Protocol, **_: object) -> Report:
        if has_died.is_set():
            raise SideProcessError
        return analyze(frames, protocol)

    client.app.state.reports = reports_here(client.app.state.begin, analyze_once)  # type: ignore[attr-defined]  # Starlette's client
    before = client.get("/studies/small/results").text
    has_died.set()
    db.execute(text("UPDATE ratings SET exclude = 'a test' WHERE id = (SELECT min(id) FROM ratings)"))
    after = client.get("/studies/small/results")
    assert after.status_code == 200
    assert (
        "Later ratings and exclusions are not included, because the update did not succeed. The computation ended"
        in after.text
    )
    assert before.partition("study-question")[2]
    assert before.partition("study-question")[2] == after.text.partition("study-question")[2]


@pytest.mark.usefixtures("ayers")
def test_size_of_the_study_is_shown_until_there_is_a_report(client: TestClient) -> None:
    client.app.state.reports = LiveReports(client.app.state.begin, patience_s=0)  # type: ignore[attr-defined]  # Starlette's client
    page = client.get("/studies/ayers/results").text
    assert re.search(r"[\d,]+ ratings by \d+ raters so far", page)
    assert "Computing the results. Waiting to begin." in page


@pytest.mark.usefixtures("rated")
def test_answer_is_shown_before_the_other_results_and_beside_earlier_ones(
    client: TestClient, db: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = client.get("/studies/small/results").text
    answer = re.search(r'<p class="study-answer">(<bdi>.+?</bdi>)</p>', whole)
    assert answer
    reports, study = client.app.state.reports, get_study(db, "small")  # type: ignore[attr-defined]  # Starlette's client
    assert study
    made = reports.now(client.app.state.begin, study)  # type: ignore[attr-defined]  # as above
    monkeypatch.setattr(outcomes, "PACE", 0)
    db.execute(text("UPDATE ratings SET exclude = 'a test' WHERE id = (SELECT min(id) FROM ratings)"))
    nobody_works(client)
    record_answer(db, study, get_data(db, study.id), made)
    assert f"With the newest ratings: {answer[1]}" in client.get("/studies/small/results").text
    db.execute(text("DELETE FROM kept_results WHERE part = 'report'"))
    page = client.get("/studies/small/results").text
    assert answer[0] in page
    assert "Computing the other results. Waiting to begin." in page


@pytest.mark.usefixtures("rated")
def test_earlier_results_have_their_age_and_the_progress_of_newer_ones(
    client: TestClient, db: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcomes, "PACE", 0)
    assert "Newer ones are being computed" not in client.get("/studies/small/results").text
    db.execute(text("UPDATE ratings SET exclude = 'a test' WHERE id = (SELECT min(id) FROM ratings)"))
    nobody_works(client)
    page = client.get("/studies/small/results").text
    assert re.search(r"These results are from\s+<time [^>]*>just now</time>", page)
    assert re.search(r'Newer ones are being computed. <a href="[^"]*/small/results\?after=2[^"]*">Update</a>', page)
    assert re.search(r'<progress aria-label="Progress of the computation"\s+max="1"\s+value="0', page)


@pytest.mark.usefixtures("rated")
def test_pictures_of_a_replaced_report_are_of_the_last_one_and_not_kept_by_the_browser(
    client: TestClient, db: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_report, "MAX_READ", 1)
    page = client.get("/studies/small/results/preference").text
    address = unescape(re.findall(r'<img src="([^"]+/drawings/[^"]+)"', page)[0])
    assert "max-age" in client.get(address).headers["cache-control"]
    db.execute(text("UPDATE ratings SET exclude = 'a test' WHERE id = (SELECT min(id) FROM ratings)"))
    client.get("/studies/small/results")
    db.execute(text("UPDATE ratings SET exclude = 'another test' WHERE id = (SELECT min(id) FROM ratings)"))
    nobody_works(client)
    picture, section = client.get(address), client.get("/studies/small/results/agreement")
    assert picture.status_code == section.status_code == 200
    assert "max-age" not in picture.headers.get("cache-control", "")


def nobody_works(client: TestClient) -> None:
    """From now on, reports are asked for, and no worker computes them."""
    reports: LiveReports = client.app.state.reports  # type: ignore[attr-defined]  # Starlette's client
    reports._ask, reports._patience_s, reports._file_patience_s = ask_for_report, 0, 0


@pytest.mark.usefixtures("rated")
def test_update_asks_for_a_report_that_was_read_later(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    reports: LiveReports = client.app.state.reports  # type: ignore[attr-defined]  # Starlette's client
    soon = reports.soon
    shown: list[tuple[LiveReport | None, datetime | None]] = []

    def behind(begin: Begin, study: StudyRow, filters: Filters, after: datetime | None) -> Shown:
        found = soon(begin, study, filters)
        shown.append((found.made, after))
        return Shown(found.made, is_current=False)

    monkeypatch.setattr(reports, "soon", behind)
    page = client.get("/studies/small/results?source=person&after=2026-01-01").text
    assert "Newer ratings are not included yet." in page
    update = re.search(r'<a href="http://testserver([^"]*)">Update</a>', page)
    assert update
    assert "source=person" in update[1]
    client.get(unescape(update[1]))
    (first, of_address), (_, of_link) = shown
    assert first
    assert of_address == datetime(2026, 1, 1, microsecond=999_999, tzinfo=UTC)
    assert of_link == first.read_at
    assert client.get("/studies/small/results?after=now").status_code == 400


@pytest.mark.usefixtures("ayers")
def test_only_requested_charts_are_returned(client: TestClient) -> None:
    assert list(client.get("/studies/ayers/charts.json?key=choice-1").json()) == ["choice-1"]


@pytest.mark.usefixtures("rated")
def test_simulated_raters_are_left_out_and_named_once_a_person_has_rated(client: TestClient) -> None:
    page = client.get("/studies/small/results").text
    assert "1 simulated rater is left out of all results, because people have rated." in page
    assert "All ratings are simulated" not in page
    assert "Preference" in page


def test_results_of_simulated_ratings_have_a_banner_and_say_so_in_files(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    study_id = study_of(db, lead)
    open_study(db, "small")
    for name in ("sim-1", "sim-2"):
        rate(db, study_id, rater=name, n_trials=2, is_simulated=True)
    for part in ("", "/choice", "/raters", "/estimates"):
        assert "<strong>All ratings are simulated.</strong>" in client.get(f"/studies/small/results{part}").text, part
    assert "raters are simulated" not in client.get("/studies/small/results").text
    document = client.get("/studies/small/results.json").json()
    assert document["is_simulated"] is True
    read_at = document["ratings_read_at"]
    assert datetime.now(UTC) - datetime.fromisoformat(read_at) < timedelta(minutes=10)
    rows = list(csv.DictReader(io.StringIO(client.get("/studies/small/results.csv").text)))
    assert {(row["ratings_read_at"], row["is_simulated"]) for row in rows} == {(read_at, "true")}


def test_study_without_ratings_says_so(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead)
    page = client.get("/studies/small/results")
    assert page.status_code == 200
    assert "No ratings yet" in page.text
    db.execute(text("DELETE FROM kept_results"))
    nobody_works(client)
    at_once = client.get("/studies/small/results").text
    assert "No ratings yet" in at_once
    assert "See simulated results" in at_once
    assert not re.search('Computing the results|http-equiv="refresh"', at_once)


@pytest.mark.usefixtures("rated")
def test_versions_of_the_design_that_raters_answered_under_are_told(client: TestClient, db: Connection) -> None:
    assert "Raters took part under" not in client.get("/studies/small/results").text
    open_study(db, "small")
    client.post("/studies/small/design/study", data={"number": "0", "instructions": "Read **both**."})
    assert client.post("/studies/small/design/version").status_code == 303
    told = r"Raters took part under version 1 \(\d raters?\) of the design. The results of all of them use version 2\."
    assert re.search(told, client.get("/studies/small/results").text)
    study = get_study(db, "small")
    assert study
    assert re.search(told, report_context_of(db, study).status)
    by_version = client.get("/studies/small/results.json").json()["answers_by_version"]
    assert by_version == {"preference": {"1": 2}}
    reworded = r"use version 2\. 2 of 2 answers to .* to an earlier wording, under version 1 of the study"
    assert re.search(reworded, client.get("/studies/small/results").text)
    saved = client.post("/studies/small/snapshots", data={"name": "As submitted"}).headers["location"]
    assert re.search("2 of 2 answers to .* to an earlier wording", client.get(saved).text)


def test_excluded_raters_count_neither_by_version_nor_by_wording(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    study_id = study_of(db, lead)
    open_study(db, "small")
    for rater in "abc":
        rate(db, study_id, rater=rater, n_trials=2)
    client.post("/studies/small/design/study", data={"number": "0", "instructions": "Read **both**."})
    assert client.post("/studies/small/design/version").status_code == 303
    first = db.execute(text("SELECT min(id) FROM raters")).scalar_one()
    excluded = client.post(f"/studies/small/raters/{first}/exclusion", data={"reason": "too fast", "exclude": "true"})
    assert excluded.status_code == 303
    page = client.get("/studies/small/results").text
    assert re.search(r"under version 1 \(2 raters\) of the design.* 4 of 4 answers to .* earlier wording", page)


@pytest.mark.usefixtures("rated")
def test_study_whose_answers_are_all_excluded_says_so(client: TestClient, db: Connection) -> None:
    db.execute(text("UPDATE ratings SET exclude = 'too fast'"))
    page = client.get("/studies/small/results").text
    assert "No ratings yet" not in page
    assert re.search(r"Every answer is excluded from the results: \d+ \(too fast\)\.", page)
    assert 'href="/studies/small/raters">Review the raters' in page


@pytest.mark.usefixtures("rated")
def test_results_page_has_no_inline_script_or_style(client: TestClient) -> None:
    page = client.get("/studies/small/results").text
    assert "<script>" not in page
    assert " style=" not in page
    assert "<style" not in page


@pytest.mark.parametrize("key", ["<script>alert(1)</script>", "\u202egnp.x", "=1+1"])
def test_hostile_source_label_is_escaped_everywhere(client: TestClient, db: Connection, lead: Lead, key: str) -> None:
    study_id = study_of(db, lead, sources={"person": {"kind": "human"}, key: {"kind": "model"}})
    open_study(db, "small")
    rate(db, study_id, rater="a", n_trials=2)
    page = client.get("/studies/small/results").text
    assert "<script>alert" not in page
    assert f"<bdi>{key.replace('<', '&lt;').replace('>', '&gt;')} preferred" in page


@pytest.mark.usefixtures("ayers")
def test_summary_of_one_question_answers_only_its_primary_contrasts(client: TestClient) -> None:
    page = " ".join(client.get("/studies/ayers/results?question=quality").text.split())
    assert "How does ChatGPT compare with Physician on Quality?" in page
    assert "Preference" not in re.sub(r"(?s)<form.*?</form>|<nav.*?</nav>", "", page)
