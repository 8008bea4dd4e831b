"""Charts are rendered in a separate process: rendering holds the interpreter lock and would delay raters' requests."""

from __future__ import annotations

from app.base.processes.side_process import SideProcess
from app.results.charts.render import Format, render
from app.results.charts.theme import Spec

Job = tuple[Spec, Format]


REST_S = 600
TIMEOUT_S = 60


def draw(job: Job) -> bytes:
    """Run `charts.render.render` in the process."""
    return render(*job)


class DrawingProcess(SideProcess):
    """The process that renders one chart at a time."""

    def __init__(self) -> None:
        """Create the object; the process starts when it is needed."""
        super().__init__(draw, name="attune-drawing", rest_s=REST_S)

    def render(self, spec: Spec, picture: Format) -> bytes:
        """Run `charts.render.render` in the process.

        Raises:
            SideProcessError: the process ended, or took too long.
        """
        content: bytes = self.ask((spec, picture), timeout_s=TIMEOUT_S)
        return content


# One per web process.
DRAWING_PROCESS = DrawingProcess()
