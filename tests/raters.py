"""Raters who are played: they come, answer at random by a seed, and finish, by the code that serves people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.rating.invite import invite_raters
from app.actions.rating.rating import Arrival, arrive, current_page, finish, protocol_of, slots_of, submit_rating
from app.actions.simulation.simulated_steps import pass_step
from app.design.allocation.randomization import seeded
from app.design.questions.category import CategoryQuestion
from app.design.questions.choice import ChoiceQuestion
from app.design.questions.rating import RatingQuestion
from app.design.questions.scale import number_text
from app.design.questions.slider import SliderQuestion
from app.design.questions.text import TextQuestion
from app.storage.raters.arrivals import get_study_door
from app.storage.raters.rating_sessions import get_rating_session
from app.storage.studies.protocols import get_protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from sqlalchemy import Connection

    from app.design.questions.kinds import Question
    from app.design.questions.slot import Slot

Form = dict[str, list[str]]


def rate_until_full(db: Connection, slug: str, seed: int = 1, most: int = 100) -> int:
    """Raters come one after the other until the study has no place for the next; how many finished.

    Who is named comes first, by a personal link; then anybody, where the study is open to all.
    """
    study = get_study_door(db, slug)
    assert study
    n_named = sum(rate_as(db, slug, name, seed, invite) for name, invite in invite_raters(db, study))
    design = get_protocol(db, study.id, study.protocol_version, study.sha256).design
    if design.pools and design.open_pool is None:
        return n_named
    for number in range(most):
        if not rate_as(db, slug, f"played-{number}", seed):
            return n_named + number
    raise AssertionError(f"{slug} still has places after {most} raters")


def rate_as(db: Connection, slug: str, name: str, seed: int, invite: str = "") -> bool:
    """One rater's whole way; False where there was no place."""
    study = get_study_door(db, slug)
    assert study
    arrival = Arrival("invite" if invite else "link", invite or name, {})
    rating_session = arrive(db, study, arrival, is_simulated=not invite)
    assert rating_session
    rng = seeded(seed, name)
    while True:
        session = get_rating_session(db, slug, rating_session.token)
        assert session
        page = current_page(db, session)
        if page == "full":
            return False
        if page == "done":
            assert finish(db, session)
            return True
        if isinstance(page, str):
            assert page != "wait"
            pass_step(db, session, page, lambda slots, _view: fill(slots, rng))
            continue
        submission = submit_rating(db, session, page, fill(slots_of(protocol_of(db, session), page), rng))
        assert not submission.answers.wrong
        assert submission.is_stored


def fill(slots: Sequence[Slot], rng: Random) -> Form:
    """A page's answers."""
    return {slot.name: [slot.passages[0][:20]] if slot.passages else answer(slot.question, rng) for slot in slots}


def answer(question: Question, rng: Random) -> list[str]:
    """An answer that the question allows."""
    match question:
        case RatingQuestion() | SliderQuestion():
            return [number_text(rng.choice(question.values))]
        case ChoiceQuestion():
            return [rng.choice(["left", "right", *(["tie"] if question.tie else [])])]
        case CategoryQuestion():
            codes = [code for code in question.codes if code not in question.exclusive]
            return rng.sample(codes, rng.randint(1, 3)) if question.multiple else [rng.choice(codes)]
        case TextQuestion():
            return ["It meets the feeling, and says nothing that was not there."]
        case _:
            return []
