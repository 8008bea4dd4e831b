"""A spreadsheet of texts uploaded by a lead: stored unchanged, with the lead's description of its columns."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, text

from app.base.numbers import with_minus
from app.base.words import counted
from app.studies.item_images import forget_unused_images
from app.studies.studies import StudyRow

_GET = text("""
    SELECT file_name, columns, is_repaired, report, uploaded_at, used_at FROM text_uploads WHERE study_id = :study
""")
_CONTENT = text("SELECT content FROM text_uploads WHERE study_id = :study")
_RECORD = text("""
    INSERT INTO text_uploads (study_id, file_name, content, columns, is_repaired, report)
    VALUES (:study, :file, :content, CAST(:columns AS json), :repaired, CAST(:report AS json))
    ON CONFLICT (study_id) DO UPDATE SET file_name = excluded.file_name, content = excluded.content,
      columns = excluded.columns, is_repaired = excluded.is_repaired, report = excluded.report,
      uploaded_at = now(), used_at = NULL
""")
_COLUMNS = text("""
    UPDATE text_uploads SET columns = CAST(:columns AS json), is_repaired = :repaired, report = CAST(:report AS json)
    WHERE study_id = :study
""")
_USED = text("UPDATE text_uploads SET used_at = now() WHERE study_id = :study")
_HAS_ANSWERS = text("SELECT EXISTS (SELECT FROM ratings WHERE study_id = :study)")
_FORGET_TEXTS = text("DELETE FROM items WHERE study_id = :study")


@dataclass(frozen=True, slots=True)
class TextUpload:
    """The file, without its content. `columns` and `report` are as created by the action that read the file."""

    file_name: str
    columns: list[dict[str, Any]]
    is_repaired: bool
    report: dict[str, Any]
    uploaded_at: datetime
    used_at: datetime | None

    def decided(self) -> list[str]:
        """What became of each text with a problem: `row 5, Post: the same texts as row 4 (drop)`."""
        return decided(self.report)


def decided(report: Mapping[str, Any]) -> list[str]:
    """What became of each text that a report lists as a problem."""
    choices = report.get("choices", {})
    return [
        f"row {one['row']}, {one['column']}: {one['found']} ({choices.get(one['key'], {}).get('act', one['usual'])})"
        for one in report.get("problems", ())
    ]


def read_as(report: Mapping[str, Any]) -> list[str]:
    """How each value was read that may be no answer: `Empathy: −9 in 2 cells (no answer)`."""
    return [
        f"{one['name']}: {with_minus(value['found'])} in {counted(value['n'], 'cell')}"
        f" ({'an answer' if value['is_answer'] else 'no answer'})"
        for one in report["rated"]
        for value in one["odd"]
    ]


def get_upload(db: Connection, study_id: int) -> TextUpload | None:
    """The study's spreadsheet; None if none was uploaded."""
    row = db.execute(_GET, {"study": study_id}).one_or_none()
    return None if row is None else TextUpload(*row)


def get_content(db: Connection, study_id: int) -> bytes:
    """The unchanged bytes of the spreadsheet."""
    return bytes(db.execute(_CONTENT, {"study": study_id}).scalar_one())


def record_upload(
    db: Connection,
    study_id: int,
    file_name: str,
    content: bytes,
    columns: list[dict[str, Any]],
    report: dict[str, Any],
) -> None:
    """Store a spreadsheet, replacing an earlier one."""
    values = {"columns": json.dumps(columns), "report": json.dumps(report), "repaired": True}
    db.execute(_RECORD, {"study": study_id, "file": file_name, "content": content, **values})


def record_columns(
    db: Connection, study_id: int, columns: list[dict[str, Any]], report: dict[str, Any], *, is_repaired: bool
) -> None:
    """Store the lead's description of the columns, and whether the texts are to be repaired."""
    values = {"columns": json.dumps(columns), "report": json.dumps(report), "repaired": is_repaired}
    db.execute(_COLUMNS, {"study": study_id, **values})


def record_use(db: Connection, study_id: int) -> None:
    """Record that the study's texts come from its spreadsheet."""
    db.execute(_USED, {"study": study_id})


def has_answers(db: Connection, study_id: int) -> bool:
    """Whether the study has any answers."""
    return bool(db.execute(_HAS_ANSWERS, {"study": study_id}).scalar_one())


def forget_texts(db: Connection, study_id: int) -> None:
    """Delete a draft's items with their images and responses."""
    db.execute(_FORGET_TEXTS, {"study": study_id})
    forget_unused_images(db, study_id)


# Whether the texts of a study can still be replaced.


class TextsFixedError(ValueError):
    """The study's texts can no longer be replaced; the message gives the reason."""


def why_fixed(db: Connection, study: StudyRow) -> str:
    """Why the texts and images of a study can no longer be replaced: raters may be reading them; empty if they can."""
    if study.opened_at is None and not has_answers(db, study.id):
        return ""
    why = "has answers" if study.opened_at is None else "has been opened"
    return f"The study {why}, so its texts cannot be replaced. To use other texts, copy the study."


def check_replaceable(db: Connection, study: StudyRow) -> None:
    """Refuse to replace texts that raters have rated or may be reading.

    Raises:
        TextsFixedError: the study has been opened or has answers.
    """
    if why := why_fixed(db, study):
        raise TextsFixedError(why)
