"""Mechanical Turk's frame, and the form that submits an assignment."""

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, text

from app.rating.arrival.mturk import submission_of
from app.rating.life_cycle import close_study
from tests.kit.rater_pages import Visitor

LINK = "/s/study?workerId=A1B2&assignmentId=AS1&hitId=H1&turkSubmitTo=https%3A%2F%2Fworkersandbox.mturk.com"
AMAZON = "https://www.mturk.com https://worker.mturk.com https://workersandbox.mturk.com"
IN_FRAME = {"sec-fetch-dest": "iframe"}


def policy(page: object) -> str:
    return str(page.headers["content-security-policy"])  # type: ignore[attr-defined]  # httpx's response


def test_mturk_frame_links_to_study_and_stores_nothing(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    worker = visitor()
    page = worker.get(LINK, headers=IN_FRAME)
    assert page.status_code == 200
    assert 'target="_blank"' in page.text
    assert 'href="?workerId=A1B2&amp;assignmentId=AS1&amp;hitId=H1' in page.text
    assert f"frame-ancestors {AMAZON};" in policy(page)
    assert not worker.cookies
    with engine.connect() as db:
        assert db.execute(text("SELECT count(*) FROM raters")).scalar() == 0


def test_only_mturk_preview_can_be_framed(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study()
    preview = visitor().get("/s/study?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&workerId=A1", headers=IN_FRAME)
    assert f"frame-ancestors {AMAZON};" in policy(preview)
    for page in (visitor().get(LINK), visitor().get("/s/study?participant=ben", headers=IN_FRAME)):
        assert "frame-ancestors 'none'" in policy(page)


def test_mturk_worker_submits_only_from_last_page(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(n_items=1, completion={"code": "C0DE"})
    worker = visitor()
    start = worker.get(LINK)
    done = worker.rate(worker.post("/s/study/start"))
    assert 'action="https://workersandbox.mturk.com/mturk/externalSubmit"' in done.text
    assert 'name="assignmentId"' in done.text
    assert 'value="AS1"' in done.text
    assert f"form-action 'self' {AMAZON};" in policy(done)
    assert "externalSubmit" not in start.text
    assert "form-action 'self';" in policy(start)


def test_full_study_submits_to_mturk_only_with_a_code(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    full = {"n_items": 1, "design": {"trials": "pairs", "raters_per_trial": 1}}
    study(**full, slug="unpaid", completion={"code": "C0DE"})
    study(**full, slug="paid", completion={"code": "C0DE", "otherwise": {"full": {"code": "FULL1"}}})
    for slug in ("unpaid", "paid"):
        first = visitor()
        first.rate(first.begin(slug=slug))
        late = visitor().get(LINK.replace("/s/study", f"/s/{slug}"))
        assert ("externalSubmit" in late.text) == (slug == "paid")


def test_worker_who_declines_or_finds_the_study_closed_submits_with_a_code(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    flow = {"consent": {"version": "1", "text": "You may stop."}}
    codes = {"no_consent": {"code": "N0"}, "full": {"code": "FULL1"}}
    study(n_items=1, flow=flow, completion={"code": "C0DE", "otherwise": codes})
    anna = visitor()
    anna.get(LINK)
    declined = anna.post("/s/study/consent", data={"consent": "refuse"})
    with engine.begin() as db:
        close_study(db, "study")
    for page, code in ((declined, "N0"), (visitor().get(LINK), "FULL1")):
        assert 'action="https://workersandbox.mturk.com/mturk/externalSubmit"' in page.text
        assert f'name="code" value="{code}"' in page.text
        assert f"form-action 'self' {AMAZON};" in policy(page)


@pytest.mark.parametrize(
    "site",
    [
        "",
        "https://www.mturk.com.example.org",
        "http://www.mturk.com",
        "https://x@www.mturk.com",
        "//www.mturk.com",
        "https://www.mturk.com:8443",
        "javascript:alert(1)",
        "https://[",
    ],
)
def test_mturk_submission_goes_only_to_amazon(site: str) -> None:
    assert submission_of("mturk", {"assignmentId": "A", "turkSubmitTo": site}) is None


@pytest.mark.parametrize("parameters", [{}, {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}, {"assignmentId": ""}])
def test_missing_assignment_has_no_mturk_submission(parameters: dict[str, str]) -> None:
    site = {"turkSubmitTo": "https://www.mturk.com"}
    assert submission_of("mturk", parameters | site) is None
    assert submission_of("prolific", {"assignmentId": "A"} | site) is None
