"""The common style of all charts, light and dark; the background is that of the page.

The diverging colours run from orange over grey to blue, which people with any common type of colour vision can
distinguish; the sources have the first colours of Okabe and Ito (2008), Color Universal Design.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from textwrap import wrap
from typing import Any, Literal

Theme = Literal["light", "dark"]
Width = int | Literal["container"]
Spec = dict[str, Any]
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif"
TITLE_LENGTH, SUBTITLE_LENGTH = 68, 90
# The longest label of a row, in pixels.
LABEL_LIMIT = 240
# The width of a letter, and the height of a line, in pixels; and how much wider a line of wide letters may be.
LETTER, LINE, WIDEST = 7, 15, 1.25
NBSP = "\N{NO-BREAK SPACE}"
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
# Okabe and Ito (2008), for several series; lighter on dark pages.
SERIES: dict[Theme, tuple[str, ...]] = {
    "light": ("#0072b2", "#d55e00", "#009e73", "#a2508a", "#7a6400", "#3f4650"),
    "dark": ("#56b4e9", "#f0994a", "#3fc79b", "#dd9cc4", "#d9c24a", "#c3cad2"),
}
WHITE, BLACK = "#ffffff", "#16181d"
# Above this relative luminance (WCAG 2), black text is easier to read than white.
BRIGHT = 0.18


@dataclass(frozen=True, slots=True)
class Colours:
    """The colours of a theme."""

    ink: str
    muted: str
    grid: str
    band: str
    source: str
    reference: str
    tie: str
    neither: str
    stops: tuple[str, ...]


COLOURS: dict[Theme, Colours] = {
    "light": Colours(
        ink="#1f2328",
        muted="#57606a",
        grid="#d8dee4",
        band="#e9edf1",
        source="#0072b2",
        reference="#e69f00",
        tie="#b6bcc4",
        neither="#dfe3e8",
        stops=("#a6540a", "#efa95d", "#dadde1", "#74afd8", "#15598f"),
    ),
    "dark": Colours(
        ink="#e6e9ed",
        muted="#a7b0ba",
        grid="#3a414a",
        band="#262d35",
        source="#56b4e9",
        reference="#e69f00",
        tie="#6b7480",
        neither="#464d57",
        stops=("#f0994a", "#96571f", "#565d67", "#2c6896", "#6fbdf0"),
    ),
}


def diverging(n: int, theme: Theme) -> list[str]:
    """Return one colour per point of a scale with `n` points, from low to high; the middle is grey.

    >>> diverging(3, "light")
    ['#a6540a', '#dadde1', '#15598f']
    """
    segments = list(pairwise(COLOURS[theme].stops))
    places = [k * len(segments) / (n - 1) for k in range(n)]
    return [_mix(*segments[left], place - left) for place in places for left in [min(int(place), len(segments) - 1)]]


def series_colours(n: int, theme: Theme) -> list[str]:
    """Return one colour per series; after six they repeat, but shape and position differ.

    >>> series_colours(2, "light")
    ['#0072b2', '#d55e00']
    """
    return [SERIES[theme][k % len(SERIES[theme])] for k in range(n)]


def title_of(words: str, subtitle: str = "") -> Spec:
    """Return a title, wrapped to the width of a chart.

    >>> title_of("Which response is better?")
    {'text': ['Which response is better?']}
    """
    title: Spec = {"text": wrap(words, TITLE_LENGTH)}
    return {**title, "subtitle": wrap(subtitle, SUBTITLE_LENGTH)} if subtitle else title


def lines_of(words: str, pixels: float) -> list[str]:
    """Return the words in lines of at most `pixels`; a word that is longer than a line breaks within.

    >>> lines_of("Emotional understanding", 100), lines_of("understanding", 60)
    (['Emotional', 'understanding'], ['understa', 'nding'])
    """
    return wrap(words, max(1, int(pixels // LETTER))) or [""]


def axis_labels(names: Sequence[str], pixels: float) -> Spec:
    """Return the labels of an axis in lines of at most `pixels`, as Vega-Lite's properties.

    >>> axis_labels(["Clear"], 60)
    {'labelExpr': '{"Clear": ["Clear"]}[datum.value]', 'labelLimit': 75.0}
    """
    return _labels({name: lines_of(name, pixels) for name in names}, pixels)


def row_labels(names: Sequence[str], pixels: float) -> Spec:
    """Return the labels of rows, each centred on its row, as `axis_labels`."""
    lines = centred([lines_of(name, pixels) for name in names])
    return {**_labels(dict(zip(names, lines, strict=True)), pixels), **on_rows(len(lines[0]))}


def label_height(names: Sequence[str], pixels: float) -> int:
    """Return the height of the tallest of these labels.

    >>> label_height(["Clear", "Emotional understanding"], 100)
    30
    """
    return LINE * max((len(lines_of(name, pixels)) for name in names), default=1)


def centred(labels: Sequence[list[str]]) -> list[list[str]]:
    """Return labels of as many lines as the longest has, with empty lines above and below.

    >>> len(centred([["a"], ["b", "c", "d"]])[0])
    3
    """
    n = max(map(len, labels), default=1)
    above = [(n - len(lines)) // 2 for lines in labels]
    return [
        [NBSP] * first + lines + [NBSP] * (n - len(lines) - first) for first, lines in zip(above, labels, strict=True)
    ]


def on_rows(n_lines: int) -> Spec:
    """Return what centres labels of so many lines: Vega-Lite centres the first line on the row."""
    return {"labelLineHeight": LINE, "labelOffset": -LINE * (n_lines - 1) / 2}


def _labels(lines: dict[str, list[str]], pixels: float) -> Spec:
    return {"labelExpr": f"{json.dumps(lines)}[datum.value]", "labelLimit": WIDEST * pixels}


def wrapped_axes(spec: Spec, width: Width) -> Spec:
    """Return the specification with the titles of its horizontal axes in lines of at most `width` pixels.

    >>> wrapped_axes({"layer": [{"encoding": {"x": {"title": "Share of ratings"}}}]}, 80)
    {'layer': [{'encoding': {'x': {'title': ['Share of', 'ratings']}}}]}
    """
    if not isinstance(width, int):
        return spec
    found = {key: value if key in {"data", "datasets"} else _wrapped(value, width) for key, value in spec.items()}
    x = found.get("x")
    if isinstance(x, dict) and isinstance(x.get("title"), str) and len(lines := lines_of(x["title"], width)) > 1:
        found["x"] = {**x, "title": lines}
    return found


def _wrapped(part: Any, width: int) -> Any:  # noqa: ANN401 - a part of a specification
    if isinstance(part, dict):
        return wrapped_axes(part, width)
    return [_wrapped(one, width) for one in part] if isinstance(part, list) else part


def ink_on(colour: str) -> str:
    """Return black or white, whichever is easier to read on the colour.

    >>> ink_on("#15598f"), ink_on("#dadde1")
    ('#ffffff', '#16181d')
    """
    red, green, blue = (channel / 255 for channel in _channels(colour))
    luminance = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2
    return BLACK if luminance > BRIGHT else WHITE


def config(theme: Theme) -> Spec:
    """Return the Vega-Lite configuration of a theme."""
    colours = COLOURS[theme]
    return {
        "background": None,
        "font": FONT,
        "view": {"stroke": None},
        "axis": _axis(colours),
        "axisQuantitative": {"labelSeparation": 6},
        "axisY": {"domain": False, "ticks": False, "labelColor": colours.ink, "labelPadding": 8, "labelFontSize": 13},
        "legend": _legend(colours),
        "title": _title(colours),
        "text": {"color": colours.ink, "fontSize": 12},
    }


def _axis(colours: Colours) -> Spec:
    words = dict.fromkeys(("labelColor", "titleColor"), colours.muted)
    lines = dict.fromkeys(("domainColor", "tickColor", "gridColor"), colours.grid)
    sizes = {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"}
    return {**words, **lines, **sizes, "labelLimit": LABEL_LIMIT, "titlePadding": 8}


def _legend(colours: Colours) -> Spec:
    return {
        "labelColor": colours.ink,
        "labelFontSize": 12,
        "titleColor": colours.muted,
        "orient": "top",
        "symbolType": "square",
        "symbolStrokeWidth": 0,
        "labelLimit": 220,
    }


def _title(colours: Colours) -> Spec:
    return {
        "color": colours.ink,
        "subtitleColor": colours.muted,
        "fontSize": 15,
        "subtitleFontSize": 12,
        "anchor": "start",
        "frame": "bounds",
        "offset": 12,
        "subtitlePadding": 5,
        "fontWeight": 600,
    }


def _mix(low: str, high: str, part: float) -> str:
    mixed = [round(a + (b - a) * part) for a, b in zip(_channels(low), _channels(high), strict=True)]
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
