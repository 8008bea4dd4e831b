"""Walk-throughs: a lead walks through a draft as a rater, on a copy of it that no list shows and no result reads."""

import secrets
from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import Connection, text

from app.protocol.study import Protocol
from app.studies.protocols import record_version
from app.studies.studies import delete_copy

# No slug has an underscore, so no study's address begins like this.
_PREFIX = "walk_through_"
# Of larger studies, the first items are copied: one rater sees hardly more.
MAX_ITEMS = 500

_STUDY = text("""
    INSERT INTO studies (slug, rater_token, seed) SELECT :address, :address, seed FROM studies WHERE id = :study
    RETURNING id
""")
# The first items, and those that are needed in any case.
_COPIED = """
    FROM (SELECT i.*, row_number() OVER (ORDER BY position, id) AS place FROM items i WHERE study_id = :study) AS own
    WHERE place <= :most OR key = ANY(CAST(:needed AS text[]))
"""
_IMAGES = text(f"""
    INSERT INTO images (study_id, name, media_type, width, height, content)
    SELECT :copy, name, media_type, width, height, content FROM images
    WHERE study_id = :study AND name IN (SELECT image {_COPIED})
""")  # noqa: S608 - constants only
_ITEMS = text(f"""
    INSERT INTO items (study_id, key, position, text, turns, profile, image, image_alt, content_note, retired_because,
      attributes)
    SELECT :copy, key, position, text, turns, profile, image, image_alt, content_note, retired_because, attributes
    {_COPIED}
""")
_RESPONSES = text("""
    INSERT INTO responses (study_id, key, position, item_id, source_id, text, turns, attributes)
    SELECT :copy, r.key, r.position, ci.id, cs.id, r.text, r.turns, r.attributes FROM responses r
    JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id
    JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    JOIN items ci ON ci.study_id = :copy AND ci.key = i.key
    JOIN sources cs ON cs.study_id = :copy AND cs.key = s.key
    WHERE r.study_id = :study
""")
# Raters whom the lead has listed, and who have not begun: some designs name them.
_RATERS = text("""
    INSERT INTO raters (study_id, key, pool, attributes)
    SELECT :copy, key, pool, attributes FROM raters r
    WHERE study_id = :study AND kind = 'person' AND NOT is_simulated AND NOT is_imported
      AND NOT EXISTS (SELECT FROM rating_sessions s WHERE s.study_id = r.study_id AND s.rater_id = r.id)
""")
_RECORD = text("""
    INSERT INTO walk_throughs (study_id, lead_id, copy_id, sha256)
    SELECT s.id, :lead, :copy, p.sha256
    FROM studies s JOIN protocols p ON p.study_id = s.id AND p.version = s.protocol_version WHERE s.id = :study
""")
_COPIES = text("SELECT copy_id FROM walk_throughs WHERE copy_id IS NOT NULL AND study_id = :study")
_COPIES_OF_LEAD = text(f"{_COPIES.text} AND lead_id = :lead")
_OLD = text("SELECT copy_id FROM walk_throughs WHERE copy_id IS NOT NULL AND started_at < now() - interval '1 day'")
_DRAFT = text("""
    SELECT d.slug FROM studies c JOIN walk_throughs t ON t.copy_id = c.id JOIN studies d ON d.id = t.study_id
    WHERE c.rater_token = :address
""")
_SKIP = text("UPDATE walk_throughs SET skipped = skipped || CAST(:steps AS text[]) WHERE copy_id = :copy")
_END = text("UPDATE walk_throughs SET ended_at = coalesce(ended_at, now()) WHERE copy_id = :copy")
# Of several runs, the one with the fewest skipped steps.
_ENDED = text("""
    SELECT t.skipped FROM walk_throughs t JOIN protocols p ON p.study_id = t.study_id AND p.sha256 = t.sha256
    WHERE t.study_id = :study AND p.version = :version AND t.ended_at IS NOT NULL
    ORDER BY cardinality(t.skipped) LIMIT 1
""")


class Walk(NamedTuple):
    """Whether someone walked through the current version to its end, and the steps that they skipped."""

    is_done: bool
    skipped: tuple[str, ...] = ()


def is_walk_through(address: str) -> bool:
    """Whether raters' pages at this address belong to a walk-through.

    >>> is_walk_through("walk_through_3f"), is_walk_through("walk-through")
    (True, False)
    """
    return address.startswith(_PREFIX)


def is_walk_through_page(path: str) -> bool:
    """Whether this is the path of a page of a walk-through.

    >>> is_walk_through_page("/s/walk_through_3f/rate"), is_walk_through_page("/s/demo/rate")
    (True, False)
    """
    return path.startswith(f"/s/{_PREFIX}")


def copy_draft(
    db: Connection, study_id: int, protocol: Protocol, yaml: str, needed: Collection[str]
) -> tuple[str, int]:
    """Copy a draft; returns the address of the copy and its ID.

    Args:
        db: a connection in a transaction.
        study_id: the draft.
        protocol: its protocol, changed where one person alone could not take part.
        yaml: its protocol as it is written.
        needed: keys of the items that are copied in any case.
    """
    address = f"{_PREFIX}{secrets.token_hex(16)}"
    copy_id = db.execute(_STUDY, {"study": study_id, "address": address}).scalar_one()
    record_version(db, copy_id, 1, protocol, yaml)
    own = {"study": study_id, "copy": copy_id}
    for statement in (_IMAGES, _ITEMS):
        db.execute(statement, {**own, "most": MAX_ITEMS, "needed": [*needed]})
    db.execute(_RESPONSES, own)
    db.execute(_RATERS, own)
    return address, copy_id


def record_walk_through(db: Connection, study_id: int, lead_id: int, copy_id: int) -> None:
    """Record that a lead starts to walk through a copy; their earlier copies of the draft are deleted."""
    for old in db.execute(_COPIES_OF_LEAD, {"study": study_id, "lead": lead_id}).scalars().all():
        delete_copy(db, old)
    db.execute(_RECORD, {"study": study_id, "lead": lead_id, "copy": copy_id})


def draft_of(db: Connection, address: str) -> str | None:
    """The slug of the draft that is tried at this address; None if the walk-through is gone."""
    return db.execute(_DRAFT, {"address": address}).scalar_one_or_none()


def record_skipped(db: Connection, copy_id: int, steps: Collection[str]) -> None:
    """Record that the lead did not see these steps."""
    db.execute(_SKIP, {"copy": copy_id, "steps": [*steps]})


def end_walk_through(db: Connection, copy_id: int) -> None:
    """Record that the lead reached the end."""
    db.execute(_END, {"copy": copy_id})


def get_walk(db: Connection, study_id: int, version: int) -> Walk:
    """Whether a walk-through with this version of the protocol reached the end."""
    row = db.execute(_ENDED, {"study": study_id, "version": version}).first()
    return Walk(False) if row is None else Walk(True, tuple(row.skipped))


def forget_walk_throughs(db: Connection, study_id: int) -> None:
    """Delete all copies of a draft with their answers."""
    for copy_id in db.execute(_COPIES, {"study": study_id}).scalars().all():
        delete_copy(db, copy_id)


def forget_old_walk_throughs(db: Connection) -> None:
    """Delete the copies of yesterday with their answers."""
    for copy_id in db.execute(_OLD).scalars().all():
        delete_copy(db, copy_id)
