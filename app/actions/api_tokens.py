"""Make and revoke the tokens with which programs use the API."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from app.design.roles import weaker_of
from app.storage.leads.api_tokens import delete_api_token, list_api_tokens, record_api_token
from app.storage.leads.audit import record_act

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.design.roles import Role
    from app.storage.leads.leads import Lead
    from app.storage.studies.studies import StudyRow

# So that scanners for leaked secrets can recognize one.
PREFIX = "attune_"
LONGEST_NAME, MAX_TOKENS = 100, 50
DAYS = (30, 90, 365)


class ApiTokenError(ValueError):
    """The token cannot be made; the sentence says why."""


def make_api_token(db: Connection, study: StudyRow, lead: Lead, *, name: str, role: Role, days: int) -> str:
    """Make a new token, which is shown once. It has the rights of the role for a number of days.

    Raises:
        ApiTokenError: no name or an unusable one, a role above the lead's own, too many tokens.
    """
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise ApiTokenError(f"Say in at most {LONGEST_NAME} characters, on one line, what the token is for.")
    if study.role is None or weaker_of(role, study.role) != role:
        raise ApiTokenError(f"A token cannot have more rights than you. Your role in this study is {study.role}.")
    if days not in DAYS:
        raise ApiTokenError(f"Choose {', '.join(map(str, DAYS[:-1]))} or {DAYS[-1]} days. Found: {days}.")
    if len(list_api_tokens(db, study.id)) >= MAX_TOKENS:
        raise ApiTokenError(f"A study can have {MAX_TOKENS} tokens. Revoke one that is no longer used.")
    token = PREFIX + secrets.token_urlsafe(32)
    record_api_token(db, study.id, lead.id, token=token, name=name, role=role, valid=timedelta(days=days))
    record_act(db, lead, study, "API token made", name=name, role=role, days=days)
    return token


def revoke_api_token(db: Connection, study: StudyRow, lead: Lead, token_id: int) -> bool:
    """End a token at once; False if there is none. Owners can revoke every token, others their own."""
    name = delete_api_token(db, study.id, token_id, None if study.may("own") else lead.id)
    if name is not None:
        record_act(db, lead, study, "API token revoked", name=name)
    return name is not None
