"""Which raters are models and which are simulated: neither is compared with people."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import text

if TYPE_CHECKING:
    from sqlalchemy import Connection

_KINDS = text("""
    SELECT id, kind = 'model' AS is_model FROM raters WHERE study_id = :study AND (kind = 'model' OR is_simulated)
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
