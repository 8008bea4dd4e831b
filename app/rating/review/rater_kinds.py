"""Which raters are models and which are simulated: neither is compared with people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, text

from app.studies.studies import list_excluded

_KINDS = text("""
    SELECT id, kind = 'model' AS is_model FROM raters WHERE study_id = :study AND (kind = 'model' OR is_simulated)
""")

_PEOPLE = "FROM raters r WHERE r.study_id = :study AND r.kind <> 'model'"
# Answers that count: not those of a page that is still open, nor of a rater who is excluded.
_HAS_RATED = """r.id <> ALL(:excluded)
  AND EXISTS (SELECT FROM ratings a WHERE a.study_id = r.study_id AND a.rater_id = r.id AND a.exclude IS NULL)"""
# The index of the answers of each rater makes this quick.
_SIMULATED = text(f"""
    SELECT EXISTS (SELECT {_PEOPLE} AND r.is_simulated AND {_HAS_RATED}) AS has_simulated,
           EXISTS (SELECT {_PEOPLE} AND NOT r.is_simulated AND {_HAS_RATED}) AS has_real
""")


class RaterKinds(NamedTuple):
    """The IDs of raters that are models, and of the others that are simulated."""

    models: frozenset[int]
    simulated: frozenset[int]


def list_rater_kinds(db: Connection, study_id: int) -> RaterKinds:
    """The raters of a study who are not people."""
    rows = db.execute(_KINDS, {"study": study_id}).all()
    models = frozenset(row.id for row in rows if row.is_model)
    return RaterKinds(models, frozenset(row.id for row in rows) - models)


def has_only_simulated(db: Connection, study_id: int) -> bool:
    """Whether all people whose answers count are simulated."""
    has_simulated, has_real = _who_rated(db, study_id, list_excluded(db, study_id))
    return has_simulated and not has_real


def list_left_out(db: Connection, study_id: int) -> list[int]:
    """The raters whose answers enter no result: those who are excluded, and simulated ones once a person has rated.

    The same raters as `analysis.data.simulated` and the column `exclude` leave out of reports.
    """
    excluded = set(list_excluded(db, study_id))
    if all(_who_rated(db, study_id, excluded)):
        excluded |= list_rater_kinds(db, study_id).simulated
    return sorted(excluded)


def _who_rated(db: Connection, study_id: int, excluded: Iterable[int]) -> tuple[bool, bool]:
    """Whether simulated people, and others, have answers that count."""
    found = db.execute(_SIMULATED, {"study": study_id, "excluded": list(excluded)}).one()
    return found.has_simulated, found.has_real
