"""Import ratings collected elsewhere from a spreadsheet, into a study folder or the database."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
from sqlalchemy import Connection

from app.analysis.data.study_folder import StudyFolder
from app.base.database.engine import Begin
from app.base.files.csv_cells import write_csv
from app.base.limits import ON_THIS_COMPUTER, Limits
from app.base.problems import Problems
from app.studies.export import study_folder
from app.studies.folder.read import read_folder
from app.studies.folder.written_tables import tables_of
from app.studies.imports.column_meanings import NewRaters, RatingLayout
from app.studies.imports.read_ratings import ReadRatings, read_ratings
from app.studies.load import count_answers, known_keys, list_raters_with_sessions, store_imported
from app.studies.studies import StudyMissingError, get_study


class StudyChangedError(Exception):
    """Someone else imported ratings at the same time. Nothing was saved."""


@dataclass(frozen=True, slots=True)
class RatingsFile:
    """A spreadsheet of ratings with all that is needed to read it, in this process or in another one."""

    file: Path
    layout: RatingLayout
    new_raters: NewRaters
    study: StudyFolder
    rated_here: Collection[str]


def read_file(job: RatingsFile, limits: Limits = ON_THIS_COMPUTER) -> ReadRatings:
    """Read the answers of a spreadsheet within these limits.

    Raises:
        InvalidInputError: every problem of the spreadsheet.
    """
    problems = Problems(limits)
    return read_ratings(job.file, job.layout, job.new_raters, job.study, problems, rated_here=job.rated_here)


def ratings_into_folder(
    folder: Path,
    file: Path,
    layout: RatingLayout,
    new_raters: NewRaters,
    *,
    is_dry_run: bool = False,
    read_job: Callable[[RatingsFile], ReadRatings] = read_file,
) -> ReadRatings:
    """Add the spreadsheet's answers to ratings.csv of a study folder, and its raters to raters.csv.

    Args:
        folder: a study folder, with or without ratings.
        file: the spreadsheet.
        layout: the meaning of its columns.
        new_raters: who gave the ratings.
        is_dry_run: whether to check only.
        read_job: reads the spreadsheet.

    Raises:
        InvalidInputError: every problem of the folder or of the spreadsheet. Nothing was written.
    """
    study = read_folder(folder)
    read = read_job(RatingsFile(file, layout, new_raters, study, ()))
    if is_dry_run:
        return read
    tables = tables_of(with_ratings(study, read))
    with tempfile.TemporaryDirectory(dir=folder, prefix=".ratings-") as half:
        for name in ("raters", "ratings"):
            write_csv(Path(half) / f"{name}.csv", tables[name])
        for name in ("raters", "ratings"):
            (Path(half) / f"{name}.csv").replace(folder / f"{name}.csv")
            (folder / f"{name}.jsonl").unlink(missing_ok=True)
    return read


def with_ratings(study: StudyFolder, read: ReadRatings) -> StudyFolder:
    """The study with the imported answers added."""
    is_marked = study.raters["rater"].isin(read.marked)
    raters = study.raters.assign(is_imported=study.raters["is_imported"] | is_marked)
    parts = [raters, read.raters.reindex(columns=raters.columns)] if len(read.raters) else [raters]
    several = pd.concat(parts, ignore_index=True) if len(raters) or not len(read.raters) else read.raters
    ratings = pd.concat([study.ratings, read.ratings], ignore_index=True) if len(study.ratings) else read.ratings
    return replace(study, raters=several, ratings=ratings)


def ratings_into_store(
    begin: Begin,
    slug: str,
    file: Path,
    layout: RatingLayout,
    new_raters: NewRaters,
    *,
    is_dry_run: bool = False,
    read_job: Callable[[RatingsFile], ReadRatings] = read_file,
) -> ReadRatings:
    """Append the spreadsheet's answers to a study in the database; the file is read outside of a transaction.

    Args:
        begin: starts a transaction.
        slug: the study's slug.
        file: the spreadsheet.
        layout: the meaning of its columns.
        new_raters: who gave the ratings.
        is_dry_run: whether to check only.
        read_job: reads the file.

    Raises:
        StudyMissingError: the study does not exist.
        InvalidInputError: every problem of the spreadsheet. Nothing was saved.
        StudyChangedError: ratings of these raters were stored while the spreadsheet was read.
    """
    with begin() as db:
        row = get_study(db, slug)
        if row is None:
            raise StudyMissingError(f"No study has the slug {slug}.")
        study, rated_here = study_folder(db, row.id), list_raters_with_sessions(db, row.id)
    read = read_job(RatingsFile(file, layout, new_raters, study, rated_here))
    if is_dry_run:
        return read
    with begin() as db:
        _check_unchanged(db, row.id, study, read)
        store_imported(db, row.id, read.raters, read.marked, read.ratings)
    return read


def _check_unchanged(db: Connection, study_id: int, study: StudyFolder, read: ReadRatings) -> None:
    """Check that nobody stored answers of the same raters while the spreadsheet was read."""
    named = set(read.ratings["rater"]) & set(study.raters["rater"])
    n_before = int(study.ratings["rater"].isin(named).sum())
    is_same = count_answers(db, study_id, sorted(named)) == n_before
    if not is_same or known_keys(db, study_id, "raters") & set(read.raters["rater"]):
        raise StudyChangedError("The study was changed while the file was read. Nothing was saved. Try again.")
