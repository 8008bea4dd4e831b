"""Simulated raters that arrive, answer at random with a seed, and finish, served by the same code as real raters."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from sqlalchemy import Connection

from app.protocol.allocation.randomization import seeded
from app.protocol.questions.slot import Slot
from app.rating.arrival.arrivals import get_arrival_study
from app.rating.arrival.invitations import invite_raters
from app.rating.rater_path import Arrival, arrive, current_page, finish, protocol_of, slots_of, submit_rating
from app.rating.seats.assignment_view import AssignmentView
from app.rating.sessions import get_rating_session
from app.rating.simulation.simulated_answers import pass_step
from app.studies.protocols import get_protocol

Form = dict[str, list[str]]


def rate_until_full(db: Connection, slug: str, seed: int = 1, most: int = 100) -> int:
    """Let raters arrive one after the other until the study has no seat left; return how many finished.

    Named raters come first, with personal links; then anonymous raters, if the study is open to all.
    """
    study = get_arrival_study(db, slug)
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
    """Let one rater complete the study; return False if there was no seat."""
    study = get_arrival_study(db, slug)
    assert study
    arrival = Arrival("invite" if invite else "link", invite or name, {})
    rating_session = arrive(db, study, arrival, is_simulated=not invite)
    assert rating_session
    rater = RandomRater(seeded(seed, name))
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
            pass_step(db, session, page, rater.fill)
            continue
        submission = submit_rating(db, session, page, rater.fill(slots_of(protocol_of(db, session), page), page))
        assert not submission.answers.wrong
        assert submission.is_stored


@dataclass(frozen=True, slots=True)
class RandomRater:
    """A rater with random impressions of the responses, for the simulation of each type of question."""

    rng: Random

    def impression(self, response_id: int | None, dimension: str) -> float:  # noqa: ARG002 - random, uses neither
        return self.rng.gauss(0, 1)

    def fill(self, slots: Sequence[Slot], view: AssignmentView | None) -> Form:
        """Return the answers for a page."""
        response_ids = view.response_ids if view else ()
        form: Form = {}
        for slot in slots:
            form |= slot.question.simulate(slot.blank(response_ids), self)
        return form
