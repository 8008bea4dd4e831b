"""Rating sessions: seats in conditions and quotas, moves between devices, steps, withdrawals."""

from alembic import op

from first_release.columns import (
    BIGINT,
    BYTES,
    INTEGER,
    TEXT,
    TIME,
    flag,
    json_object,
    now,
    optional,
    required,
    row_id,
    study_id,
)
from first_release.constraints import check, of_study, one_of, primary_key, reference, unique, within_study
from first_release.indexes import create_key, index, partial_index

SESSION_STATES = ("arrived", "active", "finished", "expired", "full", "screened_out", "failed_checks", "withdrawn")


def create_rating_sessions() -> None:
    op.create_table(
        "rating_sessions",
        study_id(),
        row_id(),
        required("rater_id", BIGINT),
        required("token_hash", BYTES),
        required("protocol_version", INTEGER),
        optional("condition", TEXT),
        optional("number_in_condition", INTEGER),
        required("state", TEXT, server_default="arrived"),
        flag("keys_off"),
        now("arrived_at"),
        optional("begun_at", TIME),
        now("last_seen_at"),
        required("lease_minutes", INTEGER, server_default="60"),
        required("lease_expires_at", TIME),
        optional("paused_at", TIME),
        optional("finished_at", TIME),
        check("rating_sessions", "finished_at", "(state = 'finished') = (finished_at IS NOT NULL)"),
        one_of("rating_sessions", "state", *SESSION_STATES),
        reference("rating_sessions", ["study_id", "protocol_version"], ["protocols.study_id", "protocols.version"]),
        within_study("rating_sessions", "rater_id", "raters", ondelete="CASCADE"),
        of_study("rating_sessions"),
        unique("rating_sessions", "study_id", "rater_id", "id"),
        unique("rating_sessions", "token_hash"),
    )
    create_key("rating_sessions")


def create_withdrawals() -> None:
    op.create_table(
        "withdrawals",
        study_id(),
        required("token_hash", BYTES),
        required("receipt", TEXT),
        required("protocol_version", INTEGER),
        optional("platform", TEXT),
        required("outcome", TEXT),
        now("withdrew_at"),
        optional("deleted_at", TIME),
        one_of("withdrawals", "outcome", "completed", "screened_out", "failed_checks", "full", "withdrew"),
        reference("withdrawals", ["study_id", "protocol_version"], ["protocols.study_id", "protocols.version"]),
        of_study("withdrawals"),
        primary_key("withdrawals", "study_id", "token_hash"),
        unique("withdrawals", "study_id", "receipt"),
    )


def create_condition_seats() -> None:
    op.create_table(
        "condition_seats",
        study_id(),
        required("pool", TEXT),
        required("number", INTEGER),
        required("condition", TEXT),
        required("number_in_condition", INTEGER),
        optional("rating_session_id", BIGINT),
        within_study("condition_seats", "rating_session_id", "rating_sessions"),
        of_study("condition_seats"),
        primary_key("condition_seats", "study_id", "pool", "number"),
    )
    partial_index(
        "ix_condition_seats_free", "condition_seats", ["study_id", "pool", "number"], where="rating_session_id IS NULL"
    )
    partial_index(
        "uq_condition_seats_rating_session",
        "condition_seats",
        ["study_id", "rating_session_id"],
        where="rating_session_id IS NOT NULL",
        unique=True,
    )


def create_admission_seats() -> None:
    op.create_table(
        "admission_seats",
        study_id(),
        required("attribute", TEXT),
        required("value", TEXT),
        required("number", INTEGER),
        optional("rating_session_id", BIGINT),
        within_study("admission_seats", "rating_session_id", "rating_sessions"),
        of_study("admission_seats"),
        primary_key("admission_seats", "study_id", "attribute", "value", "number"),
    )
    partial_index(
        "ix_admission_seats_free",
        "admission_seats",
        ["study_id", "attribute", "value", "number"],
        where="rating_session_id IS NULL",
    )
    partial_index(
        "uq_admission_seats_rating_session",
        "admission_seats",
        ["study_id", "rating_session_id", "attribute"],
        where="rating_session_id IS NOT NULL",
        unique=True,
    )


def create_session_moves() -> None:
    op.create_table(
        "session_moves",
        study_id(),
        row_id(),
        required("rating_session_id", BIGINT),
        required("token_hash", BYTES),
        json_object("parameters"),
        now("moved_at"),
        within_study("session_moves", "rating_session_id", "rating_sessions", ondelete="CASCADE"),
        of_study("session_moves"),
        primary_key("session_moves", "study_id", "id"),
        unique("session_moves", "token_hash"),
    )
    index("session_moves", "study_id", "rating_session_id")


def create_steps() -> None:
    op.create_table(
        "steps",
        study_id(),
        required("rating_session_id", BIGINT),
        required("step", TEXT),
        json_object("detail"),
        now("done_at"),
        within_study("steps", "rating_session_id", "rating_sessions", ondelete="CASCADE"),
        of_study("steps"),
        primary_key("steps", "study_id", "rating_session_id", "step"),
    )
