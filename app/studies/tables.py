"""A study as its lead defines it: protocol, sources, items, responses."""

from typing import get_args

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSON, JSONB

from app.base.database.columns import attributes, metadata, one_of, row_id, study_key, time, within_study
from app.protocol.questions.question import Target
from app.protocol.questions.registry import KINDS

RATER_TOKEN = text("substr(replace((gen_random_uuid())::text, '-'::text, ''::text), 1, 12)")

studies = Table(
    "studies",
    metadata,
    Column("id", BigInteger, Identity(), primary_key=True),
    Column("slug", Text, nullable=False, unique=True),
    # Identifies the study in raters' addresses: a slug may reveal what the study is about.
    Column("rater_token", Text, nullable=False, unique=True, server_default=RATER_TOKEN),
    Column("status", Text, nullable=False, server_default="draft"),
    Column("protocol_version", Integer, nullable=False, server_default="1"),
    Column("seed", BigInteger, nullable=False, server_default="0"),
    Column("is_demo", Boolean, nullable=False, server_default=text("false")),
    # No other data about raters who did not consent are kept, so there are no rows to count.
    Column("n_refused", Integer, nullable=False, server_default="0"),
    time("created_at", now=True),
    time("opened_at"),
    time("closed_at"),
    time("archived_at"),
    # Until when the lead promised to keep the data.
    Column("keep_until", Date),
    # When the server first saw that this day has passed and that the study is to be deleted then.
    time("deletion_announced_at"),
    CheckConstraint("status IN ('draft', 'open', 'paused', 'closed')", name="status"),
    CheckConstraint("status = 'draft' OR opened_at IS NOT NULL", name="opened_at"),
)

protocols = Table(
    "protocols",
    metadata,
    study_key(),
    Column("version", Integer, nullable=False),
    Column("title", Text, nullable=False),
    # json, because jsonb does not keep the order of keys: the order of sources, codes and questions matters.
    Column("document", JSON, nullable=False),
    Column("yaml", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    time("created_at", now=True),
    PrimaryKeyConstraint("study_id", "version"),
)

# The protocol as it is being edited. Each save is a row: if two leads save, the second sees what the first one changed.
protocol_edits = Table(
    "protocol_edits",
    metadata,
    study_key(),
    Column("number", Integer, nullable=False),
    Column("yaml", Text, nullable=False),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="SET NULL")),
    time("edited_at", now=True),
    PrimaryKeyConstraint("study_id", "number"),
)

# The spreadsheet that a draft's texts come from, stored unchanged.
text_uploads = Table(
    "text_uploads",
    metadata,
    Column("study_id", BigInteger, ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("file_name", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("columns", JSON, nullable=False),
    Column("is_repaired", Boolean, nullable=False),
    Column("report", JSON, nullable=False),
    time("uploaded_at", now=True),
    time("used_at"),
)

# A spreadsheet of which no study has been made yet, stored unchanged for a day with what its lead says about it.
sheet_drafts = Table(
    "sheet_drafts",
    metadata,
    Column("token", Uuid, primary_key=True, server_default=func.gen_random_uuid()),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("file_name", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("columns", JSON, nullable=False),
    Column("is_repaired", Boolean, nullable=False),
    Column("report", JSON, nullable=False),
    Column("made", JSON, nullable=False),
    time("uploaded_at", now=True),
)

# Walk-throughs: a lead walks through a draft as a rater, on a copy of it with its own address. The copy is a study
# without members that no list shows; it is deleted with its answers, and this row, which says how far the lead came,
# stays.
walk_throughs = Table(
    "walk_throughs",
    metadata,
    study_key(),
    row_id(),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="SET NULL")),
    Column("copy_id", BigInteger, ForeignKey("studies.id", ondelete="SET NULL"), unique=True),
    # Of the protocol of the draft as it was then.
    Column("sha256", Text, nullable=False),
    Column("skipped", ARRAY(Text), nullable=False, server_default=text("'{}'")),
    time("started_at", now=True),
    time("ended_at"),
    PrimaryKeyConstraint("study_id", "id"),
)

questions = Table(
    "questions",
    metadata,
    study_key(),
    Column("key", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("type", Text, nullable=False),
    Column("target", Text, nullable=False),
    PrimaryKeyConstraint("study_id", "key"),
    one_of("type", KINDS),
    one_of("target", get_args(Target)),
)

sources = Table(
    "sources",
    metadata,
    study_key(),
    row_id(),
    Column("key", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    attributes(),
    PrimaryKeyConstraint("study_id", "id"),
    UniqueConstraint("study_id", "key"),
    CheckConstraint("kind IN ('human', 'model', 'human+model')", name="kind"),
)

# The images of items, as raters get them.
images = Table(
    "images",
    metadata,
    study_key(),
    # The name of its file in a study folder.
    Column("name", Text, nullable=False),
    # Stands for the image in raters' addresses, which nobody can guess.
    Column("token", Uuid, nullable=False, unique=True, server_default=func.gen_random_uuid()),
    Column("media_type", Text, nullable=False),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("content", LargeBinary, nullable=False),
    PrimaryKeyConstraint("study_id", "name"),
    one_of("media_type", ("image/jpeg", "image/png")),
)

items = Table(
    "items",
    metadata,
    study_key(),
    row_id(),
    Column("key", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("text", Text),
    Column("turns", JSONB(none_as_null=True)),
    Column("profile", Text),
    # The name of an image, and the image in words.
    Column("image", Text),
    Column("image_alt", Text),
    Column("content_note", Text),
    # Why a lead retired the item: no one else gets its trials, and its ratings are kept. The audit log says by whom.
    Column("retired_because", Text),
    attributes(),
    PrimaryKeyConstraint("study_id", "id"),
    UniqueConstraint("study_id", "key"),
    CheckConstraint("(text IS NULL) <> (turns IS NULL)", name="text_or_turns"),
    CheckConstraint("turns IS NULL OR jsonb_typeof(turns) = 'array'", name="turns"),
    CheckConstraint("(image IS NULL) = (image_alt IS NULL)", name="image_alt"),
    ForeignKeyConstraint(["study_id", "image"], ["images.study_id", "images.name"]),
    Index("ix_items_retired", "study_id", postgresql_where=text("retired_because IS NOT NULL")),
)

responses = Table(
    "responses",
    metadata,
    study_key(),
    row_id(),
    Column("key", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("item_id", BigInteger, nullable=False),
    Column("source_id", BigInteger, nullable=False),
    Column("text", Text),
    Column("turns", JSONB(none_as_null=True)),
    # The rater of this study who wrote it, in a study in which raters write.
    Column("rater_id", BigInteger),
    attributes(),
    PrimaryKeyConstraint("study_id", "id"),
    UniqueConstraint("study_id", "key"),
    UniqueConstraint("study_id", "item_id", "id"),
    within_study("item_id", "items", ondelete="CASCADE"),
    within_study("source_id", "sources"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    Index("ix_responses_of_rater", "study_id", "rater_id", postgresql_where=text("rater_id IS NOT NULL")),
    CheckConstraint("(text IS NULL) <> (turns IS NULL)", name="text_or_turns"),
    CheckConstraint("turns IS NULL OR jsonb_typeof(turns) = 'array'", name="turns"),
)
