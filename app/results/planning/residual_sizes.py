"""How far judges and people are likely to disagree about each item of a stored study."""

from sqlalchemy import Connection

from app.analysis.planning.residual_sizes import NotComparedError, sizes_of_items
from app.protocol.allocation.human_sample import folds
from app.rating.seats.trials import list_items
from app.results.making.task import RefusedError, Task
from app.results.planning.human_sample import SIZES
from app.results.reports.report_input import read_study
from app.studies.studies import StudyRow


def write_sizes(task: Task) -> None:
    """Write the sizes, in the process of a job."""
    with task.begin() as db:
        sizes = sizes_now(db, task.study)
    task.path.write_bytes(SIZES.dump_json(sizes))


def sizes_now(db: Connection, study: StudyRow) -> dict[str, float]:
    """Compute them from the ratings of this moment; see `sizes_of_items`.

    Raises:
        RefusedError: there are too few answers.
        BlindedError: the study's estimates are hidden until it closes.
    """
    frames, protocol = read_study(db, study)
    try:
        return sizes_of_items(frames, protocol, folds(protocol, list_items(db, study.id)))
    except NotComparedError as error:
        raise RefusedError(str(error)) from error
