"""attune demo and attune serve as programs: started, asked, stopped."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx2 as httpx
import pytest

from app.settings import settings
from tests.kit.command_line import Attune, attune_alone

__all__ = ["attune_alone"]

CHECKOUT = Path(__file__).resolve().parents[2]
SAME_ORIGIN = {"sec-fetch-site": "same-origin"}


class Program(NamedTuple):
    """A program that runs, and what it has said so far."""

    process: subprocess.Popen[str]
    said: str

    def address(self, words: str) -> str:
        """The address that stands after these words."""
        found = re.search(rf"{words}[^\n]*?(http://\S+)", self.said)
        assert found, self.said
        return found[1]


@contextmanager
def running(environment: dict[str, str], *arguments: str, until: str) -> Iterator[Program]:
    """Start `attune`, read what it says up to a line with these words, and stop it as a machine does at its end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "app", *arguments],
        cwd=CHECKOUT,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    lines: list[str] = []
    try:
        for line in process.stdout:
            lines.append(line)
            if until in line:
                break
        yield Program(process, "".join(lines))
    finally:
        process.send_signal(signal.SIGTERM)
        rest, _ = process.communicate(timeout=120)
    assert process.returncode == 0, rest
    assert "Stopped." in rest
    assert "Traceback" not in "".join(lines) + rest


@pytest.fixture
def environment(data_dir: Path) -> dict[str, str]:
    """A machine that never ran Attune."""
    return {name: value for name, value in os.environ.items() if name != "DATABASE_URL"} | {
        "ATTUNE_DATA_DIR": str(data_dir)
    }


def visit_as_lead(program: Program) -> httpx.Client:
    """Sign in by the link that was printed."""
    browser = httpx.Client(headers=SAME_ORIGIN, follow_redirects=True, timeout=60)
    link = program.address("Sign in as the lead")
    assert "Sign in" in browser.get(link).text
    page = browser.post(link.partition("?")[0], data={"next": "/studies/demo"})
    assert page.status_code == 200
    return browser


@pytest.mark.long
@pytest.mark.slow
def test_demo_runs_and_is_started_again_on_another_port_if_its_own_is_taken(
    environment: dict[str, str], attune_alone: Attune, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(environment, "demo", "--port", "0", until="Rate as a rater") as program:
        here = program.address("running with its demo study at")
        assert httpx.get(f"{here}/readyz", timeout=120).json() == {"status": "ready", "problems": {}}
        with closing(visit_as_lead(program)) as lead:
            assert "Shown" in lead.get(f"{here}/studies/demo").text
        with httpx.Client(headers=SAME_ORIGIN, follow_redirects=True, timeout=120) as rater:
            assert "Begin" in rater.get(program.address("Rate as a rater")).text
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with running(environment, "demo", "--port", port, until="Rate as a rater") as program:
            assert f"Port {port} is taken" in program.said
            here = program.address("running with its demo study at")
            with closing(visit_as_lead(program)) as lead:
                page = lead.get(f"{here}/studies").text
                assert page.count('href="/studies/demo"') == 1
            monkeypatch.setenv("ATTUNE_DATA_DIR", environment["ATTUNE_DATA_DIR"])
            settings.cache_clear()
            doctor = attune_alone("doctor")
    found = re.findall(r"^(OK|WARNING|FAILED) +(\w+):", doctor.out, re.MULTILINE)
    # The first backup is made a minute after the start, which a busy machine may reach.
    assert {name for verdict, name in found if verdict != "OK"} <= {"backups"}, doctor.out
    assert len(found) == 12


def estimates_of(lead: httpx.Client, address: str) -> str:
    """The analytics page, which says that estimates are being made until they are."""
    # Each request waits for half a second.
    for _ in range(240):
        page = lead.get(address).text
        if "Computing the results" not in page:
            return page
    return "no estimates"


@pytest.mark.slow
def test_demo_shows_its_estimates(environment: dict[str, str]) -> None:
    with running(environment, "demo", "--port", "0", until="Rate as a rater") as program:
        here = program.address("running with its demo study at")
        with closing(visit_as_lead(program)) as lead:
            assert "All ratings are simulated" in estimates_of(lead, f"{here}/studies/demo/results")


def test_serve_answers_and_stops_cleanly(
    environment: dict[str, str], new_database: Callable[[str | None], str], migrated_template: str
) -> None:
    url = new_database(migrated_template)
    arguments = ("serve", "--port", "0", "--workers", "1")
    with running(environment | {"DATABASE_URL": url}, *arguments, until="No one can sign in yet") as program:
        here = program.address("Attune is running at")
        assert httpx.get(f"{here}/readyz", timeout=120).json() == {"status": "ready", "problems": {}}
        assert httpx.get(f"{here}/studies", timeout=120).status_code == 303


def test_serve_on_taken_port_exits_with_message(attune_alone: Attune, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.cli.serve.stop_cleanly", lambda: None)  # it is for a process of its own
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = attune_alone("serve", "--port", port)
    assert done.code == 1
    assert done.err.startswith(f"Port {port} on 127.0.0.1 cannot be used")
