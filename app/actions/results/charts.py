"""Chart files: slow to create, so they are cached."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from app.actions.results.processes.drawing_process import DRAWING_PROCESS
from app.charts.render import FORMATS
from app.storage.results.chart_files import get_chart_file, record_chart_file

if TYPE_CHECKING:
    from app.charts.drawing.theme import Spec
    from app.charts.render import Format
    from app.storage.database.engine import Begin


@dataclass(frozen=True, slots=True)
class Drawing:
    """The specification of a chart of a study, read when the answers of `n_deleted` raters had been deleted."""

    study_id: int
    n_deleted: int
    spec: Spec


def chart_picture(begin: Begin, drawing: Drawing, picture: Format) -> tuple[str, bytes]:
    """The media type and the bytes of a chart, from the cache or newly created.

    The cache key is the hash of the specification and the version of the renderer.
    """
    drawn = json.dumps([version("vl-convert-python"), drawing.spec], sort_keys=True)
    sha256 = hashlib.sha256(drawn.encode()).hexdigest()
    with begin() as db:
        content = get_chart_file(db, sha256, picture)
    if content is None:
        content = DRAWING_PROCESS.render(drawing.spec, picture)
        with begin() as db:
            record_chart_file(db, drawing.study_id, drawing.n_deleted, sha256, picture, content)
    return FORMATS[picture], content
