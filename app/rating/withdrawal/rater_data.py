"""Everything that is stored about one rater, as rows of the tables."""

from typing import Any

from sqlalchemy import Connection, text

RaterData = dict[str, list[dict[str, Any]]]
_SESSIONS = text("SELECT id FROM rating_sessions WHERE study_id = :study AND rater_id = :rater")
# For each table, the rows of a rater. Secrets of the link and the cookie are left out, even as hashes.
_ROWS = {
    "raters": "SELECT to_jsonb(t) FROM raters t WHERE study_id = :study AND id = :rater",
    "platform_ids": "SELECT to_jsonb(t) FROM platform_ids t WHERE study_id = :study AND rater_id = :rater",
    "invites": "SELECT to_jsonb(t) - 'token_hash' FROM invites t WHERE study_id = :study AND rater_id = :rater",
    "rating_sessions": """
        SELECT to_jsonb(t) - 'token_hash' FROM rating_sessions t
        WHERE study_id = :study AND rater_id = :rater ORDER BY id
    """,
    "session_moves": """
        SELECT to_jsonb(t) - 'token_hash' FROM session_moves t
        WHERE study_id = :study AND rating_session_id = ANY(:sessions) ORDER BY id
    """,
    "admission_seats": """
        SELECT to_jsonb(t) FROM admission_seats t WHERE study_id = :study AND rating_session_id = ANY(:sessions)
    """,
    "condition_seats": """
        SELECT to_jsonb(t) FROM condition_seats t WHERE study_id = :study AND rating_session_id = ANY(:sessions)
    """,
    "steps": """
        SELECT to_jsonb(t) FROM steps t WHERE study_id = :study AND rating_session_id = ANY(:sessions) ORDER BY done_at
    """,
    "assignments": """
        SELECT to_jsonb(t) - 'token' FROM assignments t WHERE study_id = :study AND rater_id = :rater ORDER BY position
    """,
    # Without what would tell the rater who the partner was.
    "conversation_turns": """
        SELECT jsonb_build_object('assignment_id', assignment_id, 'number', number, 'speaker', speaker, 'text', text,
                                  'said_at', said_at, 'decision', decision)
        FROM conversation_turns WHERE study_id = :study AND assignment_id IN (
          SELECT id FROM assignments WHERE study_id = :study AND rater_id = :rater) ORDER BY assignment_id, number
    """,
    # What two raters wrote with each other is in their turns, and each has their own.
    "responses": """
        SELECT jsonb_build_object('item_id', item_id, 'text', text, 'turns', turns)
        FROM responses p WHERE study_id = :study AND rater_id = :rater AND NOT EXISTS (
          SELECT FROM dyads d WHERE d.study_id = p.study_id AND d.response_id = p.id) ORDER BY id
    """,
    "dyad_members": """
        SELECT to_jsonb(t) FROM dyad_members t WHERE study_id = :study AND rater_id = :rater ORDER BY assignment_id
    """,
    # What others read of what they wrote, after its review.
    "text_reviews": """
        SELECT to_jsonb(t) - 'lead_id' FROM text_reviews t WHERE study_id = :study AND response_id IN (
          SELECT id FROM responses WHERE study_id = :study AND rater_id = :rater) ORDER BY response_id
    """,
    "seats": "SELECT to_jsonb(t) FROM seats t WHERE study_id = :study AND rater_id = :rater",
    "ratings": """
        SELECT jsonb_build_object('item', i.key, 'response', r.key) || to_jsonb(t) - 'idempotency_key' FROM ratings t
        LEFT JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
        LEFT JOIN responses r ON r.study_id = t.study_id AND r.id = t.response_id
        WHERE t.study_id = :study AND t.rater_id = :rater ORDER BY t.id
    """,
    "rating_history": """
        SELECT to_jsonb(t) - 'idempotency_key' FROM rating_history t WHERE study_id = :study AND rating_id IN (
          SELECT id FROM ratings WHERE study_id = :study AND rater_id = :rater) ORDER BY id
    """,
    "events": "SELECT to_jsonb(t) FROM events t WHERE study_id = :study AND rater_id = :rater ORDER BY id",
    "webhook_deliveries": """
        SELECT to_jsonb(t) - 'webhook_id' - 'answer' FROM webhook_deliveries t
        WHERE study_id = :study AND rater_id = :rater ORDER BY id
    """,
    "rater_messages": """
        SELECT to_jsonb(t) - 'lead_id' - 'batch' FROM rater_messages t
        WHERE study_id = :study AND rater_id = :rater ORDER BY id
    """,
    "reported_problems": """
        SELECT to_jsonb(t) FROM reported_problems t WHERE study_id = :study AND rater_id = :rater ORDER BY id
    """,
    "rater_exclusions": """
        SELECT to_jsonb(t) - 'lead_id' FROM rater_exclusions t WHERE study_id = :study AND rater_id = :rater ORDER BY id
    """,
}
TABLES = frozenset(_ROWS)


def get_rater_data(db: Connection, study_id: int, rater_id: int, *, is_own: bool = False) -> RaterData:
    """The rows of each table about one rater, empty tables included.

    With `is_own` they are for the rater, and leave out the keys of responses, which often tell who wrote them.
    """
    who: dict[str, object] = {"study": study_id, "rater": rater_id}
    who["sessions"] = list(db.execute(_SESSIONS, who).scalars())
    found = {table: [row[0] for row in db.execute(text(sql), who)] for table, sql in _ROWS.items()}
    if is_own:
        for row in found["ratings"]:
            del row["response"]
    return found
