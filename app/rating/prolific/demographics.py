"""Demographic data of participants, from the file that Prolific exports, as attributes of the raters."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, text

from app.analysis.data.study_folder import RATER_COLUMNS
from app.base.files.spreadsheet import table_of
from app.base.files.table import Table
from app.base.limits import Limits
from app.base.problem import InvalidInputError, Problem
from app.base.problems import Problems
from app.base.words import and_list, counted
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


@dataclass(frozen=True, slots=True)
class Demographics:
    """What a file says: the attributes that it has columns for, and each participant with what is known, row by row."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, dict[str, str]], ...]


@dataclass(frozen=True, slots=True)
class StoredDemographics:
    """`names` were stored for `n_raters`; `n_unknown` rows are of participants who are no raters of the study."""

    names: tuple[str, ...]
    n_raters: int
    n_unknown: int

    @property
    def sentences(self) -> str:
        """What was stored and what was left out."""
        told = f"Stored for {counted(self.n_raters, 'rater')}"
        told += f": {and_list([name.replace('_', ' ') for name in self.names])}." if self.n_raters else "."
        if self.n_unknown:
            told += f" Left out: {counted(self.n_unknown, 'row')} of participants who are no raters of the study."
        return told


def read_demographics(upload: tuple[str, bytes], limits: Limits) -> Demographics:
    """What an uploaded file says; see `demographics_of`."""
    file, content = upload
    problems = Problems(limits)
    table = table_of(Path(file), problems, content)
    problems.raise_if_any()
    return demographics_of(table)


def demographics_of(table: Table) -> Demographics:
    """What Prolific's file says about people.

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
    return Demographics(tuple(kept.values()), tuple(_rows(table, place, kept)))


def store_demographics(db: Connection, study_id: int, found: Demographics) -> StoredDemographics:
    """Store what is said about people as attributes of the raters who came from Prolific; their IDs are not stored.

    Data that a participant took back replace those that were stored before. Of several submissions the last row counts.
    """
    known = {one: rater for rater, platform, one in list_identities(db, study_id) if platform == "prolific"}
    of_rater = {known[one]: said for one, said in found.rows if one in known}
    values = [
        {"study": study_id, "rater": rater, "names": [*found.names], "said": json.dumps(said, ensure_ascii=False)}
        for rater, said in of_rater.items()
    ]
    if values:
        db.execute(_STORE, values)
    return StoredDemographics(found.names, len(values), sum(one not in known for one, _ in found.rows))


def _name(column: str) -> str:
    """The attribute of a column.

    >>> _name("Ethnicity simplified")
    'ethnicity_simplified'
    """
    return re.sub(r"\W+", "_", column.strip().lower()).strip("_")


def _rows(table: Table, place: str, kept: dict[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row's participant with what is known."""
    for number in range(len(table)):
        cells = {name: str(table.columns[column][number]).strip() for column, name in kept.items()}
        said = {name: cell for name, cell in cells.items() if cell not in _MISSING}
        yield str(table.columns[place][number]).strip(), said
