"""Reference results, published ratings, and random ratings of two sources."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypedDict

import numpy as np
import pytest
from hypothesis import strategies as st

from app.stats.arrays import Bools, Floats, Ints

Ayers: TypeAlias = Callable[[str], "Ratings"]
RandomRatings: TypeAlias = st.SearchStrategy["Ratings"]

SCALES: list[list[float]] = [[1, 2, 3, 4, 5], [0, 1], [0, 0.5, 1], [-5, -2, 0, 5], [7], [0.1, 0.3], [1e300, -1e300, 1]]


class Where(TypedDict):
    """The item and the rater of each rating."""

    item: Ints
    rater: Ints


@dataclass(frozen=True)
class Ratings:
    """Arrays of equal length, with one entry per rating, as the statistics take them."""

    value: Floats
    is_treated: Bools
    item: Ints
    rater: Ints

    @property
    def clusters(self) -> Where:
        return {"item": self.item, "rater": self.rater}

    def of(self, *, treated: bool) -> Ratings:
        here = self.is_treated == treated
        return Ratings(self.value[here], self.is_treated[here], self.item[here], self.rater[here])


@st.composite
def _ratings(draw: st.DrawFn, scales: list[list[float]]) -> Ratings:
    scale = [*draw(st.sampled_from(scales)), float("nan")]
    rows = st.tuples(st.sampled_from(scale), st.booleans(), st.integers(0, 5), st.integers(10, 14))
    drawn = draw(st.lists(rows, max_size=40))
    value, is_treated, item, rater = zip(*drawn, strict=True) if drawn else ((), (), (), ())
    return Ratings(np.array(value, float), np.array(is_treated, bool), np.array(item, int), np.array(rater, int))


@pytest.fixture(scope="session")
def random_ratings() -> RandomRatings:
    """Draw up to forty ratings by up to five raters of up to six items, one to five points, some missing."""
    return _ratings(SCALES)


@pytest.fixture(scope="session")
def random_shares() -> RandomRatings:
    """Draw ratings like `random_ratings`, with values 0, 1/2 and 1 only."""
    return _ratings([[0, 1], [0, 0.5, 1], [0], [1], [0.5]])


@pytest.fixture(scope="session")
def ayers(shared: Path) -> Ayers:
    """Return 'Quality' or 'Empathy' of Ayers et al. (2023); evaluators are slots, so each is a rater of one item."""
    path = shared / "data" / "ayers2023" / "JAMA.csv"
    if not path.is_file():
        pytest.skip("the ratings of Ayers et al. are not beside this checkout")
    with path.open(encoding="latin-1", newline="") as file:
        rows = list(csv.DictReader(file))

    def ratings(dimension: str) -> Ratings:
        cells = [
            (float(row[f"Eval {slot} {dimension} ({source})"]), source == "ChatGPT", n, 3 * n + slot)
            for n, row in enumerate(rows)
            for slot in (1, 2, 3)
            for source in ("Physician", "ChatGPT")
        ]
        value, is_treated, item, rater = (np.array(column) for column in zip(*cells, strict=True))
        return Ratings(value, is_treated, item, rater)

    return ratings
