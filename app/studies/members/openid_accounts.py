"""Which account an identity of the provider opens. No account is created without an invitation."""

from typing import NamedTuple

from sqlalchemy import Connection

from app.accounts.identities import get_lead_of_identity, record_identity
from app.accounts.lead_access import add_lead, is_email, sign_out_everywhere
from app.accounts.leads import Lead, get_lead, lock_lead, record_password
from app.accounts.openid.id_token import Identity, RefusedError
from app.studies.members.api_tokens import delete_api_tokens
from app.studies.members.members import revoke_invitations_by

UNVERIFIED = "The sign-in service did not confirm your e-mail address. Confirm it there and sign in again."
UNKNOWN = (
    "There is no account for your e-mail address on this server. Ask the owner of a study for an invitation, and sign "
    "in from its page."
)
OTHER_ADDRESS = (
    "This invitation was made for another e-mail address. Ask for an invitation to the address that you use."
)
OTHER_IDENTITY = (
    "The account with your e-mail address belongs to another identity at the sign-in service. Ask the administrator of "
    "this server."
)


class Found(NamedTuple):
    """The lead who signs in, and whether this sign-in has linked the account to the identity."""

    lead: Lead
    is_linked_now: bool


def lead_of(db: Connection, identity: Identity, invited_email: str | None = None) -> Found:
    """Find the lead who signs in: by their stored identity or, at the first sign-in, by the verified e-mail address.

    Until then nobody has proved that the address of the account is theirs, not even who was invited: the first sign-in
    ends its password, sessions, links and tokens.

    Args:
        db: a transaction.
        identity: what the provider has stated.
        invited_email: the address of the invitation that the visitor came by, whose account is created if needed.

    Raises:
        RefusedError: no account fits.
    """
    known = get_lead_of_identity(db, identity.issuer, identity.subject)
    if known is not None:
        return Found(known, is_linked_now=False)
    if identity.email is None or not is_email(identity.email):
        raise RefusedError(UNVERIFIED, "the e-mail address is not verified")
    lead = get_lead(db, identity.email) or _invited(db, identity.email, invited_email)
    lock_lead(db, lead.id)
    if not record_identity(db, lead.id, identity.issuer, identity.subject):
        raise RefusedError(OTHER_IDENTITY, "the account belongs to another subject")
    end_earlier_access(db, lead)
    return Found(lead, is_linked_now=True)


def _invited(db: Connection, email: str, invited_email: str | None) -> Lead:
    if invited_email is None:
        raise RefusedError(UNKNOWN, "no account has this e-mail address")
    if invited_email != email:
        raise RefusedError(OTHER_ADDRESS, "the invitation is for another e-mail address")
    return add_lead(db, email)


def end_earlier_access(db: Connection, lead: Lead) -> None:
    """End every way into an account that was there before its owner proved who they are.

    Whoever opened an invitation first may have set the password. The studies of the account stay.
    """
    record_password(db, lead.id, None)
    delete_api_tokens(db, lead.id)
    revoke_invitations_by(db, lead.id)
    sign_out_everywhere(db, lead)
