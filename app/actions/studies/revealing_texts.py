"""Imported texts that may reveal who wrote them, in a sentence for the lead before raters see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.storage.studies.text_uploads import get_upload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection


def revealing_notes(db: Connection, study_id: int) -> Iterator[str]:
    """One sentence with the first of these texts; none if the study's texts are not from a spreadsheet."""
    upload = get_upload(db, study_id)
    if upload is None or upload.used_at is None or not upload.report.get("revealing"):
        return
    n = sum(group["n_revealing"] for group in upload.report["groups"])
    first = upload.report["revealing"][0]
    texts = "A text" if n == 1 else f"{n:,} texts"
    reveals = "may reveal who wrote it" if n == 1 else "may reveal who wrote them"
    where = f"{'' if n == 1 else 'the first is '}row {first['row']}, {first['group']}"
    yield f"{texts} of {upload.file_name} {reveals} ({where}: {first['before']}). Retire the item, or use other texts."
