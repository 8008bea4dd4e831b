from collections import Counter
from pathlib import Path

from tests.real_data.ayers import write_ayers
from tests.real_data.folder import read_rows
from tests.real_data.kumar import write_kumar
from tests.real_data.pandalm import write_pandalm


def test_ayers_2023_chatbot_is_preferred_in_460_of_585(tmp_path: Path, shared: Path) -> None:
    ratings = read_rows(write_ayers(tmp_path, shared) / "ratings.csv")
    assert Counter(row["value"] for row in ratings if row["question"] == "preference") == {
        "chatgpt": 460,
        "physician": 125,
    }


def test_kumar_2025_experts_rate_all_21_dimensions(tmp_path: Path, shared: Path) -> None:
    ratings = read_rows(write_kumar(tmp_path, shared) / "ratings.csv")
    for expert in ("expert1", "expert2", "expert3"):
        counts = Counter(row["question"] for row in ratings if row["rater"] == expert)
        assert len(counts) == 21
        assert set(counts.values()) == {50}


def test_pandalm_choices_include_ties(tmp_path: Path, shared: Path) -> None:
    ratings = read_rows(write_pandalm(tmp_path, shared) / "ratings.csv")
    assert len(ratings) == 2997
    assert len({row["value"] for row in ratings}) == 6
