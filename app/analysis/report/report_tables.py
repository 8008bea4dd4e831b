"""Write estimates as CSV: one row per estimate with the columns of the contract, at full precision."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from app.analysis.estimate import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.analysis.estimate import Estimate
    from app.analysis.report.report import Report


def records_csv(estimates: Iterable[Estimate]) -> str:
    """Return estimates as CSV (RFC 4180) with a header; `scope` and `recipe` are JSON, missing values are empty."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(FIELDS)
    for estimate in estimates:
        writer.writerow(_cell(name, value) for name, value in estimate.as_record().items())
    return text.getvalue()


def report_csvs(report: Report) -> dict[str, str]:
    """Return the CSV files of a report; see `estimates_csvs`."""
    return estimates_csvs(report.estimates)


def estimates_csvs(estimates: Sequence[Estimate]) -> dict[str, str]:
    """Return the names and contents of `agreement.csv` and, for all other estimates, `comparisons.csv`."""
    agreement = [estimate for estimate in estimates if estimate.section == "agreement"]
    others = [estimate for estimate in estimates if estimate.section != "agreement"]
    return {"agreement.csv": records_csv(agreement), "comparisons.csv": records_csv(others)}


def report_json(report: Report) -> str:
    """Return the report as printed by `analyze --json`: one line per estimate, without NaN or Infinity."""
    document = report.as_document()
    estimates = document.pop("estimates")
    head = _json(document).removesuffix("}")
    lines = ",\n".join(f"  {_json(record)}" for record in estimates)
    return f'{head}, "estimates": [\n{lines}\n]}}\n'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _cell(name: str, value: Any) -> Any:  # noqa: ANN401 - any value of a record
    if name in {"scope", "recipe"}:
        return _json(value)
    return "" if value is None else repr(value) if isinstance(value, float) else value
