from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tests.real_data.ayers import write_ayers
from tests.real_data.folder import read_rows
from tests.real_data.kumar import write_kumar
from tests.real_data.pandalm import write_pandalm

if TYPE_CHECKING:
    from pathlib import Path


def test_the_chatbot_is_preferred_in_460_of_585_as_ayers_2023_reports(tmp_path: Path, shared: Path) -> None:
    ratings = read_rows(write_ayers(tmp_path, shared) / "ratings.csv")
    assert Counter(row["value"] for row in ratings if row["question"] == "preference") == {
        "chatgpt": 460,
        "physician": 125,
    }


def test_three_experts_rate_all_21_dimensions_of_kumar_2025(tmp_path: Path, shared: Path) -> None:
    ratings = read_rows(write_kumar(tmp_path, shared) / "ratings.csv")
    for expert in ("expert1", "expert2", "expert3"):
        counts = Counter(row["question"] for row in ratings if row["rater"] == expert)
        assert len(counts) == 21
        assert set(counts.values()) == {50}


def test_pandalm_has_ties_among_its_choices(tmp_path: Path, shared: Path) -> None:
    ratings = read_rows(write_pandalm(tmp_path, shared) / "ratings.csv")
    assert len(ratings) == 2997
    assert len({row["value"] for row in ratings}) == 6
