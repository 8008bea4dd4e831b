"""attune simulate: simulated raters, to test a study before real raters start."""

from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy import Engine

from app.base.database.engine import transactions
from app.base.progress import Progress
from app.cli.output import fail, progress, say
from app.cli.reading import read_study_folder
from app.cli.store import store, stored_study
from app.cli.study_argument import BareName, Study, folder_or_slug
from app.rating.simulation.simulate import Simulation, StudyNotOpenError
from app.rating.simulation.simulate import simulate as send
from app.rating.simulation.simulate_folder import HasRatingsError, simulate_folder
from app.studies.opening_checks import OpeningError

Raters = Annotated[int, typer.Option(min=1, max=100_000, help="Number of simulated raters.", show_default=False)]
Seed = Annotated[int, typer.Option(help="The same seed gives the same answers.")]


def simulate(study: Study, raters: Raters, seed: Seed = 1, is_folder: BareName = None) -> None:
    """Send simulated raters through the design of a study.

    The raters in raters.csv are simulated first, under their own IDs. A stored study must be open; raters in raters.csv
    who already have a personal link are left out. In a folder, the answers are written to raters.csv and ratings.csv.
    Simulated raters are marked as simulated wherever they appear.
    """
    found = folder_or_slug(study, command="simulate", is_folder=is_folder)
    with store() as engine, progress() as show:
        try:
            outcome = _simulated(engine, found, raters, seed, show)
        except (HasRatingsError, OpeningError, StudyNotOpenError) as error:
            fail(str(error))
    words = "simulated rater" if outcome.n_raters == 1 else "simulated raters"
    say(f"{outcome.n_finished} of {outcome.n_raters} {words} completed {outcome.n_assignments} trials.")
    if outcome.n_finished < outcome.n_raters:
        say("The others were not admitted, or no trials were left for them.")


def _simulated(engine: Engine, study: Path | str, n_raters: int, seed: int, show: Progress) -> Simulation:
    if isinstance(study, Path):
        return simulate_folder(engine, study, n_raters, seed, show, read=read_study_folder)
    with engine.connect() as db:
        stored_study(db, study)
    return send(transactions(engine), study, n_raters, seed, show)
