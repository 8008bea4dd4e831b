"""First numbers of a study whose report is still being computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.report.statistics_registry import STATISTICS
from app.analysis.report.wording import number
from app.charts.drawing.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.analysis.findings.counted_results import CountedResult
    from app.design.protocol.labels import Labels

ALPHA = "krippendorff_alpha"
COLUMNS = ("mean", "share_at_least", "percent_agreement", ALPHA)
HEADER = (
    "Question",
    "Responses of",
    "Ratings",
    "Mean",
    "At or above the cut",
    "Agreeing pairs",
    "Krippendorff's alpha",
)


def counted_table(found: Sequence[CountedResult], labels: Labels) -> Table:
    """Return one row per question and source, after one for all sources together."""
    rows: dict[tuple[str, str | None], dict[str, CountedResult]] = {}
    for one in found:
        # alpha's key names the level of the question's scale
        name = ALPHA if one.statistic.startswith(ALPHA) else one.statistic
        rows.setdefault((one.question, one.source), {})[name] = one
    return Table(HEADER, tuple(_row(*place, named, labels) for place, named in rows.items()))


def _row(question: str, source: str | None, named: Mapping[str, CountedResult], labels: Labels) -> tuple[str, ...]:
    of = "all sources" if source is None else labels.source(source)
    counted = named.get("mean") or named["percent_agreement"]
    cells = (_cell(name, named.get(name)) for name in COLUMNS)
    return (labels.question(question), of, f"{counted.result.n_ratings or 0:,}", *cells)


def _cell(name: str, counted: CountedResult | None) -> str:
    if counted is None or counted.result.estimate is None:
        return "–"
    statistic = f"{ALPHA}_ordinal" if name == ALPHA else name
    return number(counted.result.estimate, STATISTICS[statistic].kind)
