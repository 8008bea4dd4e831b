"""The content of a study: questions, sources, items, responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alembic import op
from sqlalchemy import text
from sqlalchemy.dialects.postgresql import JSONB

from first_release.columns import BIGINT, BYTES, INTEGER, TEXT, UUID, json_object, optional, required, row_id, study_id
from first_release.constraints import check, of_study, one_of, primary_key, reference, unique, within_study
from first_release.indexes import partial_index

if TYPE_CHECKING:
    from sqlalchemy import CheckConstraint, Column


def turns() -> Column[Any]:
    """The turns of a dialogue; NULL, not a JSON null, where there are none."""
    return optional("turns", JSONB(none_as_null=True))


def turns_are_a_list(table: str) -> CheckConstraint:
    return check(table, "turns", "turns IS NULL OR jsonb_typeof(turns) = 'array'")


def text_or_turns(table: str) -> CheckConstraint:
    return check(table, "text_or_turns", "(text IS NULL) <> (turns IS NULL)")


def create_images() -> None:
    op.create_table(
        "images",
        study_id(),
        required("name", TEXT),
        required("token", UUID, server_default=text("gen_random_uuid()")),
        required("media_type", TEXT),
        required("width", INTEGER),
        required("height", INTEGER),
        required("content", BYTES),
        one_of("images", "media_type", "image/jpeg", "image/png"),
        of_study("images"),
        primary_key("images", "study_id", "name"),
        unique("images", "token"),
    )


def create_items() -> None:
    op.create_table(
        "items",
        study_id(),
        row_id(),
        required("key", TEXT),
        required("position", INTEGER),
        optional("text", TEXT),
        turns(),
        optional("profile", TEXT),
        optional("image", TEXT),
        optional("image_alt", TEXT),
        optional("content_note", TEXT),
        optional("retired_because", TEXT),
        json_object("attributes"),
        turns_are_a_list("items"),
        text_or_turns("items"),
        check("items", "image_alt", "(image IS NULL) = (image_alt IS NULL)"),
        reference("items", ["study_id", "image"], ["images.study_id", "images.name"]),
        of_study("items"),
        primary_key("items", "study_id", "id"),
        unique("items", "study_id", "key"),
    )
    partial_index("ix_items_retired", "items", ["study_id"], where="retired_because IS NOT NULL")


def create_questions() -> None:
    op.create_table(
        "questions",
        study_id(),
        required("key", TEXT),
        required("position", INTEGER),
        required("type", TEXT),
        required("target", TEXT),
        one_of("questions", "target", "response", "pair", "set", "item", "turn", "rater"),
        one_of(
            "questions", "type", "rating", "slider", "allocation", "choice", "ranking", "category", "text", "highlight"
        ),
        of_study("questions"),
        primary_key("questions", "study_id", "key"),
    )


def create_sources() -> None:
    op.create_table(
        "sources",
        study_id(),
        row_id(),
        required("key", TEXT),
        required("position", INTEGER),
        required("kind", TEXT),
        json_object("attributes"),
        one_of("sources", "kind", "human", "model", "human+model"),
        of_study("sources"),
        primary_key("sources", "study_id", "id"),
        unique("sources", "study_id", "key"),
    )


def create_responses() -> None:
    op.create_table(
        "responses",
        study_id(),
        row_id(),
        required("key", TEXT),
        required("position", INTEGER),
        required("item_id", BIGINT),
        required("source_id", BIGINT),
        optional("text", TEXT),
        turns(),
        optional("rater_id", BIGINT),
        json_object("attributes"),
        turns_are_a_list("responses"),
        text_or_turns("responses"),
        within_study("responses", "item_id", "items", ondelete="CASCADE"),
        within_study("responses", "source_id", "sources"),
        within_study("responses", "rater_id", "raters", ondelete="CASCADE"),
        of_study("responses"),
        primary_key("responses", "study_id", "id"),
        unique("responses", "study_id", "item_id", "id"),
        unique("responses", "study_id", "key"),
    )
    partial_index("ix_responses_of_rater", "responses", ["study_id", "rater_id"], where="rater_id IS NOT NULL")
