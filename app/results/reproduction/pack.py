"""A reproduction pack: how a published data set is read, and which results are printed where."""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from app.analysis.estimate import Estimate
from app.stats.result import Procedure

Part = Literal["estimate", "ci_low", "ci_high"]


@dataclass(frozen=True, slots=True)
class Published:
    """One printed number, and the estimate of the report that reproduces it.

    `tolerance`: half of the last printed digit, or more with a reason in the pack. `where`: where it is printed.
    `procedure`: how the estimate was computed, None for any. `part`: the estimate or an end of its interval.
    `is_last`: whether the last of several estimates that match is meant instead of the first.
    """

    words: str
    value: float
    tolerance: float
    where: str
    statistic: str
    question: str
    scope: Mapping[str, Any] = field(default_factory=dict)
    procedure: Procedure | None = None
    unit: str = ""
    part: Part = "estimate"
    is_last: bool = False

    def is_met_by(self, one: Estimate) -> bool:
        """Whether an estimate is the one that reproduces the number."""
        return (
            one.statistic == self.statistic
            and one.measured == self.question
            and dict(one.scope) == dict(self.scope)
            and self.procedure in {None, one.procedure}
            and self.unit in {"", one.unit}
        )


@dataclass(frozen=True, slots=True)
class Pack:
    """One published study.

    `data`: what to pass as `--data`, and where its authors published it. `write`: writes the study folder.
    `published`: the printed results; some packs read them from the published files.
    """

    key: str
    citation: str
    data: str
    write: Callable[[Path, Path], Path]
    published: Callable[[Path], Sequence[Published]]


# What the conversions of published data share: writing the plain files of a study folder.

Row = dict[str, str]


def write_rows(path: Path, rows: list[Row]) -> None:
    """One CSV file, RFC 4180; the columns are those of the rows, in the order in which they first appear."""
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)


def read_rows(path: Path) -> list[Row]:
    """The rows of a CSV file, as text; carriage returns inside quotes are kept."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def write_study(folder: Path, yaml: str, **tables: Iterable[Row]) -> Path:
    """A study folder: study.yaml and one CSV file for each table."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.yaml").write_text(yaml, encoding="utf-8", newline="")
    for name, rows in tables.items():
        write_rows(folder / f"{name}.csv", list(rows))
    return folder
