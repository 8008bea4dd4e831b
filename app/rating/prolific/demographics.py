"""Demographic data of participants, from the file that Prolific exports, as attributes of the raters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from sqlalchemy import Connection, text

from app.analysis.data.study_folder import RATER_COLUMNS
from app.base.files.table import Table
from app.base.problem import InvalidInputError, Problem
from app.rating.review.exclusions import list_identities

PARTICIPANT = "participant_id"
# What the file says about submissions, not about people.
_NOT_KEPT = frozenset(
    {
        *("submission_id", PARTICIPANT, "status", "custom_study_tncs_accepted_at", "started_at", "completed_at"),
        *("reviewed_at", "archived_at", "time_taken", "completion_code", "total_approvals"),
    }
)
# What stands for data that the participant took back, or that is too old.
_MISSING = frozenset({"", "DATA_EXPIRED", "CONSENT_REVOKED"})
_STORE = text("""
    UPDATE raters SET attributes = (attributes - CAST(:names AS text[])) || CAST(:said AS jsonb)
    WHERE study_id = :study AND key = :rater
""")


def store_demographics(db: Connection, study_id: int, table: Table) -> tuple[int, int]:
    """Store the columns about people as attributes of the raters who came from Prolific; their IDs are not stored.

    Data that a participant took back replace those that were stored before.

    Returns:
        The number of raters with data, and of rows of participants who are no raters of the study.

    Raises:
        InvalidInputError: the file names no participants, or a column has the name of one of raters.csv.
    """
    names = {column: _name(column) for column in table.columns}
    place = next((column for column, name in names.items() if name == PARTICIPANT), None)
    if place is None:
        found = "no column Participant id"
        raise InvalidInputError([Problem(table.file, 1, None, found, "the demographic data that Prolific exports")])
    kept = {column: name for column, name in names.items() if name not in _NOT_KEPT}
    if taken := [column for column, name in kept.items() if name in RATER_COLUMNS]:
        allowed = f"a name other than {', '.join(RATER_COLUMNS)}"
        raise InvalidInputError([Problem(table.file, 1, taken[0], taken[0], allowed)])
    known = {one: rater for rater, platform, one in list_identities(db, study_id) if platform == "prolific"}
    of_rater = {known[one]: said for one, said in _rows(table, place, kept) if one in known}
    values = [
        {"study": study_id, "rater": rater, "names": [*kept.values()], "said": json.dumps(said, ensure_ascii=False)}
        for rater, said in of_rater.items()
    ]
    if values:
        db.execute(_STORE, values)
    return len(values), sum(one not in known for one, _ in _rows(table, place, kept))


def _name(column: str) -> str:
    """The attribute of a column.

    >>> _name("Ethnicity simplified")
    'ethnicity_simplified'
    """
    return re.sub(r"\W+", "_", column.strip().lower()).strip("_")


def _rows(table: Table, place: str, kept: dict[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Each participant with what is known; of several submissions the last row counts."""
    for number in range(len(table)):
        cells = {name: str(table.columns[column][number]).strip() for column, name in kept.items()}
        said = {name: cell for name, cell in cells.items() if cell not in _MISSING}
        yield str(table.columns[place][number]).strip(), said
