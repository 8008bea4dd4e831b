"""Studies, their protocols and what leads keep of them."""

import sqlalchemy as sa
from alembic import op

from first_release.columns import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    INTEGER,
    JSON,
    TEXT,
    TEXTS,
    TIME,
    UUID,
    flag,
    now,
    optional,
    required,
    row_id,
    study_id,
)
from first_release.constraints import check, of_lead, of_study, one_of, primary_key, reference, unique
from first_release.indexes import index


def token(n_characters: int) -> sa.TextClause:
    """Random characters as a default value."""
    return sa.text(f"substr(replace((gen_random_uuid())::text, '-'::text, ''::text), 1, {n_characters})")


def create_studies() -> None:
    op.create_table(
        "studies",
        row_id(),
        required("slug", TEXT),
        required("rater_token", TEXT, server_default=token(12)),
        required("status", TEXT, server_default="draft"),
        required("protocol_version", INTEGER, server_default="1"),
        required("seed", BIGINT, server_default="0"),
        flag("is_demo"),
        required("n_refused", INTEGER, server_default="0"),
        now("created_at"),
        optional("opened_at", TIME),
        optional("closed_at", TIME),
        optional("archived_at", TIME),
        optional("keep_until", DATE),
        optional("deletion_announced_at", TIME),
        check("studies", "opened_at", "status = 'draft' OR opened_at IS NOT NULL"),
        one_of("studies", "status", "draft", "open", "paused", "closed"),
        primary_key("studies", "id"),
        unique("studies", "rater_token"),
        unique("studies", "slug"),
    )


def create_protocols() -> None:
    op.create_table(
        "protocols",
        study_id(),
        required("version", INTEGER),
        required("title", TEXT),
        required("document", JSON),
        required("yaml", TEXT),
        required("sha256", TEXT),
        now("created_at"),
        of_study("protocols"),
        primary_key("protocols", "study_id", "version"),
    )


def create_protocol_edits() -> None:
    op.create_table(
        "protocol_edits",
        study_id(),
        required("number", INTEGER),
        required("yaml", TEXT),
        optional("lead_id", BIGINT),
        now("edited_at"),
        of_lead("protocol_edits", ondelete="SET NULL"),
        of_study("protocol_edits"),
        primary_key("protocol_edits", "study_id", "number"),
    )


def create_text_uploads() -> None:
    op.create_table(
        "text_uploads",
        study_id(),
        required("file_name", TEXT),
        required("content", BYTES),
        required("columns", JSON),
        required("is_repaired", BOOLEAN),
        required("report", JSON),
        now("uploaded_at"),
        optional("used_at", TIME),
        of_study("text_uploads"),
        primary_key("text_uploads", "study_id"),
    )


def create_sheet_drafts() -> None:
    op.create_table(
        "sheet_drafts",
        required("token", UUID, server_default=sa.text("gen_random_uuid()")),
        required("lead_id", BIGINT),
        required("file_name", TEXT),
        required("content", BYTES),
        required("columns", JSON),
        required("is_repaired", BOOLEAN),
        required("report", JSON),
        required("made", JSON),
        now("uploaded_at"),
        of_lead("sheet_drafts", ondelete="CASCADE"),
        primary_key("sheet_drafts", "token"),
    )
    index("sheet_drafts", "lead_id")


def create_walk_throughs() -> None:
    op.create_table(
        "walk_throughs",
        study_id(),
        row_id(),
        optional("lead_id", BIGINT),
        optional("copy_id", BIGINT),
        required("sha256", TEXT),
        required("skipped", TEXTS, server_default=sa.text("'{}'")),
        now("started_at"),
        optional("ended_at", TIME),
        of_study("walk_throughs"),
        of_lead("walk_throughs", ondelete="SET NULL"),
        reference("walk_throughs", ["copy_id"], ["studies.id"], ondelete="SET NULL"),
        primary_key("walk_throughs", "study_id", "id"),
        unique("walk_throughs", "copy_id"),
    )


def create_registrations() -> None:
    op.create_table(
        "registrations",
        study_id(),
        required("number", INTEGER),
        required("protocol_version", INTEGER),
        required("sha256", TEXT),
        required("document", TEXT),
        now("registered_at"),
        of_study("registrations"),
        primary_key("registrations", "study_id", "number"),
    )


def create_snapshots() -> None:
    op.create_table(
        "snapshots",
        required("token", TEXT, server_default=token(16)),
        optional("study_id", BIGINT),
        required("name", TEXT),
        required("protocol_version", INTEGER),
        required("data_hash", TEXT),
        required("read_at", TIME),
        optional("report", BYTES),
        optional("lead_id", BIGINT),
        now("saved_at"),
        optional("deleted_at", TIME),
        check("snapshots", "report", "(deleted_at IS NULL) = (report IS NOT NULL)"),
        of_lead("snapshots", ondelete="SET NULL"),
        reference("snapshots", ["study_id"], ["studies.id"], ondelete="SET NULL"),
        primary_key("snapshots", "token"),
    )
    index("snapshots", "study_id")


def create_kept_results() -> None:
    op.create_table(
        "kept_results",
        study_id(),
        required("part", TEXT),
        required("name", TEXT),
        required("mark", TEXT),
        required("decisions", TEXT),
        required("n_ratings", BIGINT),
        required("protocol_version", INTEGER),
        required("program", TEXT),
        required("read_at", TIME),
        required("content", BYTES),
        of_study("kept_results"),
        primary_key("kept_results", "study_id", "part"),
    )


def create_made_files() -> None:
    op.create_table(
        "made_files",
        study_id(),
        required("part", TEXT),
        required("place", INTEGER),
        required("begun_at", TIME),
        required("drop_at", TIME),
        required("state", TEXT),
        required("name", TEXT),
        required("content", BYTES),
        one_of("made_files", "state", "made", "refused", "stopped"),
        of_study("made_files"),
        primary_key("made_files", "study_id", "part", "place"),
        prefixes=["UNLOGGED"],
    )
