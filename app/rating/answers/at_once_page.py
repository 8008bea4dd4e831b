"""Answers to a page that this process has shown, stored in one statement if nothing has changed since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.base.database.hot_connections import HotConnections
from app.protocol.pages.reveal import Stage
from app.protocol.questions.form import read_page_ms
from app.protocol.questions.saves import read_page, read_save
from app.protocol.questions.slot import Slot
from app.protocol.study import Protocol
from app.rating.answers import submit as at_once
from app.rating.rating import Saved, asked_now, is_straight_on, times_of
from app.rating.seats.assignment_view import AssignmentView
from app.rating.sessions import RatingSession

Form = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page that is open for rating, and what was known about its rater when it was shown."""

    protocol: Protocol
    session: RatingSession
    view: AssignmentView
    stage: Stage
    slots: tuple[Slot, ...]

    @classmethod
    def of(cls, protocol: Protocol, session: RatingSession, view: AssignmentView) -> ShownPage:
        """The page of an assignment as it is now."""
        return cls(protocol, session, view, *asked_now(protocol, view))

    @property
    def is_kept(self) -> bool:
        """Whether its answers can be stored at once: it is open for the first time, in the rater's own browser.

        A trial that was served by the current statement still has the state `planned`.
        """
        is_moved = self.session.is_moved or self.view.move_id is not None
        return self.view.state in {"planned", "leased"} and not is_moved and not self.session.is_paused

    def read_again(self, session: RatingSession, view: AssignmentView) -> ShownPage:
        """The same page for what was just read of it without its place in the list."""
        return ShownPage.of(self.protocol, session, replace(view, place=self.view.place, n_all=self.view.n_all))


async def submit_at_once(db: HotConnections, page: ShownPage, form: Form) -> ShownPage | None:
    """Store a whole page; returns the next one, or None if the page has to be submitted by `submit_rating`.

    Submitting it again changes nothing, even if it was stored.
    """
    protocol, session, view = page.protocol, page.session, page.view
    is_last = view.place >= view.n_all
    if is_last or page.stage.n_turns or view.purpose != "rating" or not is_straight_on(protocol, session):
        return None
    answers = read_page(page.slots, form, view.response_ids)
    if answers.wrong:
        return None
    stored = await at_once.submit_at_once(db, session, view, answers.given, times_of(form))
    return stored and ShownPage.of(protocol, *stored)


async def save_at_once(db: HotConnections, page: ShownPage, form: Form) -> tuple[ShownPage, Saved] | None:
    """Store answers before their page is submitted; None if this has to be done by `save_answers`."""
    save = read_save(page.slots, form, page.view.response_ids)
    if not save.answers:
        return None
    stored = await at_once.save_at_once(db, page.session, page.view, save.answers, read_page_ms(form))
    if stored is None:
        return None
    session, older = stored
    return replace(page, session=session), Saved(save, tuple(answer.slot.name for answer in older))
