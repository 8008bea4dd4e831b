"""Stored estimates of known data, with all digits: refactoring must not change a number.

Corrections change some of them on purpose. `python -m tests.analysis.golden` prints the differences, and with `--write`
stores the new estimates; the commit message gives the reason for each change.
"""

import csv
import gzip
import io
import json
import math
from pathlib import Path

from app.analysis.report.report import Report

HERE = Path(__file__).resolve().parent
FOLDERS = ("ayers-pair", "ab-tie", "epitome", "label-experiment", "behaviours")
COLUMNS = ("section", "question", "scope", "statistic", "occurrence", "estimate", "ci_low", "ci_high")
Key = tuple[str, ...]
Numbers = tuple[str, ...]


def numbers_of(report: Report) -> dict[Key, Numbers]:
    """Return estimate and interval of each record, as text with all digits, by what identifies the record."""
    numbers: dict[Key, Numbers] = {}
    seen: dict[Key, int] = {}
    for estimate in report.estimates:
        about = (
            estimate.section,
            estimate.measured or "",
            json.dumps(estimate.scope, sort_keys=True),
            estimate.statistic,
        )
        seen[about] = seen.get(about, 0) + 1
        values = (estimate.estimate, estimate.ci_low, estimate.ci_high)
        numbers[*about, str(seen[about])] = tuple("" if value is None else repr(float(value)) for value in values)
    return numbers


def kept(name: str) -> dict[Key, Numbers]:
    """Return the numbers stored under a name."""
    rows = csv.reader(io.StringIO(gzip.decompress(_file(name).read_bytes()).decode()))
    next(rows)
    return {tuple(row[:5]): tuple(row[5:]) for row in rows}


def keep(name: str, numbers: dict[Key, Numbers]) -> None:
    """Store the numbers of a report; equal numbers give identical files."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *sorted(key + values for key, values in numbers.items())])
    _file(name).write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))


def differences(before: dict[Key, Numbers], after: dict[Key, Numbers], *, relative: float = 0.0) -> list[str]:
    """Return one line per record that is missing, new or different.

    `relative` is the tolerance for different processors, whose vector instructions add in different order.
    """
    return [
        f"{' '.join(key)}: {before.get(key, 'absent')} -> {after.get(key, 'absent')}"
        for key in sorted({*before, *after})
        if not _is_same(before.get(key), after.get(key), relative)
    ]


def _is_same(before: Numbers | None, after: Numbers | None, relative: float) -> bool:
    if before is None or after is None or relative == 0:
        return before == after
    pairs = list(zip(before, after, strict=True))
    return all(one == other or (one and other and _is_close(one, other, relative)) for one, other in pairs)


def _is_close(one: str, other: str, relative: float) -> bool:
    return math.isclose(float(one), float(other), rel_tol=relative, abs_tol=relative)


def _file(name: str) -> Path:
    return HERE / f"{name}.estimates.csv.gz"
