"""Identities of leads at a provider of OpenID Connect: issuer and subject, stored at the first sign-in."""

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.postgresql import insert

from app.accounts.leads import Lead
from app.accounts.tables import lead_identities, leads


def get_lead_of_identity(db: Connection, issuer: str, subject: str) -> Lead | None:
    """The lead who has this identity, or None."""
    statement = (
        select(leads.c.id, leads.c.email)
        .join(lead_identities, lead_identities.c.lead_id == leads.c.id)
        .where(lead_identities.c.issuer == issuer, lead_identities.c.subject == subject)
    )
    row = db.execute(statement).one_or_none()
    return Lead(*row) if row else None


def record_identity(db: Connection, lead_id: int, issuer: str, subject: str) -> bool:
    """Store the identity of a lead; False if the lead has another one there, or somebody else has this one."""
    values = {"lead_id": lead_id, "issuer": issuer, "subject": subject}
    statement = insert(lead_identities).values(values).on_conflict_do_nothing().returning(lead_identities.c.lead_id)
    return db.execute(statement).one_or_none() is not None


def has_identity(db: Connection, lead_id: int, issuer: str | None = None) -> bool:
    """Whether the lead is linked to an identity, at this provider or at any."""
    found = select(lead_identities.c.lead_id).where(lead_identities.c.lead_id == lead_id)
    if issuer is not None:
        found = found.where(lead_identities.c.issuer == issuer)
    return db.execute(found).first() is not None


def delete_identities(db: Connection, lead_id: int) -> int:
    """Forget the identities of a lead, so that the next sign-in stores one anew; returns how many there were."""
    return db.execute(delete(lead_identities).where(lead_identities.c.lead_id == lead_id)).rowcount
