"""The client for R and the interface for notebooks read a served study into data frames."""

import io
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest
from sqlalchemy import Engine

from app.accounts.lead_access import add_lead
from app.accounts.leads import list_leads
from app.analysis import analyze
from app.main import create_app
from app.rating.life_cycle import open_study
from app.studies.members.api_tokens import record_api_token
from app.studies.studies import get_study
from attune_studies import ServedStudy, read
from attune_studies.requests import send
from tests.kit.folder import N_ITEMS, rated_folder
from tests.kit.images import a_png
from tests.kit.lead_studies import rate, study_of
from tests.kit.making_here import making_here
from tests.kit.reports_here import reports_here
from tests.kit.served import served

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
        record_api_token(db, study_id, lead.id, token=TOKEN, name="test", role="owner", valid=timedelta(days=1))
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


def has_r() -> bool:
    """Whether R is installed with the package that the client needs."""
    program = shutil.which("Rscript")
    asked = [program or "", "-e", "stopifnot(requireNamespace('jsonlite'))"]
    return program is not None and subprocess.run(asked, capture_output=True, check=False).returncode == 0


needs_r = pytest.mark.skipif(not has_r(), reason="R or its package jsonlite is not installed")


@needs_r
def test_client_for_r_prints_ratings_and_estimates(address: str) -> None:
    text = printed("Rscript", str(CLIENTS / "attune_study.R"), address, "small")
    assert "preference" in text
    assert "estimate" in text


class Busy(BaseHTTPRequestHandler):
    """Two answers that ask to wait, then an empty study."""

    statuses: ClassVar[list[int]] = []

    def log_message(self, *_: object) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        """Answer the next one."""
        self.send_response(self.statuses.pop(0))
        self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(b'{"slug": "small"}')


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a study on a server that asks twice to wait."""
    monkeypatch.setattr(Busy, "statuses", [503, 429, 200])
    with HTTPServer(("127.0.0.1", 0), Busy) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/api/v1/studies/small"
        server.shutdown()
    assert Busy.statuses == []


def test_interface_for_notebooks_waits_for_a_busy_server(busy: str) -> None:
    file = io.BytesIO()
    send(busy, TOKEN, file)
    assert json.load(file) == {"slug": "small"}


class Elsewhere(BaseHTTPRequestHandler):
    """A server that sends programs to another address of it, and notes the tokens that it gets there."""

    tokens: ClassVar[list[str | None]] = []

    def log_message(self, *_: object) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        """Redirect to the same machine by its other name."""
        self.tokens.append(self.headers["Authorization"])
        self.send_response(302)
        self.send_header("Location", f"http://localhost:{self.connection.getsockname()[1]}/studies/small")
        self.end_headers()


def test_token_is_not_sent_to_where_a_server_redirects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Elsewhere, "tokens", [])
    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        study = ServedStudy(f"http://127.0.0.1:{server.server_port}/studies/small", TOKEN)
        with pytest.raises(ConnectionError, match="302: it redirects to http://localhost"):
            study.status()
        server.shutdown()
    assert Elsewhere.tokens == [f"Bearer {TOKEN}"]


@pytest.mark.parametrize("address", ["file:///etc/studies/passwd", "ftp://example.org/studies/small", "/studies/small"])
def test_study_on_a_server_has_an_address_of_the_web(address: str) -> None:
    with pytest.raises(ValueError, match="https://"):
        ServedStudy(address, TOKEN)


@needs_r
def test_client_for_r_waits_for_a_busy_server(busy: str) -> None:
    program = f"source({str(CLIENTS / 'attune_study.R')!r}); cat(attune_get({busy!r}, first_wait_s = 0)$slug)"
    assert printed("Rscript", "-e", program) == "small"


@needs_r
def test_client_for_r_keeps_people_apart(address: str) -> None:
    study = f"{address}/api/v1/studies/small"
    program = (
        f"source({str(CLIENTS / 'attune_study.R')!r});"
        f" cat(nrow(attune_ratings({study!r})), nrow(attune_ratings({study!r}, people_only = FALSE)))"
    )
    assert printed("Rscript", "-e", program).split() == ["2", "3"]


def test_study_on_a_server_is_read_for_notebooks(address: str) -> None:
    study = read(f"{address}/studies/small/results?question=preference", TOKEN)
    assert [len(study.ratings(who)) for who in ("people", "simulated", "judges", "all")] == [2, 1, 0, 3]
    assert set(study.raters["rater"]) >= {"r1", "robot"}
    assert study.estimates["estimate"].notna().any()


def test_refusal_of_a_server_is_said_in_its_words(address: str) -> None:
    with pytest.raises(PermissionError, match="The server answered 401: This token is unknown"):
        read(f"{address}/api/v1/studies/small", "attune_guess")
    with pytest.raises(ConnectionError, match="The server answered 404"):
        read(f"{address}/studies/other", TOKEN)
    with pytest.raises(ConnectionError, match="cannot be reached"):
        read("http://127.0.0.1:9/studies/small", TOKEN)
    with pytest.raises(ValueError, match="SLUG"):
        read("http://127.0.0.1:9/", TOKEN)


def test_lead_does_the_whole_job_by_a_program(address: str, tmp_path: Path) -> None:
    """From a folder to the deletion: nothing of it in a browser."""
    small = ServedStudy(f"{address}/studies/small", TOKEN)
    files = rated_folder()
    for name in ("study.yaml", "items.csv", "responses.csv"):
        (tmp_path / name).write_bytes(files[name])
    (tmp_path / "raters.csv").write_text("rater,kind\nann,person\n")
    study = small.create(tmp_path)
    assert study.status()["status"] == "draft"
    assert small.create(tmp_path).address == study.address  # the same folder again
    more = tmp_path / "more.csv"
    more.write_text("item,text,person,machine\nmore,Another situation,A reply,Another reply\n")
    response = ["person=person", "machine=machine"]
    assert study.add_items(more, dry_run=True, response=response)["is_stored"] is False
    added = study.add_items(more, response=response)
    assert (added["n_items"], added["n_responses"], study.status()["progress"]["n_items"]) == (1, 2, N_ITEMS + 1)
    with pytest.raises(ValueError, match=r"422: .*more\.csv"):
        study.add_items(more, response=response)
    study.open()
    assert study.links(["ann"])["ann"].startswith(f"{address}/s/")
    sheet = tmp_path / "ratings.csv"
    sheet.write_text("rater,item,source,empathy\nben,more,person,4\nben,more,machine,2\n")
    assert study.add_ratings(sheet, new_raters=True)["n_ratings"] == 2
    with pytest.raises(ValueError, match="409: The study is open"):
        study.delete()
    study.close()
    assert study.status()["progress"]["n_ratings"] == 2
    assert sorted(study.read().ratings()["value"]) == [2, 4]
    assert study.estimates()["n_ratings"].max() == 2
    study.exclude("ben", "was a test")
    assert study.read().ratings().empty
    assert study.delete()["n_ratings"] == 2
    with pytest.raises(PermissionError, match="401"):
        study.status()


def test_program_sends_files_as_large_as_the_browser_may(address: str, tmp_path: Path) -> None:
    sheet = tmp_path / "more.csv"
    rows = [f"more-{n},{'word ' * 4000},A reply,Another reply\n" for n in range(80)]
    sheet.write_text("".join(["item,text,person,model\n", *rows]))
    assert sheet.stat().st_size > 2**20
    small = ServedStudy(f"{address}/studies/small", TOKEN)
    added = small.add_items(sheet, dry_run=True, response=["person=person", "model=model"])
    assert (added["n_items"], added["is_stored"]) == (80, False)


def test_study_made_by_a_program_has_its_images(address: str, tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_bytes(rated_folder()["study.yaml"])
    (tmp_path / "items.csv").write_text("item,text,image,image_alt\none,A situation,one.png,A teal square\n")
    (tmp_path / "responses.csv").write_text("item,source,text\none,person,A reply\none,machine,Another reply\n")
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "one.png").write_bytes(a_png())
    study = ServedStudy(f"{address}/studies/small", TOKEN).create(tmp_path)
    assert list(study.read().items["image"]) == ["one.png"]


def test_only_owners_make_and_delete_studies(engine: Engine, address: str, tmp_path: Path) -> None:
    with engine.begin() as db:
        study = get_study(db, "small")
        assert study
        lead = list_leads(db)[0]
        record_api_token(db, study.id, lead.id, token="attune_e", name="e", role="editor", valid=timedelta(days=1))
    (tmp_path / "study.yaml").write_bytes(rated_folder()["study.yaml"])
    editor = ServedStudy(f"{address}/studies/small", "attune_e")
    for refused in (lambda: editor.create(tmp_path), editor.delete):
        with pytest.raises(PermissionError, match="403"):
            refused()
    with pytest.raises(FileNotFoundError, match=r"no study\.yaml"):
        editor.create(tmp_path / "nothing")
