"""Whether the texts of a study can still be replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.storage.studies.text_uploads import has_answers

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.storage.studies.studies import StudyRow


class TextsFixedError(ValueError):
    """The study's texts can no longer be replaced; the message gives the reason."""


def check_replaceable(db: Connection, study: StudyRow) -> None:
    """Refuse to replace texts that raters have rated or may be reading.

    Raises:
        TextsFixedError: the study has been opened or has answers.
    """
    if study.opened_at is not None:
        raise TextsFixedError(
            "The study has been opened, so its texts cannot be replaced. To use other texts, copy the study."
        )
    if has_answers(db, study.id):
        raise TextsFixedError(
            "The study has answers, so its texts cannot be replaced. To use other texts, copy the study."
        )
