"""The script that draws charts in a browser: slow to pack, so packed once."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp

from app.postgres import default_data_dir


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
