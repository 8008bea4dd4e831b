"""The changes of a draft by keys, in batches: rows of `events`, only where the rater's consent form said so."""

import json
from collections.abc import Sequence

from sqlalchemy import Connection, text

from app.base.language.message import message
from app.base.web.errors import UnprocessableError
from app.protocol.draft import Draft
from app.protocol.keystrokes import MAX_CHANGES, Change, read_batch
from app.rating.seats.assignment_view import AssignmentView

NOT_RECORDED = message("This study does not record how you type. Nothing of it was stored; please reload the page.")
UNREADABLE = message("What this page recorded of your typing could not be read. Please reload the page.")
# By rater, as events are indexed.
_STORED = """
    events e JOIN assignments a ON a.study_id = e.study_id AND a.rater_id = e.rater_id AND a.id = e.assignment_id
      AND a.study_id = :study AND a.id = :assignment AND e.kind = 'keystrokes'
"""
_KNOWN = text(f"""
    SELECT coalesce(bool_or(e.detail ->> 'batch' = :batch), false),
           coalesce(sum(jsonb_array_length(e.detail -> 'changes')), 0)
    FROM {_STORED}
""")  # noqa: S608 - constants only
_ADD = text("""
    INSERT INTO events (study_id, rater_id, assignment_id, kind, detail)
    SELECT study_id, rater_id, id, 'keystrokes',
           jsonb_build_object('batch', CAST(:batch AS text), 'changes', CAST(:changes AS jsonb))
    FROM assignments WHERE study_id = :study AND id = :assignment
""")
_LIST = text(f"""
    SELECT c.value FROM {_STORED} CROSS JOIN LATERAL jsonb_array_elements(e.detail -> 'changes') c
    ORDER BY CAST(c.value ->> 0 AS bigint), e.id
""")  # noqa: S608 - constants only


def record(db: Connection, draft: Draft, view: AssignmentView, words: str) -> None:
    """Store a batch once, in the transaction that locked the rating session; what is above the bound is left out.

    Raises:
        UnprocessableError: the study records nothing of the kind, or this is no batch.
    """
    if not draft.keystrokes:
        raise UnprocessableError(NOT_RECORDED)
    batch = read_batch(words)
    if batch is None:
        raise UnprocessableError(UNREADABLE)
    add_batch(db, view, batch.id, batch.changes)


def add_batch(db: Connection, view: AssignmentView, name: str, changes: Sequence[Change]) -> None:
    """Store changes under the name of their batch, unless it is there."""
    values = {"study": view.study_id, "assignment": view.id, "batch": name}
    is_known, n_stored = db.execute(_KNOWN, values).one()
    kept = changes[: MAX_CHANGES - int(n_stored)]
    if kept and not is_known:
        db.execute(_ADD, values | {"changes": json.dumps(kept)})


def list_changes(db: Connection, view: AssignmentView) -> list[Change]:
    """All changes of a draft, in the order of their times."""
    values = {"study": view.study_id, "assignment": view.id}
    return [Change(*row) for row in db.execute(_LIST, values).scalars()]
