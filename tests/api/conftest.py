"""A small open study with two answers, and a program that has a token for it."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from fastapi import FastAPI
from sqlalchemy import Connection
from starlette.testclient import TestClient

from app.accounts.lead_access import add_lead
from app.accounts.leads import Lead
from app.accounts.roles import Role
from app.rating.life_cycle import open_study
from app.studies.members.api_tokens import record_api_token
from app.studies.members.members import record_member
from tests.kit.lead_studies import rate, study_of
from tests.kit.web_app import PLAIN

STUDY = "/api/v1/studies/small"


@pytest.fixture
def lead(db: Connection) -> Lead:
    return add_lead(db, "lead@example.org")


@pytest.fixture
def study_id(db: Connection, lead: Lead) -> int:
    study_id = study_of(db, lead)
    open_study(db, "small")
    rate(db, study_id, rater="r1", n_trials=2)
    return study_id


@pytest.fixture
def with_token(app: FastAPI, db: Connection, study_id: int, lead: Lead) -> Callable[[Role], TestClient]:
    """Make programs that have a token with this role. They send nothing that a browser sends."""

    def new(role: Role) -> TestClient:
        token = f"attune_{role}"
        record_api_token(db, study_id, lead.id, token=token, name=f"for {role}", role=role, valid=timedelta(days=1))
        headers = {"authorization": f"Bearer {token}"} | PLAIN
        return TestClient(app, headers=headers, follow_redirects=False, raise_server_exceptions=False)

    return new


@pytest.fixture
def program(with_token: Callable[[Role], TestClient]) -> TestClient:
    """A program with all rights."""
    return with_token("owner")


@pytest.fixture
def other_lead(db: Connection, study_id: int) -> Lead:
    """A second lead, who edits the study."""
    other = add_lead(db, "other@example.org")
    record_member(db, study_id, other.id, "editor")
    return other
