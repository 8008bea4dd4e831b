"""A small study without ratings, and a spreadsheet that is imported into it."""

from pathlib import Path
from typing import Any

import pytest

from app.analysis.data.study_folder import StudyFolder
from app.base.limits import ON_THIS_COMPUTER
from app.base.problem import InvalidInputError, Problem
from app.studies.imports.column_meanings import NewRaters, RatingLayout
from app.studies.imports.read_ratings import Ratings, ReadRatings
from tests.kit.small import read_small

WELCOME = NewRaters(are_welcome=True)
Answer = tuple[str, str | None, str | None, str, object]


def read(
    folder: Path,
    text: str | bytes,
    *,
    file: str = "found.csv",
    raters: NewRaters = WELCOME,
    study: StudyFolder | None = None,
    rated_here: tuple[str, ...] = (),
    **columns: Any,  # noqa: ANN401 - fields of the layout
) -> ReadRatings:
    """Import the spreadsheet into the small study; `columns` are fields of the layout."""
    path = folder / file
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    known = study or read_small(ratings=None)
    return Ratings(path, RatingLayout(**columns), raters, study=known, rated_here=rated_here).read(ON_THIS_COMPUTER)


def answers(found: ReadRatings) -> list[Answer]:
    """Return rater, item, response, question and answer, in the order of the file."""
    rows = []
    for row in found.ratings.to_dict("records"):
        given = [row[name] for name in ("chosen", "outcome", "codes", "text") if row[name] is not None]
        rows.append((row["rater"], row["item"], row["response"], row["question"], given[0] if given else row["number"]))
    return rows


def problems(folder: Path, text: str | bytes, **options: Any) -> list[Problem]:  # noqa: ANN401 - see `read`
    """Return the problems (not the notes) of the spreadsheet."""
    with pytest.raises(InvalidInputError) as raised:
        read(folder, text, **options)
    return [problem for problem in raised.value.problems if problem.severity == "error"]


def only_problem(
    folder: Path,
    text: str | bytes,
    **options: Any,  # noqa: ANN401 - see `read`
) -> tuple[int | None, str | None, str, str]:
    """Return row, column, what was found and what is allowed, for the only problem."""
    found = problems(folder, text, **options)
    assert len(found) == 1, [problem.sentence() for problem in found]
    return found[0].row, found[0].column, found[0].found, found[0].allowed
