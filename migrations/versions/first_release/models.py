"""Requests to language models that judge or write responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alembic import op

from first_release.columns import (
    BIGINT,
    BIGINTS,
    DOUBLE,
    INTEGER,
    JSONB,
    SMALLINT,
    TEXT,
    TIME,
    flag,
    now,
    optional,
    required,
    row_id,
    study_id,
)
from first_release.constraints import check, of_lead, of_study, one_of, primary_key, reference, unique, within_study

if TYPE_CHECKING:
    from sqlalchemy import Column


def create_model_runs() -> None:
    op.create_table(
        "model_runs",
        study_id(),
        row_id(),
        required("purpose", TEXT),
        required("name", TEXT),
        required("protocol_version", INTEGER),
        optional("rater_id", BIGINT),
        required("endpoint", TEXT),
        required("model", TEXT),
        required("settings", JSONB),
        optional("limits", JSONB),
        flag("is_stopped"),
        optional("stop_reason", TEXT),
        optional("lead_id", BIGINT),
        now("created_at"),
        one_of("model_runs", "purpose", "judge", "respond"),
        of_lead("model_runs", ondelete="SET NULL"),
        of_study("model_runs"),
        reference("model_runs", ["study_id", "protocol_version"], ["protocols.study_id", "protocols.version"]),
        within_study("model_runs", "rater_id", "raters", ondelete="CASCADE"),
        primary_key("model_runs", "study_id", "id"),
        unique("model_runs", "study_id", "purpose", "name"),
    )


def create_model_requests() -> None:
    op.create_table(
        "model_requests",
        study_id(),
        row_id(),
        *_request_columns(),
        *_model_answer_columns(),
        one_of("model_requests", "outcome", "answered", "unparsed", "refused", "cut_off", "too_long", "failed"),
        check("model_requests", "answered_at", "(outcome IS NULL) = (answered_at IS NULL)"),
        one_of("model_requests", "kind", "first", "repair", "step", "length", "redo"),
        check("model_requests", "attempt", "(attempt = 0) = (kind = 'first')"),
        of_study("model_requests"),
        within_study("model_requests", "run_id", "model_runs", ondelete="CASCADE"),
        within_study("model_requests", "item_id", "items", ondelete="CASCADE"),
        primary_key("model_requests", "study_id", "id"),
        unique("model_requests", "study_id", "run_id", "number", "attempt"),
    )


def _request_columns() -> list[Column[Any]]:
    """What the model is asked."""
    return [
        required("run_id", BIGINT),
        required("number", INTEGER),
        required("attempt", SMALLINT, server_default="0"),
        required("kind", TEXT, server_default="first"),
        required("stage", SMALLINT, server_default="0"),
        required("item_id", BIGINT),
        required("response_ids", BIGINTS),
        required("condition", TEXT, server_default=""),
        required("repeat", SMALLINT, server_default="0"),
        required("n_turns_done", INTEGER, server_default="0"),
        optional("seed", BIGINT),
        optional("prompt", JSONB),
    ]


def _model_answer_columns() -> list[Column[Any]]:
    """What the model answered, and what it cost."""
    return [
        optional("outcome", TEXT),
        optional("problem", TEXT),
        optional("raw_answer", TEXT),
        required("n_tries", INTEGER, server_default="0"),
        optional("tokens_in", INTEGER),
        optional("tokens_out", INTEGER),
        optional("latency_ms", INTEGER),
        optional("model_version", TEXT),
        optional("fingerprint", TEXT),
        optional("probabilities", JSONB),
        optional("finish_reason", TEXT),
        optional("thoughts", TEXT),
        optional("provider", TEXT),
        optional("response_id", TEXT),
        optional("tokens_cached", INTEGER),
        optional("tokens_thinking", INTEGER),
        optional("cost", DOUBLE),
        optional("parameters", JSONB),
        optional("asked_at", TIME),
        optional("answered_at", TIME),
    ]


def create_model_texts() -> None:
    op.create_table(
        "model_texts",
        study_id(),
        row_id(),
        required("run_id", BIGINT),
        required("request_id", BIGINT),
        required("item_id", BIGINT),
        required("text", TEXT),
        required("n_words", INTEGER),
        optional("target_words", INTEGER),
        optional("decision", TEXT),
        optional("edited_text", TEXT),
        optional("lead_id", BIGINT),
        optional("decided_at", TIME),
        optional("used_at", TIME),
        one_of("model_texts", "decision", "accepted", "edited", "rejected"),
        check("model_texts", "decided_at", "(decision IS NULL) = (decided_at IS NULL)"),
        check("model_texts", "edited_text", "(decision IS NOT DISTINCT FROM 'edited') = (edited_text IS NOT NULL)"),
        of_study("model_texts"),
        of_lead("model_texts", ondelete="SET NULL"),
        within_study("model_texts", "run_id", "model_runs", ondelete="CASCADE"),
        within_study("model_texts", "request_id", "model_requests", ondelete="CASCADE"),
        within_study("model_texts", "item_id", "items", ondelete="CASCADE"),
        primary_key("model_texts", "study_id", "id"),
        unique("model_texts", "study_id", "run_id", "item_id"),
    )
