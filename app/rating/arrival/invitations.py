"""Personal links: which rater each belongs to. A new link invalidates the older one."""

from collections.abc import Sequence

from sqlalchemy import Connection, text

from app.rating.arrival.arrivals import ArrivalStudy, record_invite
from app.studies.protocols import get_protocol

_INVITABLE = text("""
    SELECT r.key, r.id FROM raters r
    WHERE r.study_id = :study AND r.kind = 'person' AND NOT r.is_simulated AND NOT r.is_imported
      AND (r.pool IS NOT NULL OR :without_pools)
      AND NOT EXISTS (SELECT FROM platform_ids p WHERE p.study_id = r.study_id AND p.rater_id = r.id)
      AND NOT EXISTS (SELECT FROM invites i WHERE i.study_id = r.study_id AND i.rater_id = r.id
                      AND i.revoked_at IS NULL)
    ORDER BY r.key
""")
# Raters who came from a platform, or are simulated, have a session that is not the lead's to enter.
_RATER = text("""
    SELECT r.id FROM raters r
    WHERE r.study_id = :study AND r.key = :key AND r.kind = 'person' AND NOT r.is_simulated AND NOT r.is_imported
      AND NOT EXISTS (SELECT FROM platform_ids p WHERE p.study_id = r.study_id AND p.rater_id = r.id)
""")
_NEW = text("""
    INSERT INTO raters (study_id, key, pool) VALUES (:study, :key, :pool) ON CONFLICT DO NOTHING RETURNING id
""")
_REVOKE = text("""
    UPDATE invites SET revoked_at = now() WHERE study_id = :study AND rater_id = :rater AND revoked_at IS NULL
""")


def list_uninvited(db: Connection, study_id: int, *, is_without_pools: bool) -> dict[str, int]:
    """People listed in raters.csv for a pool who have no link yet, as ID by key."""
    return {row.key: row.id for row in db.execute(_INVITABLE, {"study": study_id, "without_pools": is_without_pools})}


def get_person(db: Connection, study_id: int, key: str) -> int | None:
    """The ID of the person with this key; None if there is no such rater, or they cannot have a personal link.

    Models, simulated and imported raters cannot, and neither can people who came by a link of a platform.
    """
    found: int | None = db.execute(_RATER, {"study": study_id, "key": key}).scalar_one_or_none()
    return found


def record_person(db: Connection, study_id: int, key: str, pool: str | None) -> int | None:
    """Create a rater who is not listed in raters.csv; None if the key is taken."""
    found = db.execute(_NEW, {"study": study_id, "key": key, "pool": pool}).scalar_one_or_none()
    return None if found is None else int(found)


def revoke_invites(db: Connection, study_id: int, rater_id: int) -> None:
    """Revoke all earlier links of this rater."""
    db.execute(_REVOKE, {"study": study_id, "rater": rater_id})


# Personal links for the raters listed in raters.csv.


class InviteError(ValueError):
    """The raters cannot be invited; the message gives the reason."""


def invite_raters(
    db: Connection, study: ArrivalStudy, keys: Sequence[str] = (), pool: str | None = None
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
