"""Read a table of rater profiles: one judge per row, with an ID, attributes, and a persona if there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.design.problem import InvalidInputError, Problem
from app.exchange.problems import Problems
from app.exchange.tabular.spreadsheet import read_spreadsheet

if TYPE_CHECKING:
    from pathlib import Path

# Attributes that a judge has by its configuration: a profile cannot set them.
OWN = (
    "model",
    "model_version",
    "endpoint",
    "family",
    "temperature",
    "model_seed",
    "repeats",
    "both_sides",
    "prompt_version",
)
_NAMED = ("rater", "persona")
MAX_PROFILES = 500


@dataclass(frozen=True, slots=True)
class RaterProfile:
    """One profile. `attributes` are told to the model and kept as attributes of the judge."""

    name: str
    persona: str
    attributes: tuple[tuple[str, str], ...]


def read_profiles(path: Path) -> list[RaterProfile]:
    """The profiles of a spreadsheet with the column `rater`, optionally `persona`, and one column per attribute.

    Raises:
        InvalidInputError: every problem of the file.
    """
    problems = Problems()
    table = read_spreadsheet(path, problems)
    problems.raise_if_any()
    if table is None:
        raise AssertionError("a spreadsheet that cannot be read is a problem")
    found = [
        Problem(path.name, 1, name, name, "a name that is not a setting of a judge")
        for name in table.columns
        if name in OWN
    ]
    if "rater" not in table.columns:
        found.append(Problem(path.name, 1, "rater", "no such column", "the IDs of the judges"))
    names = [str(cell).strip() for cell in table.column("rater")]
    if not 1 <= len(names) <= MAX_PROFILES:
        found.append(Problem(path.name, None, None, f"{len(names)} profiles", f"1 to {MAX_PROFILES} profiles"))
    found += [
        Problem(path.name, int(row), "rater", name, "an ID that no other profile has")
        for row, name in zip(table.rows, names, strict=True)
        if not name or names.count(name) > 1
    ]
    if found:
        raise InvalidInputError(found)
    return [
        RaterProfile(
            name,
            str(table.column("persona")[place]).strip(),
            tuple(
                (column, words)
                for column in table.columns
                if column not in _NAMED and (words := " ".join(str(table.column(column)[place]).split()))
            ),
        )
        for place, name in enumerate(names)
    ]
