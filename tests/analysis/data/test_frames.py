"""The order in which every estimate is computed."""

import numpy as np
import pandas as pd
import pytest

from app.analysis.data import frames
from app.analysis.data.frames import ORDER, canonical, rating_frame


def ratings(n: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(2)

    def drawn(*names: str | float | None) -> list[str | float | None]:
        return [names[k] for k in rng.integers(0, len(names), n)]

    columns = {
        "rater": drawn("r10", "r9", "R9", "é"),
        "item": drawn("i2", "i10", None),
        "question": drawn("b", "a"),
        "turn": drawn(1, 2, 10, None),
        "repeat": rng.integers(0, 3, n),
        "left_response": drawn(None, "x"),
        "number": np.arange(n),
    }
    return rating_frame(columns, n)


def pandas_sorted(table: pd.DataFrame) -> pd.DataFrame:
    return table.sort_values([*ORDER], kind="stable", na_position="first", ignore_index=True)


def test_canonical_order_is_that_of_a_stable_sort_by_all_columns() -> None:
    table = ratings()
    assert canonical(table).equals(pandas_sorted(table))


def test_more_keys_than_fit_in_one_number_are_sorted_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "_MAX_KEYS", 20)
    table = ratings()
    assert canonical(table).equals(pandas_sorted(table))


def test_ratings_in_order_are_not_copied() -> None:
    table = canonical(ratings())
    again = canonical(table)
    assert again.equals(table)
    assert np.shares_memory(again["number"].to_numpy(), table["number"].to_numpy())


def test_columns_without_values_share_memory_and_stay_independent() -> None:
    """A study of a million ratings needs 350 MB less."""
    table = ratings()
    assert np.shares_memory(table["codes"].to_numpy(), table["comment"].to_numpy())
    ordered = canonical(table)
    assert np.shares_memory(ordered["comment"].to_numpy(), table["comment"].to_numpy())
    ordered.loc[0, "comment"] = "changed"
    assert table["comment"].isna().all()
    assert ordered["codes"].isna().all()
    table.loc[1, ["comment", "text"]] = "changed too"
    assert ordered["comment"].tolist()[:2] == ["changed", None]
    assert ordered["text"].isna().all()
    assert table["codes"].isna().all()
    table.loc[3, "active_ms"] = 5
    assert table["position"].isna().all()
    assert table["active_ms"].tolist()[3] == 5
