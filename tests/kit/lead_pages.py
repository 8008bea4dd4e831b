"""A signed-in lead with a study."""

from collections.abc import Callable

import pytest
from sqlalchemy import Connection
from starlette.testclient import TestClient

from app.accounts.lead_access import add_lead, begin_session
from app.accounts.leads import Lead, record_password
from app.accounts.passwords import hash_password
from app.rating.life_cycle import open_study
from tests.kit.lead_studies import rate, study_of


@pytest.fixture(scope="session")
def password_hash() -> str:
    """The hash of the lead's password, made once: hashing takes longer than most tests."""
    return hash_password("correct horse battery")


@pytest.fixture
def lead(db: Connection, password_hash: str) -> Lead:
    lead = add_lead(db, "lead@example.org")
    record_password(db, lead.id, password_hash)
    return lead


@pytest.fixture
def sign_in(db: Connection, visit: Callable[[], TestClient]) -> Callable[[Lead], TestClient]:
    """Create the browser of a signed-in lead."""

    def browser(lead: Lead) -> TestClient:
        client = visit()
        client.cookies.set("attune-lead", begin_session(db, lead))
        return client

    return browser


@pytest.fixture
def client(lead: Lead, sign_in: Callable[[Lead], TestClient]) -> TestClient:
    """The browser of the lead."""
    return sign_in(lead)


@pytest.fixture
def study_id(db: Connection, lead: Lead) -> int:
    """A draft of the lead; tests that need more override it."""
    return study_of(db, lead)


@pytest.fixture
def rated(db: Connection, lead: Lead) -> None:
    """A study rated by a simulated rater and a person."""
    study_id = study_of(db, lead)
    open_study(db, "small")
    for rater, is_simulated in (("a", True), ("b", False)):
        rate(db, study_id, rater=rater, is_simulated=is_simulated, n_trials=2)
