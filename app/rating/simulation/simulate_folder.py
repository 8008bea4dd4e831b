"""Simulated raters for a study folder: the study is loaded into the database temporarily, then rolled back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from sqlalchemy import Connection, Engine

from app.analysis.data.study_folder import StudyFolder
from app.base.files.csv_cells import write_csv
from app.base.progress import Progress
from app.rating.life_cycle import open_study
from app.rating.simulation.simulate import Simulation, simulate
from app.studies.export import study_folder
from app.studies.folder.read import read_folder
from app.studies.folder.written_tables import tables_of
from app.studies.load import load_study


class HasRatingsError(FileExistsError):
    """The folder already has ratings; nothing was written."""


def simulate_folder(
    engine: Engine,
    path: Path,
    n_raters: int,
    seed: int,
    progress: Progress,
    *,
    read: Callable[[Path], StudyFolder] = read_folder,
) -> Simulation:
    """Write the ratings of simulated raters to a study folder that has none, and mark those raters in `raters.csv`.

    If people rate a sample of the items, `items.csv` is written too, with the sample; if raters write the responses,
    `responses.csv`.

    Args:
        engine: a database; all changes to it are rolled back.
        path: the folder.
        n_raters: number of raters.
        seed: random seed for their answers.
        progress: see `simulate`.
        read: function that reads the folder, for example within bounds.

    Raises:
        HasRatingsError: the folder has ratings.
        InvalidInputError: the folder has problems.
    """
    if any((path / name).exists() for name in ("ratings.csv", "ratings.jsonl")):
        raise HasRatingsError(
            f"{path} already contains ratings. Nothing was written. Use a copy of the folder without ratings."
        )
    outcome, rated = _simulated(engine, read(path), n_raters, seed, progress)
    tables = tables_of(rated)
    drawn = ("items",) if rated.protocol.design.human_sample else ()
    written = ("responses",) if rated.protocol.writing else ()
    for name in (*drawn, *written, "raters", "ratings"):
        write_csv(path / f"{name}.csv", tables[name])
        (path / f"{name}.jsonl").unlink(missing_ok=True)
    return outcome


def _simulated(
    engine: Engine, folder: StudyFolder, n_raters: int, seed: int, progress: Progress
) -> tuple[Simulation, StudyFolder]:
    slug = f"simulated-{uuid4().hex}"
    with engine.connect() as db, db.begin() as transaction:
        study_id = load_study(db, replace(folder, protocol=folder.protocol.model_copy(update={"slug": slug})))
        open_study(db, slug)

        @contextmanager
        def begin() -> Iterator[Connection]:
            yield db

        outcome = simulate(begin, slug, n_raters, seed, progress)
        rated = study_folder(db, study_id)
        transaction.rollback()
    return outcome, rated
