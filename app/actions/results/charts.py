"""Pictures of charts, and the script that draws them: slow to make, so made once."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp
from typing import TYPE_CHECKING

from app.charts.render import FORMATS, render
from app.postgres import default_data_dir
from app.storage.results.chart_files import get_chart_file, record_chart_file

if TYPE_CHECKING:
    from app.charts.render import Format
    from app.charts.theme import Spec
    from app.storage.database.engine import Begin


def chart_picture(begin: Begin, spec: Spec, picture: Format) -> tuple[str, bytes]:
    """The media type and the bytes of a chart, drawn now or found under the hash of its specification and drawer."""
    drawn = json.dumps([version("vl-convert-python"), spec], sort_keys=True)
    sha256 = hashlib.sha256(drawn.encode()).hexdigest()
    with begin() as db:
        content = get_chart_file(db, sha256, picture)
    if content is None:
        content = render(spec, picture)
        with begin() as db:
            record_chart_file(db, sha256, picture, content)
    return FORMATS[picture], content


def vega_script(data_dir: Path | None) -> Path:
    """The drawing script, kept in the data folder; where that cannot be written, as long as this process lives.

    It is made in a process of its own: the engine that packs it takes six seconds and much memory.
    """
    path = _scripts(data_dir) / f"vega-{version('vl-convert-python')}.js"
    if not path.is_file():
        make = "import sys; from pathlib import Path; from app.charts.render import bundle; bundle(Path(sys.argv[1]))"
        subprocess.run([sys.executable, "-c", make, str(path.parent)], check=True)
    return path


@cache
def _scripts(data_dir: Path | None) -> Path:
    folder = (data_dir or default_data_dir()) / "scripts"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            return folder
    except OSError:
        return Path(mkdtemp(prefix="attune-"))
