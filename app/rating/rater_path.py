"""A rater's path: arrive, start, answer, finish."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from sqlalchemy import Connection

from app.base.language.language import language_of
from app.protocol.pages.page_slots import Shown
from app.protocol.pages.reveal import PRACTICE, Stage, slots_now, stage_of
from app.protocol.pages.steps import AFTER_RATINGS, DONE, asked_at, next_step, rater_steps
from app.protocol.questions.form import Answers, Form, PageTimes, read_page_ms
from app.protocol.questions.saves import Save, read_page, read_save
from app.protocol.questions.slot import Slot
from app.protocol.rating_columns import GOLD
from app.protocol.study import Protocol
from app.protocol.waves import open_wave, welcome_step
from app.rating.answers.submit import Action, Sent, release_turns, store
from app.rating.arrival.admission import Turned, turned_by_limits
from app.rating.arrival.arrivals import ArrivalStudy, Identity, OpenedSession, record_arrival, record_invited_arrival
from app.rating.arrival.conditions import own_conditions, stored_condition, turned_by_conditions
from app.rating.seats.assignment_view import AssignmentView, next_assignment, next_revisit
from app.rating.seats.assignments import get_so_far
from app.rating.seats.seats import Claimant, has_free_seats, has_leased_seats, return_expired, return_open
from app.rating.seats.trial_list import come_back, give_seats, keep_seats, pool_of_seats
from app.rating.sessions import RatingSession, record_begin, record_finish, record_state, record_step
from app.rating.steps.attention import attention_now
from app.rating.steps.gold import check_gold
from app.studies.protocols import get_protocol
from app.webhooks.outbox import enqueue_finished, enqueue_full

# Whether a seat is free for a rater who has not started: they are told before the consent form and instructions.


def turned_before_start(db: Connection, session: RatingSession, protocol: Protocol) -> Turned | None:
    """None if a seat seems to be free; otherwise whether one may still become free.

    Nothing is locked or reserved: raters are checked again when they start.
    """
    return_expired(db, session)
    pool = pool_of_seats(protocol, session.pool)
    if turned := turned_by_limits(db, session, protocol) or turned_by_conditions(db, session, protocol, pool):
        return turned
    who = Claimant(session, True, own_conditions(protocol, stored_condition(db, session, protocol)).texts, pool=pool)
    if has_free_seats(db, who):
        return None
    return "wait" if has_leased_seats(db, who) else "full"


@dataclass(frozen=True, slots=True)
class Arrival:
    """An arriving rater: the platform, their ID on it, and the other parameters of the link."""

    platform: str
    platform_id: str
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Submission:
    """The result of submitting a page.

    `is_stored` is False if answers are invalid, the seat was reassigned, or what is stored left the browser later.

    `following`: the next page, if it was asked for and is known already.
    """

    answers: Answers
    is_stored: bool
    following: AssignmentView | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """The result of saving answers. `older`: the slots that already have a later answer."""

    save: Save
    older: tuple[str, ...] = ()


class InvitedOnlyError(PermissionError):
    """The study admits raters by personal link only: because of its settings, or because no pool is open."""


def arrive(
    db: Connection,
    study: ArrivalStudy,
    arrival: Arrival,
    *,
    cookie: str | None = None,
    pool: str | None = None,
    is_simulated: bool = False,
) -> OpenedSession | None:
    """Find or create the rating session of a rater; None if an invitation link is unknown or revoked.

    Args:
        db: the transaction.
        study: the study.
        arrival: the arriving rater.
        cookie: the browser's cookie for this study.
        pool: the pool of a simulated rater; raters with an open link belong to the open pool.
        is_simulated: whether the rater is simulated.

    Raises:
        InvitedOnlyError: the study admits raters by personal link only.
    """
    design = get_protocol(db, study.id, study.protocol_version, study.sha256).design
    if arrival.platform == "invite":
        return record_invited_arrival(db, study, arrival.platform_id, lease_minutes=design.lease_minutes)
    pool = pool or design.open_pool
    if (design.pools and pool is None) or (design.links == "personal" and not is_simulated):
        raise InvitedOnlyError
    return record_arrival(
        db,
        study,
        Identity(arrival.platform, arrival.platform_id, arrival.parameters, cookie),
        lease_minutes=design.lease_minutes,
        pool=pool,
        is_simulated=is_simulated,
    )


def protocol_of(db: Connection, session: RatingSession) -> Protocol:
    """The version of the protocol with which this rater started."""
    return get_protocol(db, session.study_id, session.protocol_version, session.sha256)


def asked_now(protocol: Protocol, view: AssignmentView) -> tuple[Stage, tuple[Slot, ...]]:
    """How far the page of an assignment is revealed, and the slots that it asks now."""
    shown = shown_on(protocol, view)
    stage = Stage() if view.state == PRACTICE else stage_of(protocol, shown, view.n_turns_done)
    return stage, slots_now(asked_at(protocol, shown, is_revisit=view.is_revisit), stage)


def slots_of(protocol: Protocol, view: AssignmentView) -> tuple[Slot, ...]:
    """The slots that the page of an assignment asks now."""
    return asked_now(protocol, view)[1]


def shown_on(protocol: Protocol, view: AssignmentView) -> Shown:
    """What the questions on the page of an assignment depend on."""
    n_turns = tuple(len(response["turns"] or ()) for response in view.responses)
    texts = tuple(_texts(response["text"], response["turns"]) for response in view.responses)
    item_texts = _texts(view.text, view.turns)
    return Shown(
        view.response_ids,
        len(view.turns or ()),
        n_turns,
        view.condition,
        item_texts,
        texts,
        language_of(protocol.language).is_right_to_left,
        view.own_turns if protocol.conversation else frozenset(),
    )


def _texts(text: str | None, turns: Sequence[Mapping[str, str]] | None) -> tuple[str, ...]:
    return tuple(str(turn.get("text", "")) for turn in turns) if turns else (text or "",)


def current_step(db: Connection, session: RatingSession) -> str:
    """The rater's current step, as `protocol.pages.steps` names it; or how they ended, if they did not finish."""
    if session.has_ended:
        return _later_step(db, session) if session.session_state == "finished" else session.session_state
    protocol = protocol_of(db, session)
    return next_step(rater_steps(protocol, pool=session.pool, condition=session.condition), session.passed)


def _later_step(db: Connection, session: RatingSession) -> str:
    """The current step of a rater who finished the first wave."""
    protocol, wave = protocol_of(db, session), wave_now(db, session)
    if wave is None:
        return DONE
    steps = rater_steps(protocol, pool=session.pool, condition=session.condition, wave=wave)
    return next_step(steps, session.passed)


def wave_now(db: Connection, session: RatingSession) -> int | None:
    """The later wave that a rater who finished the first one can answer now; None if there is none."""
    protocol = protocol_of(db, session)
    if not protocol.waves or session.finished_at is None or session.status == "closed":
        return None
    return open_wave(protocol.waves, finished_on(session), today(), session.passed)


def finished_on(session: RatingSession) -> date:
    """The date in UTC on which a rater finished the first wave, or today."""
    return (session.finished_at or datetime.now(UTC)).astimezone(UTC).date()


def today() -> date:
    """The date in UTC."""
    return datetime.now(UTC).date()


def begin_wave(db: Connection, session: RatingSession) -> None:
    """Record that a rater begins the later wave that is open; a second click changes nothing."""
    wave = wave_now(db, session)
    if wave is not None and current_step(db, session) == welcome_step(wave):
        record_step(db, session, welcome_step(wave))


def as_shown(db: Connection, session: RatingSession, view: AssignmentView) -> AssignmentView:
    """The assignment as its page is now: for rating or as a revisit."""
    is_done = view.state == "done"
    return view.as_revisit() if is_done and current_step(db, session) == "revisit" else view


def may_rate(db: Connection, session: RatingSession, view: AssignmentView) -> bool:
    """Whether answers are still accepted; not from the debriefing on, which may reveal the sources."""
    step = current_step(db, session)
    return not session.has_ended and step not in AFTER_RATINGS and (step != "revisit" or view.is_revisit)


def is_end(protocol: Protocol, session: RatingSession, view: AssignmentView) -> bool:
    """Whether nothing is left to do after the last page of this list."""
    steps = rater_steps(protocol, pool=session.pool, condition=session.condition)
    return steps[-2] == ("revisit" if view.is_revisit else "rating")


def begin_rating(db: Connection, session: RatingSession) -> None:
    """Record that the instructions are read; a second click changes nothing. `current_page` assigns the seats."""
    if current_step(db, session) == "instructions":
        record_begin(db, session)
        record_step(db, session, "instructions")


def current_page(db: Connection, session: RatingSession) -> AssignmentView | str:
    """What the rater sees next: an assignment; `wait` or `full` if there is none; otherwise the step.

    Between two assignments it may be `attention`.
    """
    step = current_step(db, session)
    if step == "revisit":
        return next_revisit(db, session) or current_step(db, record_step(db, session, "revisit"))
    if step == "rating":
        return _rating_page(db, session)
    if session.has_begun or session.has_ended:
        return step
    turned = turned_before_start(db, session, protocol_of(db, session))
    if (turned == "full") != (session.session_state == "full"):
        # Leads see why a rater has nothing to rate, until a place becomes free after all.
        record_state(db, session, "full" if turned == "full" else "arrived")
    return turned or step


def _rating_page(db: Connection, session: RatingSession) -> AssignmentView | str:
    if attention_now(db, session, protocol_of(db, session)):
        return "attention"
    if session.session_state == "active" and (view := next_assignment(db, session)):
        return view
    outcome = give_seats(db, session, protocol_of(db, session))
    if outcome == "given":
        return next_assignment(db, session) or "wait"
    enqueue_full(db, session.study_id)
    if get_so_far(db, session).n_held == 0:
        return outcome
    return current_page(db, record_step(db, session, "rating"))


def submit_rating(
    db: Connection,
    session: RatingSession,
    view: AssignmentView,
    form: Form,
    *,
    active_ms: int | None = None,
    goes_on: bool = False,
) -> Submission:
    """Check a page of answers and store all or none of them; for a turn of a dialogue, reveal the next one.

    `goes_on`: serve the next page in the same statement, if nothing can come between two pages of this study.
    """
    protocol = protocol_of(db, session)
    stage, slots = asked_now(protocol, view)
    if stage.turn is not None and next(iter(form.get("turn", ())), str(stage.turn)) != str(stage.turn):
        return Submission(Answers(()), is_stored=True)
    answers = read_page(slots, form, view.response_ids)
    if answers.wrong:
        return Submission(answers, is_stored=False)
    if view.state == "returned":
        come_back(db, session, protocol)
    action: Action = "submit" if stage.turn is None else "turn"
    goes_on = goes_on and action == "submit" and not view.is_revisit and is_straight_on(protocol, session)
    sent = Sent(action, times_of(form, active_ms), answers.given, turn=stage.turn)
    stored = store(db, session, view, sent, goes_on=goes_on)
    if action == "submit" and stage.n_turns:
        release_turns(db, view)
    if stored.is_stored and action == "submit":
        _check(db, protocol, view)
    return Submission(answers, stored.is_stored, stored.following)


def is_straight_on(protocol: Protocol, session: RatingSession) -> bool:
    """Whether the next page is always a trial: no message, attention check or break can come before it."""
    return not session.has_message and not protocol.checks.attention and protocol.design.blocks is None


def save_answers(db: Connection, session: RatingSession, view: AssignmentView, form: Form) -> Saved | None:
    """Store the answers of a page that is not submitted yet; None if the seat was given to another rater.

    Invalid answers do not block valid ones.
    """
    protocol = protocol_of(db, session)
    save = read_save(slots_of(protocol, view), form, view.response_ids)
    if not save.answers:
        return Saved(save)
    stored = store(db, session, view, Sent("save", PageTimes(read_page_ms(form)), save.answers))
    if not stored.is_stored:
        return None
    if view.state == "done":
        _check(db, protocol, view)
    return Saved(save, tuple(answer.slot.name for answer in stored.older))


def _check(db: Connection, protocol: Protocol, view: AssignmentView) -> None:
    """Check a gold trial when it is done, and again when one of its answers is changed."""
    if view.purpose == GOLD:
        check_gold(db, protocol, view, asked_at(protocol, shown_on(protocol, view), is_revisit=False))


def end_trials(db: Connection, session: RatingSession, *, only_if_none_left: bool) -> None:
    """Go on from the trials to what comes after them, as if all were done; those that are left go to other raters.

    Args:
        db: the transaction that locked the rating session.
        session: the rating session.
        only_if_none_left: go on with the next trial, if there is one.
    """
    if only_if_none_left:
        is_left = next_assignment(db, session) or give_seats(db, session, protocol_of(db, session)) == "given"
        if is_left:
            return
    return_open(db, session)
    record_step(db, session, "rating")


def finish(db: Connection, session: RatingSession) -> bool:
    """Mark the session as finished if all steps are completed; False if one is open or the session ended otherwise."""
    if session.session_state == "finished":
        return current_step(db, session) == DONE
    if session.has_ended or current_page(db, session) != DONE:
        return False
    if session.session_state != "active":
        keep_seats(db, session, protocol_of(db, session))
    record_finish(db, session)
    enqueue_finished(db, session.study_id, session.session_id)
    enqueue_full(db, session.study_id)
    return True


def times_of(form: Form, active_ms: int | None = None) -> PageTimes:
    """When a page left, and how long it was hidden: at most a day, and 0 if the value is invalid."""
    text = next(iter(form.get("hidden_ms", ())), "")
    is_number = text.isascii() and text.isdigit() and len(text) <= 12  # noqa: PLR2004 - no longer than a time
    return PageTimes(read_page_ms(form), min(int(text), 24 * 60 * 60 * 1000) if is_number else 0, active_ms)
