"""A specification as a picture for papers, and the script that draws it in a browser."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Literal

import vl_convert

if TYPE_CHECKING:
    from app.charts.theme import Spec

Format = Literal["svg", "png", "pdf"]
FORMATS: dict[Format, str] = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
# pictures in print want three times the pixels of a screen
SCALE = 3
SNIPPET = "window.vegaEmbed = vegaEmbed;"


def render(spec: Spec, picture: Format) -> bytes:
    """The chart as SVG, PNG or PDF. Takes 130-400 ms: keep the result under the hash of the specification."""
    text = json.dumps(spec)
    if picture == "svg":
        return str(vl_convert.vegalite_to_svg(text)).encode()
    if picture == "png":
        return bytes(vl_convert.vegalite_to_png(text, scale=SCALE))
    return bytes(vl_convert.vegalite_to_pdf(text))


def bundle(folder: Path) -> Path:
    """The file with vega, vega-lite and vega-embed for the browser, `window.vegaEmbed`; made once for each version.

    Load it as a module (`type="module"`): as a plain script its hundreds of short names would become global.

    It comes out of the wheel in about six seconds and never from a network. Several processes may ask at once: each
    writes a file of its own and puts it in place whole.
    """
    path = folder / f"vega-{version('vl-convert-python')}.js"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as file:
            file.write(vl_convert.javascript_bundle(SNIPPET))
        Path(file.name).replace(path)
    return path
