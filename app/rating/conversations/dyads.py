"""Raters who write with each other: they wait, two of them are matched, and each is told how the other is.

A rater who waits has a row of `dyad_members` without a dyad. Two of them are matched in one statement, `pair.sql`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from app.base.database.hot_statement import HotStatement, sql_file
from app.protocol.conversation import ConversationPartner
from app.rating.seats.assignment_view import AssignmentView

# A page that is open says so every few seconds; a page without scripts is loaded again while its rater waits.
AWAY_S, AWAY_PLAIN_S = 25, 45
# How long a partner is shown as writing after they pressed a key.
TYPING_S = 6
# A time so far ahead was written while the clock of the database was fast, and tells nothing.
AHEAD_S = 60
_IS_AHEAD = f"> now() + interval '{AHEAD_S} s'"
_IS_AWAY = f"""(m.seen_at {_IS_AHEAD}
    OR m.seen_at < now() - make_interval(secs => CASE WHEN m.is_live THEN {AWAY_S} ELSE {AWAY_PLAIN_S} END))"""

# Raters who have waited on a closed page begin again to wait.
_ENTER = text(f"""
    INSERT INTO dyad_members AS m (study_id, assignment_id, rater_id) VALUES (:study, :assignment, :rater)
    ON CONFLICT (study_id, assignment_id) DO UPDATE SET seen_at = now(),
      waits_since = CASE WHEN {_IS_AWAY} AND m.dyad_id IS NULL THEN now() ELSE m.waits_since END
""")  # noqa: S608 - constants only
_PAIR = HotStatement(sql_file(__file__, "pair.sql").replace("IS_AWAY", _IS_AWAY))
# What a page shows of a member, `m`, and their partner, `o`. `silent_s`: since the partner last wrote or pressed a key;
# if no time of that can be right, since their page was last open.
_ROOMS = f"""
    SELECT m.study_id, m.assignment_id, m.dyad_id, d.trial_id, m.role, m.alone_at IS NOT NULL AS is_alone,
           extract(epoch FROM now() - m.waits_since) AS waited_s, d.ended_by, d.ended_role, d.response_id,
           d.dyad_id IS NOT NULL AND d.ended_at IS NULL
             AND (o.assignment_id IS NULL OR o.has_stopped) AS is_gone,
           coalesce(o.is_away AND o.is_live, false) AS is_away,
           coalesce(o.typed_at > now() - interval '{TYPING_S} s' AND o.typed_at > coalesce(c.said_at, d.paired_at)
                    AND NOT o.typed_at {_IS_AHEAD}, false) AS is_typing,
           extract(epoch FROM now() - coalesce(s.signed_at, s.seen_at, to_timestamp(0))) AS silent_s, c.n_turns
    FROM dyad_members m
    LEFT JOIN (SELECT *, id AS dyad_id FROM dyads) AS d ON d.study_id = m.study_id AND d.id = m.dyad_id
    LEFT JOIN (
      SELECT m.*, {_IS_AWAY} AS is_away, a.state IN ('returned', 'skipped') AS has_stopped
      FROM dyad_members m JOIN assignments a ON a.study_id = m.study_id AND a.id = m.assignment_id
    ) AS o ON o.study_id = m.study_id AND o.dyad_id = m.dyad_id AND o.assignment_id <> m.assignment_id
    CROSS JOIN LATERAL (
      SELECT count(*) AS n_turns,
             max(said_at) FILTER (WHERE assignment_id = o.assignment_id AND NOT said_at {_IS_AHEAD}) AS said_at
      FROM conversation_turns WHERE study_id = m.study_id AND dyad_id = m.dyad_id
    ) AS c
    CROSS JOIN LATERAL (
      SELECT max(at) FILTER (WHERE is_sign) AS signed_at, max(at) AS seen_at
      FROM (VALUES (d.paired_at, true), (o.typed_at, true), (c.said_at, true), (o.seen_at, false)) AS t (at, is_sign)
      WHERE NOT at {_IS_AHEAD}
    ) AS s
"""  # noqa: S608 - constants only
_ROOM = text(f"{_ROOMS} WHERE m.study_id = :study AND m.assignment_id = :assignment")
_OF = """
    JOIN unnest(CAST(:studies AS bigint[]), CAST(:assignments AS bigint[])) AS w (study_id, assignment_id)
      ON w.study_id = m.study_id AND w.assignment_id = m.assignment_id
"""
_LIST = text(f"{_ROOMS} {_OF}")
_SEEN = text(f"""
    WITH seen AS (
      SELECT m.study_id, m.assignment_id, {_IS_AWAY} AS was_away FROM dyad_members m {_OF}
      WHERE m.seen_at < now() - interval '4 s' OR m.seen_at {_IS_AHEAD} OR NOT m.is_live
      ORDER BY 1, 2 FOR UPDATE OF m SKIP LOCKED
    )
    UPDATE dyad_members m SET seen_at = now(), is_live = true,
      waits_since = CASE WHEN s.was_away AND m.dyad_id IS NULL THEN now() ELSE m.waits_since END
    FROM seen s WHERE m.study_id = s.study_id AND m.assignment_id = s.assignment_id
""")  # noqa: S608 - constants only
_TYPED = text("""
    UPDATE dyad_members SET typed_at = now(), seen_at = now()
    WHERE study_id = :study AND assignment_id = :assignment AND dyad_id IS NOT NULL
""")
_ALONE = text("""
    UPDATE dyad_members SET alone_at = now()
    WHERE study_id = :study AND assignment_id = :assignment AND dyad_id IS NULL AND alone_at IS NULL
      AND waits_since <= now() - make_interval(secs => :longest_s)
    RETURNING assignment_id
""")
_PASS = text("""
    UPDATE dyad_members SET waits_since = now() - make_interval(secs => :longest_s)
    WHERE study_id = :study AND assignment_id = :assignment
""")
_LOCK = text("SELECT ended_at FROM dyads WHERE study_id = :study AND id = :dyad FOR UPDATE")
_END = text("""
    UPDATE dyads SET ended_at = now(), ended_by = :ended_by, ended_role = :role
    WHERE study_id = :study AND id = :dyad AND ended_at IS NULL
""")
_RECORD_RESPONSE = text("UPDATE dyads SET response_id = :response WHERE study_id = :study AND id = :dyad")
_WRITERS = text("""
    SELECT m.role, m.assignment_id, r.key AS rater, r.is_simulated
    FROM dyad_members m JOIN raters r ON r.study_id = m.study_id AND r.id = m.rater_id
    WHERE m.study_id = :study AND m.dyad_id = :dyad
""")


class Member(NamedTuple):
    """A rater's place in a waiting room or a dyad: that of an assignment."""

    study_id: int
    assignment_id: int


class Writer(NamedTuple):
    """One of the two: their assignment, and the key of the rater."""

    assignment_id: int
    rater: str
    is_simulated: bool


@dataclass(frozen=True, slots=True)
class Room:
    """How a rater who writes with another one is placed: waiting, alone, or with a partner.

    `trial_id`: what the two write about. `is_alone`: they were told that nobody came. `waited_s`: how long they have
    waited. Of the partner: `is_gone`, if they stopped taking part, `is_away`, if their page is closed, `is_typing`, and
    `silent_s`, since they last wrote. `ended_by`: why the conversation is over, `ended_role`: who ended it.
    """

    study_id: int
    assignment_id: int
    dyad_id: int | None
    trial_id: int | None
    role: str | None
    is_alone: bool
    waited_s: float
    ended_by: str | None
    ended_role: str | None
    response_id: int | None
    is_gone: bool
    is_away: bool
    is_typing: bool
    silent_s: float
    n_turns: int

    @property
    def is_paired(self) -> bool:
        """Whether there is a partner."""
        return self.dyad_id is not None

    def is_at(self, view: AssignmentView) -> bool:
        """Whether the rater is where a page shows them: not if they have just been matched for another trial."""
        return not self.is_paired or (self.assignment_id, self.trial_id) == (view.id, view.trial_id)

    def wait_left_s(self, partner: ConversationPartner) -> float:
        """Seconds until the rater has waited long enough."""
        return partner.wait_minutes * 60 - float(self.waited_s)

    def has_waited(self, partner: ConversationPartner) -> bool:
        """Whether nobody came in time."""
        return not self.is_paired and (self.is_alone or self.wait_left_s(partner) <= 0)

    def has_left(self, partner: ConversationPartner) -> bool:
        """Whether the partner has given no sign for so long that the rater is told."""
        is_silent = self.silent_s >= partner.silence_minutes * 60
        return self.is_paired and (self.is_gone or is_silent)

    def mark(self, partner: ConversationPartner) -> str:
        """A text that changes when the page has to be drawn again."""
        left = self.is_gone, self.has_left(partner), self.has_waited(partner)
        return f"{self.dyad_id} {self.n_turns} {self.ended_by} {self.is_away} {left}"


def enter(
    db: Connection, partner: ConversationPartner, view: AssignmentView, seed: int, *, is_mixed: bool = False
) -> Room:
    """Wait for a partner, or be matched with one who waits; a rater who is matched already stays so.

    Args:
        db: the transaction that locked the rating session.
        partner: of the source, a person.
        view: the assignment; if the rater is matched for an item that comes later in their list, not theirs any more.
        seed: of the study.
        is_mixed: whether a simulated rater may be matched with a person.

    Returns:
        Where the rater is now; its assignment may be another one of the rater's.
    """
    member = Member(view.study_id, view.id)
    db.execute(_ENTER, {"study": view.study_id, "assignment": view.id, "rater": view.rater_id})
    found = pair(db, partner, member, seed, is_mixed=is_mixed) or member
    room = read_room(db, found)
    if room is None:
        raise AssertionError("a rater who has entered is there")
    return room


def pair(
    db: Connection, partner: ConversationPartner, member: Member, seed: int, *, is_mixed: bool = False
) -> Member | None:
    """Match a rater who waits with another one, if somebody can be; returns the rater's place then."""
    first, second = partner.roles
    values: dict[str, object] = {"study": member.study_id, "assignment": member.assignment_id, "seed": seed}
    values |= {"first": first, "second": second, "longest_s": partner.wait_minutes * 60, "is_mixed": is_mixed}
    row = _PAIR.one_or_none(db, values)
    return None if row is None else Member(member.study_id, row["own_id"])


def read_room(db: Connection, member: Member) -> Room | None:
    """Where a rater is; None if they have not come to the page yet."""
    values = {"study": member.study_id, "assignment": member.assignment_id}
    row = db.execute(_ROOM, values).mappings().one_or_none()
    return None if row is None else Room(**row)


def partner_of(db: Connection, room: Room) -> Room | None:
    """Where the other of two raters is; None if they have had everything deleted."""
    others = (one.assignment_id for one in writers_of(db, room).values() if one.assignment_id != room.assignment_id)
    other = next(others, None)
    return None if other is None else read_room(db, Member(room.study_id, other))


def list_rooms(db: Connection, members: Iterable[Member]) -> dict[Member, Room]:
    """Where raters are whose pages are open, which is noted."""
    values = _columns(list(members))
    db.execute(_SEEN, values)
    rooms = (Room(**row) for row in db.execute(_LIST, values).mappings())
    return {Member(room.study_id, room.assignment_id): room for room in rooms}


def _columns(members: Sequence[Member]) -> dict[str, Any]:
    return {"studies": [one.study_id for one in members], "assignments": [one.assignment_id for one in members]}


def record_typing(db: Connection, view: AssignmentView) -> None:
    """Note that a rater is writing."""
    db.execute(_TYPED, {"study": view.study_id, "assignment": view.id})


def let_wait_pass(db: Connection, member: Member, partner: ConversationPartner) -> None:
    """Let a simulated rater have waited as long as anyone waits."""
    values = {"study": member.study_id, "assignment": member.assignment_id, "longest_s": partner.wait_minutes * 60}
    db.execute(_PASS, values)


def record_alone(db: Connection, partner: ConversationPartner, view: AssignmentView) -> bool:
    """Note that a rater was told that nobody came; False if they have a partner, or have not waited long enough."""
    values = {"study": view.study_id, "assignment": view.id, "longest_s": partner.wait_minutes * 60}
    return db.execute(_ALONE, values).one_or_none() is not None


def lock_dyad(db: Connection, room: Room) -> None:
    """Let nobody else write in a dyad, or end it, until this transaction is over."""
    db.execute(_LOCK, {"study": room.study_id, "dyad": room.dyad_id})


def record_end(db: Connection, room: Room, ended_by: str) -> None:
    """End a conversation for both; a later end changes nothing."""
    values = {"study": room.study_id, "dyad": room.dyad_id, "role": room.role, "ended_by": ended_by}
    db.execute(_END, values)


def record_response(db: Connection, room: Room, response_id: int) -> None:
    """Keep the response that the conversation has become."""
    db.execute(_RECORD_RESPONSE, {"study": room.study_id, "dyad": room.dyad_id, "response": response_id})


def writers_of(db: Connection, room: Room) -> dict[str, Writer]:
    """The raters of a dyad by role, without one who has had everything deleted."""
    rows = db.execute(_WRITERS, {"study": room.study_id, "dyad": room.dyad_id})
    return {row.role: Writer(row.assignment_id, row.rater, row.is_simulated) for row in rows}


def example_room(partner: ConversationPartner) -> Room:
    """A rater in the first role who has just been matched, for a preview."""
    return Room(0, 0, 0, 0, partner.begins, False, 0.0, None, None, None, False, False, False, 0.0, 0)
