"""The clients in the docs read a served study into data frames."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from app.accounts.lead_access import add_lead
from app.analysis import analyze
from app.main import create_app
from app.rating.life_cycle import open_study
from app.studies.members.api_tokens import record_api_token
from tests.kit.lead_studies import rate, study_of
from tests.kit.making_here import making_here
from tests.kit.reports_here import reports_here
from tests.kit.served import served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Engine

CLIENTS = Path(__file__).resolve().parents[2] / "docs" / "clients"
TOKEN = "attune_token-of-the-test"


@pytest.fixture
def address(engine: Engine) -> Iterator[str]:
    """The address of a server with a small study that has two answers of a person, and one that is simulated."""
    with engine.begin() as db:
        lead = add_lead(db, "lead@example.org")
        study_id = study_of(db, lead)
        open_study(db, "small")
        rate(db, study_id, rater="r1", n_trials=2)
        rate(db, study_id, rater="robot", is_simulated=True)
        record_api_token(db, study_id, lead.id, token=TOKEN, name="test", role="analyst", valid=timedelta(days=1))
    app = create_app(engine)
    app.state.reports = reports_here(engine.begin, analyze)
    app.state.making = making_here(engine.begin)
    with served(app) as port:
        yield f"http://127.0.0.1:{port}"


def printed(*command: str) -> str:
    """What a client prints."""
    environment = {**os.environ, "ATTUNE_TOKEN": TOKEN}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_client_for_pandas_prints_ratings_and_estimates(address: str) -> None:
    text = printed(sys.executable, str(CLIENTS / "attune_study.py"), address, "small")
    assert "'n_raters': 1, 'n_simulated': 1, 'n_judges': 0, 'n_ratings': 3" in text
    assert "preference" in text
    assert "ci_low" in text


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_client_for_r_prints_ratings_and_estimates(address: str) -> None:
    has_jsonlite = subprocess.run(
        ["Rscript", "-e", 'cat(requireNamespace("jsonlite", quietly = TRUE))'],  # noqa: S607 - R, wherever it is
        capture_output=True,
        text=True,
        check=False,
    )
    if has_jsonlite.stdout.strip() != "TRUE":
        pytest.skip("R has no package jsonlite")
    text = printed("Rscript", str(CLIENTS / "attune_study.R"), address, "small")
    assert "preference" in text
    assert "estimate" in text


def test_client_for_pandas_waits_for_a_busy_server() -> None:
    answers = [(503, {"Retry-After": "0"}, b""), (429, {"Retry-After": "0"}, b""), (200, {}, b'{"slug": "small"}')]

    class Busy(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Log nothing."""

        def do_GET(self) -> None:
            """Answer the next one."""
            status, headers, content = answers.pop(0)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

    spec = spec_from_file_location("attune_study", CLIENTS / "attune_study.py")
    assert spec
    assert spec.loader
    client = module_from_spec(spec)
    spec.loader.exec_module(client)
    with HTTPServer(("127.0.0.1", 0), Busy) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        study = client.Study(f"http://127.0.0.1:{server.server_port}", "small", TOKEN)
        assert study.get() == {"slug": "small"}
        server.shutdown()
    assert answers == []


def test_client_for_pandas_counts_people_only(address: str) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(CLIENTS)!r}); from attune_study import Study;"
        f" study = Study({address!r}, 'small', {TOKEN!r});"
        " print(len(study.ratings()), len(study.ratings(people_only=False)))"
    )
    assert printed(sys.executable, "-c", program).split() == ["2", "3"]
