"""Render a specification as an image, for pages and for papers."""

import json
import re
from typing import Literal

from app.base.numbers import current_style
from app.results.charts.theme import Spec

Format = Literal["svg", "png", "pdf"]
FORMATS: dict[Format, str] = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
# Printed images need three times as many pixels as screens.
SCALE = 3
# Around names of the other direction. Lines of a label break between them, and the renderer then misplaces letters.
_ISOLATES = re.compile("[\u2066-\u2069]")


def render(spec: Spec, picture: Format) -> bytes:
    """Return the chart as SVG, PNG or PDF, its axes in the style of numbers of now.

    Takes 130-400 ms: cache the result by the hash of the specification.
    """
    import vl_convert

    text = _ISOLATES.sub("", json.dumps(spec, ensure_ascii=False))
    axes: Literal["de-DE", "en-US"] = "de-DE" if current_style() == "german" else "en-US"
    if picture == "svg":
        return str(vl_convert.vegalite_to_svg(text, format_locale=axes)).encode()
    if picture == "png":
        return bytes(vl_convert.vegalite_to_png(text, scale=SCALE, format_locale=axes))
    return bytes(vl_convert.vegalite_to_pdf(text, format_locale=axes))
