"""Raters driven through the actions, without a browser."""

import time
from collections.abc import Callable

from sqlalchemy import Connection, Engine

from app.rating.arrival.arrivals import get_arrival_study
from app.rating.rater_path import Arrival, arrive, begin_rating, current_page, finish, submit_rating
from app.rating.seats.assignment_view import AssignmentView, get_own_assignment
from app.rating.sessions import RatingSession, get_rating_session

FULL = {"q0": ["left"], "q1r0": ["4"], "q1r1": ["2"]}


class Rater:
    """One rater on one engine; every step is a separate transaction."""

    def __init__(self, engine: Engine, who: str, slug: str = "study", **parameters: str) -> None:
        """Arrive, by a link with these parameters."""
        self.engine, self.slug = engine, slug
        with engine.begin() as db:
            study = get_arrival_study(db, slug)
            assert study
            rating_session = arrive(db, study, Arrival("participant", who, parameters))
            assert rating_session
        self.token, self.rater_id = rating_session.token, rating_session.rater_id

    def session(self, db: Connection) -> RatingSession:
        """The rating session, its lease extended."""
        session = get_rating_session(db, self.slug, self.token)
        assert session
        return session

    def begin(self) -> AssignmentView | str:
        """Press *Begin*; returns the first page, or what comes instead."""
        with self.engine.begin() as db:
            begin_rating(db, self.session(db))
        return self.look()

    def look(self) -> AssignmentView | str:
        """Return the current page."""
        with self.engine.begin() as db:
            return current_page(db, self.session(db))

    def submit(self, view: AssignmentView, form: dict[str, list[str]] | None = None) -> bool:
        """Answer a page; returns whether it was stored."""
        with self.engine.begin() as db:
            own = get_own_assignment(db, self.slug, self.token, view.token)
            assert own
            return submit_rating(db, own[0], own[1], form or FULL).is_stored

    def finish(self) -> bool:
        """Open the completion page."""
        with self.engine.begin() as db:
            return finish(db, self.session(db))

    def go_all_the_way(self, n_patience: int = 200, pause: Callable[[float], None] = time.sleep) -> int:
        """Rate until there is nothing more; returns the number of stored pages."""
        n_stored, page = 0, self.begin()
        for _ in range(n_patience):
            if isinstance(page, AssignmentView):
                n_stored += self.submit(page)
            elif page == "wait":
                pause(0.05)
            else:
                break
            page = self.look()
        if page == "done":
            assert self.finish()
        return n_stored
