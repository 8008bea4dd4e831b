"""Which raters are models and which are simulated: neither is compared with people."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, text

from app.rating.review.exclusions import list_excluded

_KINDS = text("""
    SELECT id, kind = 'model' AS is_model FROM raters WHERE study_id = :study AND (kind = 'model' OR is_simulated)
""")

_PEOPLE = "FROM raters r WHERE r.study_id = :study AND r.kind <> 'model'"
_HAS_RATED = "EXISTS (SELECT FROM ratings a WHERE a.study_id = r.study_id AND a.rater_id = r.id)"
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
    """Whether all people who answered are simulated."""
    found = db.execute(_SIMULATED, {"study": study_id}).one()
    return bool(found.has_simulated and not found.has_real)


def list_left_out(db: Connection, study_id: int) -> list[int]:
    """The raters whose answers enter no result: those who are excluded, and simulated ones once a person has answered.

    The same raters as `analysis.data.simulated` and the column `exclude` leave out of reports.
    """
    excluded = set(list_excluded(db, study_id))
    found = db.execute(_SIMULATED, {"study": study_id}).one()
    if found.has_simulated and found.has_real:
        excluded |= list_rater_kinds(db, study_id).simulated
    return sorted(excluded)
