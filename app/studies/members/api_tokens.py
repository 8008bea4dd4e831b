"""Tokens with which programs use the API in the name of a lead. They are stored as hashes and shown once."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, RowMapping, text

from app.accounts.leads import Lead
from app.accounts.roles import Role, weaker_of
from app.base.database.keys import token_hash
from app.studies.audit import record_act
from app.studies.studies import StudyRow

_RECORD = text("""
    INSERT INTO api_tokens (study_id, lead_id, token_hash, name, role, expires_at)
    VALUES (:study, :lead, :hash, :name, :role, now() + :valid) RETURNING id
""")
_TOKENS = """
    SELECT t.id, t.name, t.role, m.role AS member_role, t.lead_id, l.email, s.slug,
           t.created_at, t.expires_at, t.used_at, t.expires_at <= now() AS is_expired
    FROM api_tokens t
    JOIN study_members m ON m.study_id = t.study_id AND m.lead_id = t.lead_id
    JOIN leads l ON l.id = t.lead_id
    JOIN studies s ON s.id = t.study_id
"""
_OF_STUDY = text(f"{_TOKENS} WHERE t.study_id = :study ORDER BY t.id DESC")
_BY_HASH = text(f"{_TOKENS} WHERE t.token_hash = :hash AND t.expires_at > now()")
# At most once a minute: otherwise every request that only reads would write.
_USED = text("""
    UPDATE api_tokens SET used_at = now()
    WHERE id = :token AND (used_at IS NULL OR used_at < now() - interval '1 minute')
""")
_DELETE = text("""
    DELETE FROM api_tokens
    WHERE study_id = :study AND id = :token AND (CAST(:lead AS bigint) IS NULL OR lead_id = :lead) RETURNING name
""")
_DELETE_ALL = text("DELETE FROM api_tokens WHERE lead_id = :lead")


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A token without its secret. `role` is the weaker of the token's role and that of the lead in the study now."""

    id: int
    name: str
    role: Role
    lead: Lead
    slug: str
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None
    is_expired: bool


def record_api_token(
    db: Connection, study_id: int, lead_id: int, *, token: str, name: str, role: Role, valid: timedelta
) -> int:
    """Store a token; returns its ID."""
    values = {"study": study_id, "lead": lead_id, "hash": token_hash(token), "name": name, "role": role}
    return int(db.execute(_RECORD, values | {"valid": valid}).scalar_one())


def list_api_tokens(db: Connection, study_id: int) -> list[ApiToken]:
    """All tokens of a study, newest first, expired ones too."""
    return [_token(row) for row in db.execute(_OF_STUDY, {"study": study_id}).mappings()]


def use_api_token(db: Connection, token: str) -> ApiToken | None:
    """The token with this secret, marked as used; None if it is unknown, revoked or expired."""
    row = db.execute(_BY_HASH, {"hash": token_hash(token)}).mappings().one_or_none()
    if row is None:
        return None
    db.execute(_USED, {"token": row["id"]})
    return _token(row)


def delete_api_token(db: Connection, study_id: int, token_id: int, lead_id: int | None) -> str | None:
    """Revoke a token; returns its name, or None if there is none. `lead_id`: only if it belongs to this lead."""
    values = {"study": study_id, "token": token_id, "lead": lead_id}
    name: str | None = db.execute(_DELETE, values).scalar_one_or_none()
    return name


def delete_api_tokens(db: Connection, lead_id: int) -> None:
    """Revoke all tokens of a lead, in all studies."""
    db.execute(_DELETE_ALL, {"lead": lead_id})


def _token(row: RowMapping) -> ApiToken:
    return ApiToken(
        id=row["id"],
        name=row["name"],
        role=weaker_of(row["role"], row["member_role"]),
        lead=Lead(row["lead_id"], row["email"]),
        slug=row["slug"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        used_at=row["used_at"],
        is_expired=row["is_expired"],
    )


# Make and revoke the tokens with which programs use the API.

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
