"""Accounts of leads, their sessions, and links that sign in once."""

import re
import secrets
from datetime import timedelta

from sqlalchemy import Connection

from app.accounts import leads
from app.accounts.leads import Lead
from app.accounts.passwords import AccessError, check_strength, hash_password

LINK_IS_VALID = timedelta(hours=24)
_EMAIL = re.compile(r"[^@\s\x00-\x1f]+@[^@\s\x00-\x1f]+")


def add_lead(db: Connection, email: str, password: str | None = None) -> Lead:
    """Create an account; without a password the lead signs in by link.

    Raises:
        AccessError: an invalid e-mail address, a weak password, or an address that already has an account.
    """
    email = email.strip().lower()
    if not is_email(email):
        raise AccessError(f"{email} is not an e-mail address.")
    if password is not None:
        check_strength(password, email)
    lead = leads.record_lead(db, email, hash_password(password) if password is not None else None)
    if lead is None:
        raise AccessError(f"{email} already has an account.")
    return lead


def is_email(text: str) -> bool:
    """Whether this may be an e-mail address."""
    return _EMAIL.fullmatch(text) is not None


def set_password(db: Connection, lead: Lead, password: str, *, session: str | None = None) -> None:
    """Change the password, sign out all sessions of this lead, and end their sign-in links.

    Args:
        db: a transaction.
        lead: whose password it is.
        password: the new one.
        session: the token of the session that changes it, which must still be open when the change takes effect.

    Raises:
        AccessError: a weak password, or the session has ended.
    """
    check_strength(password, lead.email)
    hashed = hash_password(password)
    leads.lock_lead(db, lead.id)
    if session is not None and leads.get_lead_of_session(db, session) is None:
        raise AccessError("Your session has ended. Sign in again.")
    leads.record_password(db, lead.id, hashed)
    sign_out_everywhere(db, lead)


def sign_out_everywhere(db: Connection, lead: Lead) -> None:
    """End the sign-in links of this lead, then all sessions: one may have just begun by a link."""
    leads.revoke_sign_in_links(db, lead.id)
    leads.revoke_lead_sessions(db, lead.id)


def begin_session(db: Connection, lead: Lead, earlier: str | None = None, link: leads.UsedLink | None = None) -> str:
    """Start a session and return its token. The browser's earlier session ends, so no token outlives a sign-in."""
    if earlier:
        leads.revoke_lead_session(db, earlier)
    token = secrets.token_urlsafe(32)
    leads.record_lead_session(db, lead.id, token, link)
    return token


def new_link(db: Connection, lead: Lead, *, is_recovery: bool = False) -> str:
    """Create a link that signs in once; returns its token."""
    token = secrets.token_urlsafe(32)
    leads.record_sign_in_link(db, lead.id, token, LINK_IS_VALID, is_recovery=is_recovery)
    return token
