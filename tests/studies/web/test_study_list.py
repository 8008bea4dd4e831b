from collections.abc import Callable

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.lead_access import add_lead
from app.accounts.leads import Lead
from app.rating.life_cycle import open_study
from tests.kit.lead_studies import rate, study_of


def test_new_lead_sees_how_to_start(client: TestClient) -> None:
    page = client.get("/studies").text
    assert "You have no studies yet" in page


def test_study_list_counts_items_raters_and_answers(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead)
    page = client.get("/studies").text
    assert 'href="/studies/small"' in page
    assert 'data-label="Items" class="number">2</td>' in page
    assert "not yet" in page


def test_raters_and_answers_of_a_study_count_the_same_raters(client: TestClient, db: Connection, lead: Lead) -> None:
    study_id = study_of(db, lead)
    open_study(db, "small")
    rate(db, study_id, rater="anna")
    for n in range(3):
        rate(db, study_id, rater=f"robot-{n}", is_simulated=True)
    page = client.get("/studies").text
    assert 'data-label="Raters" class="number">4<span class="slug">3 simulated</span></td>' in page
    assert 'data-label="Answers" class="number">4</td>' in page


def test_answers_without_a_time_are_not_called_missing(client: TestClient, db: Connection, lead: Lead) -> None:
    """Beside 96 imported answers stood that the last one had not come yet."""
    study_id = study_of(db, lead)
    open_study(db, "small")
    rate(db, study_id, rater="anna")
    db.execute(text("UPDATE ratings SET rated_at = NULL"))
    assert 'data-label="Last answer"><span class="soft">–</span></td>' in client.get("/studies").text


def test_lead_sees_only_own_studies(
    client: TestClient, db: Connection, sign_in: Callable[[Lead], TestClient], lead: Lead
) -> None:
    study_of(db, lead)
    other = sign_in(add_lead(db, "other@example.org"))
    assert "/studies/small" not in other.get("/studies").text
    assert other.get("/studies/small").status_code == 404
    assert client.get("/studies/small").status_code == 200


def test_study_without_owner_is_not_found(client: TestClient, db: Connection) -> None:
    study_of(db, None)
    assert client.get("/studies/small").status_code == 404


@pytest.mark.parametrize("title", ["<script>alert(1)</script>", "\u202etxt.exe", "=1+1"])
def test_hostile_title_is_escaped(client: TestClient, db: Connection, lead: Lead, title: str) -> None:
    study_of(db, lead, title=title)
    for address in ("/studies", "/studies/small"):
        page = client.get(address).text
        assert "<script>alert" not in page
        shown = title.replace("<", "&lt;").replace(">", "&gt;")
        assert f"<bdi>{shown}</bdi>" in page
