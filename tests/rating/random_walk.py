"""A study with random actions: raters act in any order, and the lead retires items and brings them back."""

from collections import Counter
from collections.abc import Callable

from sqlalchemy import Engine, text

from app.protocol.allocation.randomization import seeded
from app.protocol.questions.form import read_page_ms
from app.rating.answers.skips import skip
from app.rating.seats.assignment_view import AssignmentView, get_own_assignment
from app.rating.steps.pauses import record_pause, resume
from app.rating.withdrawal.withdraw import withdraw
from app.results.items.item_rows import bring_back_item, retire_item
from tests.kit.stored_raters import Rater


class Walk:
    """A study and its raters."""

    def __init__(self, engine: Engine, seed: int) -> None:
        """Start without any raters."""
        self.engine, self.rng = engine, seeded(seed, "walk")
        self.raters: list[Rater] = []
        self.gone: set[str] = set()
        self.done: Counter[str] = Counter()
        self.held: Counter[tuple[str, str]] = Counter()
        self.n_finished = 0

    def step(self) -> None:
        """Let one rater do something."""
        if not self.raters or (len(self.raters) < 14 and self.rng.random() < 0.12):
            number = len(self.raters)
            self.raters.append(Rater(self.engine, f"rater-{number}", site=("north", "south")[number % 2]))
        here = [rater for rater in self.raters if rater.token not in self.gone]
        rater = self.rng.choice(here or self.raters[-1:])
        untried = [action for action in ACTIONS if action.__name__ not in self.done]
        is_new = untried and self.rng.random() < 0.1
        action = self.rng.choice(untried) if is_new else self.rng.choices(list(ACTIONS), list(ACTIONS.values()))[0]
        if rater.token in self.gone:
            return
        self.done[action.__name__] += 1
        action(self, rater)

    def look(self, rater: Rater) -> AssignmentView | str:
        """Open the page, after pressing *Begin* if required."""
        page = rater.look()
        return rater.begin() if page == "instructions" else page


def answer(walk: Walk, rater: Rater) -> None:
    page = walk.look(rater)
    if isinstance(page, AssignmentView):
        rater.submit(page)
        if walk.rng.random() < 0.3:
            rater.submit(page)
    elif page == "done":
        rater.finish()


def look(walk: Walk, rater: Rater) -> None:
    walk.look(rater)


def pass_by(walk: Walk, rater: Rater) -> None:
    page = walk.look(rater)
    if isinstance(page, AssignmentView):
        with walk.engine.begin() as db:
            own = get_own_assignment(db, rater.slug, rater.token, page.token)
            assert own
            skip(db, *own, "No", read_page_ms({}))


def answer_again(walk: Walk, rater: Rater) -> None:
    """Submit any earlier page of this rater: one that is done, skipped, or was reassigned."""
    tokens = "SELECT token FROM assignments WHERE rater_id = :id AND served_at IS NOT NULL ORDER BY id"
    with walk.engine.begin() as db:
        session = rater.session(db)
        found = db.execute(text(tokens), {"id": rater.rater_id}).scalars().all()
        own = get_own_assignment(db, rater.slug, rater.token, walk.rng.choice(found)) if found else None
    if own and not session.has_ended:
        rater.submit(own[1])


def stay_away(walk: Walk, rater: Rater) -> None:
    with walk.engine.begin() as db:
        late = "UPDATE rating_sessions SET lease_expires_at = now() - interval '1 minute' WHERE rater_id = :id"
        db.execute(text(late), {"id": rater.rater_id})


def pause(walk: Walk, rater: Rater) -> None:
    with walk.engine.begin() as db:
        record_pause(db, rater.session(db))
    with walk.engine.begin() as db:
        resume(db, rater.session(db))


def stop(walk: Walk, rater: Rater) -> None:
    with walk.engine.begin() as db:
        session = rater.session(db)
        if not session.has_ended:
            withdraw(db, session, is_deletion=False)


def delete(walk: Walk, rater: Rater) -> None:
    with walk.engine.begin() as db:
        withdraw(db, rater.session(db), is_deletion=True)
    walk.gone.add(rater.token)


def retire(walk: Walk, _: Rater) -> None:
    with walk.engine.begin() as db:
        items = db.execute(text("SELECT study_id, id FROM items WHERE retired_because IS NULL ORDER BY id")).all()
        if len(items) > 2:
            study, item = walk.rng.choice(items)
            retire_item(db, study, item, "Names its source")


def bring_back(walk: Walk, _: Rater) -> None:
    with walk.engine.begin() as db:
        items = db.execute(text("SELECT study_id, id FROM items WHERE retired_because IS NOT NULL ORDER BY id")).all()
        if items:
            study, item = walk.rng.choice(items)
            bring_back_item(db, study, item)


ACTIONS: dict[Callable[[Walk, Rater], None], float] = {
    answer: 12,
    look: 3,
    pass_by: 3,
    answer_again: 3,
    stay_away: 2,
    pause: 1,
    stop: 1.5,
    delete: 1,
    retire: 0.7,
    bring_back: 0.7,
}


def fill_up(walk: Walk) -> None:
    """Bring back all items, let all raters finish or leave for good, and let others rate whatever is left."""
    with walk.engine.begin() as db:
        study = db.execute(text("SELECT id FROM studies")).scalar_one()
        for item_id in db.execute(text("SELECT id FROM items WHERE retired_because IS NOT NULL")).scalars().all():
            bring_back_item(db, study, item_id)
    for rater in walk.raters:
        if rater.token not in walk.gone:
            stay_away(walk, rater)
    for number in range(12):
        Rater(walk.engine, f"late-{number}").go_all_the_way(n_patience=20, pause=lambda _: None)
