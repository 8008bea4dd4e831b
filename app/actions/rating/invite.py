"""Personal links for the raters listed in raters.csv."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.storage.raters.arrivals import record_invite
from app.storage.raters.invitations import get_person, list_uninvited, record_person, revoke_invites
from app.storage.studies.protocols import get_protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from app.storage.raters.arrivals import StudyDoor


class InviteError(ValueError):
    """The raters cannot be invited; the message gives the reason."""


def invite_raters(
    db: Connection, study: StudyDoor, keys: Sequence[str] = (), pool: str | None = None
) -> list[tuple[str, str]]:
    """Create a new link for each of these raters, as (key, token); their earlier links are revoked.

    Args:
        db: the transaction.
        study: the study.
        keys: raters of raters.csv, or new ones if a pool is given or the design has none; empty for all listed raters
            who have no link yet.
        pool: the pool of new raters.

    Raises:
        InviteError: an unknown rater without a pool, or an unknown pool. Nobody was invited.
    """
    design = get_protocol(db, study.id, study.protocol_version, study.sha256).design
    pools, is_without_pools = design.pools, design.links == "personal" and not design.pools
    if pool is not None and pool not in pools:
        known = ", ".join(pools) or "none"
        raise InviteError(f"The design has no pool {pool}. Its pools: {known}.")
    raters = (
        {key: _person(db, study.id, key, pool, is_without_pools=is_without_pools) for key in keys}
        if keys
        else list_uninvited(db, study.id, is_without_pools=is_without_pools)
    )
    links = []
    for key, rater_id in raters.items():
        revoke_invites(db, study.id, rater_id)
        links.append((key, record_invite(db, study.id, rater_id)))
    return links


def _person(db: Connection, study_id: int, key: str, pool: str | None, *, is_without_pools: bool) -> int:
    found = get_person(db, study_id, key)
    if found is None and (pool is not None or is_without_pools):
        found = record_person(db, study_id, key, pool)
    if found is None:
        raise InviteError(
            f"{key} cannot be invited: no rater of raters.csv has this ID, or they take part in another way. To invite "
            "a new rater, use a new ID and name a pool."
        )
    return found
