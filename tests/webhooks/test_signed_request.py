"""One attempt to deliver a message, against receivers that answer well, badly, slowly or without end."""

import json
import runpy
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.webhooks.addresses import parse_networks
from app.webhooks.deliveries import DueDelivery
from app.webhooks.sender import MAX_KEPT, send
from tests.kit.receiver import Receiver, receiver

LOOPBACK = parse_networks("127.0.0.1")
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
CLIENTS = Path(__file__).resolve().parents[2] / "docs" / "clients"


@pytest.fixture
def there() -> Iterator[Receiver]:
    with receiver() as state:
        yield state


def due(address: str, body: str = '{"type": "webhook.test", "words": "Ärger"}') -> DueDelivery:
    return DueDelivery(1, 2, 3, "webhook.test", "msg_1", body, 1, address, SECRET)


def test_message_arrives_with_the_headers_of_the_convention(there: Receiver) -> None:
    outcome = send(due(there.address), LOOPBACK)
    assert outcome.is_delivered
    ((headers, body),) = there.received
    assert headers["webhook-id"] == "msg_1"
    assert headers["content-type"] == "application/json"
    assert json.loads(body)["words"] == "Ärger"


def test_python_client_accepts_genuine_message_and_no_other(there: Receiver) -> None:
    send(due(there.address), LOOPBACK)
    ((headers, body),) = there.received
    is_genuine = runpy.run_path(str(CLIENTS / "verify_webhook.py"))["is_genuine"]
    assert is_genuine(SECRET, headers, body)
    assert not is_genuine(SECRET, headers, body + b" ")
    assert not is_genuine("whsec_" + "A" * 32, headers, body)
    assert not is_genuine(SECRET, headers, body, tolerance_s=-1)


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_client_accepts_genuine_message_and_no_other(there: Receiver) -> None:
    send(due(there.address), LOOPBACK)
    ((headers, body),) = there.received
    listed = ", ".join(f"`{name}` = {json.dumps(value)}" for name, value in headers.items())
    code = f"""
        if (!all(sapply(c("digest", "jsonlite"), requireNamespace, quietly = TRUE))) quit(status = 77)
        source({json.dumps(str(CLIENTS / "verify_webhook.R"))})
        headers <- list({listed})
        body <- {json.dumps(body.decode(), ensure_ascii=False)}
        cat(is_genuine("{SECRET}", headers, body), is_genuine("{SECRET}", headers, paste0(body, " ")))
    """
    done = subprocess.run(
        ["Rscript", "-e", code],  # noqa: S607 - R, wherever it is
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode == 77:
        pytest.skip("R has no packages digest and jsonlite")
    assert done.stdout == "TRUE FALSE", done.stderr


@pytest.mark.parametrize("status", [301, 400, 404, 500, 503])
def test_other_statuses_are_failures(there: Receiver, status: int) -> None:
    there.status, there.answer = status, b"no\x07pe"
    there.headers = {"location": there.address}
    outcome = send(due(there.address), LOOPBACK)
    assert (outcome.status, outcome.answer, outcome.is_delivered) == (status, "no pe", False)
    assert len(there.received) == 1


@pytest.mark.parametrize(
    ("status", "header", "seconds"), [(429, "120", 120), (503, "7", 7), (500, "120", 0), (429, "soon", 0)]
)
def test_receiver_can_ask_to_wait(there: Receiver, status: int, header: str, seconds: float) -> None:
    there.status, there.headers = status, {"retry-after": header}
    assert send(due(there.address), LOOPBACK).retry_after_s == seconds


def test_huge_answer_is_not_read(there: Receiver) -> None:
    there.status, there.answer = 200, b"x" * 5_000_000
    outcome = send(due(there.address), LOOPBACK)
    assert outcome.is_delivered
    assert len(outcome.answer) == MAX_KEPT


def test_slow_receiver_is_cut_off(there: Receiver) -> None:
    there.delay_s = 3
    outcome = send(due(there.address), LOOPBACK, deadline_s=0.3)
    assert outcome.status is None
    assert "0.3 seconds" in outcome.answer


def test_private_address_is_refused_at_the_attempt(there: Receiver) -> None:
    outcome = send(due(there.address))
    assert outcome.status is None
    assert "not a public address" in outcome.answer
    assert there.received == []


def test_closed_port_and_missing_tls_are_explained(there: Receiver) -> None:
    assert "failed" in send(due("http://127.0.0.1:9/"), LOOPBACK).answer
    assert "failed" in send(due(there.address.replace("http:", "https:")), LOOPBACK).answer
