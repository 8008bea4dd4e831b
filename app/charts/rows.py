"""The rows of a chart: one place each, its name on the left and, where wanted, its numbers on the right.

Rows are placed by their number, not by their name: two rows may have one name, and names may hold anything.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence


LINE = 15
# below this share a label does not fit into its segment
LEAST_LABELLED = 0.055


PERCENT = "format(100 * abs(datum.value), '.0f') + ' %'"


def percent(share: float) -> str:
    """A share as it stands in a bar.

    >>> percent(0.786)
    '79 %'
    """
    return f"{100 * share:.0f} %"


def row_place(n: int) -> alt.Y:
    """The encoding of field `k` for `n` rows, without an axis: where several layers share rows one draws the names."""
    return alt.Y("k:O", title=None, axis=None, scale=alt.Scale(domain=list(range(n))))


def row_axis(labels: Sequence[Sequence[str]], *, orient: Literal["left", "right"] = "left") -> alt.Y:
    """The encoding of field `k` with an axis; `labels` holds the lines of each row's label."""
    lines = max(len(label) for label in labels)
    axis = alt.Axis(
        orient=orient,
        labelExpr=f"{json.dumps([list(label) for label in labels])}[datum.value]",
        labelLineHeight=LINE,
        # the first of several lines stands in the middle of the row unless it is lifted
        labelOffset=-LINE * (lines - 1) / 2,
        values=list(range(len(labels))),
    )
    return alt.Y("k:O", title=None, axis=axis, scale=alt.Scale(domain=list(range(len(labels)))))


def bar_labels(base: alt.Chart, offset: float = 0) -> alt.Chart:
    """The share in the middle of each segment that is wide enough; fields `share`, `percent`, `middle` and `ink`."""
    labels: alt.Chart = (
        base.transform_filter(f"datum.share >= {LEAST_LABELLED}")
        .mark_text(baseline="middle", yOffset=offset)
        .encode(x="middle:Q", text="percent:N", color=alt.Color("ink:N", scale=None))
    )
    return labels
