"""Load a study folder into the database by COPY, in one transaction."""

import json
from collections.abc import Mapping, Sequence

import pandas as pd
from sqlalchemy import Connection, TableClause, column, func, select, table, text

from app.analysis.data.study_folder import ITEM_COLUMNS, RATER_COLUMNS, RESPONSE_COLUMNS, StudyFolder, is_same
from app.base.database.frame_copy import copy_in
from app.base.problem import InvalidInputError, Problem
from app.base.progress import Progress, quiet
from app.protocol.rating_columns import FRAME_COLUMNS
from app.studies.export import study_folder
from app.studies.item_images import store_images
from app.studies.members.members import record_member
from app.studies.protocols import record_version
from app.studies.studies import get_study

_STUDY = text("""
    INSERT INTO studies (slug, seed, is_demo) VALUES (:slug, :seed, :is_demo)
    ON CONFLICT (slug) DO NOTHING RETURNING id
""")
_CHECK = text("""
    INSERT INTO events (study_id, rater_id, kind, detail, happened_at)
    VALUES (:study, :rater, 'check', CAST(:detail AS jsonb), :happened)
""")
_MARK_IMPORTED = text("UPDATE raters SET is_imported = true WHERE study_id = :study AND key = ANY(:keys)")
_WITH_SESSIONS = text("""
    SELECT r.key FROM raters r
    WHERE r.study_id = :study
      AND EXISTS (SELECT FROM rating_sessions s WHERE s.study_id = r.study_id AND s.rater_id = r.id)
""")
_N_ANSWERS = text("""
    SELECT count(*) FROM ratings q JOIN raters r ON r.study_id = q.study_id AND r.id = q.rater_id
    WHERE q.study_id = :study AND r.key = ANY(:keys)
""")
# Weaker than FOR UPDATE: rows that reference the study can still be written.
_LOCK = text("SELECT id FROM studies WHERE id = :study FOR NO KEY UPDATE")


def load_study(
    db: Connection,
    folder: StudyFolder,
    lead_id: int | None = None,
    *,
    is_demo: bool = False,
    progress: Progress = quiet,
) -> int:
    """Store the whole study, in the caller's transaction.

    Args:
        db: the transaction.
        folder: a validated folder from `app.studies.folder.read`.
        lead_id: the owner of the study; None if it has no owner yet.
        is_demo: whether it is the demo.
        progress: progress callback.

    Returns:
        The study's ID. If an identical study exists, including all answers, its ID.

    Raises:
        InvalidInputError: the slug belongs to another study. Nothing was saved.
    """
    protocol = folder.protocol
    values = {"slug": protocol.slug, "seed": protocol.design.seed, "is_demo": is_demo}
    study_id = db.execute(_STUDY, values).scalar_one_or_none()
    if study_id is None:
        return _same_or_refused(db, folder, lead_id)
    if lead_id is not None:
        record_member(db, study_id, lead_id, "owner")
    record_version(db, study_id, 1, protocol, folder.yaml)
    store_images(db, study_id, folder.images)
    store_texts(db, study_id, folder.items, folder.responses, progress)
    ids = _store_raters(db, study_id, folder.raters, progress)
    _store_ratings(db, study_id, folder.ratings, ids, progress)
    _store_checks(db, study_id, folder.checks, ids)
    return int(study_id)


def _same_or_refused(db: Connection, folder: StudyFolder, lead_id: int | None) -> int:
    slug = folder.protocol.slug
    taken = get_study(db, slug, lead_id)
    if taken and (lead_id is None or taken.role) and is_same(study_folder(db, taken.id), folder):
        return taken.id
    allowed = "a unique slug; a different study with this slug is already stored"
    raise InvalidInputError([Problem("study.yaml", None, "slug", slug, allowed)])


def store_texts(
    db: Connection, study_id: int, items: pd.DataFrame, responses: pd.DataFrame, progress: Progress = quiet
) -> None:
    """Append items and their responses to a study whose protocol declares their sources.

    Args:
        db: the transaction.
        study_id: the study.
        items: in the format of `analysis.folder`.
        responses: in the format of `analysis.folder`.
        progress: progress callback.
    """
    first = _next_position(db, study_id, "items")
    stored = _row(items, "item", ITEM_COLUMNS).assign(position=range(first, first + len(items)))
    copy_in(db, "items", stored, progress, study_id=str(study_id))
    store_responses(db, study_id, responses, progress)


def store_responses(db: Connection, study_id: int, responses: pd.DataFrame, progress: Progress = quiet) -> None:
    """Append responses to the items of a study whose protocol declares their sources; as `store_texts`."""
    first = _next_position(db, study_id, "responses")
    places = range(first, first + len(responses))
    row = _row(responses, "response", RESPONSE_COLUMNS).assign(position=places)
    stored = row.drop(columns=["item", "source"]).assign(
        item_id=row["item"].map(_ids(db, study_id, "items")),
        source_id=row["source"].map(_ids(db, study_id, "sources")),
    )
    copy_in(db, "responses", stored, progress, study_id=str(study_id))


def store_imported(
    db: Connection,
    study_id: int,
    raters: pd.DataFrame,
    marked: Sequence[str],
    ratings: pd.DataFrame,
) -> None:
    """Append raters who rated elsewhere and their answers; trials, seats and assignments are not changed.

    Args:
        db: the transaction.
        study_id: the study.
        raters: the new raters, in the format of `analysis.folder`.
        marked: keys of existing raters of the study who have no other answers; they are marked as imported.
        ratings: in the format of `app.analysis.data.frames`.
    """
    ids = _store_raters(db, study_id, raters)
    if marked:
        db.execute(_MARK_IMPORTED, {"study": study_id, "keys": list(marked)})
    _store_ratings(db, study_id, ratings, ids)


def list_raters_with_sessions(db: Connection, study_id: int) -> set[str]:
    """The keys of the raters who have a rating session in Attune."""
    return set(db.execute(_WITH_SESSIONS, {"study": study_id}).scalars())


def count_answers(db: Connection, study_id: int, raters: Sequence[str]) -> int:
    """Number of answers of these raters; locks the study against concurrent imports."""
    db.execute(_LOCK, {"study": study_id})
    return int(db.execute(_N_ANSWERS, {"study": study_id, "keys": list(raters)}).scalar_one())


def _store_raters(db: Connection, study_id: int, raters: pd.DataFrame, progress: Progress = quiet) -> dict[str, int]:
    copy_in(db, "raters", _row(raters, "rater", RATER_COLUMNS), progress, study_id=str(study_id))
    return _ids(db, study_id, "raters")


def _store_ratings(
    db: Connection, study_id: int, ratings: pd.DataFrame, rater_ids: Mapping[str, int], progress: Progress = quiet
) -> None:
    tables = {"raters": rater_ids, "items": _ids(db, study_id, "items"), "responses": _ids(db, study_id, "responses")}
    ids = {column.name: column for column in FRAME_COLUMNS if column.of is not None}
    numbers = {
        column.stored_as: ratings[name].map(tables[column.of]).astype("Int64")
        for name, column in ids.items()
        if column.of is not None
    }
    codes = ratings["codes"].map(_as_codes, na_action="ignore")
    stored = ratings.drop(columns=list(ids)).assign(codes=codes, **numbers)
    copy_in(db, "ratings", stored, progress, study_id=str(study_id))


def _store_checks(db: Connection, study_id: int, checks: pd.DataFrame | None, rater_ids: Mapping[str, int]) -> None:
    if checks is None or not len(checks):
        return
    cells = zip(*(checks[name] for name in ("rater", "check", "is_passed", "happened_at")), strict=True)
    db.execute(
        _CHECK,
        [
            {
                "study": study_id,
                "rater": rater_ids[rater],
                "happened": happened,
                "detail": json.dumps({"check": check, "is_passed": bool(is_passed)}, ensure_ascii=False),
            }
            for rater, check, is_passed, happened in cells
        ],
    )


def _as_codes(joined: str) -> tuple[str, ...]:
    return tuple(joined.split("|")) if joined else ()


def _row(frame: pd.DataFrame, key: str, columns: tuple[str, ...]) -> pd.DataFrame:
    """The frame with its attribute columns combined into one JSON column."""
    named = [name for name in frame.columns if name not in columns]
    if not named:
        return frame.rename(columns={key: "key"})
    cells = zip(*(frame[name] for name in named), strict=True)
    attributes = [
        json.dumps({name: cell for name, cell in zip(named, row, strict=True) if cell is not None}, ensure_ascii=False)
        for row in cells
    ]
    return frame.drop(columns=named).rename(columns={key: "key"}).assign(attributes=attributes)


def known_keys(db: Connection, study_id: int, name: str) -> set[str]:
    """The keys of a study's items, responses or raters."""
    return set(_ids(db, study_id, name))


def _next_position(db: Connection, study_id: int, name: str) -> int:
    rows = _keyed(name)
    last = select(func.coalesce(func.max(rows.c.position) + 1, 0)).where(rows.c.study_id == study_id)
    return int(db.execute(last).scalar_one())


def _ids(db: Connection, study_id: int, name: str) -> dict[str, int]:
    rows = _keyed(name)
    found = db.execute(select(rows.c.key, rows.c.id).where(rows.c.study_id == study_id))
    return {row.key: row.id for row in found}


def _keyed(name: str) -> TableClause:
    """A table whose rows have keys: items, responses or raters."""
    return table(name, column("study_id"), column("id"), column("key"), column("position"))
