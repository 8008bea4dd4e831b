"""Simulated raters: sent through the real assignment and rating code, and marked as simulated wherever they appear."""

import secrets
import time
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Literal, NamedTuple

from sqlalchemy import Connection, text

from app.base.database.engine import Begin
from app.base.progress import Progress, quiet
from app.protocol.study import Protocol
from app.protocol.study_design import Design
from app.protocol.waves import numbered
from app.rating.arrival.arrivals import ArrivalStudy, get_own_arrival_study
from app.rating.conversations.drafts import DraftText
from app.rating.conversations.drafts import simulate as simulate_draft
from app.rating.conversations.dyads import Member, enter, let_wait_pass, record_alone
from app.rating.conversations.transcripts import end, leave_item, writing_of
from app.rating.conversations.turns import SIMULATED as SIMULATED_TURN
from app.rating.conversations.turns import add_to_dyad, is_writing, talk_of
from app.rating.conversations.turns import simulate as simulate_turns
from app.rating.rater_path import (
    Arrival,
    arrive,
    current_page,
    current_step,
    finish,
    protocol_of,
    slots_of,
    submit_rating,
)
from app.rating.seats.assignment_view import AssignmentView
from app.rating.seats.trials import list_item_keys, list_items, list_named_raters
from app.rating.sessions import ENDED, RatingSession, get_rating_session
from app.rating.simulation.simulated_answers import Mind, Names, gold_form, pass_step
from app.studies.protocols import get_protocol

# Listed raters that are simulated, and marked as such.

_ABSENT = text("""
    SELECT r.id, r.key, r.pool FROM raters r
    WHERE r.study_id = :study AND r.kind = 'person' AND NOT r.is_simulated AND NOT r.is_imported
      AND NOT EXISTS (SELECT FROM platform_ids p WHERE p.study_id = r.study_id AND p.rater_id = r.id)
      AND NOT EXISTS (SELECT FROM rating_sessions s WHERE s.study_id = r.study_id AND s.rater_id = r.id)
      AND NOT EXISTS (SELECT FROM invites i WHERE i.study_id = r.study_id AND i.rater_id = r.id
                      AND i.revoked_at IS NULL)
    ORDER BY r.key
""")
_MARK = text("UPDATE raters SET is_simulated = true WHERE study_id = :study AND id = :rater")


class NamedRater(NamedTuple):
    """A person listed in raters.csv, and their pool."""

    id: int
    key: str
    pool: str | None


def list_named_absent(db: Connection, study_id: int) -> list[NamedRater]:
    """Listed persons who have neither arrived nor been sent a link, ordered by key."""
    return [NamedRater(**row) for row in db.execute(_ABSENT, {"study": study_id}).mappings()]


def mark_simulated(db: Connection, study_id: int, rater_id: int) -> None:
    """Mark a rater as simulated, wherever they appear."""
    db.execute(_MARK, {"study": study_id, "rater": rater_id})


_EARLIER = (
    text("""
        UPDATE rating_sessions SET arrived_at = arrived_at - make_interval(days => :days),
          begun_at = begun_at - make_interval(days => :days), finished_at = finished_at - make_interval(days => :days)
        WHERE study_id = :study AND id = :session
    """),
    text("""
        UPDATE steps SET done_at = done_at - make_interval(days => :days)
        WHERE study_id = :study AND rating_session_id = :session
    """),
    text("""
        UPDATE assignments SET planned_at = planned_at - make_interval(days => :days),
          served_at = served_at - make_interval(days => :days),
          first_action_at = first_action_at - make_interval(days => :days),
          submitted_at = submitted_at - make_interval(days => :days)
        WHERE study_id = :study AND rating_session_id = :session
    """),
    text("""
        UPDATE ratings SET rated_at = rated_at - make_interval(days => :days),
          served_at = served_at - make_interval(days => :days)
        WHERE study_id = :study AND rater_id = :rater
    """),
)
# Proportion of simulated raters who come back for a later wave.
RETURN_SHARE = 0.9

SIMULATED = "simulated"
# Pages at which a simulated rater stops; a rater who would have to wait leaves.
ENDS = frozenset({"done", "wait", "full", *ENDED})


class StudyNotOpenError(ValueError):
    """The study is not open to raters."""


@dataclass(frozen=True, slots=True)
class SimulatedArrival:
    """A simulated rater about to arrive. `rater_id` is set for raters listed in raters.csv, else None."""

    name: str
    pool: str | None
    rater_id: int | None = None


@dataclass(frozen=True, slots=True)
class Simulation:
    """The result of a simulation. Raters who found no free seat leave no data behind."""

    n_raters: int
    n_finished: int
    n_assignments: int


def simulate(begin: Begin, slug: str, n_raters: int, seed: int, progress: Progress = quiet) -> Simulation:
    """Send simulated raters into an open study; the same seed and study give the same answers on every machine.

    People listed in raters.csv come first, under their own keys, and are marked as simulated. People who have a
    personal link or have already arrived are skipped, so that they can answer themselves. Other raters follow, in the
    pools without listed raters.

    Args:
        begin: opens a transaction; each rater has a separate one, so that a rater is stored completely or not at all.
        slug: the study.
        n_raters: number of raters, who arrive one after the other.
        seed: random seed for their impressions and answers.
        progress: called with the step, the number of raters done, and the number of all.

    Raises:
        StudyNotOpenError: the study does not exist or is not open.
    """
    with begin() as db:
        study = get_own_arrival_study(db, slug)
        if study is None or study.status != "open":
            raise StudyNotOpenError(f"The study {slug} is not open. To open it: attune study open {slug}")
        design = get_protocol(db, study.id, study.protocol_version, study.sha256).design
        expected = simulated_arrivals(db, study.id, design, n_raters, seed)
        names = _names(db, study.id)
    walks, waiting = list[_Walk](), list[_Walk]()
    for number, arriving in enumerate(expected, 1):
        with begin() as db, db.begin_nested() as savepoint:
            walks.append(_go(db, study, arriving, seed, names))
            if not walks[-1].rated and not walks[-1].is_waiting:
                savepoint.rollback()
        for walk in waiting:  # one of them may have been the partner
            with begin() as db:
                _go_on(db, study.slug, walk)
        waiting = [walk for walk in (*waiting, walks[-1]) if walk.is_waiting]
        progress("Simulating raters", number, len(expected))
    for walk in waiting:
        with begin() as db:
            _end_alone(db, study.slug, walk)
    return Simulation(n_raters, sum(bool(walk.rated) for walk in walks), sum(len(walk.rated) for walk in walks))


def _names(db: Connection, study_id: int) -> Names:
    items = list_items(db, study_id)
    responses = (response for item in items for response in item.responses)
    return Names(list_item_keys(db, study_id), {one.response_id: (one.key, one.source) for one in responses})


def mind_of(db: Connection, study_id: int, seed: int, name: str) -> Mind:
    """A simulated rater who can answer every page of a study."""
    return Mind(seed, name, _names(db, study_id))


def simulated_arrivals(
    db: Connection, study_id: int, design: Design, n_raters: int, seed: int
) -> list[SimulatedArrival]:
    """The listed raters, then others up to the requested number; no others if all pools are for listed raters only."""
    absent = list_named_absent(db, study_id)
    invited = [rater for rater in absent if not design.pools or rater.pool in design.pools]
    named = [SimulatedArrival(rater.key, rater.pool, rater.id) for rater in invited][:n_raters]
    with_names = list_named_raters(db, study_id).keys() - {design.open_pool}
    pools: list[str | None] = [
        name for name, pool in design.pools.items() if pool.items != "own" and name not in with_names
    ]
    if not design.pools:
        pools = [None]
    others = range(1, n_raters - len(named) + 1) if pools else ()
    return named + [SimulatedArrival(f"sim-{seed}-{number:04d}", pools[number % len(pools)]) for number in others]


@dataclass(slots=True)
class _Walk:
    """A simulated rater on their way: the pages that they rated, and whether they wait for a partner."""

    token: str
    mind: Mind
    rated: set[int]
    is_waiting: bool = False


def _go(db: Connection, study: ArrivalStudy, arriving: SimulatedArrival, seed: int, names: Names) -> _Walk:
    """Run one rater from arrival to the end, or until they wait for a partner."""
    if arriving.rater_id is not None:
        mark_simulated(db, study.id, arriving.rater_id)
    rating_session = arrive(db, study, Arrival(SIMULATED, arriving.name, {}), pool=arriving.pool, is_simulated=True)
    assert rating_session is not None  # noqa: S101 - only invited raters can be turned away
    walk = _Walk(rating_session.token, Mind(seed, arriving.name, names), set())
    _go_on(db, study.slug, walk)
    return walk


def _go_on(db: Connection, slug: str, walk: _Walk) -> None:
    """Run a rater to the end, or until they wait for a partner."""
    walk.rated |= go_on(db, slug, walk.token, walk.mind)
    session = _session(db, slug, walk.token)
    page = current_page(db, session)
    walk.is_waiting = isinstance(page, AssignmentView)
    if not walk.is_waiting:
        finish(db, session)
        _come_back(db, slug, walk.token, walk.mind)


def _end_alone(db: Connection, slug: str, walk: _Walk) -> None:
    """Let a rater to whom nobody comes have waited long enough, and go on to the end."""
    while walk.is_waiting:
        session = _session(db, slug, walk.token)
        page, protocol = current_page(db, session), protocol_of(db, session)
        if not isinstance(page, AssignmentView):
            raise TypeError("a rater who waits is in front of a trial")
        talk = talk_of(db, protocol, page)
        let_wait_pass(db, Member(page.study_id, page.id), talk.partner)
        if record_alone(db, talk.partner, page):
            leave_item(db, session, page, talk.partner, time.time_ns() // 1_000_000)
        _go_on(db, slug, walk)


def _come_back(db: Connection, slug: str, token: str, mind: Mind) -> None:
    """Answer the later waves, each as if its day had come; some raters do not come back."""
    session = _session(db, slug, token)
    days = 0
    for _, wave in numbered(protocol_of(db, session).waves):
        if mind.rng.random() >= RETURN_SHARE:
            return
        let_days_pass(db, session, wave.days - days)
        days = wave.days
        go_on(db, slug, token, mind)


def let_days_pass(db: Connection, session: RatingSession, days: int) -> None:
    """Move what a simulated rater has done so far into the past."""
    values = {"study": session.study_id, "session": session.session_id, "rater": session.rater_id, "days": days}
    for statement in _EARLIER:
        db.execute(statement, values)


def go_on(
    db: Connection,
    slug: str,
    token: str,
    mind: Mind,
    *,
    until: Container[str] = (),
    meet: Callable[[], None] | None = None,
) -> set[int]:
    """Answer every page from here to the end; returns the IDs of the assignments that were rated.

    A rater who has to wait for a partner stops there.

    Args:
        db: a connection in a transaction.
        slug: the study, or its address.
        token: of the rating session.
        mind: who answers.
        until: steps at which it stops.
        meet: brings a partner to a rater who waits.
    """
    session = _session(db, slug, token)
    rated: set[int] = set()
    while current_step(db, session) not in until:
        page = current_page(db, session)
        if isinstance(page, AssignmentView):
            placed = _placed(db, session, page)
            if placed == "waits" and meet is None:
                break
            if placed == "waits" and meet is not None:
                meet()
            elif placed == "here":
                _rate(db, session, page, mind)
                rated.add(page.id)
        elif page in ENDS:
            break
        else:
            pass_step(db, session, page, mind.fill)
        session = _session(db, slug, token)
    return rated


def _placed(db: Connection, session: RatingSession, page: AssignmentView) -> Literal["here", "waits", "elsewhere"]:
    """Whether a rater waits for a partner, or has met one about another item."""
    protocol = protocol_of(db, session)
    if not is_writing(protocol, page) or protocol.conversation is None:
        return "here"
    room = talk_of(db, protocol, page).room
    if room and not room.is_paired:
        return "waits"
    return "here" if room is None or room.is_at(page) else "elsewhere"


def bring_partner(db: Connection, slug: str) -> None:
    """Let a simulated rater be the partner of someone who waits, and write the first message if that is their role."""
    study = get_own_arrival_study(db, slug)
    if study is None:
        return
    name = f"partner-{secrets.token_hex(4)}"
    arriving = arrive(db, study, Arrival(SIMULATED, name, {}), is_simulated=True)
    if arriving is None:
        return
    go_on(db, slug, arriving.token, mind_of(db, study.id, 0, name), until={"rating"})
    session = _session(db, slug, arriving.token)
    page, protocol = current_page(db, session), protocol_of(db, session)
    if not isinstance(page, AssignmentView) or not is_writing(protocol, page):
        return
    talk = talk_of(db, protocol, page)
    if talk.partner.is_person:
        room = enter(db, talk.partner, page, protocol.design.seed, is_mixed=True)
        if room.is_paired and room.role == talk.partner.begins:
            add_to_dyad(db, room, "Simulated message 1.", [SIMULATED_TURN])


def _rate(db: Connection, session: RatingSession, page: AssignmentView, mind: Mind) -> None:
    """Answer and submit the page of a trial."""
    protocol = protocol_of(db, session)
    if is_writing(protocol, page):
        page = _write(db, protocol, page, mind)
    slots = slots_of(protocol, page)
    form, active_ms = mind.answer(page, slots)
    form |= gold_form(protocol, slots, page, mind.names, mind.rng)
    submission = submit_rating(db, session, page, form, active_ms=active_ms)
    if not submission.is_stored:
        raise RuntimeError(f"a simulated answer was refused: {submission.answers.wrong}")


def _write(db: Connection, protocol: Protocol, page: AssignmentView, mind: Mind) -> AssignmentView:
    """Write what a page asks for; the rater's impression of it is that of its source."""
    written = writing_of(db, protocol, page)
    if isinstance(written, DraftText):
        simulate_draft(db, protocol, page, written, mind.rng)
    else:
        simulate_turns(db, page, written)
    page = end(db, protocol, page, writing_of(db, protocol, page))
    mind.names.responses[page.response_ids[0]] = (mind.name, written.source)
    return page


def _session(db: Connection, slug: str, token: str) -> RatingSession:
    session = get_rating_session(db, slug, token)
    if session is None:
        raise RuntimeError("the rating session of a simulated rater is gone")
    return session
