"""The complete schema of Attune's first release. Its tables are in `first_release`."""

from alembic import op

from first_release import (
    access,
    design,
    history,
    items,
    jobs,
    models,
    rated_questions,
    raters,
    rating,
    sessions,
    studies,
    webhooks,
)

revision = "2026_11_22_schema_34"
down_revision = None
branch_labels = None
depends_on = None

# A table comes after the tables that it refers to.
TABLES = (
    access.create_attempts,
    access.create_audit_log,
    access.create_leads,
    access.create_secrets,
    access.create_lead_identities,
    access.create_lead_sessions,
    access.create_sign_in_links,
    studies.create_studies,
    access.create_study_members,
    access.create_study_invitations,
    access.create_api_tokens,
    access.create_api_requests,
    items.create_images,
    items.create_items,
    studies.create_protocols,
    studies.create_protocol_edits,
    studies.create_text_uploads,
    studies.create_sheet_drafts,
    studies.create_walk_throughs,
    items.create_questions,
    raters.create_raters,
    items.create_sources,
    rating.create_events,
    raters.create_rater_exclusions,
    raters.create_invites,
    raters.create_platform_ids,
    sessions.create_rating_sessions,
    items.create_responses,
    design.create_trials,
    sessions.create_withdrawals,
    design.create_seats,
    sessions.create_condition_seats,
    sessions.create_admission_seats,
    sessions.create_session_moves,
    sessions.create_steps,
    design.create_assignments,
    design.create_dyads,
    design.create_dyad_members,
    design.create_conversation_turns,
    design.create_text_reviews,
    design.create_reused_texts,
    rating.create_reported_problems,
    rating.create_ratings,
    rating.create_rating_history,
    studies.create_registrations,
    models.create_model_runs,
    models.create_model_requests,
    models.create_model_texts,
    studies.create_snapshots,
    studies.create_kept_results,
    studies.create_made_files,
    raters.create_rater_messages,
    webhooks.create_webhooks,
    webhooks.create_webhook_deliveries,
)


def upgrade() -> None:
    for create in TABLES:
        create()
    design.add_assignments_of_seats()
    history.create_rating_trigger()
    rated_questions.create_question_triggers()
    jobs.create_queue()


def downgrade() -> None:
    for create in reversed(TABLES):
        name = create.__name__.removeprefix("create_")
        op.execute(f'DROP TABLE "{name}" CASCADE')
    jobs.drop_queue()
    history.drop_rating_trigger()
    rated_questions.drop_question_triggers()
