"""Raters and what they do: trials, seats, assignments, sessions, answers, and their deletion."""

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    DateTime,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from app.base.database.columns import attributes, metadata, one_of, row_id, study_key, time, within_study
from app.protocol.questions.question import DEVICES, LABELLED, SIDES

# Trials reference the study through their item, and seats through their trial; another foreign key would cost time.
trials = Table(
    "trials",
    metadata,
    Column("study_id", BigInteger, nullable=False),
    row_id(),
    Column("item_id", BigInteger, nullable=False),
    Column("response_ids", ARRAY(BigInteger), nullable=False),
    Column("condition", Text, nullable=False, server_default=""),
    Column("shuffle", Double, nullable=False),
    Column("purpose", Text, nullable=False, server_default="rating"),
    PrimaryKeyConstraint("study_id", "id"),
    UniqueConstraint("study_id", "item_id", "response_ids", "condition"),
    within_study("item_id", "items", ondelete="CASCADE"),
    CheckConstraint("purpose IN ('rating', 'practice', 'gold')", name="purpose"),
)

# One row per seat: a trial to be rated by k raters of a pool has k seats for them. A free seat has no assignment;
# taking it is one locked update, so that no trial can have more raters than seats.
seats = Table(
    "seats",
    metadata,
    Column("study_id", BigInteger, nullable=False),
    Column("trial_id", BigInteger, nullable=False),
    Column("pool", Text, nullable=False, server_default=""),
    Column("seat", SmallInteger, nullable=False),
    Column("rater_id", BigInteger),
    Column("shuffle", Double, nullable=False),
    Column("assignment_id", BigInteger),
    PrimaryKeyConstraint("study_id", "trial_id", "pool", "seat"),
    within_study("trial_id", "trials", ondelete="CASCADE"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    ForeignKeyConstraint(
        ["study_id", "assignment_id"],
        ["assignments.study_id", "assignments.id"],
        use_alter=True,
        deferrable=True,
        initially="DEFERRED",
        name="fk_seats_study_id_assignment_id",
    ),
    CheckConstraint("seat >= 1", name="seat"),
    Index("ix_seats_free", "study_id", "pool", "seat", "shuffle", postgresql_where=text("assignment_id IS NULL")),
    Index(
        "uq_seats_assignment",
        "study_id",
        "assignment_id",
        unique=True,
        postgresql_where=text("assignment_id IS NOT NULL"),
    ),
    Index("ix_seats_named", "study_id", "rater_id", postgresql_where=text("rater_id IS NOT NULL")),
)

# They reference the study through their trial, as seats do, and their rater through the rating session: one check less
# for each of the fifty assignments of a claim.
#
# Their state changes twice per trial. No index depends on it, so that PostgreSQL updates the row within its page and
# leaves the indexes alone; a fifth of each page is kept free for that. The index of a rater's trials depends on
# `is_returned`, which only changes when a seat is released or retaken.
assignments = Table(
    "assignments",
    metadata,
    Column("study_id", BigInteger, nullable=False),
    row_id(),
    Column("token", Uuid, nullable=False, unique=True, server_default=func.gen_random_uuid()),
    Column("trial_id", BigInteger, nullable=False),
    Column("rater_id", BigInteger, nullable=False),
    Column("rating_session_id", BigInteger, nullable=False),
    Column("position", Integer, nullable=False),
    Column("response_ids", ARRAY(BigInteger), nullable=False),
    Column("shown_labels", ARRAY(Text)),
    Column("repeat", SmallInteger, nullable=False, server_default="0"),
    Column("state", Text, nullable=False, server_default="planned"),
    Column("is_returned", Boolean, Computed("state = 'returned'", persisted=True), nullable=False),
    Column("n_turns_done", Integer, nullable=False, server_default="0"),
    time("planned_at", now=True),
    time("served_at"),
    time("first_action_at"),
    time("submitted_at"),
    Column("active_ms", BigInteger),
    Column("hidden_ms", BigInteger),
    Column("skip_reason", Text),
    Column("page_ms", BigInteger),
    time("revisit_served_at"),
    time("revisited_at"),
    Column("move_id", BigInteger),
    time("moved_at"),
    PrimaryKeyConstraint("study_id", "id"),
    UniqueConstraint("rating_session_id", "position", "study_id"),
    within_study("trial_id", "trials"),
    ForeignKeyConstraint(
        ["study_id", "rater_id", "rating_session_id"],
        ["rating_sessions.study_id", "rating_sessions.rater_id", "rating_sessions.id"],
        ondelete="CASCADE",
        name="fk_assignments_session_of_rater",
    ),
    within_study("move_id", "session_moves"),
    CheckConstraint("(move_id IS NULL) = (moved_at IS NULL)", name="moved_at"),
    CheckConstraint("state IN ('planned', 'leased', 'done', 'skipped', 'returned')", name="state"),
    CheckConstraint("(state = 'done') <= (submitted_at IS NOT NULL)", name="submitted_at"),
    CheckConstraint("state IN ('planned', 'returned') OR served_at IS NOT NULL", name="served_at"),
    Index(
        "uq_assignments_once",
        "study_id",
        "rater_id",
        "trial_id",
        "repeat",
        unique=True,
        postgresql_where=text("NOT is_returned"),
    ),
    postgresql_with={"fillfactor": 80},
)


# Two raters who write with each other, from when they were matched. `ended_by` as in a response's attributes; the role
# is that of who ended it. The response is there once something was said and it ended.
dyads = Table(
    "dyads",
    metadata,
    study_key(),
    row_id(),
    Column("trial_id", BigInteger, nullable=False),
    time("paired_at", now=True),
    time("ended_at"),
    Column("ended_by", Text),
    Column("ended_role", Text),
    Column("response_id", BigInteger),
    PrimaryKeyConstraint("study_id", "id"),
    within_study("trial_id", "trials", ondelete="CASCADE"),
    within_study("response_id", "responses", ondelete="CASCADE"),
    CheckConstraint("(ended_at IS NULL) = (ended_by IS NULL)", name="ended_by"),
)

# Raters who wait for a partner, until they have one or are alone. Neither two raters of a role nor a rater twice can be
# in a dyad. `is_live`: the page's script says that it is open; `seen_at` is when it, or a request, last did.
dyad_members = Table(
    "dyad_members",
    metadata,
    study_key(),
    Column("assignment_id", BigInteger, nullable=False),
    Column("rater_id", BigInteger, nullable=False),
    Column("dyad_id", BigInteger),
    Column("role", Text),
    time("waits_since", now=True),
    time("seen_at", now=True),
    Column("is_live", Boolean, nullable=False, server_default=text("false")),
    time("typed_at"),
    time("alone_at"),
    PrimaryKeyConstraint("study_id", "assignment_id"),
    UniqueConstraint("study_id", "dyad_id", "role"),
    UniqueConstraint("study_id", "dyad_id", "rater_id"),
    within_study("assignment_id", "assignments", ondelete="CASCADE"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    within_study("dyad_id", "dyads", ondelete="CASCADE"),
    CheckConstraint("(dyad_id IS NULL) = (role IS NULL)", name="role"),
    CheckConstraint("dyad_id IS NULL OR alone_at IS NULL", name="alone_at"),
    Index(
        "ix_dyad_members_waiting",
        "study_id",
        "waits_since",
        postgresql_where=text("dyad_id IS NULL AND alone_at IS NULL"),
    ),
)

# What is written in the conversation of an assignment, while it lasts; then it is a response. The partner's turn is
# `awaited` from the rater's message on; one process at a time makes the reply, while its claim lasts. Of a draft,
# number 0 is the text, and the others are requests for suggestions and these.
conversation_turns = Table(
    "conversation_turns",
    metadata,
    study_key(),
    row_id(),
    Column("assignment_id", BigInteger, nullable=False),
    Column("number", SmallInteger, nullable=False),
    Column("speaker", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("text", Text),
    Column("flags", ARRAY(Text), nullable=False, server_default="{}"),
    time("asked_at", now=True),
    time("said_at"),
    time("claimed_until"),
    Column("n_tries", Integer, nullable=False, server_default="0"),
    Column("tokens_reserved", Integer),
    Column("tokens_in", Integer),
    Column("tokens_out", Integer),
    Column("cost", Double),
    Column("latency_ms", Integer),
    Column("model_version", Text),
    Column("finish_reason", Text),
    Column("problem", Text),
    Column("thoughts", Text),
    Column("decision", Text),
    Column("revision", Integer, nullable=False, server_default="0"),
    # Of two raters who write with each other, each turn belongs to the assignment of its writer.
    Column("dyad_id", BigInteger),
    PrimaryKeyConstraint("study_id", "id"),
    UniqueConstraint("study_id", "assignment_id", "number"),
    UniqueConstraint("study_id", "dyad_id", "number"),
    within_study("assignment_id", "assignments", ondelete="CASCADE"),
    within_study("dyad_id", "dyads", ondelete="CASCADE"),
    one_of("speaker", ("rater", "partner")),
    one_of("state", ("said", "awaited", "withheld", "failed")),
    one_of("decision", ("taken", "ignored", "taken_back")),
    CheckConstraint("(state = 'said') = (text IS NOT NULL)", name="text"),
    CheckConstraint("(state = 'said') = (said_at IS NOT NULL)", name="said_at"),
    # The budget of a study is the sum of these, before each reply.
    Index(
        "ix_conversation_turns_tokens",
        "study_id",
        postgresql_include=["tokens_reserved", "tokens_in", "tokens_out"],
        postgresql_where=text("speaker = 'partner'"),
    ),
)


# What the review of a text that a rater wrote decided, before others may read it.
text_reviews = Table(
    "text_reviews",
    metadata,
    study_key(),
    Column("response_id", BigInteger, nullable=False),
    Column("is_shown", Boolean, nullable=False),
    # Of its turns, or its only text, as others will read them. The response keeps what was written.
    Column("texts", ARRAY(Text), nullable=False),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="SET NULL")),
    time("reviewed_at", now=True),
    PrimaryKeyConstraint("study_id", "response_id"),
    within_study("response_id", "responses", ondelete="CASCADE"),
)

# The responses of a study that raters of another study wrote, so that what a rater has deleted is deleted here too.
reused_texts = Table(
    "reused_texts",
    metadata,
    study_key(),
    Column("response_id", BigInteger, nullable=False),
    Column("origin_study_id", BigInteger, nullable=False),
    Column("origin_id", BigInteger, nullable=False),
    PrimaryKeyConstraint("study_id", "response_id"),
    within_study("response_id", "responses", ondelete="CASCADE"),
    ForeignKeyConstraint(["origin_study_id", "origin_id"], ["responses.study_id", "responses.id"], ondelete="CASCADE"),
    Index(None, "origin_study_id", "origin_id"),
)


# Raters and their rating sessions.

raters = Table(
    "raters",
    metadata,
    study_key(),
    row_id(),
    Column("key", Text, nullable=False),
    Column("kind", Text, nullable=False, server_default="person"),
    Column("pool", Text),
    Column("is_simulated", Boolean, nullable=False, server_default=text("false")),
    Column("is_imported", Boolean, nullable=False, server_default=text("false")),
    attributes(),
    time("created_at", now=True),
    PrimaryKeyConstraint("study_id", "id"),
    UniqueConstraint("study_id", "key"),
    CheckConstraint("kind IN ('person', 'model')", name="kind"),
)

# Whether a rater's answers are included. Each decision is a row; the last one applies.
rater_exclusions = Table(
    "rater_exclusions",
    metadata,
    study_key(),
    row_id(),
    Column("rater_id", BigInteger, nullable=False),
    Column("is_excluded", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="SET NULL")),
    time("decided_at", now=True),
    PrimaryKeyConstraint("study_id", "id"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    Index(None, "study_id", "rater_id"),
)

# The only table that contains a platform's participant IDs; everywhere else, raters have a keyed pseudonym.
platform_ids = Table(
    "platform_ids",
    metadata,
    study_key(),
    Column("rater_id", BigInteger, nullable=False),
    Column("platform", Text, nullable=False),
    Column("platform_id", Text, nullable=False),
    Column("parameters", JSONB, nullable=False, server_default=text("'{}'")),
    time("arrived_at", now=True),
    PrimaryKeyConstraint("study_id", "platform", "platform_id"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
)

invites = Table(
    "invites",
    metadata,
    study_key(),
    Column("token_hash", LargeBinary, nullable=False),
    Column("rater_id", BigInteger),
    time("created_at", now=True),
    time("revoked_at"),
    PrimaryKeyConstraint("study_id", "token_hash"),
    UniqueConstraint("token_hash"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
)

rating_sessions = Table(
    "rating_sessions",
    metadata,
    study_key(),
    row_id(),
    Column("rater_id", BigInteger, nullable=False),
    Column("token_hash", LargeBinary, nullable=False, unique=True),
    Column("protocol_version", Integer, nullable=False),
    Column("condition", Text),
    Column("number_in_condition", Integer),
    Column("state", Text, nullable=False, server_default="arrived"),
    Column("keys_off", Boolean, nullable=False, server_default=text("false")),
    time("arrived_at", now=True),
    time("begun_at"),
    time("last_seen_at", now=True),
    Column("lease_minutes", Integer, nullable=False, server_default="60"),
    Column("lease_expires_at", DateTime(timezone=True), nullable=False),
    time("paused_at"),
    time("finished_at"),
    PrimaryKeyConstraint("study_id", "id"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    ForeignKeyConstraint(["study_id", "protocol_version"], ["protocols.study_id", "protocols.version"]),
    CheckConstraint(
        "state IN ('arrived', 'active', 'finished', 'expired', 'full', 'screened_out', 'failed_checks', 'withdrawn')",
        name="state",
    ),
    CheckConstraint("(state = 'finished') = (finished_at IS NOT NULL)", name="finished_at"),
    # Assignments reference a rating session together with its rater.
    UniqueConstraint("study_id", "rater_id", "id", name="uq_rating_sessions_study_id_rater_id_id"),
)

# One row per rater of a condition, in a balanced order: created when a study opens, and extended when all are taken.
# A free seat has no rating session; arriving raters take the first free one.
condition_seats = Table(
    "condition_seats",
    metadata,
    study_key(),
    Column("pool", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("condition", Text, nullable=False),
    Column("number_in_condition", Integer, nullable=False),
    Column("rating_session_id", BigInteger),
    PrimaryKeyConstraint("study_id", "pool", "number"),
    within_study("rating_session_id", "rating_sessions"),
    Index("ix_condition_seats_free", "study_id", "pool", "number", postgresql_where=text("rating_session_id IS NULL")),
    Index(
        "uq_condition_seats_rating_session",
        "study_id",
        "rating_session_id",
        unique=True,
        postgresql_where=text("rating_session_id IS NOT NULL"),
    ),
)

# One row per rater that a limit allows: in total (attribute and value empty), or with a value of an attribute. Created
# when a study opens, and extended when all are taken.
admission_seats = Table(
    "admission_seats",
    metadata,
    study_key(),
    Column("attribute", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("rating_session_id", BigInteger),
    PrimaryKeyConstraint("study_id", "attribute", "value", "number"),
    within_study("rating_session_id", "rating_sessions"),
    Index(
        "ix_admission_seats_free",
        "study_id",
        "attribute",
        "value",
        "number",
        postgresql_where=text("rating_session_id IS NULL"),
    ),
    Index(
        "uq_admission_seats_rating_session",
        "study_id",
        "rating_session_id",
        "attribute",
        unique=True,
        postgresql_where=text("rating_session_id IS NOT NULL"),
    ),
)

# One row per browser that has the ID but not the first browser's cookie: it continues, but cannot see earlier answers.
session_moves = Table(
    "session_moves",
    metadata,
    study_key(),
    row_id(),
    Column("rating_session_id", BigInteger, nullable=False),
    Column("token_hash", LargeBinary, nullable=False),
    Column("parameters", JSONB, nullable=False, server_default=text("'{}'")),
    time("moved_at", now=True),
    PrimaryKeyConstraint("study_id", "id"),
    UniqueConstraint("token_hash"),
    within_study("rating_session_id", "rating_sessions", ondelete="CASCADE"),
    Index(None, "study_id", "rating_session_id"),
)

# All that is kept about raters whose answers were deleted; without the hash they could come back as new raters.
withdrawals = Table(
    "withdrawals",
    metadata,
    study_key(),
    Column("token_hash", LargeBinary, nullable=False),
    Column("receipt", Text, nullable=False),
    Column("protocol_version", Integer, nullable=False),
    Column("platform", Text),
    Column("outcome", Text, nullable=False),
    time("withdrew_at", now=True),
    time("deleted_at"),
    PrimaryKeyConstraint("study_id", "token_hash"),
    UniqueConstraint("study_id", "receipt"),
    ForeignKeyConstraint(["study_id", "protocol_version"], ["protocols.study_id", "protocols.version"]),
    CheckConstraint("outcome IN ('completed', 'screened_out', 'failed_checks', 'full', 'withdrew')", name="outcome"),
)

# A message of a lead to a rater, who reads it before the next page. A message to several raters has a row for each.
rater_messages = Table(
    "rater_messages",
    metadata,
    study_key(),
    row_id(),
    Column("rater_id", BigInteger, nullable=False),
    Column("batch", Uuid, nullable=False),
    Column("text", Text, nullable=False),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="SET NULL")),
    time("sent_at", now=True),
    time("read_at"),
    PrimaryKeyConstraint("study_id", "id"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    Index("ix_rater_messages_unread", "study_id", "rater_id", postgresql_where=text("read_at IS NULL")),
    Index(None, "study_id", "batch"),
)

# What raters report to the lead about an item, each from the page of a trial.
reported_problems = Table(
    "reported_problems",
    metadata,
    study_key(),
    row_id(),
    Column("rater_id", BigInteger, nullable=False),
    # The trial on whose page it was written, or the name of another page.
    Column("assignment_id", BigInteger),
    Column("page", Text),
    Column("text", Text, nullable=False),
    time("reported_at", now=True),
    PrimaryKeyConstraint("study_id", "id"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    within_study("assignment_id", "assignments", ondelete="CASCADE"),
    CheckConstraint("(assignment_id IS NULL) <> (page IS NULL)", name="trial_or_page"),
    Index(None, "study_id", "rater_id"),
    Index(None, "assignment_id", "study_id"),
)

# One row per completed step of a rater: consent, a page of questions, the instructions, and so on.
steps = Table(
    "steps",
    metadata,
    study_key(),
    Column("rating_session_id", BigInteger, nullable=False),
    Column("step", Text, nullable=False),
    Column("detail", JSONB, nullable=False, server_default=text("'{}'")),
    time("done_at", now=True),
    PrimaryKeyConstraint("study_id", "rating_session_id", "step"),
    within_study("rating_session_id", "rating_sessions", ondelete="CASCADE"),
)


# Answers, their history, and events.


def _answer_columns() -> list[Column[object]]:
    """The columns for an answer and its time; the same in `ratings` and `rating_history`."""
    return [
        Column("number", Double),
        Column("outcome", Text),
        Column("chosen_response_id", BigInteger),
        Column("strength", Double),
        Column("codes", ARRAY(Text)),
        Column("text", Text),
        Column("side", Text),
        Column("idempotency_key", Uuid),
        Column("rated_at", DateTime(timezone=True)),
    ]


# Ratings reference the study through their rater: another foreign key would lock the row of the study for each answer.
# For the same reason, triggers ensure that their question exists, and stays (`rated_questions` in the migration).
ratings = Table(
    "ratings",
    metadata,
    Column("study_id", BigInteger, nullable=False),
    row_id(),
    Column("rater_id", BigInteger, nullable=False),
    Column("assignment_id", BigInteger),
    Column("question", Text, nullable=False),
    Column("item_id", BigInteger),
    Column("response_id", BigInteger),
    Column("turn", Integer),
    *_answer_columns(),
    Column("left_response_id", BigInteger),
    Column("right_response_id", BigInteger),
    Column("position", Integer),
    Column("condition", Text),
    Column("shown_label", Text),
    Column("repeat", SmallInteger, nullable=False, server_default="0"),
    Column("served_at", DateTime(timezone=True)),
    Column("active_ms", BigInteger),
    Column("device", Text),
    Column("labels_shown", Text),
    Column("n_keystrokes", Integer),
    Column("n_pasted", Integer),
    Column("typing_ms", Integer),
    Column("probabilities", Text),
    Column("comment", Text),
    Column("exclude", Text),
    Column("page_ms", BigInteger),
    time("stored_at", now=True),
    PrimaryKeyConstraint("study_id", "id"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    within_study("assignment_id", "assignments", ondelete="CASCADE"),
    within_study("item_id", "items"),
    within_study("chosen_response_id", "responses"),
    within_study("left_response_id", "responses"),
    within_study("right_response_id", "responses"),
    ForeignKeyConstraint(
        ["study_id", "item_id", "response_id"],
        ["responses.study_id", "responses.item_id", "responses.id"],
        name="fk_ratings_response_of_item",
    ),
    CheckConstraint("num_nonnulls(number, outcome, codes, text) = 1", name="one_answer"),
    CheckConstraint("outcome IN ('response', 'tie', 'neither', 'cannot_judge')", name="outcome"),
    CheckConstraint("(outcome IS NOT DISTINCT FROM 'response') = (chosen_response_id IS NOT NULL)", name="chosen"),
    CheckConstraint(
        "chosen_response_id IS NULL OR left_response_id IS NULL"
        " OR chosen_response_id IN (left_response_id, right_response_id)",
        name="chosen_was_shown",
    ),
    CheckConstraint("(left_response_id IS NULL) = (right_response_id IS NULL)", name="two_sides"),
    one_of("side", SIDES),
    one_of("device", DEVICES),
    one_of("labels_shown", LABELLED),
    CheckConstraint("repeat >= 0", name="repeat"),
    CheckConstraint("response_id IS NULL OR item_id IS NOT NULL", name="response_has_item"),
    Index(
        "uq_ratings_one_answer",
        "study_id",
        "rater_id",
        "item_id",
        "question",
        "response_id",
        "turn",
        "condition",
        "repeat",
        text("least(left_response_id, right_response_id)"),
        text("greatest(left_response_id, right_response_id)"),
        unique=True,
        postgresql_nulls_not_distinct=True,
    ),
    Index(None, "assignment_id", "study_id"),
)

# Filled by a trigger on `ratings`: the earlier value of an answer that is changed or cleared, with both times.
rating_history = Table(
    "rating_history",
    metadata,
    study_key(),
    row_id(),
    Column("rating_id", BigInteger, nullable=False),
    *_answer_columns(),
    time("replaced_at", now=True),
    PrimaryKeyConstraint("study_id", "id"),
    within_study("rating_id", "ratings", ondelete="CASCADE"),
    Index(None, "study_id", "rating_id"),
)

events = Table(
    "events",
    metadata,
    study_key(),
    row_id(),
    Column("rater_id", BigInteger),
    Column("assignment_id", BigInteger),
    Column("kind", Text, nullable=False),
    Column("detail", JSONB, nullable=False, server_default=text("'{}'")),
    time("happened_at", now=True),
    PrimaryKeyConstraint("study_id", "id"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    Index(None, "study_id", "rater_id"),
)
