"""Personal links: which rater each belongs to. A new link invalidates the older one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from sqlalchemy import Connection

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


def list_uninvited(db: Connection, study_id: int, *, is_without_pools: bool = False) -> dict[str, int]:
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
