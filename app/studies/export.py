"""Export a whole study from the database, including its texts and events."""

from typing import Any

import pandas as pd
from sqlalchemy import Connection, TextClause, text

from app.analysis.data.study_folder import ITEM_COLUMNS, StudyFolder
from app.protocol.dialogue import n_words, turns_to_json
from app.studies.data.stored_ratings import (
    RATERS,
    copy_ratings,
    raters_table,
    ratings_of,
    study_arrivals,
    study_checks,
    table,
)
from app.studies.item_images import list_images
from app.studies.protocols import get_protocol

_PROTOCOL = text("""
    SELECT p.version, p.yaml, p.sha256 FROM studies s
    JOIN protocols p ON p.study_id = s.id AND p.version = s.protocol_version WHERE s.id = :study
""")
_ITEMS = text("""
    SELECT id, key, text, turns, profile, image, image_alt, content_note, retired_because,
           nullif(attributes, '{}') AS attributes
    FROM items WHERE study_id = :study ORDER BY position, id
""")
_RESPONSES = text("""
    SELECT r.id, r.key, i.key AS item, s.key AS source, r.text, r.turns, nullif(r.attributes, '{}') AS attributes
    FROM responses r
    JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id
    JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    WHERE r.study_id = :study ORDER BY r.position, r.id
""")
_EVENTS = text("""
    SELECT rater, kind, detail, happened_at FROM (
      SELECT r.key AS rater, e.kind, e.detail, e.happened_at, 1 AS source, e.id FROM events e
      LEFT JOIN raters r ON r.study_id = e.study_id AND r.id = e.rater_id
      WHERE e.study_id = :study AND e.kind <> 'keystrokes'
      UNION ALL
      SELECT r.key, d.step, d.detail, d.done_at, 0, d.rating_session_id FROM steps d
      JOIN rating_sessions s ON s.study_id = d.study_id AND s.id = d.rating_session_id
      JOIN raters r ON r.study_id = s.study_id AND r.id = s.rater_id WHERE d.study_id = :study
    ) AS happened ORDER BY happened_at, source, id, kind
""")


def study_folder(db: Connection, study_id: int) -> StudyFolder:
    """The study as a folder in memory: what `load_study` stored, and every answer since.

    Args:
        db: a connection.
        study_id: the study.
    """
    copied = copy_ratings(db, study_id)
    protocol = db.execute(_PROTOCOL, {"study": study_id}).one()
    items, responses, raters = (db.execute(query, {"study": study_id}).all() for query in (_ITEMS, _RESPONSES, RATERS))
    return StudyFolder(
        protocol=get_protocol(db, study_id, protocol.version, protocol.sha256),
        yaml=protocol.yaml,
        items=_with_turns(table(items, item="key", **{name: name for name in ITEM_COLUMNS[1:]})),
        responses=_with_turns(
            table(responses, response="key", item="item", source="source", text="text", turns="turns")
        ),
        raters=raters_table(raters),
        ratings=ratings_of(copied, raters=raters, items=items, responses=responses),
        checks=study_checks(db, study_id),
        arrivals=study_arrivals(db, study_id),
        images=list_images(db, study_id),
    )


def study_events(db: Connection, study_id: int) -> pd.DataFrame:
    """Events and completed steps, without keystrokes: rater, kind, detail (a dictionary), happened_at."""
    rows = [tuple(row) for row in db.execute(_EVENTS, {"study": study_id})]
    return pd.DataFrame(rows, columns=["rater", "kind", "detail", "happened_at"], dtype=object)


def _with_turns(texts: pd.DataFrame) -> pd.DataFrame:
    """Convert turns back to JSON text in canonical form."""
    turns = [None if cell is None else turns_to_json(cell) for cell in texts["turns"]]
    texts["turns"] = texts["turns"].where(texts["turns"].isna(), turns)
    return texts


# The assignments of each rater and their outcomes, and the earlier values of changed answers, for the export.

ASSIGNMENT_COLUMNS = (
    "rater",
    "position",
    "item",
    "responses",
    "condition",
    "shown_labels",
    "repeat",
    "state",
    "skip_reason",
    "served_at",
    "first_action_at",
    "submitted_at",
    "active_ms",
    "hidden_ms",
)
SESSION_COLUMNS = (
    "rater",
    "state",
    "condition",
    "arrived_at",
    "begun_at",
    "finished_at",
    "last_seen_at",
    "n_served",
    "n_answered",
    "n_skipped",
    "n_returned",
    "n_open",
    "paused_ms",
    "version",
    "reworded",
)
CHANGE_COLUMNS = (
    "rater",
    "item",
    "response",
    "question",
    "value",
    "strength",
    "turn",
    "left_response",
    "right_response",
    "side",
    "condition",
    "repeat",
    "rated_at",
    "replaced_at",
)
PROBLEM_COLUMNS = ("rater", "item", "position", "page", "problem", "happened_at")
TURN_COLUMNS = (
    "rater",
    "item",
    "response",
    "source",
    "condition",
    "ended_by",
    "turn",
    "speaker",
    "dyad",
    "writer_role",
    "state",
    "text",
    "n_words",
    "seconds",
    "flags",
    "decision",
    "model_version",
    "said_at",
)
KEYSTROKE_COLUMNS = ("rater", "item", "response", "ms", "kind", "at", "n_removed", "n_added")
TIMES = (
    "happened_at",
    "said_at",
    "rated_at",
    "replaced_at",
    "served_at",
    "first_action_at",
    "submitted_at",
    "arrived_at",
    "begun_at",
    "finished_at",
    "last_seen_at",
)
_ASSIGNMENTS = text("""
    SELECT r.key AS rater, a.position, i.key AS item,
           array_to_string(ARRAY(
             SELECT p.key FROM unnest(a.response_ids) WITH ORDINALITY AS o (id, place)
             JOIN responses p ON p.study_id = a.study_id AND p.id = o.id ORDER BY o.place), '|') AS responses,
           nullif(t.condition, '') AS condition, array_to_string(a.shown_labels, '|', '') AS shown_labels, a.repeat,
           a.state, a.skip_reason, a.served_at, a.first_action_at, a.submitted_at, a.active_ms, a.hidden_ms
    FROM assignments a
    JOIN raters r ON r.study_id = a.study_id AND r.id = a.rater_id
    JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    WHERE a.study_id = :study ORDER BY r.id, a.rating_session_id, a.position
""")
_SESSIONS = text("""
    SELECT r.key AS rater, s.state, nullif(s.condition, '') AS condition, s.arrived_at, s.begun_at, s.finished_at,
           s.last_seen_at, count(a.served_at) AS n_served, count(*) FILTER (WHERE a.state = 'done') AS n_answered,
           count(*) FILTER (WHERE a.state = 'skipped') AS n_skipped,
           count(*) FILTER (WHERE a.state = 'returned' AND a.served_at IS NOT NULL) AS n_returned,
           count(*) FILTER (WHERE a.state = 'leased') AS n_open,
           (SELECT sum(CAST(e.detail ->> 'paused_ms' AS bigint)) FROM events e
            WHERE e.study_id = s.study_id AND e.rater_id = s.rater_id AND e.kind = 'resume') AS paused_ms,
           CAST(s.protocol_version AS text) AS version, NULL AS reworded
    FROM rating_sessions s
    JOIN raters r ON r.study_id = s.study_id AND r.id = s.rater_id
    LEFT JOIN assignments a ON a.study_id = s.study_id AND a.rating_session_id = s.id
    WHERE s.study_id = :study GROUP BY s.study_id, s.id, r.key, r.id ORDER BY r.id, s.id
""")

# The value is written as in ratings.csv.
_CHANGES = text("""
    SELECT r.key AS rater, i.key AS item, p.key AS response, a.question,
           h.number, coalesce(c.key, nullif(h.outcome, 'response'), array_to_string(h.codes, '|'), h.text) AS words,
           h.strength, a.turn, le.key AS left_response, ri.key AS right_response, h.side, a.condition, a.repeat,
           h.rated_at, h.replaced_at
    FROM rating_history h
    JOIN ratings a ON a.study_id = h.study_id AND a.id = h.rating_id
    JOIN raters r ON r.study_id = a.study_id AND r.id = a.rater_id
    LEFT JOIN items i ON i.study_id = a.study_id AND i.id = a.item_id
    LEFT JOIN responses p ON p.study_id = a.study_id AND p.id = a.response_id
    LEFT JOIN responses c ON c.study_id = a.study_id AND c.id = h.chosen_response_id
    LEFT JOIN responses le ON le.study_id = a.study_id AND le.id = a.left_response_id
    LEFT JOIN responses ri ON ri.study_id = a.study_id AND ri.id = a.right_response_id
    WHERE h.study_id = :study ORDER BY h.id
""")


_PROBLEMS = text("""
    SELECT r.key AS rater, i.key AS item, a.position, n.page, n.text AS problem, n.reported_at AS happened_at
    FROM reported_problems n
    JOIN raters r ON r.study_id = n.study_id AND r.id = n.rater_id
    LEFT JOIN assignments a ON a.study_id = n.study_id AND a.id = n.assignment_id
    LEFT JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    LEFT JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    WHERE n.study_id = :study ORDER BY n.id
""")


# What is said in conversations, also in those that go on. An opening is said when the conversation begins; the text
# of a draft, which is turn 0, begins when it is shown and is said when it was last changed. What two raters wrote with
# each other is one conversation, and each turn has its writer.
_TURNS = text("""
    SELECT r.key AS rater, i.key AS item, p.key AS response, s.key AS source, nullif(t.condition, '') AS condition,
           p.attributes ->> 'ended_by' AS ended_by, c.number AS turn, c.speaker,
           CASE WHEN c.dyad_id IS NOT NULL THEN CAST(dense_rank() OVER (ORDER BY c.dyad_id) AS text) END AS dyad,
           m.role AS writer_role,
           c.state, c.text, NULL AS n_words,
           CAST(round(extract(epoch FROM c.said_at
             - lag(CASE WHEN c.number = 0 THEN c.asked_at ELSE c.said_at END) OVER (
             PARTITION BY c.dyad_id, CASE WHEN c.dyad_id IS NULL THEN c.assignment_id END
             ORDER BY c.number)), 3) AS double precision) AS seconds,
           nullif(array_to_string(c.flags, ' '), '') AS flags, c.decision, c.model_version, c.said_at
    FROM conversation_turns c
    JOIN assignments a ON a.study_id = c.study_id AND a.id = c.assignment_id
    JOIN raters r ON r.study_id = a.study_id AND r.id = a.rater_id
    JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    LEFT JOIN dyad_members m ON m.study_id = c.study_id AND m.dyad_id = c.dyad_id AND m.assignment_id = c.assignment_id
    LEFT JOIN dyads d ON d.study_id = c.study_id AND d.id = c.dyad_id
    LEFT JOIN responses p ON p.study_id = a.study_id AND p.id = coalesce(d.response_id, a.response_ids[1])
    LEFT JOIN sources s ON s.study_id = p.study_id AND s.id = p.source_id
    WHERE c.study_id = :study
    ORDER BY c.dyad_id NULLS FIRST, CASE WHEN c.dyad_id IS NULL THEN r.id END,
             CASE WHEN c.dyad_id IS NULL THEN a.position END, CASE WHEN c.dyad_id IS NULL THEN a.id END, c.number
""")


def _conversations(db: Connection, study_id: int) -> dict[str, pd.DataFrame]:
    """The turns of conversations; no table in a study without any."""
    turns = _frame(db, _TURNS, study_id, TURN_COLUMNS)
    if turns.empty:
        return {}
    counts = [None if said is None else n_words(said, None) for said in turns["text"]]
    return {"turns": turns.assign(n_words=pd.Series(counts, dtype=object))}


# The changes of drafts, also of those that go on.
_KEYSTROKES = text("""
    SELECT r.key AS rater, i.key AS item, p.key AS response, CAST(c.value ->> 0 AS bigint) AS ms, c.value ->> 1 AS kind,
           CAST(c.value ->> 2 AS bigint) AS at, CAST(c.value ->> 3 AS bigint) AS n_removed,
           CAST(c.value ->> 4 AS bigint) AS n_added
    FROM events e
    CROSS JOIN LATERAL jsonb_array_elements(e.detail -> 'changes') WITH ORDINALITY AS c (value, place)
    JOIN assignments a ON a.study_id = e.study_id AND a.id = e.assignment_id
    JOIN raters r ON r.study_id = a.study_id AND r.id = a.rater_id
    JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    LEFT JOIN responses p ON p.study_id = a.study_id AND p.id = a.response_ids[1]
    WHERE e.study_id = :study AND e.kind = 'keystrokes' ORDER BY r.id, a.position, a.id, 4, e.id, c.place
""")


def _keystrokes(db: Connection, study_id: int) -> dict[str, pd.DataFrame]:
    """The changes of drafts; no table in a study without any."""
    changes = _frame(db, _KEYSTROKES, study_id, KEYSTROKE_COLUMNS)
    return {} if changes.empty else {"keystrokes": changes}


def study_rating_sessions(db: Connection, study_id: int) -> dict[str, pd.DataFrame]:
    """The tables written by export only that are about raters' pages; all are empty if there are no raters."""
    return {
        **_conversations(db, study_id),
        **_keystrokes(db, study_id),
        "changes": _changes(db, study_id),
        "assignments": _frame(db, _ASSIGNMENTS, study_id, ASSIGNMENT_COLUMNS),
        "rating_sessions": _sessions(db, study_id),
        "reported_problems": _frame(db, _PROBLEMS, study_id, PROBLEM_COLUMNS),
    }


def _sessions(db: Connection, study_id: int) -> pd.DataFrame:
    """How far each rater got; then a row for each person who has none: who refused, or had their answers deleted."""
    sessions, arrivals = _frame(db, _SESSIONS, study_id, SESSION_COLUMNS), study_arrivals(db, study_id)
    if arrivals is None:
        return sessions
    reworded = dict(zip(arrivals["version"], arrivals["reworded"], strict=True))
    sessions["reworded"] = pd.Series([reworded.get(version) for version in sessions["version"]], dtype=object)
    if arrivals["rater"].notna().all():
        return sessions
    counts = dict.fromkeys((name for name in SESSION_COLUMNS if name.startswith("n_")), 0)
    gone = arrivals[arrivals["rater"].isna()].assign(**counts).reindex(columns=list(SESSION_COLUMNS))
    return pd.concat([sessions, gone.astype(sessions.dtypes)], ignore_index=True)


def _changes(db: Connection, study_id: int) -> pd.DataFrame:
    stored = tuple(part for name in CHANGE_COLUMNS for part in (("number", "words") if name == "value" else (name,)))
    found = _frame(db, _CHANGES, study_id, stored)
    return found.assign(value=found["number"].where(found["number"].notna(), found["words"]))[[*CHANGE_COLUMNS]]


def _frame(db: Connection, statement: TextClause, study_id: int, columns: tuple[str, ...]) -> pd.DataFrame:
    rows: list[tuple[Any, ...]] = [tuple(row) for row in db.execute(statement, {"study": study_id})]
    frame = pd.DataFrame(rows, columns=list(columns), dtype=object)
    times = {name: pd.to_datetime(frame[name], utc=True).dt.as_unit("us") for name in columns if name in TIMES}
    return frame.assign(**times)
