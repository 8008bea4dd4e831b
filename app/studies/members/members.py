"""Who belongs to a study and in which role, and the invitations by which they come."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, text

from app.accounts.roles import Role
from app.base.database.keys import token_hash

INVITATION_IS_VALID = timedelta(days=7)
_MEMBERS = text("""
    SELECT l.id, l.email, m.role, m.joined_at FROM study_members m JOIN leads l ON l.id = m.lead_id
    WHERE m.study_id = :study ORDER BY m.joined_at, l.email
""")
_RECORD = text("""
    INSERT INTO study_members (study_id, lead_id, role) VALUES (:study, :lead, :role)
    ON CONFLICT (study_id, lead_id) DO UPDATE SET role = excluded.role
""")
_TAKE_OWNERLESS = text("""
    WITH taken AS (
      INSERT INTO study_members (study_id, lead_id, role)
      SELECT id, :lead, 'owner' FROM studies s
      WHERE NOT EXISTS (SELECT FROM study_members m WHERE m.study_id = s.id)
        AND NOT EXISTS (SELECT FROM walk_throughs t WHERE t.copy_id = s.id)
      RETURNING study_id)
    SELECT s.slug FROM taken JOIN studies s ON s.id = taken.study_id ORDER BY s.slug
""")
_REMOVE = text("DELETE FROM study_members WHERE study_id = :study AND lead_id = :lead")
# Two owners who leave at the same moment must not both find that the other one stays.
_LOCK = text("SELECT id FROM studies WHERE id = :study FOR NO KEY UPDATE")
_OWNS_ALL = text("""
    SELECT NOT EXISTS (
        SELECT FROM study_members theirs
        LEFT JOIN study_members own
            ON own.study_id = theirs.study_id AND own.lead_id = :owner AND own.role = 'owner'
        WHERE theirs.lead_id = :lead AND own.lead_id IS NULL
    )
""")
_INVITE = text("""
    INSERT INTO study_invitations (study_id, token_hash, email, role, invited_by, expires_at)
    VALUES (:study, :token, :email, :role, :by, now() + :valid)
""")
# Only owners invite: an invitation ends when the one who made it is no longer an owner.
_INVITATIONS = text("""
    SELECT i.id, i.study_id, s.slug, p.title, i.email, i.role, i.expires_at
    FROM study_invitations i JOIN studies s ON s.id = i.study_id
    JOIN protocols p ON p.study_id = s.id AND p.version = s.protocol_version
    JOIN study_members m ON m.study_id = i.study_id AND m.lead_id = i.invited_by AND m.role = 'owner'
    WHERE i.used_at IS NULL AND i.expires_at > now()
      AND (i.study_id = :study OR i.token_hash = :token) ORDER BY i.id
""")
_USE = text("""
    UPDATE study_invitations SET used_at = now()
    WHERE token_hash = :token AND used_at IS NULL AND expires_at > now() RETURNING id
""")
_REVOKE = text("""
    DELETE FROM study_invitations WHERE study_id = :study AND id = :invitation AND used_at IS NULL RETURNING email
""")
_REVOKE_ALL = text("DELETE FROM study_invitations WHERE study_id = :study AND email = :email AND used_at IS NULL")
_REVOKE_BY = text("DELETE FROM study_invitations WHERE invited_by = :lead AND used_at IS NULL")


@dataclass(frozen=True, slots=True)
class Member:
    """A lead who belongs to a study."""

    lead_id: int
    email: str
    role: Role
    joined_at: datetime


@dataclass(frozen=True, slots=True)
class Invitation:
    """A link that is still open, and what it leads to."""

    id: int
    study_id: int
    slug: str
    title: str
    email: str
    role: Role
    expires_at: datetime


def list_members(db: Connection, study_id: int) -> list[Member]:
    """The people of a study, the first to join first."""
    return [Member(*row) for row in db.execute(_MEMBERS, {"study": study_id})]


def list_members_for_update(db: Connection, study_id: int) -> list[Member]:
    """The people of a study; nobody else changes them until this transaction ends."""
    db.execute(_LOCK, {"study": study_id})
    return list_members(db, study_id)


def record_member(db: Connection, study_id: int, lead_id: int, role: Role) -> None:
    """Give a lead a role in a study."""
    db.execute(_RECORD, {"study": study_id, "lead": lead_id, "role": role})


def own_ownerless_studies(db: Connection, lead_id: int) -> list[str]:
    """Make a lead the owner of all studies that nobody belongs to; returns their slugs."""
    return list(db.execute(_TAKE_OWNERLESS, {"lead": lead_id}).scalars())


def remove_member(db: Connection, study_id: int, lead_id: int) -> None:
    """Take a lead out of a study; the account stays."""
    db.execute(_REMOVE, {"study": study_id, "lead": lead_id})


def owns_all_studies_of(db: Connection, owner_id: int, lead_id: int) -> bool:
    """Whether every study that the second lead can open belongs to the first one too."""
    return bool(db.execute(_OWNS_ALL, {"owner": owner_id, "lead": lead_id}).scalar_one())


def record_invitation(db: Connection, study_id: int, token: str, email: str, role: Role, *, by: int) -> None:
    """A link that lets somebody join once, made by an owner."""
    values = {"by": by, "study": study_id, "token": token_hash(token), "email": email, "role": role}
    db.execute(_INVITE, values | {"valid": INVITATION_IS_VALID})


def list_invitations(db: Connection, study_id: int) -> list[Invitation]:
    """The invitations of a study that can still be used."""
    return [Invitation(*row) for row in db.execute(_INVITATIONS, {"study": study_id, "token": None})]


def get_invitation(db: Connection, token: str) -> Invitation | None:
    """What a link leads to; None if it is unknown, used or expired."""
    row = db.execute(_INVITATIONS, {"study": None, "token": token_hash(token)}).one_or_none()
    return None if row is None else Invitation(*row)


def use_invitation(db: Connection, token: str) -> bool:
    """Use a link up. Of two simultaneous requests, one succeeds."""
    return db.execute(_USE, {"token": token_hash(token)}).one_or_none() is not None


def revoke_invitation(db: Connection, study_id: int, number: int) -> str | None:
    """End an invitation before it is used; the address that it was for."""
    email: str | None = db.execute(_REVOKE, {"study": study_id, "invitation": number}).scalar_one_or_none()
    return email


def revoke_invitations(db: Connection, study_id: int, email: str) -> None:
    """End all invitations of a study that were made for an address and have not been used."""
    db.execute(_REVOKE_ALL, {"study": study_id, "email": email})


def revoke_invitations_by(db: Connection, lead_id: int) -> None:
    """End all invitations that a lead has made and that have not been used."""
    db.execute(_REVOKE_BY, {"lead": lead_id})
