from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from app.actions.studies.life_cycle import open_study
from app.exchange.folder.read import read_folder
from app.storage.studies.load import load_study
from tests.real_data.ayers import write_ayers
from tests.web.lead.build import rate, study_of

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection
    from starlette.testclient import TestClient

    from app.storage.leads.leads import Lead


@pytest.fixture
def ayers(db: Connection, lead: Lead, shared: Path, tmp_path: Path) -> None:
    """Ayers et al. (2023), JAMA Intern Med 183:589."""
    load_study(db, read_folder(write_ayers(tmp_path, shared)), lead.id)


@pytest.fixture
def rated(db: Connection, lead: Lead) -> None:
    """Two simulated raters and a person, who chose."""
    study_id = study_of(db, lead)
    open_study(db, "small")
    for rater, is_simulated in (("a", True), ("b", False)):
        rate(db, study_id, rater=rater, is_simulated=is_simulated, n_trials=2)


@pytest.mark.usefixtures("ayers")
def test_the_page_the_json_and_the_csv_show_what_the_paper_printed(client: TestClient) -> None:
    page = client.get("/studies/ayers/analytics").text
    assert "ChatGPT was preferred over Physician in 78.6% of choices." in page
    assert "0.50" in page
    assert "0.25" in page
    document = json.loads(client.get("/studies/ayers/analytics.json").text)
    rows = list(csv.DictReader(io.StringIO(client.get("/studies/ayers/analytics.csv").text)))
    assert len(rows) == len(document["estimates"])
    wilson = [f for f in document["estimates"] if f["method"].startswith("wilson_cc")][0]  # noqa: RUF015 - the first of several
    assert [round(100 * wilson[end], 2) for end in ("estimate", "ci_low", "ci_high")] == [78.63, 75.04, 81.84]
    paired = [row for row in rows if row["statistic"] == "t_paired"]
    assert [round(float(row["estimate"]), 2) for row in paired] == [13.26, 20.21]


@pytest.mark.usefixtures("ayers")
def test_every_estimate_of_the_json_stands_on_the_page_with_its_recipe(client: TestClient) -> None:
    page = client.get("/studies/ayers/analytics").text
    document = json.loads(client.get("/studies/ayers/analytics.json").text)
    of_each = [f for f in document["estimates"] if f["section"] == "rater" and "raters" in f["scope"]]
    assert page.count('<td class="recipe">') == len(document["estimates"]) - len(of_each)


@pytest.mark.usefixtures("ayers")
def test_every_chart_of_the_page_has_a_specification_and_a_table(client: TestClient) -> None:
    page = client.get("/studies/ayers/analytics").text
    for theme in ("light", "dark"):
        specs = client.get(f"/studies/ayers/charts.json?theme={theme}").json()
        assert len(specs) == page.count("data-chart=") == page.count('<figure class="chart">') == 4
        assert all(f'data-chart="{key}"' in page for key in specs)
        assert {spec["width"] for spec in specs.values()} == {"container"}


@pytest.mark.usefixtures("ayers")
def test_the_charts_that_are_asked_for_are_given_and_no_others(client: TestClient) -> None:
    assert list(client.get("/studies/ayers/charts.json?key=choice-1").json()) == ["choice-1"]


@pytest.mark.usefixtures("rated")
def test_a_chart_is_downloaded_as_a_specification(client: TestClient) -> None:
    answer = client.get("/studies/small/charts/choice-1.json")
    assert "vega-lite" in answer.json()["$schema"]
    assert answer.headers["content-disposition"] == 'attachment; filename="small-choice-1.vl.json"'


@pytest.mark.usefixtures("rated")
@pytest.mark.parametrize(
    ("picture", "kind", "begins"),
    [("svg", "image/svg+xml", b"<svg"), ("png", "image/png", b"\x89PNG"), ("pdf", "application/pdf", b"%PDF")],
)
def test_a_picture_is_drawn_once_and_kept_by_what_it_shows(
    client: TestClient, db: Connection, picture: str, kind: str, begins: bytes
) -> None:
    first = client.get(f"/studies/small/charts/choice-1.{picture}")
    assert first.headers["content-type"].startswith(kind)
    assert first.content.startswith(begins)
    db.execute(text("UPDATE chart_files SET content = content || '!'"))
    second = client.get(f"/studies/small/charts/choice-1.{picture}")
    assert second.content == first.content + b"!"


@pytest.mark.usefixtures("rated")
@pytest.mark.parametrize("path", ["charts/none-1.json", "charts/none-1.svg", "charts/choice-9.png"])
def test_a_chart_that_is_none_is_not_found(client: TestClient, path: str) -> None:
    assert client.get(f"/studies/small/{path}").status_code == 404


@pytest.mark.usefixtures("rated")
def test_an_unknown_format_or_theme_is_refused(client: TestClient) -> None:
    assert client.get("/studies/small/charts/choice-1.exe").status_code == 422
    assert client.get("/studies/small/charts.json?theme=pink").status_code == 422


@pytest.mark.usefixtures("rated")
def test_simulated_raters_are_named_before_the_estimates(client: TestClient) -> None:
    page = client.get("/studies/small/analytics").text
    assert "1 of 2 raters are simulated." in page
    assert page.index("simulated") < page.index("Summary")


def test_a_study_without_ratings_says_so(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead)
    page = client.get("/studies/small/analytics")
    assert page.status_code == 200
    assert "No ratings yet" in page.text


@pytest.mark.usefixtures("rated")
def test_the_page_needs_no_script_of_its_own_inside(client: TestClient) -> None:
    page = client.get("/studies/small/analytics").text
    assert "<script>" not in page
    assert " style=" not in page
    assert "<style" not in page


def test_the_drawing_script_is_served_for_ever_under_its_version(client: TestClient) -> None:
    from app.web.lead.results.charts import vega_url

    answer = client.get(vega_url())
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert b"vegaEmbed" in answer.content
    assert client.get("/charts/vega/0.0.js").status_code == 404


@pytest.mark.parametrize("key", ["<script>alert(1)</script>", "\u202egnp.x", "=1+1"])
def test_a_hostile_source_is_text_in_every_sentence_and_table(
    client: TestClient, db: Connection, lead: Lead, key: str
) -> None:
    study_id = study_of(db, lead, sources={"person": {"kind": "human"}, key: {"kind": "model"}})
    open_study(db, "small")
    rate(db, study_id, rater="a", n_trials=2)
    page = client.get("/studies/small/analytics").text
    assert "<script>alert" not in page
    assert f"<bdi>{key.replace('<', '&lt;').replace('>', '&gt;')} was preferred" in page
