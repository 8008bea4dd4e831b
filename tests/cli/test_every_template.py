"""Every template through every command and every page of its lead: none ends in a traceback or a server error."""

import json
import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.accounts.lead_access import begin_session
from app.accounts.leads import get_lead
from app.analysis import analyze
from app.base.database.engine import make_engine
from app.main import create_app
from app.settings import settings
from app.studies.folder.study_templates import template_folder
from tests.kit.command_line import AS_WRITTEN, Attune, Outcome, attune
from tests.kit.making_here import making_here
from tests.kit.reports_here import reports_here
from tests.kit.templates import every_template

__all__ = ["attune"]

LEAD = "lead@example.org"
# No primary contrast that can be planned for: the command says so, and exits with 1.
NOT_PLANNED = {"case-heard", "conjoint", "dialogue-trajectory", "empathic-dyads", "ranking", "reasoning-models"}
# Of the paths below /studies/SLUG these answer without a chart's key.
PAGES = (
    "",
    "/coverage",
    "/design",
    "/plan",
    "/raters",
    "/people",
    "/settings",
    "/results",
    "/results/agreement",
    "/results/comparison",
    "/results/raters",
    "/results/items",
    "/results/all",
    "/results.json",
    "/results.csv",
    "/charts.json",
    "/downloads",
    "/ratings.csv",
    "/export.zip",
)
# One whose trials have no responses. Each template is also loaded, rated and analysed in
# tests/studies/folder/test_templates_rated.py,
# and edited, opened and copied in tests/rating/lead/test_settings.py.
IN_GATE = {"theory-of-mind"}
# Plays the partners of templates in which raters write.
SERVERS = """\
[[server]]
name = "local"
base_url = "http://127.0.0.1:9/v1"
models = ["gpt-4o-mini"]
max_tokens = 1000
"""


def pages_of(slug: str) -> dict[str, int]:
    """The status of each page of the lead of a study."""
    engine = make_engine(str(settings().database_url), n_connections=2)
    with engine.begin() as db:
        lead = get_lead(db, LEAD)
        assert lead
        token = begin_session(db, lead)
    app = create_app(engine)
    app.state.reports = reports_here(engine.begin, analyze)
    app.state.making = making_here(engine.begin)
    same_origin = {"sec-fetch-site": "same-origin"}
    browser = TestClient(app, "http://127.0.0.1", follow_redirects=False, headers=same_origin)
    browser.cookies.set("attune-lead", token)
    found = {path: browser.get(f"/studies/{slug}{path}").status_code for path in PAGES}
    engine.dispose()
    return found


# That the same answers give the same estimates is held by tests/results/reports/test_report.py.
@pytest.mark.usefixtures("each_report_once")
@pytest.mark.parametrize("name", every_template(in_gate=IN_GATE))
@pytest.mark.long
def test_template_passes_every_command_and_page(
    attune: Attune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "servers.toml").write_text(SERVERS, encoding="utf-8")
    monkeypatch.setenv("ATTUNE_MODEL_SERVERS_FILE", str(tmp_path / "servers.toml"))
    settings.cache_clear()

    def run(*arguments: object) -> Outcome:
        said = attune(*arguments)
        assert said.code == 0, (arguments, said.err)
        return said

    folder = shutil.copytree(template_folder(name), tmp_path / name)
    run("lead", "add", LEAD, "--link")
    run("study", "check", folder)
    run("study", "load", folder, "--lead", LEAD)
    assert set(pages_of(name).values()) <= {200, 303}
    planned = attune("plan", folder, "--items", "4", "--raters", "6", "--simulations", "2", "--json")
    assert planned.code == (name in NOT_PLANNED), planned.err
    run("study", "open", name, *AS_WRITTEN)
    run("simulate", name, "--raters", "3")
    run("simulate", folder, "--raters", "3")
    analyzed = {study: run("analyze", study, "--json").out for study in (name, folder)}
    assert all(json.loads(out)["estimates"] for out in analyzed.values())
    assert set(pages_of(name).values()) <= {200, 303}
    run("study", "export", name, "--out", tmp_path / "archive")
    assert run("analyze", tmp_path / "archive", "--json").out == analyzed[name]
    run("study", "load", tmp_path / "archive")
