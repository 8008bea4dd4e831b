"""Approvals on Prolific, against a local server that plays Prolific."""

from collections.abc import Iterator

import pytest

from app.rating.prolific import approvals
from app.rating.prolific.approvals import NOT_ASKED, Submission, approve, with_statuses
from app.rating.prolific.client import WAITS_S, ProlificError
from tests.kit.prolific_server import ProlificServer, prolific_server

WAITING = "AWAITING REVIEW"


@pytest.fixture
def server() -> Iterator[ProlificServer]:
    with prolific_server() as state:
        state.statuses = {"s1": WAITING, "s2": WAITING, "s3": "APPROVED", "s4": WAITING, "s5": "RETURNED"}
        yield state


def submission(name: str, suggestion: str = "approve") -> Submission:
    return Submission(1, f"r-{name}", name, "study", suggestion, "finished the study", is_finished=True)


ALL = [submission("s1"), submission("s2"), submission("s3"), submission("s4", "return"), submission("s6")]
NAMES = ("s1", "s2", "s3", "s4", "s6")


def test_check_reads_all_pages_and_changes_nothing(server: ProlificServer) -> None:
    checked = with_statuses(server.client(), ALL)
    assert [one.status for one in checked] == [WAITING, WAITING, "APPROVED", WAITING, "not found"]
    assert [one.submission for one in checked if one.can_be_approved] == ["s1", "s2"]
    assert server.bodies == []


def test_only_chosen_submissions_that_wait_are_approved(server: ProlificServer) -> None:
    results = approve(server.client(), with_statuses(server.client(), ALL), {"s1", "s3", "s4"})
    assert [one.result for one in results] == ["approved", "", "", "", ""]
    assert server.bodies == [{"action": "APPROVE"}]


def test_run_continues_where_it_stopped(server: ProlificServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(approvals, "MAX_SECONDS", -1)
    first = approve(server.client(), with_statuses(server.client(), ALL), NAMES)
    assert [one.result for one in first][:2] == [NOT_ASKED, NOT_ASKED]
    monkeypatch.setattr(approvals, "MAX_SECONDS", 25)
    second = approve(server.client(), with_statuses(server.client(), ALL), NAMES)
    assert [one.result for one in second][:2] == ["approved", "approved"]
    third = approve(server.client(), with_statuses(server.client(), ALL), NAMES)
    assert [one.result for one in third] == [""] * 5


def test_busy_prolific_is_waited_for(server: ProlificServer) -> None:
    checked = with_statuses(server.client(), ALL)
    server.troubles = [429, 429]
    results = approve(server.client(), checked, NAMES)
    assert [one.result for one in results][:2] == ["approved", "approved"]
    assert server.slept == list(WAITS_S[:2])


def test_failure_of_one_does_not_stop_the_others_and_of_all_does(server: ProlificServer) -> None:
    checked = with_statuses(server.client(), ALL)
    server.troubles = [400]
    results = approve(server.client(), checked, NAMES)
    assert [one.result for one in results][:2] == ["Prolific answered 400: Something is wrong", "approved"]
    server.statuses["s2"] = WAITING
    results = approve(server.client("wrong"), checked, NAMES)
    assert "does not accept the token" in results[0].result
    assert results[1].result == NOT_ASKED


def test_unreachable_prolific_is_reported(server: ProlificServer) -> None:
    client = server.client()
    server.port = 9
    with pytest.raises(ProlificError, match="could not be reached"):
        with_statuses(client, ALL)
