"""Raters, how they are invited, what leads write to them."""

from alembic import op

from first_release.columns import (
    BIGINT,
    BOOLEAN,
    BYTES,
    TEXT,
    TIME,
    UUID,
    flag,
    json_object,
    now,
    optional,
    required,
    row_id,
    study_id,
)
from first_release.constraints import of_lead, of_study, one_of, primary_key, unique, within_study
from first_release.indexes import create_key, index, partial_index


def create_raters() -> None:
    op.create_table(
        "raters",
        study_id(),
        row_id(),
        required("key", TEXT),
        required("kind", TEXT, server_default="person"),
        optional("pool", TEXT),
        flag("is_simulated"),
        flag("is_imported"),
        json_object("attributes"),
        now("created_at"),
        one_of("raters", "kind", "person", "model"),
        of_study("raters"),
        unique("raters", "study_id", "key"),
    )
    create_key("raters")


def create_rater_exclusions() -> None:
    op.create_table(
        "rater_exclusions",
        study_id(),
        row_id(),
        required("rater_id", BIGINT),
        required("is_excluded", BOOLEAN),
        required("reason", TEXT),
        optional("lead_id", BIGINT),
        now("decided_at"),
        of_lead("rater_exclusions", ondelete="SET NULL"),
        within_study("rater_exclusions", "rater_id", "raters", ondelete="CASCADE"),
        of_study("rater_exclusions"),
        primary_key("rater_exclusions", "study_id", "id"),
    )
    index("rater_exclusions", "study_id", "rater_id")


def create_invites() -> None:
    op.create_table(
        "invites",
        study_id(),
        required("token_hash", BYTES),
        optional("rater_id", BIGINT),
        now("created_at"),
        optional("revoked_at", TIME),
        within_study("invites", "rater_id", "raters", ondelete="CASCADE"),
        of_study("invites"),
        primary_key("invites", "study_id", "token_hash"),
        unique("invites", "token_hash"),
    )


def create_platform_ids() -> None:
    op.create_table(
        "platform_ids",
        study_id(),
        required("rater_id", BIGINT),
        required("platform", TEXT),
        required("platform_id", TEXT),
        json_object("parameters"),
        now("arrived_at"),
        within_study("platform_ids", "rater_id", "raters", ondelete="CASCADE"),
        of_study("platform_ids"),
        primary_key("platform_ids", "study_id", "platform", "platform_id"),
    )


def create_rater_messages() -> None:
    op.create_table(
        "rater_messages",
        study_id(),
        row_id(),
        required("rater_id", BIGINT),
        required("batch", UUID),
        required("text", TEXT),
        optional("lead_id", BIGINT),
        now("sent_at"),
        optional("read_at", TIME),
        of_lead("rater_messages", ondelete="SET NULL"),
        of_study("rater_messages"),
        within_study("rater_messages", "rater_id", "raters", ondelete="CASCADE"),
        primary_key("rater_messages", "study_id", "id"),
    )
    partial_index("ix_rater_messages_unread", "rater_messages", ["study_id", "rater_id"], where="read_at IS NULL")
    index("rater_messages", "study_id", "batch")
