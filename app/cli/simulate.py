"""attune simulate: raters made of chance, to try a study before people come."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.output import fail, say
from app.cli.progress import progress
from app.cli.store import store

Study = Annotated[str, typer.Argument(help="The name of an open study in the store, or a study folder.")]
Raters = Annotated[int, typer.Option(min=1, max=100_000, help="How many raters come, one after the other.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same answers.")]


def simulate(study: Study, raters: Raters, seed: Seed = 1) -> None:
    """Send simulated raters through a study's real design; they are marked as simulated wherever they appear."""
    from app.actions.simulation.simulate import StudyNotOpenError
    from app.actions.simulation.simulate import simulate as send
    from app.actions.simulation.simulate_folder import HasRatingsError, simulate_folder
    from app.actions.studies.life_cycle import StudyEmptyError
    from app.storage.database.engine import transactions

    path = Path(study)
    with store() as engine, progress() as show:
        try:
            if path.is_dir():
                outcome = simulate_folder(engine, path, raters, seed, show)
            else:
                outcome = send(transactions(engine), study, raters, seed, show)
        except (HasRatingsError, StudyEmptyError, StudyNotOpenError) as error:
            fail(str(error))
    say(f"{outcome.n_finished} of {outcome.n_raters} simulated raters rated {outcome.n_assignments} trials.")
    if outcome.n_finished < outcome.n_raters:
        say("The others found every place taken.")
