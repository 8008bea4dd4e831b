"""Write estimates as CSV: one row per estimate with the columns of the contract, at full precision."""

import csv
import io
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from app.analysis.estimate import FIELDS, Estimate
from app.analysis.report.report import Report


def records_csv(estimates: Iterable[Estimate], **same: str) -> str:
    """Return estimates as CSV (RFC 4180) with a header; `scope` and `recipe` are JSON, missing values are empty.

    `same` are columns at the end that have the same value in every row.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow((*FIELDS, *same))
    for estimate in estimates:
        writer.writerow((*(_cell(name, value) for name, value in estimate.as_record().items()), *same.values()))
    return text.getvalue()


def results_csv(report: Report, read_at: datetime) -> str:
    """Return the estimates of a stored study as CSV, with the time of reading and whether the ratings are simulated."""
    is_simulated = str(report.is_simulated).lower()
    return records_csv(report.estimates, ratings_read_at=_time(read_at), is_simulated=is_simulated)


def estimates_csvs(estimates: Sequence[Estimate]) -> dict[str, str]:
    """Return the names and contents of `agreement.csv` and, for all other estimates, `comparisons.csv`."""
    agreement = [estimate for estimate in estimates if estimate.section == "agreement"]
    others = [estimate for estimate in estimates if estimate.section != "agreement"]
    return {"agreement.csv": records_csv(agreement), "comparisons.csv": records_csv(others)}


def report_json(
    report: Report, findings: Mapping[str, Sequence[Mapping[str, str]]], read_at: datetime | None = None
) -> str:
    """Return the report as printed by `analyze --json`: one line per estimate, without NaN or Infinity.

    `findings`: what it says in words, from `findings_document`. `read_at`: when the ratings of a stored study were
    read; a folder has no such time.
    """
    document = report.as_document() | ({"ratings_read_at": _time(read_at)} if read_at else {})
    document |= findings
    estimates = document.pop("estimates")
    head = _json(document).removesuffix("}")
    lines = ",\n".join(f"  {_json(record)}" for record in estimates)
    return f'{head}, "estimates": [\n{lines}\n]}}\n'


def _time(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _cell(name: str, value: Any) -> Any:  # noqa: ANN401 - any value of a record
    if name in {"scope", "recipe"}:
        return _json(value)
    return "" if value is None else repr(value) if isinstance(value, float) else value


# The command that prints the numbers of a report again.


def command_of(report: Report, study: str) -> str:
    """Return the command that prints the estimates of a report again, with all their digits and with its filters.

    `study` is what the command names: the slug of a stored study or the path of a folder.
    """
    full = ["--full"] if any(estimate.recipe.get("full") for estimate in report.estimates) else []
    return shlex.join(["attune", "analyze", study, *full, *report.filters.as_options(), "--json"])
