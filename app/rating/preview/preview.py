"""Preview a draft study as raters will see it, page by page: nothing is stored and no seat is taken."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from sqlalchemy import Connection

from app.protocol.allocation.trials import planned_trials
from app.protocol.presentation import shown_labels
from app.protocol.study import Protocol
from app.rating.conversations.transcripts import PARTNER, RATER
from app.rating.conversations.turns import partner_in
from app.rating.life_cycle import get_needs
from app.rating.seats.assignment_view import AssignmentView, read_texts
from app.rating.seats.trial_list import n_pages
from app.rating.seats.trials import list_items

# The texts of one trial for a preview; nothing is assigned.

# Shown for studies without texts and without a limit on trials per rater.
N_TRIALS = 10
# A token that no assignment has.
NO_TOKEN = UUID(int=0)


def example_view(
    db: Connection,
    study_id: int,
    *,
    item_id: int,
    response_ids: Sequence[int],
    condition: str,
    shown_labels: tuple[str | None, ...],
    n_all: int = N_TRIALS,
) -> AssignmentView:
    """The page of a trial as the first of `n_all`, without an assignment."""
    texts = read_texts(db, study_id, item_id, response_ids)
    return AssignmentView(
        study_id=study_id,
        id=0,
        token=NO_TOKEN,
        rater_id=0,
        trial_id=0,
        position=1,
        response_ids=tuple(response_ids),
        shown_labels=shown_labels,
        repeat=0,
        state="leased",
        n_turns_done=0,
        served_at=None,
        condition=condition,
        item_id=item_id,
        n_all=n_all,
        place=1,
        **texts | {"responses": texts["responses"] or []},
    )


def length_of(db: Connection, study_id: int, protocol: Protocol) -> int:
    """How many pages a rater gets if there are enough seats."""
    groups = get_needs(db, study_id, protocol).groups
    of_pool = [group.n_each for group in groups if group.pool == protocol.design.open_pool]
    n_trials = max(of_pool or [group.n_each for group in groups], default=protocol.design.trials_per_rater or N_TRIALS)
    return n_pages(protocol, n_trials)


# An example is chosen from the first items only, however many there are.
_N_ITEMS = 20


def example_trial(
    db: Connection, study_id: int, protocol: Protocol, cell: str, *, n_all: int = N_TRIALS
) -> AssignmentView | None:
    """The rating page of the first trial in a condition, as that of the first of `n_all`; None if there is no trial."""
    items = list_items(db, study_id)[:_N_ITEMS]
    trial = next((trial for trial in planned_trials(protocol, items) if trial.cell.text == cell), None)
    if trial is None or trial.item.item_id is None:
        return None
    is_written = protocol.writing is not None
    sources = [partner_in(protocol, cell)[0]] if is_written else [response.source for response in trial.responses]
    if not set(sources) <= set(protocol.sources):
        return None
    view = example_view(
        db,
        study_id,
        item_id=trial.item.item_id,
        response_ids=[response.response_id for response in trial.responses],
        condition=cell,
        shown_labels=shown_labels(protocol, cell, sources),
        n_all=n_all,
    )
    return with_example(protocol, view) if protocol.writing else view


# What questions are about in a preview of a study in which raters write.
_EXAMPLE_TEXT = "Here is the rater’s text."
_EXAMPLE = [
    {"speaker": RATER, "text": "Here is the rater’s first message.", "by": "rater"},
    {"speaker": PARTNER, "text": "Here is the partner’s reply.", "by": "partner"},
]


def with_example(protocol: Protocol, view: AssignmentView) -> AssignmentView:
    """The page of a trial after what its rater writes."""
    written = {"text": None, "turns": _EXAMPLE} if protocol.conversation else {"text": _EXAMPLE_TEXT, "turns": None}
    return replace(view, response_ids=(0,), responses=[written])
