"""The rows of a chart: each has a label on the left and optionally its values on the right.

Rows are positioned by number, not by label: two rows may have the same label, and labels may contain any character.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence


LINE = 15
# Characters of one entry of a legend, and of all, that fit beside each other.
MAX_BESIDE, MAX_IN_ROWS = 36, 100
# The width of the symbol of an entry, in characters.
SYMBOL = 5
# The width of a character of a label within a bar, in pixels.
CHARACTER = 8.5


PERCENT = "format(100 * abs(datum.value), '.0f') + '%'"


def percent(share: float) -> str:
    """Format a share as it appears in a bar.

    >>> percent(0.786)
    '79%'
    """
    return f"{100 * share:.0f}%"


def top_legend(words: Sequence[str], n_columns: int) -> alt.Legend:
    """Return the legend of a bar: in one or two rows, or one entry per row if the words are long.

    A legend that is wider than the chart would widen the picture, and a page would shrink all of it.
    """
    if max(map(len, words), default=0) > MAX_BESIDE or sum(map(len, words)) > MAX_IN_ROWS:
        return alt.Legend(title=None, columns=1, labelLimit=alt.ExprRef("width"))
    return alt.Legend(title=None, columns=alt.ExprRef(f"width < 420 ? 2 : {n_columns}"))


def columns_of(words: Sequence[str]) -> dict[str, object]:
    """Return how many entries a legend has in a row, as Vega-Lite's properties: as many as fit beside each other.

    >>> columns_of(["Yes", "No"])
    {}
    """
    longest = max(map(len, words))
    if (longest + SYMBOL) * len(words) <= MAX_IN_ROWS:
        return {}
    return {"columns": {"expr": f"width < 420 ? 1 : {max(1, MAX_IN_ROWS // (longest + SYMBOL))}"}}


def row_place(n: int) -> alt.Y:
    """Return the y encoding of field `k` for `n` rows without an axis, for layers that share rows."""
    return alt.Y("k:O", title=None, axis=None, scale=alt.Scale(domain=list(range(n))))


def row_axis(labels: Sequence[Sequence[str]], *, orient: Literal["left", "right"] = "left") -> alt.Y:
    """Return the y encoding of field `k` with an axis; `labels` contains the lines of each row's label."""
    lines = max(len(label) for label in labels)
    axis = alt.Axis(
        orient=orient,
        labelExpr=f"{json.dumps([list(label) for label in labels])}[datum.value]",
        labelLineHeight=LINE,
        # Vega-Lite centres the first line on the row; this offset centres the whole label.
        labelOffset=-LINE * (lines - 1) / 2,
        values=list(range(len(labels))),
    )
    return alt.Y("k:O", title=None, axis=axis, scale=alt.Scale(domain=list(range(len(labels)))))


def bar_labels(base: alt.Chart, span: float, offset: float = 0) -> alt.Chart:
    """Label each segment that is wide enough with its share; uses the fields `share`, `percent`, `middle` and `ink`.

    Args:
        base: the rows.
        span: what the whole width of the chart shows, in the unit of `share`.
        offset: of the label below the middle of its row, in pixels.
    """
    labels: alt.Chart = (
        base.transform_filter(f"datum.share * width / {span:.4f} >= {CHARACTER} * length(datum.percent) + 2")
        .mark_text(baseline="middle", yOffset=offset)
        .encode(x="middle:Q", text="percent:N", color=alt.Color("ink:N", scale=None))
    )
    return labels
