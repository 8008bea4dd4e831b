"""The tables. They enforce invariants too, so that no code path can break them."""

from app.storage.tables.access import (
    attempts,
    audit_log,
    lead_sessions,
    leads,
    secrets,
    sign_in_links,
    study_invitations,
    study_members,
)
from app.storage.tables.base import metadata
from app.storage.tables.design import assignments, seats, trials
from app.storage.tables.models import model_requests, model_runs
from app.storage.tables.people import (
    admission_seats,
    condition_seats,
    invites,
    platform_ids,
    rater_exclusions,
    raters,
    rating_sessions,
    session_moves,
    steps,
    withdrawals,
)
from app.storage.tables.rating import chart_files, events, rating_history, ratings
from app.storage.tables.study import (
    items,
    protocol_edits,
    protocols,
    questions,
    registrations,
    responses,
    sources,
    studies,
    text_uploads,
)

__all__ = [
    "admission_seats",
    "assignments",
    "attempts",
    "audit_log",
    "chart_files",
    "condition_seats",
    "events",
    "invites",
    "items",
    "lead_sessions",
    "leads",
    "metadata",
    "model_requests",
    "model_runs",
    "platform_ids",
    "protocol_edits",
    "protocols",
    "questions",
    "rater_exclusions",
    "raters",
    "rating_history",
    "rating_sessions",
    "ratings",
    "registrations",
    "responses",
    "seats",
    "secrets",
    "session_moves",
    "sign_in_links",
    "sources",
    "steps",
    "studies",
    "study_invitations",
    "study_members",
    "text_uploads",
    "trials",
    "withdrawals",
]
