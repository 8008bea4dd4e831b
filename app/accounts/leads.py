"""Leads, their sessions and one-time links. Tokens are stored as hashes, so a copy of the database gives no access."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from app.accounts.tables import attempts, lead_sessions, leads, sign_in_links
from app.base.database.keys import token_hash
from app.base.database.outages import SLACK

SLIDING = timedelta(hours=12)
LONGEST = timedelta(days=30)
RECENT = timedelta(hours=1)
# A session is extended at most this often; otherwise every page view would be a write.
STEP = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Lead:
    """A person who runs studies."""

    id: int
    email: str


@dataclass(frozen=True, slots=True)
class UsedLink:
    """A one-time link that has just been used: whose it is, and whether a study's owner made it for this member."""

    lead: Lead
    is_recovery: bool


@dataclass(frozen=True, slots=True)
class LeadSession:
    """An open session; `key` is the hash of its token, from which the token cannot be derived."""

    key: str
    began_at: datetime
    ends_at: datetime
    is_this: bool


def record_lead(db: Connection, email: str, password_hash: str | None) -> Lead | None:
    """Create a lead; None if the address already has an account."""
    statement = upsert(leads).values(email=email.lower(), password_hash=password_hash).on_conflict_do_nothing()
    row = db.execute(statement.returning(leads.c.id, leads.c.email)).one_or_none()
    return Lead(*row) if row else None


def get_lead(db: Connection, email: str) -> Lead | None:
    """The lead with this address, or None."""
    row = db.execute(select(leads.c.id, leads.c.email).where(leads.c.email == email.lower())).one_or_none()
    return Lead(*row) if row else None


def list_leads(db: Connection) -> Sequence[Lead]:
    """All leads, oldest first."""
    return [Lead(*row) for row in db.execute(select(leads.c.id, leads.c.email).order_by(leads.c.id))]


def lock_lead(db: Connection, lead_id: int) -> None:
    """Wait for other changes of how this lead signs in; there are none until this transaction ends."""
    db.execute(select(leads.c.id).where(leads.c.id == lead_id).with_for_update(key_share=True))


def get_password_hash(db: Connection, lead_id: int) -> str | None:
    """The hash of the password; None for a lead who signs in by link only."""
    stored: str | None = db.execute(select(leads.c.password_hash).where(leads.c.id == lead_id)).scalar_one()
    return stored


def record_password(db: Connection, lead_id: int, password_hash: str | None) -> None:
    """Store a new password hash, or that the lead has no password."""
    db.execute(update(leads).where(leads.c.id == lead_id).values(password_hash=password_hash))


def record_lead_session(db: Connection, lead_id: int, token: str, link: UsedLink | None = None) -> None:
    """Start a session, and delete sessions, links and attempts that expired long ago.

    A session lasts an hour, in which a new password can be set, if it began by an owner's recovery link, or by another
    link although the lead has a password.
    """
    db.execute(delete(lead_sessions).where(lead_sessions.c.expires_at < func.now() - LONGEST))
    db.execute(delete(sign_in_links).where(sign_in_links.c.expires_at < func.now() - LONGEST))
    db.execute(delete(attempts).where(attempts.c.resets_at < func.now()))
    is_short = link is not None and (link.is_recovery or get_password_hash(db, lead_id) is not None)
    values = {
        "token_hash": token_hash(token),
        "lead_id": lead_id,
        "is_from_link": link is not None,
        "is_short": is_short,
    }
    db.execute(insert(lead_sessions).values(values | {"expires_at": func.now() + (RECENT if is_short else SLIDING)}))


def get_lead_of_session(db: Connection, token: str) -> Lead | None:
    """The lead of a session that is neither expired nor revoked, or None."""
    statement = (
        select(leads.c.id, leads.c.email)
        .join(lead_sessions, lead_sessions.c.lead_id == leads.c.id)
        .where(lead_sessions.c.token_hash == token_hash(token), lead_sessions.c.revoked_at.is_(None))
        .where(_is_valid())
    )
    row = db.execute(statement).one_or_none()
    return Lead(*row) if row else None


def is_recent_session(db: Connection, token: str, *, is_from_link: bool = False) -> bool:
    """Whether this session began within the last hour, and by a link if it must have."""
    statement = select(lead_sessions.c.token_hash).where(
        lead_sessions.c.token_hash == token_hash(token),
        lead_sessions.c.created_at.between(func.now() - RECENT, func.now() + SLACK),
    )
    if is_from_link:
        statement = statement.where(lead_sessions.c.is_from_link)
    return db.execute(statement).one_or_none() is not None


def is_short_session(db: Connection, token: str) -> bool:
    """Whether this session ends an hour after its start."""
    mark = select(lead_sessions.c.is_short).where(lead_sessions.c.token_hash == token_hash(token))
    return bool(db.execute(mark).scalar_one_or_none())


def _is_valid() -> ColumnElement[bool]:
    """The session has not expired, and it does not end later than any session can.

    A session that began while the clock was ahead would otherwise last too long.
    """
    ends = lead_sessions.c.expires_at
    return and_(ends > func.now(), ends <= func.now() + SLIDING + SLACK)


def prolong_lead_session(db: Connection, token: str) -> None:
    """Extend a session that is not short to 12 hours from now, but to no more than 30 days after its start."""
    until = func.least(func.now() + SLIDING, lead_sessions.c.created_at + LONGEST)
    statement = update(lead_sessions).where(lead_sessions.c.token_hash == token_hash(token))
    statement = statement.where(~lead_sessions.c.is_short)
    db.execute(statement.where(lead_sessions.c.expires_at < until - STEP).values(expires_at=until))


def revoke_lead_session(db: Connection, token: str) -> None:
    """End one session."""
    _revoke(db, lead_sessions.c.token_hash == token_hash(token))


def list_lead_sessions(db: Connection, lead_id: int, token: str) -> Sequence[LeadSession]:
    """The sessions of a lead that are open, newest first; `token` is that of the browser that asks."""
    statement = (
        select(lead_sessions.c.token_hash, lead_sessions.c.created_at, lead_sessions.c.expires_at)
        .where(lead_sessions.c.lead_id == lead_id, lead_sessions.c.revoked_at.is_(None))
        .where(_is_valid())
        .order_by(lead_sessions.c.created_at.desc())
    )
    return [
        LeadSession(row.token_hash.hex(), row.created_at, row.expires_at, row.token_hash == token_hash(token))
        for row in db.execute(statement)
    ]


def revoke_listed_session(db: Connection, lead_id: int, key: str) -> None:
    """End one session of this lead, by its key in the list."""
    _revoke(db, and_(lead_sessions.c.lead_id == lead_id, lead_sessions.c.token_hash == bytes.fromhex(key)))


def revoke_lead_sessions(db: Connection, lead_id: int) -> None:
    """End all sessions of a lead."""
    _revoke(db, lead_sessions.c.lead_id == lead_id)


def _revoke(db: Connection, which: ColumnElement[bool]) -> None:
    db.execute(update(lead_sessions).where(which, lead_sessions.c.revoked_at.is_(None)).values(revoked_at=func.now()))


def record_sign_in_link(db: Connection, lead_id: int, token: str, valid: timedelta, *, is_recovery: bool) -> None:
    """Store a link that can be used to sign in once."""
    values = {"token_hash": token_hash(token), "lead_id": lead_id, "expires_at": func.now() + valid}
    db.execute(insert(sign_in_links).values(values | {"is_recovery": is_recovery}))


def use_sign_in_link(db: Connection, token: str) -> UsedLink | None:
    """Use a sign-in link; None if it is unknown, used or expired. Of two simultaneous requests, one succeeds."""
    statement = (
        update(sign_in_links)
        .where(sign_in_links.c.token_hash == token_hash(token), sign_in_links.c.used_at.is_(None))
        .where(sign_in_links.c.expires_at > func.now(), leads.c.id == sign_in_links.c.lead_id)
        .values(used_at=func.now())
        .returning(leads.c.id, leads.c.email, sign_in_links.c.is_recovery)
    )
    row = db.execute(statement).one_or_none()
    return UsedLink(Lead(row.id, row.email), is_recovery=row.is_recovery) if row else None


def revoke_sign_in_links(db: Connection, lead_id: int) -> None:
    """End all links of a lead that have not been used."""
    unused = (sign_in_links.c.lead_id == lead_id, sign_in_links.c.used_at.is_(None))
    db.execute(update(sign_in_links).where(*unused).values(used_at=func.now()))
