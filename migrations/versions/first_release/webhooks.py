"""Webhooks of a study, and what is to be delivered to them."""

from alembic import op

from first_release.columns import (
    BIGINT,
    BYTES,
    INTEGER,
    SMALLINT,
    TEXT,
    TEXTS,
    TIME,
    now,
    optional,
    required,
    row_id,
    study_id,
)
from first_release.constraints import of_lead, of_study, one_of, primary_key, within_study
from first_release.indexes import partial_index


def create_webhooks() -> None:
    op.create_table(
        "webhooks",
        study_id(),
        row_id(),
        required("address", TEXT),
        required("events", TEXTS),
        required("salt", BYTES),
        optional("lead_id", BIGINT),
        now("created_at"),
        required("n_failures", INTEGER, server_default="0"),
        optional("failing_since", TIME),
        optional("paused_at", TIME),
        optional("pause_reason", TEXT),
        of_lead("webhooks", ondelete="SET NULL"),
        of_study("webhooks"),
        primary_key("webhooks", "study_id", "id"),
    )


def create_webhook_deliveries() -> None:
    op.create_table(
        "webhook_deliveries",
        study_id(),
        row_id(),
        required("webhook_id", BIGINT),
        optional("rater_id", BIGINT),
        required("event", TEXT),
        optional("occurrence", TEXT),
        required("message_id", TEXT),
        required("body", TEXT),
        now("created_at"),
        required("n_attempts", SMALLINT, server_default="0"),
        optional("attempted_at", TIME),
        optional("next_attempt_at", TIME),
        optional("delivered_at", TIME),
        optional("status", SMALLINT),
        optional("answer", TEXT),
        one_of("webhook_deliveries", "event", "session.finished", "study.full", "webhook.test"),
        of_study("webhook_deliveries"),
        within_study("webhook_deliveries", "rater_id", "raters", ondelete="CASCADE"),
        within_study("webhook_deliveries", "webhook_id", "webhooks", ondelete="CASCADE"),
        primary_key("webhook_deliveries", "study_id", "id"),
    )
    _create_delivery_indexes()


def _create_delivery_indexes() -> None:
    partial_index(
        "ix_webhook_deliveries_due",
        "webhook_deliveries",
        ["study_id", "webhook_id", "next_attempt_at"],
        where="next_attempt_at IS NOT NULL",
    )
    op.create_index("ix_webhook_deliveries_webhook", "webhook_deliveries", ["study_id", "webhook_id", "id"])
    partial_index(
        "ix_webhook_deliveries_rater", "webhook_deliveries", ["study_id", "rater_id"], where="rater_id IS NOT NULL"
    )
    partial_index(
        "uq_webhook_deliveries_occurrence",
        "webhook_deliveries",
        ["study_id", "webhook_id", "event", "occurrence"],
        where="occurrence IS NOT NULL",
        unique=True,
    )
