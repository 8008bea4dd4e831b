"""The tables. They enforce invariants too, so that no code path can break them."""

from sqlalchemy import Engine

from app.accounts.tables import (
    api_requests,
    api_tokens,
    attempts,
    audit_log,
    lead_identities,
    lead_sessions,
    leads,
    secrets,
    sign_in_links,
    study_invitations,
    study_members,
)
from app.base.database.columns import metadata
from app.llm.tables import model_requests, model_runs, model_texts
from app.rating.tables import (
    admission_seats,
    assignments,
    condition_seats,
    events,
    invites,
    platform_ids,
    rater_exclusions,
    rater_messages,
    raters,
    rating_history,
    rating_sessions,
    ratings,
    reported_problems,
    seats,
    session_moves,
    steps,
    trials,
    withdrawals,
)
from app.results.tables import kept_results, made_files, registrations, snapshots
from app.studies.tables import (
    images,
    items,
    protocol_edits,
    protocols,
    questions,
    responses,
    sheet_drafts,
    sources,
    studies,
    text_uploads,
    walk_throughs,
)
from app.webhooks.tables import webhook_deliveries, webhooks

__all__ = [
    "admission_seats",
    "api_requests",
    "api_tokens",
    "assignments",
    "attempts",
    "audit_log",
    "condition_seats",
    "events",
    "images",
    "invites",
    "items",
    "kept_results",
    "lead_identities",
    "lead_sessions",
    "leads",
    "made_files",
    "metadata",
    "model_requests",
    "model_runs",
    "model_texts",
    "platform_ids",
    "protocol_edits",
    "protocols",
    "questions",
    "rater_exclusions",
    "rater_messages",
    "raters",
    "rating_history",
    "rating_sessions",
    "ratings",
    "registrations",
    "reported_problems",
    "responses",
    "seats",
    "secrets",
    "session_moves",
    "sheet_drafts",
    "sign_in_links",
    "snapshots",
    "sources",
    "steps",
    "studies",
    "study_invitations",
    "study_members",
    "text_uploads",
    "trials",
    "walk_throughs",
    "webhook_deliveries",
    "webhooks",
    "withdrawals",
]


# Whether the tables of this program are those of the migrations.

QUEUE = "procrastinate_"


def is_ours(name: str | None, kind: str, _parents: object) -> bool:
    """Whether Alembic compares this table; those of the queue are created and described by procrastinate."""
    return kind != "table" or not (name or "").startswith(QUEUE)


def differences(engine: Engine) -> list[object]:
    """The differences between tables and migrations that `alembic check` would report."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True, "include_name": is_ours})
        return list(compare_metadata(context, metadata))
