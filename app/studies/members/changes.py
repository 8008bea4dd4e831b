"""People of a study: invite, join, change a role, remove, and help somebody back in."""

import secrets
from shlex import quote

from sqlalchemy import Connection

from app.accounts.identities import has_identity
from app.accounts.lead_access import is_email, new_link
from app.accounts.leads import Lead, get_lead, lock_lead, revoke_sign_in_links
from app.accounts.roles import Role
from app.studies.audit import record_act
from app.studies.members.members import (
    Member,
    get_invitation,
    list_members,
    list_members_for_update,
    owns_all_studies_of,
    record_invitation,
    record_member,
    remove_member,
    revoke_invitations,
    use_invitation,
)
from app.studies.studies import StudyRow, get_study


class MemberError(ValueError):
    """The people of a study cannot be changed like this; the sentence says why."""


LAST_OWNER = "A study needs an owner. Make somebody else an owner first."


def invite(db: Connection, study: StudyRow, owner: Lead, email: str, role: Role) -> str:
    """Make a link with which one person can join the study, and return its token.

    It replaces an earlier link for the same address.

    Raises:
        MemberError: no e-mail address, or that lead is a member already.
    """
    email = email.strip().lower()
    if not is_email(email):
        raise MemberError(f"{email or 'Nothing'} is not an e-mail address.")
    if any(member.email == email for member in list_members(db, study.id)):
        raise MemberError(f"{email} belongs to this study already.")
    revoke_invitations(db, study.id, email)
    token = secrets.token_urlsafe(32)
    record_invitation(db, study.id, token, email, role, by=owner.id)
    record_act(db, owner, study, "person invited", email=email, role=role)
    return token


def join(db: Connection, token: str, lead: Lead) -> str | None:
    """Join the study of this invitation; its slug, or None if the link is used or too old.

    A member keeps the role they have: a link does not take rights away.
    """
    invitation = get_invitation(db, token)
    if invitation is None or not use_invitation(db, token):
        return None
    study = get_study(db, invitation.slug, lead.id)
    if study is not None and study.role is None:
        record_member(db, study.id, lead.id, invitation.role)
        # Earlier links were made by people who could open all studies of this lead; this one may be closed to them.
        revoke_sign_in_links(db, lead.id)
        record_act(db, lead, study, "joined", role=invitation.role, invited=invitation.email)
    return invitation.slug


def change_role(db: Connection, study: StudyRow, owner: Lead, lead_id: int, role: Role) -> None:
    """Give a member another role.

    Raises:
        MemberError: not a member, or the only owner.
    """
    member = _member(db, study, lead_id, stays_owner=role == "owner")
    record_member(db, study.id, lead_id, role)
    record_act(db, owner, study, "role changed", email=member.email, before=member.role, after=role)


def remove(db: Connection, study: StudyRow, by: Lead, lead_id: int) -> None:
    """Remove a member from the study, and revoke invitations for them. Members can remove themselves.

    Raises:
        MemberError: not a member, or the only owner.
    """
    member = _member(db, study, lead_id, stays_owner=False)
    remove_member(db, study.id, lead_id)
    revoke_invitations(db, study.id, member.email)
    action = "left the study" if lead_id == by.id else "person removed"
    record_act(db, by, study, action, email=member.email, role=member.role)


def recovery_link(db: Connection, study: StudyRow, owner: Lead, lead_id: int) -> str:
    """The token of a link that signs a member in once, to set a new password.

    Whoever has the link can use the account. An owner can therefore make it only for people all of whose studies
    they own: they gain access to nothing that they do not have. Nobody needs one who signs in by OpenID Connect, and
    they would not notice that somebody else has set a password for their account.

    Raises:
        MemberError: not a member, oneself, a member of other studies, or somebody who signs in by OpenID Connect.
    """
    member = next((member for member in list_members(db, study.id) if member.lead_id == lead_id), None)
    lead = get_lead(db, member.email) if member else None
    if member is None or lead is None or lead.id == owner.id:
        raise MemberError("This person does not belong to the study.")
    lock_lead(db, lead.id)
    if has_identity(db, lead.id):
        raise MemberError(f"{lead.email} signs in with their institution, not by a link. {_administrator(lead)}")
    if not owns_all_studies_of(db, owner.id, lead.id):
        raise MemberError(f"{lead.email} belongs to studies that you do not own. {_administrator(lead)}")
    record_act(db, owner, study, "recovery link made", email=lead.email)
    return new_link(db, lead, is_recovery=True)


def _administrator(lead: Lead) -> str:
    return f"The administrator of this server can make a link: attune lead link {quote(lead.email)}"


def _member(db: Connection, study: StudyRow, lead_id: int, *, stays_owner: bool) -> Member:
    """The member, if the study keeps an owner after the change."""
    members = list_members_for_update(db, study.id)
    found = next((member for member in members if member.lead_id == lead_id), None)
    if found is None:
        raise MemberError("This person does not belong to the study.")
    owners = [member for member in members if member.role == "owner"]
    if owners == [found] and not stays_owner:
        raise MemberError(LAST_OWNER)
    return found
