"""A signed-in lead with a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.actions.lead_access import add_lead, begin_session

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection
    from starlette.testclient import TestClient

    from app.storage.leads.leads import Lead


@pytest.fixture
def lead(db: Connection) -> Lead:
    return add_lead(db, "lead@example.org", "correct horse battery")


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
