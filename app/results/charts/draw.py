"""Charts as jobs draw them, and as pages ask for them: each is drawn once, because that takes 130-400 ms."""

import hashlib
import json
from dataclasses import dataclass
from datetime import timedelta
from importlib.metadata import version

from app.results.charts.render import FORMATS, Format, render
from app.results.charts.theme import Spec
from app.results.making.making import PARTS, Making, Wanted
from app.results.making.task import Task
from app.studies.studies import StudyRow

KEPT = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Drawing:
    """The specification of a chart of a study, read when the answers of `n_deleted` raters had been deleted."""

    study: StudyRow
    n_deleted: int
    spec: Spec


def chart_picture(making: Making, drawing: Drawing, picture: Format) -> tuple[str, bytes]:
    """The media type and the bytes of a chart, kept under the hash of its specification and the renderer's version.

    Raises:
        SideProcessError: it was not drawn, for the reason in the message, or not in time.
    """
    drawn = json.dumps([version("vl-convert-python"), drawing.spec], sort_keys=True)
    part = f"chart-{hashlib.sha256(drawn.encode()).hexdigest()}.{picture}"
    given = {"spec": drawing.spec, "picture": picture}
    wanted = Wanted("chart", part, given, "", PARTS, is_lasting=True, kept=KEPT, n_deleted=drawing.n_deleted)
    return FORMATS[picture], making.content(drawing.study, wanted)


def draw_chart(task: Task, spec: Spec, picture: Format) -> None:
    """Draw one, in the process of the job."""
    task.path.write_bytes(render(spec, picture))
