"""Which raters are included: each decision is stored with its reason, and the last one applies."""

from sqlalchemy import Connection, text

from app.rating.seats.seats import IS_OPEN, returning_sql

_RECORD = text("""
    INSERT INTO rater_exclusions (study_id, rater_id, is_excluded, reason, lead_id)
    SELECT :study, id, :excluded, :reason, :lead FROM raters WHERE study_id = :study AND id = :rater
""")
_KEY = text("SELECT key FROM raters WHERE study_id = :study AND id = :rater")
_ID = text("SELECT id FROM raters WHERE study_id = :study AND key = :key")
_RELEASE = text("WITH " + returning_sql(f"{IS_OPEN} AND a.rater_id = :rater"))
_IDENTITY = text("""
    SELECT r.key, p.platform, p.platform_id FROM platform_ids p
    JOIN raters r ON r.study_id = p.study_id AND r.id = p.rater_id
    WHERE p.study_id = :study AND (CAST(:rater AS bigint) IS NULL OR p.rater_id = :rater) ORDER BY r.id, p.platform
""")

_PARAMETER = text("""
    SELECT platform_id, parameters ->> :name AS value FROM platform_ids
    WHERE study_id = :study AND platform = :platform AND parameters ? :name
""")


def get_rater_key(db: Connection, study_id: int, rater_id: int) -> str | None:
    """The pseudonym of a rater; None if the study has no such rater."""
    key: str | None = db.execute(_KEY, {"study": study_id, "rater": rater_id}).scalar_one_or_none()
    return key


def find_rater(db: Connection, study_id: int, key: str) -> int | None:
    """The ID of the rater with this pseudonym; None if the study has no such rater."""
    rater_id: int | None = db.execute(_ID, {"study": study_id, "key": key}).scalar_one_or_none()
    return rater_id


def record_exclusion(
    db: Connection, study_id: int, rater_id: int, *, is_excluded: bool, reason: str, lead_id: int
) -> None:
    """Record the decision to exclude or include a rater."""
    values = {"study": study_id, "rater": rater_id, "excluded": is_excluded, "reason": reason, "lead": lead_id}
    db.execute(_RECORD, values)


def release_seats(db: Connection, study_id: int, rater_id: int) -> int:
    """Release a rater's open trials so that others can take them; returns how many."""
    return int(db.execute(_RELEASE, {"study": study_id, "rater": rater_id}).scalar_one())


def list_identities(db: Connection, study_id: int, rater_id: int | None = None) -> list[tuple[str, str, str]]:
    """Pseudonym, platform and platform ID of one rater, or of all."""
    return [tuple(row) for row in db.execute(_IDENTITY, {"study": study_id, "rater": rater_id})]


def list_platform_parameters(db: Connection, study_id: int, platform: str, name: str) -> dict[str, str]:
    """What a platform's links carried under this name, by platform ID."""
    values = {"study": study_id, "platform": platform, "name": name}
    return {row.platform_id: row.value for row in db.execute(_PARAMETER, values)}
