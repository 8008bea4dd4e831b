"""Ratings: one row per answer. A changed answer replaces the earlier one, which a trigger copies to the history.

What a page sends can arrive twice, and late: from a socket whose browser has gone, or through another server. Therefore
everything bears the time when it left, in milliseconds, by the clock of its page (`page_ms`), and what left earlier
changes nothing that left later. The clocks of the servers do not matter for this: they can jump, and a page that is
shown begins after everything that is stored for it (`AssignmentView.latest_ms`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import Connection

from app.base.database.hot_statement import HotStatement
from app.protocol.questions.form import Answer, PageTimes
from app.protocol.questions.question import SIDES, TYPING, Given
from app.protocol.rating_columns import GIVEN_COLUMNS, Type
from app.rating.seats.assignment_view import AssignmentView

# The columns of an answer, as lists for SQL. They are declared in `analysis.data.rating_columns`.

_SQL_TYPES: dict[Type, str] = {
    "id": "bigint",
    "name": "text",
    "text": "text",
    "codes": "text[]",
    "whole": "integer",
    "count": "integer",
    "number": "float8",
    "time": "timestamptz",
}
# Columns that identify the answer in a row; they do not change when the answer does.
_IDENTITY = ("question", "response_id", "turn", "shown_label")
# Columns that keep their earlier value if a later answer has none: browsers without scripts do not send them.
_KEPT = ("device", *TYPING)
# The columns that are fields of `Given`.
OF_ANSWER = tuple(
    column.stored_as for column in GIVEN_COLUMNS if column.stored_as in {field.name for field in fields(Given)}
)
# All columns as lists: names, names prefixed by the alias `g`, names with types, and updates for a later answer.
NAMES = ", ".join(column.stored_as for column in GIVEN_COLUMNS)
OF_GIVEN = ", ".join(f"g.{column.stored_as}" for column in GIVEN_COLUMNS)
TYPED = ", ".join(f'"{column.stored_as}" {_SQL_TYPES[column.type]}' for column in GIVEN_COLUMNS)
REPLACED = ", ".join(
    f"{name} = coalesce(excluded.{name}, r.{name})" if name in _KEPT else f"{name} = excluded.{name}"
    for name in (column.stored_as for column in GIVEN_COLUMNS)
    if name not in _IDENTITY
)


# Marks answers that are saved but not yet submitted; until then they are excluded from every estimate.
NOT_SUBMITTED = "not submitted"
# Marks answers to gold trials, which are excluded from every estimate.
GOLD = "gold"

GIVEN = f"""
    SELECT * FROM jsonb_to_recordset(CAST(:answers AS jsonb)) AS g (
      {TYPED}, position integer, key uuid, at_ms bigint, n integer)
"""  # noqa: S608 - constants only
_IS_CHANGED = """
    (r.number, r.outcome, r.chosen_response_id, r.strength, r.codes, r.text)
      IS DISTINCT FROM (excluded.number, excluded.outcome, excluded.chosen_response_id, excluded.strength,
                        excluded.codes, excluded.text)
"""
UPSERT = f"""
    ON CONFLICT (study_id, rater_id, item_id, question, response_id, turn, condition, repeat,
                 least(left_response_id, right_response_id), greatest(left_response_id, right_response_id))
    DO UPDATE SET {REPLACED},
      idempotency_key = CASE WHEN {_IS_CHANGED} THEN excluded.idempotency_key
                             ELSE coalesce(excluded.idempotency_key, r.idempotency_key) END,
      rated_at = CASE WHEN {_IS_CHANGED} THEN excluded.rated_at ELSE r.rated_at END,
      assignment_id = excluded.assignment_id, position = excluded.position,
      left_response_id = excluded.left_response_id, right_response_id = excluded.right_response_id,
      active_ms = coalesce(excluded.active_ms, r.active_ms), page_ms = greatest(excluded.page_ms, r.page_ms),
      exclude = CASE WHEN r.exclude = :draft AND excluded.exclude IS NULL THEN NULL ELSE r.exclude END
    WHERE (r.page_ms <= excluded.page_ms) IS NOT FALSE
"""
# Whether nothing that left later is stored for an assignment: the condition for a page that is submitted or skipped.
IS_LATEST = """
    (page_ms <= :page_ms) IS NOT FALSE
    AND NOT EXISTS (SELECT FROM ratings o WHERE o.study_id = :study AND o.assignment_id = :assignment
                    AND o.page_ms > :page_ms)
"""


def paused_ms(since: str) -> str:
    """SQL for how long a rater has paused at an assignment since the time in column `since`, in milliseconds.

    If the browser stayed open on this device, it counts the same time as hidden.
    """
    return f"""
        (SELECT coalesce(sum(CAST(e.detail ->> 'paused_ms' AS bigint)), 0) FROM events e
         WHERE e.study_id = assignments.study_id AND e.rater_id = assignments.rater_id AND e.kind = 'resume'
           AND e.assignment_id = assignments.id AND e.happened_at >= assignments.{since})
    """  # noqa: S608 - a column's name


# When an answer was given according to its browser, limited to the time from serving the page to now.
_GIVEN_AT = """
    CASE WHEN g.at_ms IS NULL THEN now()
         ELSE least(now(), greatest(a.served_at, to_timestamp(g.at_ms / 1000.0))) END
"""
# The answers of a submitted page: all of them are stored.
_TAKEN = f"""
    SELECT g.*, {_GIVEN_AT} AS given_at, CAST(:page_ms AS bigint) AS page_ms, false AS is_repeat, false AS is_older
    FROM a CROSS JOIN ({GIVEN}) AS g
"""  # noqa: S608 - constants only
# The answers of a save. Those whose key has already been received are ignored, and so are those older than the
# current answer to their question or than the submission of the page. OFFSET 0 makes PostgreSQL look up the history of
# the assignment's ratings, instead of joining all ratings with their history.
_JUDGED = f"""
    SELECT g.*,
      EXISTS (SELECT FROM ratings o WHERE o.study_id = :study AND o.assignment_id = :assignment
              AND o.idempotency_key = g.key)
        OR EXISTS (SELECT FROM ratings o WHERE o.study_id = :study AND o.assignment_id = :assignment AND EXISTS (
                     SELECT FROM rating_history h WHERE h.study_id = o.study_id AND h.rating_id = o.id
                     AND h.idempotency_key = g.key OFFSET 0)) AS is_repeat,
      (g.page_ms < g.submitted_ms) IS TRUE
        OR EXISTS (SELECT FROM ratings o WHERE o.study_id = :study AND o.assignment_id = :assignment
                   AND o.question = g.question AND o.response_id IS NOT DISTINCT FROM g.response_id
                   AND o.turn IS NOT DISTINCT FROM g.turn AND o.page_ms > g.page_ms) AS is_older
    FROM (SELECT g.*, {_GIVEN_AT} AS given_at, a.page_ms AS submitted_ms, coalesce(g.at_ms, :page_ms) AS page_ms
          FROM a CROSS JOIN ({GIVEN}) AS g) AS g
"""  # noqa: S608 - constants only
# Follows the CTE `a`, which is the assignment: filters and stores its answers.
_INSERT = f"""
    judged AS ({{judged}}), stored AS (
    INSERT INTO ratings AS r (study_id, rater_id, assignment_id, item_id, {NAMES}, idempotency_key, rated_at,
      left_response_id, right_response_id, position, condition, repeat, served_at, active_ms, exclude, page_ms)
    SELECT a.study_id, a.rater_id, a.id, t.item_id, {OF_GIVEN}, g.key, g.given_at,
      CASE WHEN cardinality(a.response_ids) = 2 THEN a.response_ids[1] END,
      CASE WHEN cardinality(a.response_ids) = 2 THEN a.response_ids[2] END,
      a.position, nullif(t.condition, ''), a.repeat, a.served_at, a.active_ms,
      CASE WHEN t.purpose = 'gold' THEN '{GOLD}' ELSE :exclude END, g.page_ms
    FROM a JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id CROSS JOIN judged AS g
    WHERE NOT g.is_repeat AND NOT g.is_older
      AND (g.text IS DISTINCT FROM '' OR EXISTS (
        SELECT FROM ratings o WHERE o.study_id = a.study_id AND o.assignment_id = a.id AND o.question = g.question
          AND o.response_id IS NOT DISTINCT FROM g.response_id AND o.turn IS NOT DISTINCT FROM g.turn))
    {UPSERT})
"""  # noqa: S608 - constants only
INSERT_PAGE, INSERT_SAVED = _INSERT.format(judged=_TAKEN), _INSERT.format(judged=_JUDGED)
# The indices of the answers of a save that were too old.
OLDER = "(SELECT array_agg(DISTINCT g.n) FROM judged g WHERE g.is_older AND NOT g.is_repeat) AS older"
# Two CTEs: `a` is the assignment, now done, if it meets a condition; the other stores the answers. An earlier copy of a
# page finds no assignment.
_SUBMITTED = f"""
    a AS (
      UPDATE assignments SET state = 'done', submitted_at = coalesce(submitted_at, now()), page_ms = :page_ms,
        hidden_ms = CASE WHEN submitted_at IS NULL THEN :hidden ELSE hidden_ms END,
        active_ms = CASE WHEN submitted_at IS NULL THEN coalesce(CAST(:active AS bigint), greatest(0,
          CAST(extract(epoch FROM now() - served_at) * 1000 AS bigint) - greatest(:hidden, {paused_ms("served_at")})))
          ELSE active_ms END
      WHERE study_id = :study AND id = :assignment AND {IS_LATEST} AND {{condition}} RETURNING *
    ), {INSERT_PAGE}
"""  # noqa: S608 - constants only
# The same for answers that are saved before.
_SAVED = f"""
    a AS (
      UPDATE assignments SET first_action_at = coalesce(first_action_at, now())
      WHERE study_id = :study AND id = :assignment AND {{condition}} RETURNING *
    ), {INSERT_SAVED}
"""  # noqa: S608 - constants only
_OPEN = "state IN ('leased', 'done')"
# For a statement with a CTE `me`: only if it has a row, and the assignment is open.
_OPEN_FOR_ME = "state = 'leased' AND EXISTS (SELECT FROM me)"
SUBMITTED, SUBMITTED_BY_ME = (_SUBMITTED.format(condition=condition) for condition in (_OPEN, _OPEN_FOR_ME))
SAVED, SAVED_BY_ME = (_SAVED.format(condition=condition) for condition in (_OPEN, _OPEN_FOR_ME))
_SUBMIT = HotStatement(f"WITH {SUBMITTED} SELECT id FROM a")  # noqa: S608 - constants only
_SAVE = HotStatement(f"WITH {SAVED} SELECT a.id, {OLDER} FROM a")  # noqa: S608 - constants only


def record_submission(db: Connection, view: AssignmentView, answers: Sequence[Answer], times: PageTimes) -> bool:
    """Store the answers of a page and mark its assignment as done.

    Args:
        db: the transaction.
        view: the assignment, verified to belong to this rater.
        answers: validated answers.
        times: the times that the page sent.

    Returns:
        False if nothing was stored: the seat was given to another rater, or what is stored left the browser later.
    """
    return _SUBMIT.one_or_none(db, submitted_values(view, answers, times)) is not None


def record_answers(
    db: Connection, view: AssignmentView, answers: Sequence[Answer], page_ms: int
) -> list[Answer] | None:
    """Store answers before their page is submitted; None if the seat was given to another rater.

    Args:
        db: the transaction.
        view: the assignment, verified to belong to this rater.
        answers: validated answers.
        page_ms: when the answers that bear no time of their own left the browser.

    Returns:
        The answers that were ignored because the question was answered, or the page submitted, later.
    """
    exclude = None if view.state == "done" else NOT_SUBMITTED
    return too_old(answers, _SAVE.one_or_none(db, values_of(view, answers, page_ms) | {"exclude": exclude}))


def submitted_values(view: AssignmentView, answers: Sequence[Answer], times: PageTimes) -> dict[str, object]:
    """The parameters of SUBMITTED, as in `record_submission`."""
    own = {"exclude": None, "hidden": times.hidden_ms, "active": times.active_ms}
    return values_of(view, answers, times.page_ms) | own


def too_old(answers: Sequence[Answer], saved: Mapping[str, Any] | None) -> list[Answer] | None:
    """The answers that the result of a save names as too old; None if the assignment no longer exists."""
    return None if saved is None else [answers[n] for n in saved["older"] or ()]


def values_of(view: AssignmentView, answers: Sequence[Answer], page_ms: int) -> dict[str, object]:
    """The parameters of the INSERT for an assignment and its answers."""
    labels = dict(zip(view.response_ids, view.shown_labels or (), strict=False))
    n_shown = len(view.response_ids)
    rows = [row | {"n": n} for n, answer in enumerate(answers) for row in answer_rows(answer, labels, n_shown)]
    place = {"study": view.study_id, "assignment": view.id}
    return place | {"answers": json.dumps(rows), "draft": NOT_SUBMITTED, "page_ms": page_ms}


def answer_rows(
    answer: Answer, labels: Mapping[int, str | None] | None = None, n_shown: int = 0
) -> list[dict[str, object]]:
    """An answer as the rows that GIVEN reads from JSON; a ranking has one row per response.

    Args:
        answer: a validated answer.
        labels: the label shown for the source of each response, by response ID.
        n_shown: number of responses shown.
    """
    slot = answer.slot
    is_of_pair = n_shown == len(SIDES) and slot.place is not None
    return [
        {
            "question": slot.question.key,
            "response_id": response_id,
            "turn": slot.turn,
            **{name: getattr(given, name) for name in OF_ANSWER},
            "shown_label": (labels or {}).get(response_id or 0),
            "side": SIDES[slot.place or 0] if is_of_pair else given.side,
            "key": answer.mark.key,
            "at_ms": answer.mark.at_ms,
        }
        for response_id, given in slot.question.rows(answer, slot.response_id)
    ]
