"""Preliminary results of a study whose report is still being computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from app.analysis.findings.counted_result import CountedResult
from app.analysis.statistic import declared
from app.analysis.wording.formatting import number
from app.protocol.labels import Labels
from app.protocol.study import Protocol
from app.results.charts.table import Table

NOTHING = "–"
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
OF_ALL = ("tie_share", "neither_share", "first_side_share", "percent_agreement", ALPHA)
HEADER_OF_CHOICES = (
    "Question",
    "Comparison",
    "Choices",
    "Preferred",
    "About the same",
    "Neither",
    "Left side",
    "Agreeing pairs",
    "Krippendorff's alpha",
)


def counted_tables(found: Sequence[CountedResult], protocol: Protocol) -> dict[str, Table]:
    """Return a table of ratings and one of choices, each by its title, if there are answers of the kind."""
    asked = {question.key for question in protocol.choice_questions}
    choices = [one for one in found if one.question in asked and one.result.n_ratings]
    ratings = [one for one in found if one.question not in asked and one.result.n_ratings]
    tables = {"Ratings": (ratings, rating_table), "Choices": (choices, choice_table)}
    return {title: made(part, protocol.labels) for title, (part, made) in tables.items() if part}


def rating_table(found: Sequence[CountedResult], labels: Labels) -> Table:
    """Return one row per question and source, after one for all sources together."""
    rows: dict[tuple[str, str | None], dict[str, CountedResult]] = {}
    for one in found:
        rows.setdefault((one.question, one.source), {})[_name(one)] = one
    return Table(HEADER, tuple(_row(*place, named, labels) for place, named in rows.items()))


def choice_table(found: Sequence[CountedResult], labels: Labels) -> Table:
    """Return one row per question and pair of sources, after one for all choices together."""
    of_all: dict[str, dict[str, CountedResult]] = {}
    for one in found:
        if one.source is None:
            of_all.setdefault(one.question, {})[_name(one)] = one
    rows: list[tuple[str, ...]] = []
    for question, named in of_all.items():
        cells = [_cell(named.get(name)) for name in OF_ALL]
        rows.append((labels.question(question), "all choices", _n(named["percent_agreement"]), NOTHING, *cells))
        rows.extend(_pair(one, labels) for one in _preferred(found, question))
    return Table(HEADER_OF_CHOICES, tuple(rows))


def _preferred(found: Sequence[CountedResult], question: str) -> Iterable[CountedResult]:
    """Return the first share of each pair of sources, in which ties count as half."""
    preferred: dict[tuple[str, str | None], CountedResult] = {}
    for one in found:
        if one.source is not None and one.question == question:
            preferred.setdefault((one.source, one.reference), one)
    return preferred.values()


def _pair(one: CountedResult, labels: Labels) -> tuple[str, ...]:
    against = "all others" if one.reference is None else labels.source(one.reference)
    compared = f"{labels.source(one.source or '')} over {against}"
    share = _cell(one)
    return (labels.question(one.question), compared, _n(one), share, *[NOTHING] * len(OF_ALL))


def _row(question: str, source: str | None, named: Mapping[str, CountedResult], labels: Labels) -> tuple[str, ...]:
    of = "all sources" if source is None else labels.source(source)
    counted = named.get("mean") or named["percent_agreement"]
    cells = (_cell(named.get(name)) for name in COLUMNS)
    return (labels.question(question), of, _n(counted), *cells)


def _name(one: CountedResult) -> str:
    """Return the name of a column; alpha's key names the level of the question's scale."""
    return declared(one.statistic).family or one.statistic


def _n(counted: CountedResult) -> str:
    return f"{counted.result.n_ratings or 0:,}"


def _cell(counted: CountedResult | None) -> str:
    if counted is None or counted.result.estimate is None:
        return NOTHING
    return number(counted.result.estimate, declared(counted.statistic).kind)
