"""Reference results, published data and random data as Ratings."""

import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from app.stats.ratings import Ratings
from tests.kit.oracles import Oracle

SCALES: list[list[float]] = [[1, 2, 3, 4, 5], [0, 1], [0, 0.5, 1], [-5, -2, 0, 5], [-1, 1], [7], [1e300, -1e300, 0, 1]]
SLIDER = [float(point) for point in range(101)]


def ratings_of(rows: Iterable[tuple[Any, Any, Any]]) -> Ratings:
    """Return Ratings from rows of unit, rater, value; a text value becomes its index among the sorted texts."""
    unit, rater, value = (np.asarray(column) for column in zip(*(row[:3] for row in rows), strict=True))
    if value.dtype.kind == "U":
        value = np.unique(value, return_inverse=True)[1]
    return Ratings(np.unique(unit, return_inverse=True)[1], np.unique(rater, return_inverse=True)[1], value)


@st.composite
def random_ratings(draw: st.DrawFn) -> Ratings:
    """Draw up to ten units and six raters with gaps, on scales of one to 101 points; possibly no ratings."""
    scale = draw(st.sampled_from([*SCALES, SLIDER]))
    shape = (draw(st.integers(0, 10)), draw(st.integers(1, 6)))
    cells = st.lists(st.sampled_from([None, *scale]), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])
    grid = np.array(draw(cells), dtype=float).reshape(shape)
    unit, rater = np.nonzero(np.isfinite(grid))
    return Ratings(unit, rater, grid[unit, rater])


st.register_type_strategy(Ratings, random_ratings())


@pytest.fixture(scope="session")
def oracle(oracle: Oracle) -> Oracle:
    """Return a reader of reference results by name, with their input as Ratings too."""

    def read(name: str) -> dict[str, Any]:
        answer = oracle(name)
        return answer | {"ratings": ratings_of(answer["input"]["rows"]) if "rows" in answer["input"] else None}

    return read


@pytest.fixture(scope="session")
def ayers(shared: Path) -> list[dict[str, str]]:
    """Return the rows of Ayers et al. (2023), one per question, with three evaluator slots."""
    with (shared / "data" / "ayers2023" / "JAMA.csv").open(encoding="latin-1", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="session")
def make_ratings() -> Callable[[Iterable[tuple[Any, Any, Any]]], Ratings]:
    """Return a function that makes Ratings from rows of unit, rater, value."""
    return ratings_of
