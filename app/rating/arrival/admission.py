"""Whether a rater can start: limits on the number of raters, in total and by their attributes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, text

from app.protocol.allocation.requirements import Limit, all_limits, limits_of
from app.protocol.study import Protocol
from app.rating.sessions import HAD_NO_PARTNER, RatingSession
from app.rating.steps.rater_answers import list_rater_answers

# Seats for raters in studies that limit their number, in total or by the raters' attributes.
#
# A rater who is rating or has finished holds one seat of each limit. Claims do not wait for each other: a seat that
# another rater is taking is skipped. Only exceptions need a lock on the study: more seats are created, or more raters
# are there than a limit allows, because a later version of the protocol lowered it or a replaced rater finished.

# Number of seats created at once per limit: when the study opens, and whenever none is free.
N_CREATED = 256
# Weaker than FOR UPDATE: rows that reference the study can still be written.
_LOCK = text("SELECT id FROM studies WHERE id = :study FOR NO KEY UPDATE")
# Raters' own answers take precedence over values from raters.csv, and these over values from the link.
_VALUE = """
    coalesce(
      (SELECT coalesce(array_to_string(codes, '|'), trim_scale(CAST(number AS numeric))::text, text) FROM ratings
       WHERE study_id = r.study_id AND rater_id = r.id AND item_id IS NULL AND question = w.attribute LIMIT 1),
      r.attributes ->> w.attribute,
      (SELECT parameters ->> w.attribute FROM platform_ids
       WHERE study_id = r.study_id AND rater_id = r.id AND parameters ? w.attribute LIMIT 1),
      '')
"""
_OWN = text(f"""
    SELECT w.attribute, {_VALUE} AS value
    FROM raters r CROSS JOIN unnest(CAST(:attributes AS text[])) AS w (attribute)
    WHERE r.study_id = :study AND r.id = :rater
""")  # noqa: S608 - constants only
_LIMITS = """
    SELECT * FROM unnest(CAST(:attributes AS text[]), CAST(:values AS text[]), CAST(:limits AS integer[]))
      AS w (attribute, value, n)
"""
_SEATS_OF = "s.study_id = :study AND s.attribute = w.attribute AND s.value = w.value"
_MISSING = f"""
    limits AS ({_LIMITS}),
    missing AS (
      SELECT * FROM limits w WHERE NOT EXISTS (
        SELECT FROM admission_seats s
        WHERE s.study_id = :study AND s.attribute = w.attribute AND s.rating_session_id = :session)
    )
"""  # noqa: S608 - constants only
# All or nothing. A free seat may be taken if no one holds a seat beyond the limit; or, under the lock, if fewer seats
# are held than the limit allows.
_CLAIM = text(f"""
    WITH {_MISSING}, free AS (
      SELECT w.attribute, w.value, f.number FROM missing w CROSS JOIN LATERAL (
        SELECT s.number FROM admission_seats s WHERE {_SEATS_OF} AND s.number <= w.n AND s.rating_session_id IS NULL
        ORDER BY s.number LIMIT 1 FOR UPDATE SKIP LOCKED) AS f
      WHERE CASE WHEN CAST(:locked AS boolean)
        THEN w.n > (SELECT count(s.rating_session_id) FROM admission_seats s WHERE {_SEATS_OF})
        ELSE NOT EXISTS (SELECT FROM admission_seats s
                         WHERE {_SEATS_OF} AND s.number > w.n AND s.rating_session_id IS NOT NULL) END
    ), taken AS (
      UPDATE admission_seats s SET rating_session_id = :session FROM free w
      WHERE {_SEATS_OF} AND s.number = w.number
        AND (SELECT count(*) FROM free) = (SELECT count(*) FROM missing)
      RETURNING s.number
    )
    SELECT (SELECT count(*) FROM taken) = (SELECT count(*) FROM missing)
""")  # noqa: S608 - constants only
_CREATE = text(f"""
    INSERT INTO admission_seats (study_id, attribute, value, number)
    SELECT :study, w.attribute, w.value, number FROM ({_LIMITS}) AS w
    CROSS JOIN LATERAL (SELECT coalesce(max(s.number), 0) AS n FROM admission_seats s WHERE {_SEATS_OF}) AS last
    CROSS JOIN LATERAL generate_series(last.n + 1, least(w.n, last.n + :n_created)) AS number
    WHERE NOT EXISTS (SELECT FROM admission_seats s
                      WHERE {_SEATS_OF} AND s.number <= w.n AND s.rating_session_id IS NULL)
""")  # noqa: S608 - constants only
_ADD_OWN = text(f"""
    WITH {_MISSING}
    INSERT INTO admission_seats (study_id, attribute, value, number, rating_session_id)
    SELECT :study, w.attribute, w.value, 1 + coalesce((SELECT max(number) FROM admission_seats s WHERE {_SEATS_OF}), 0),
           :session
    FROM missing w
""")  # noqa: S608 - constants only
# Raters who started with another version of the protocol, which did not have these limits. Those who had no partner
# have no place.
_UNSEATED = f"""
    SELECT w.attribute, w.value, o.id
    FROM rating_sessions o JOIN raters r ON r.study_id = o.study_id AND r.id = o.rater_id CROSS JOIN ({_LIMITS}) AS w
    WHERE o.study_id = :study AND (SELECT max(version) FROM protocols WHERE study_id = :study) > 1
      AND o.id <> :session AND (o.state = 'active' OR o.state = 'finished' AND NOT {HAD_NO_PARTNER})
      AND NOT EXISTS (SELECT FROM admission_seats s WHERE s.study_id = o.study_id AND s.attribute = w.attribute
                      AND s.rating_session_id = o.id)
      AND w.value = CASE w.attribute WHEN '' THEN '' ELSE {_VALUE} END
"""  # noqa: S608 - constants only
_HAS_UNSEATED = text(f"SELECT EXISTS ({_UNSEATED})")
_SEAT_OTHERS = text(f"""
    INSERT INTO admission_seats (study_id, attribute, value, number, rating_session_id)
    SELECT :study, w.attribute, w.value, coalesce((SELECT max(number) FROM admission_seats s WHERE {_SEATS_OF}), 0)
           + row_number() OVER (PARTITION BY w.attribute, w.value ORDER BY w.id), w.id
    FROM ({_UNSEATED}) AS w
""")  # noqa: S608 - constants only
_HELD = text(f"""
    SELECT w.attribute, w.value, w.n, count(o.id) AS n_held, count(o.id) FILTER (WHERE o.state = 'finished') AS n_final
    FROM ({_LIMITS}) AS w
    LEFT JOIN admission_seats s ON {_SEATS_OF} AND s.rating_session_id <> :session
    LEFT JOIN rating_sessions o ON o.study_id = s.study_id AND o.id = s.rating_session_id
    GROUP BY w.attribute, w.value, w.n
""")  # noqa: S608 - constants only
_RELEASE = text("""
    UPDATE admission_seats SET rating_session_id = NULL WHERE study_id = :study AND rating_session_id = :session
""")


@dataclass(frozen=True, slots=True)
class Held:
    """How many other raters hold a seat of a limit, and how many of them have finished."""

    attribute: str
    value: str
    n: int
    n_held: int
    n_final: int

    @property
    def is_taken(self) -> bool:
        """Whether no seat is left now."""
        return self.n_held >= self.n

    @property
    def is_final(self) -> bool:
        """Whether raters who have finished hold all seats."""
        return self.n_final >= self.n


def get_attributes(db: Connection, session: RatingSession, attributes: Sequence[str]) -> dict[str, str]:
    """A rater's values from their own answers, raters.csv or their link; empty where nothing is known."""
    values = {"study": session.study_id, "rater": session.rater_id, "attributes": list(attributes)}
    return {row.attribute: row.value for row in db.execute(_OWN, values)}


def create_admission_seats(db: Connection, study_id: int, limits: Sequence[Limit]) -> None:
    """Create seats for limits that have none free; the caller holds a lock on the study."""
    db.execute(_CREATE, {"study": study_id, "n_created": N_CREATED, **_columns(limits)})


def claim_admission(db: Connection, session: RatingSession, limits: Sequence[Limit]) -> bool:
    """Take a free seat of each limit, or none at all; returns whether the rater holds them all now."""
    values = {**_ids(session), **_columns(limits)}
    _seat_others(db, values)
    if db.execute(_CLAIM, {**values, "locked": False}).scalar_one():
        return True
    if any(held.is_taken for held in list_held(db, session, limits)):
        return False
    db.execute(_LOCK, values)
    create_admission_seats(db, session.study_id, limits)
    return bool(db.execute(_CLAIM, {**values, "locked": True}).scalar_one())


def record_admission(db: Connection, session: RatingSession, limits: Sequence[Limit]) -> None:
    """Give seats to a rater who has finished: beyond the limit if theirs were given to another rater."""
    if not claim_admission(db, session, limits):
        values = {**_ids(session), **_columns(limits)}
        db.execute(_LOCK, values)
        db.execute(_ADD_OWN, values)


def release_admission(db: Connection, session: RatingSession) -> None:
    """Release the seats of a rater who cannot start after all."""
    db.execute(_RELEASE, _ids(session))


def list_held(db: Connection, session: RatingSession, limits: Sequence[Limit]) -> list[Held]:
    """The seats that other raters hold, without a lock."""
    values = {**_ids(session), **_columns(limits)}
    _seat_others(db, values)
    return [Held(**row) for row in db.execute(_HELD, values).mappings()]


def _seat_others(db: Connection, values: dict[str, object]) -> None:
    if db.execute(_HAS_UNSEATED, values).scalar_one():
        db.execute(_LOCK, values)
        db.execute(_SEAT_OTHERS, values)


def _columns(limits: Sequence[Limit]) -> dict[str, object]:
    return {
        "attributes": [limit.attribute for limit in limits],
        "values": [limit.value for limit in limits],
        "limits": [limit.n for limit in limits],
    }


def _ids(session: RatingSession) -> dict[str, object]:
    return {"study": session.study_id, "session": session.session_id}


Turned = Literal["wait", "full"]


def make_admission_seats(db: Connection, study_id: int, protocol: Protocol) -> None:
    """Create the seats of a study that opens."""
    if limits := all_limits(protocol.design):
        create_admission_seats(db, study_id, limits)


def admit(db: Connection, session: RatingSession, protocol: Protocol) -> Turned | None:
    """Take a seat of each limit: None if the rater has them; otherwise whether one may become free.

    Active raters have theirs. Raters who left have released theirs, and need new ones when they return.
    """
    if session.session_state == "active" or not _is_limited(protocol):
        return None
    limits = _own_limits(db, session, protocol)
    if claim_admission(db, session, limits):
        return None
    return _turned(list_held(db, session, limits))


def keep_admission(db: Connection, session: RatingSession, protocol: Protocol) -> None:
    """Count a rater who has finished, also if their seats were given to another rater while they were away."""
    if _is_limited(protocol):
        record_admission(db, session, _own_limits(db, session, protocol))


def turned_by_limits(db: Connection, session: RatingSession, protocol: Protocol) -> Turned | None:
    """Whether there is room, before a rater starts, as far as the answers are known by then.

    If a quota depends on a question that has not been asked yet, there is room as long as any of its values has room.
    """
    if not _is_limited(protocol):
        return None
    quotas = protocol.design.quotas
    answered = {str(answer["question"]) for answer in list_rater_answers(db, session)} if quotas else set()
    unknown = {key for key in quotas if protocol.question(key) and key not in answered}
    known = get_attributes(db, session, [key for key in quotas if key not in unknown])
    held = list_held(db, session, limits_of(protocol.design, known))
    if any(limit.is_taken for limit in held):
        return _turned(held)
    possible = [limit for limit in all_limits(protocol.design) if limit.attribute in unknown]
    by_question = list_held(db, session, possible) if possible else []
    for key in sorted(unknown):
        values = [limit for limit in by_question if limit.attribute == key]
        if all(limit.is_taken for limit in values):
            return "full" if all(limit.is_final for limit in values) else "wait"
    return None


def _turned(held: Sequence[Held]) -> Turned:
    return "full" if any(limit.is_final for limit in held) else "wait"


def _is_limited(protocol: Protocol) -> bool:
    return protocol.design.max_raters is not None or bool(protocol.design.quotas)


def _own_limits(db: Connection, session: RatingSession, protocol: Protocol) -> list[Limit]:
    quotas = list(protocol.design.quotas)
    return limits_of(protocol.design, get_attributes(db, session, quotas) if quotas else {})
