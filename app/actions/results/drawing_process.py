"""Charts are drawn in a process of their own: a drawing holds the interpreter, and raters would wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.side_process import SideProcess
from app.charts.render import render

if TYPE_CHECKING:
    from app.charts.render import Format
    from app.charts.theme import Spec

    Job = tuple[Spec, Format]

REST_S = 600
TIMEOUT_S = 60


def draw(job: Job) -> bytes:
    """`charts.render.render`, in the process."""
    return render(*job)


class DrawingProcess(SideProcess):
    """The process that draws one chart at a time."""

    def __init__(self) -> None:
        """Nothing starts yet."""
        super().__init__(draw, name="attune-drawing", rest_s=REST_S)

    def render(self, spec: Spec, picture: Format) -> bytes:
        """`charts.render.render`, over there.

        Raises:
            SideProcessError: the process is gone, or took too long.
        """
        content: bytes = self.ask((spec, picture), timeout_s=TIMEOUT_S)
        return content


# One for each web process.
DRAWING_PROCESS = DrawingProcess()
