"""Reports and other results as text that can be read again with the same digits.

Snapshots leave out the results of individual raters, because they are kept when a rater withdraws.
"""

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from datetime import date
from typing import Any

import numpy as np

from app.analysis.data.filter_options import FilterOptions
from app.analysis.data.flow import Arm, Flow
from app.analysis.data.report_filters import Filters
from app.analysis.estimate import Estimate
from app.analysis.report.primary import PrimaryResult
from app.analysis.report.report import RaterGroup, Report, Sample
from app.base.documents.blocks import Bullets, DataTable, Paragraph, Section
from app.protocol.primary import PrimaryContrast
from app.stats.result import Interval, Result

_OF_REPORTS = (Report, Estimate, PrimaryResult, Sample, RaterGroup, Flow, Arm, Filters, FilterOptions)
_OF_DOCUMENTS = (Section, Paragraph, Bullets, DataTable)
_KINDS = {one.__name__: one for one in (*_OF_REPORTS, *_OF_DOCUMENTS, Result, Interval)}
RATERS = "raters"


class StoredReportError(ValueError):
    """The text is not one that this version can read."""


def stored_text(value: object) -> str:
    """Return a report, a result, or a tuple of such, as JSON.

    Numbers are in the shortest form that gives the same number again.
    """
    return json.dumps(_plain(value), ensure_ascii=False)


def read_stored(text: str) -> Any:  # noqa: ANN401 - whatever was written
    """Return what `stored_text` wrote.

    Raises:
        StoredReportError: it was written by a version that this one does not understand.
    """
    try:
        return _value(json.loads(text))
    except (KeyError, TypeError, ValueError) as error:
        raise StoredReportError from error


def report_text(report: Report) -> str:
    """Return the text of the report for a snapshot: without individual raters."""
    return stored_text(without_single_raters(report))


def read_report(text: str) -> Report:
    """Return the report that `report_text` wrote.

    Raises:
        StoredReportError: it was written by a version that this one does not understand.
    """
    found = read_stored(text)
    if not isinstance(found, Report):
        raise StoredReportError
    return found


def without_single_raters(report: Report) -> Report:
    """Return the report without estimates of individual raters and of pairs of raters."""
    kept = tuple(
        replace(one, detail={}) if RATERS in one.detail else one for one in report.estimates if RATERS not in one.scope
    )
    return replace(report, estimates=kept)


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever a report holds
    """Return the value as JSON types; those that JSON does not distinguish are objects with one key that names them."""
    found = value.item() if isinstance(value, np.generic) else value
    match value:
        case PrimaryContrast():
            found = {"contrast": value.model_dump(mode="json")}
        case dict():
            found = {"map": [[_plain(key), _plain(one)] for key, one in value.items()]}
        case tuple():
            found = {"tuple": [_plain(one) for one in value]}
        case list():
            found = [_plain(one) for one in value]
        case date():
            found = {"day": value.isoformat()}
        case _ if is_dataclass(value):
            named = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
            found = {"of": type(value).__name__, "fields": named}
    return found


_READERS: dict[str, Callable[[Any], Any]] = {
    "contrast": PrimaryContrast.model_validate,
    "map": lambda pairs: {_value(key): _value(one) for key, one in pairs},
    "tuple": lambda values: tuple(map(_value, values)),
    "day": date.fromisoformat,
}


def _value(stored: Any) -> Any:  # noqa: ANN401 - whatever a report holds
    if isinstance(stored, list):
        return [_value(one) for one in stored]
    if not isinstance(stored, dict):
        return stored
    if "of" in stored:
        return _KINDS[stored["of"]](**{name: _value(one) for name, one in stored["fields"].items()})
    ((name, content),) = stored.items()
    return _READERS[name](content)
