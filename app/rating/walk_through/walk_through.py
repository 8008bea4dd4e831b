"""Start a walk-through, and skip to a later step of it; everything between is the pages that raters see."""

import secrets
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from app.accounts.leads import Lead
from app.base.words import counted
from app.protocol.cells import cells_by
from app.protocol.pages.steps import DONE, all_steps
from app.protocol.study import Protocol
from app.protocol.waves import numbered, open_wave, welcome_step
from app.rating.arrival.arrivals import ArrivalStudy, OpenedSession, get_own_arrival_study
from app.rating.arrival.conditions import claim_condition
from app.rating.life_cycle import OpeningError, StudyEmptyError, open_study
from app.rating.rater_path import Arrival, arrive, finish, finished_on, protocol_of, today
from app.rating.seats.trial_list import pool_of_seats
from app.rating.sessions import RatingSession, get_rating_session
from app.rating.simulation.simulate import (
    SIMULATED,
    bring_partner,
    go_on,
    let_days_pass,
    mark_simulated,
    mind_of,
    simulated_arrivals,
)
from app.rating.steps.attention import count_passed_trials
from app.studies.editor.preview_pages import title_of_step
from app.studies.editor.protocol_edits import get_draft, lock_edits
from app.studies.studies import StudyRow
from app.studies.walk_throughs import copy_draft, record_skipped, record_walk_through


class WalkThroughError(ValueError):
    """The draft cannot be walked through; the message says what to do first."""


class OpenCopy(NamedTuple):
    """A copy of a draft that is open to raters: its address, its ID, and the protocol of the draft."""

    address: str
    study_id: int
    protocol: Protocol


def open_copy(db: Connection, study: StudyRow) -> OpenCopy:
    """Copy a study with its draft, which may be that of the next version, and open the copy.

    Raises:
        WalkThroughError: the draft has problems, or its texts make no trial. Nothing was stored.
    """
    lock_edits(db, study.id)
    draft = get_draft(db, study)
    if draft.protocol is None:
        n = counted(len(draft.problems), "problem")
        raise WalkThroughError(f"The design has {n}. Solve what the Design page lists, then try again.")
    with db.begin_nested():
        protocol = _for_one(draft.protocol)
        address, copy_id = copy_draft(db, study.id, protocol, draft.yaml, _special_items(draft.protocol))
        try:
            open_study(db, address)
        except StudyEmptyError as error:
            raise WalkThroughError(f"{error} Add texts, or choose other trials under Trials.") from error
        except OpeningError as error:
            raise WalkThroughError(str(error)) from error
    return OpenCopy(address, copy_id, draft.protocol)


def start_walk_through(db: Connection, study: StudyRow, lead: Lead, *, condition: str) -> tuple[str, OpenedSession]:
    """Arrive at a copy of a draft as its first rater; returns the address of the copy and the rating session.

    Args:
        db: the transaction.
        study: the study.
        lead: who walks.
        condition: the between-rater condition to walk in. It is drawn, as for raters, if the draft has no such one.

    Raises:
        WalkThroughError: see `open_copy`; or all raters of the design are to be listed, and none is.
    """
    with db.begin_nested():
        copied = open_copy(db, study)
        record_walk_through(db, study.id, lead.id, copied.study_id)
        arrival_study = get_own_arrival_study(db, copied.address)
        if arrival_study is None or (session := _arrive(db, arrival_study, copied.protocol)) is None:
            raise WalkThroughError("This design is for listed raters only, and none is listed in raters.csv.")
        conditions = conditions_of(copied.protocol)
        if condition in conditions and (opened := get_rating_session(db, copied.address, session.token)):
            others = conditions.keys() - {condition}
            claim_condition(db, opened, pool_of_seats(copied.protocol, opened.pool), others)
    return copied.address, session


def _for_one(protocol: Protocol) -> Protocol:
    """The protocol without what keeps one person out who comes without a personal link."""
    design = protocol.design.model_copy(update={"links": "any", "quotas": {}})
    return protocol.model_copy(update={"design": design})


def _special_items(protocol: Protocol) -> set[str]:
    practice = protocol.flow.practice.trials if protocol.flow.practice else ()
    return {trial.item for trial in practice} | {trial.item for trial in protocol.checks.gold}


def _arrive(db: Connection, study: ArrivalStudy, protocol: Protocol) -> OpenedSession | None:
    """Arrive as a listed rater if the design names raters, otherwise as someone from the study's platform."""
    arriving = next(iter(simulated_arrivals(db, study.id, protocol.design, 1, 0)), None)
    if arriving is None:
        return None
    if arriving.rater_id is not None:
        mark_simulated(db, study.id, arriving.rater_id)
        return arrive(db, study, Arrival(SIMULATED, arriving.name, {}), pool=arriving.pool, is_simulated=True)
    platform = protocol.recruitment.platform
    arrival = Arrival(platform if platform in {"prolific", "sona"} else "participant", secrets.token_hex(8), {})
    return arrive(db, study, arrival, pool=arriving.pool)


def conditions_of(protocol: Protocol) -> dict[str, str]:
    """The between-rater conditions that a walk can be in, with their words; empty if there is nothing to choose."""
    between = cells_by(protocol.conditions, "between")
    return {cell.text: protocol.labels.condition(cell.text) for cell in between if cell.levels}


def steps_ahead(protocol: Protocol, session: RatingSession | None) -> dict[str, str]:
    """The steps that can be skipped to, with their titles: those after the current one, also of later waves."""
    if session is None:
        left = [*all_steps(protocol)]
        return _titles(protocol, left[1:])
    is_finished = session.session_state == "finished"
    if session.has_ended and not is_finished:
        return {}
    left = _left(protocol, session)
    # Who has finished a wave is on its last page, unless the next one has opened.
    is_between = is_finished and not open_wave(protocol.waves, finished_on(session), today(), session.passed)
    return _titles(protocol, left if is_between else left[1:])


def _titles(protocol: Protocol, steps: Sequence[str]) -> dict[str, str]:
    return {step: title_of_step(protocol, step) for step in steps}


def _left(protocol: Protocol, session: RatingSession) -> list[str]:
    """The steps that a rater has not passed, the current one included."""
    passed = {*session.passed, *([DONE] if session.session_state == "finished" else [])}
    steps = all_steps(protocol, pool=session.pool, condition=session.condition)
    return [step for step in steps if step not in passed]


def skip_to(db: Connection, address: str, token: str, session: RatingSession, target: str) -> None:
    """Answer every page before a step as a simulated rater would, and record which steps the lead did not see.

    For a step of a later wave, its days pass.
    """
    protocol = protocol_of(db, session)
    if target not in steps_ahead(protocol, session):
        return
    left = _left(protocol, session)
    before, ahead = left[: left.index(target)], frozenset(left[left.index(target) :])
    has_rated = count_passed_trials(db, session) > 0
    mind = mind_of(db, session.study_id, secrets.randbits(32), "walk-through")
    go_on(db, address, token, mind, until=ahead, meet=lambda: bring_partner(db, address))
    for number, wave in numbered(protocol.waves):
        now = get_rating_session(db, address, token)
        if welcome_step(number) not in (*before, target) or now is None or not finish(db, now):
            continue
        let_days_pass(db, now, wave.days - (today() - finished_on(now)).days)
        go_on(db, address, token, mind, until=ahead)
    record_skipped(db, session.study_id, [step for step in before if step != "rating" or not has_rated])
