"""About which items judges and people are likely to disagree, from a study's ratings."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from app.analysis.planning.residual_sizes import NotComparedError, sizes_of_items
from app.stats.comparison.residual_sizes import SMALLEST
from tests.kit.frames import CHOICE, FIVE, Row, frames, protocol

N_ITEMS, N_RATED = 40, 24
FOLD = {f"i{i}": i % 5 for i in range(N_ITEMS)}
MODELS = [{"rater": "judge", "kind": "model"}, {"rater": "other", "kind": "model"}]


def is_hard(i: int) -> bool:
    return i % 3 == 0


def _rows(judges: tuple[str, ...], n_rated: int = N_RATED) -> list[Row]:
    """On hard items the judges differ from each other, and people from both."""
    rng, rows = np.random.default_rng(0), list[Row]()
    for i in range(N_ITEMS):
        page = {"item": f"i{i}", "left_response": f"i{i}:human", "right_response": f"i{i}:model"}
        for source in ("human", "model"):
            rated = {**page, "response": f"i{i}:{source}", "question": "empathy"}
            sign = 1 if source == "model" else -1
            for k, judge in enumerate(judges):
                apart = sign * (2 * k - 1) * int(rng.integers(1, 3)) if is_hard(i) else 0
                rows.append({**rated, "rater": judge, "value": min(max(3 + apart, 1), 5)})
            true = int(rng.integers(1, 6)) if is_hard(i) else 3
            rows += [{**rated, "rater": f"r{k}", "value": true} for k in range(3) if i < n_rated]
        chosen = "model" if is_hard(i) else "tie"
        rows += [{**page, "rater": judge, "question": "preference", "value": chosen} for judge in judges]
    return rows


def test_items_are_larger_where_judges_are_apart_and_people_disagreed() -> None:
    study = protocol(FIVE, CHOICE, analysis={"primary": ["empathy"]})
    sizes = sizes_of_items(frames(study, _rows(("judge", "other")), raters=MODELS), study, FOLD)
    assert {*sizes} == {*FOLD}
    hard, easy = ([size for key, size in sizes.items() if is_hard(int(key[1:])) is one] for one in (True, False))
    assert np.mean(hard) > 1.1
    assert np.mean(easy) < 0.85


def test_ratings_outside_the_sample_do_not_count_and_special_items_have_no_size() -> None:
    study = protocol(FIVE, CHOICE, analysis={"primary": ["empathy"]})
    found = frames(study, _rows(("judge", "other"), N_ITEMS), raters=MODELS)
    is_out = np.arange(N_ITEMS) >= N_RATED
    keys = [f"i{i}" for i in range(N_ITEMS)]
    sample = pd.DataFrame({"item": keys, "probability": 0.6, "stage": 1, "is_out": is_out})
    some = {key: fold for key, fold in FOLD.items() if key != "i3"}
    sizes = sizes_of_items(replace(found, sample=sample), study, some)
    assert "i3" not in sizes
    few = replace(found, sample=sample.assign(is_out=np.arange(N_ITEMS) >= 5))
    with pytest.raises(NotComparedError, match=r"At least 8 items need answers .* 5 have them"):
        sizes_of_items(few, study, FOLD)


@pytest.mark.parametrize("judges", [(), ("judge",)])
def test_too_few_items_are_said(judges: tuple[str, ...]) -> None:
    study = protocol(FIVE, CHOICE, analysis={"primary": ["preference"]})
    with pytest.raises(NotComparedError, match="0 have them"):
        sizes_of_items(frames(study, _rows(judges), raters=MODELS[: len(judges)]), study, FOLD)


def test_question_about_items_counts_by_its_mean() -> None:
    study = protocol({**FIVE, "key": "whole", "target": "item"})
    rng, rows = np.random.default_rng(0), list[Row]()
    for i in range(N_ITEMS):
        page = {"item": f"i{i}", "question": "whole"}
        rows.append({**page, "rater": "judge", "value": int(rng.integers(1, 6))})
        rows += [{**page, "rater": f"r{k}", "value": int(rng.integers(1, 6))} for k in range(3) if i < N_RATED]
    sizes = sizes_of_items(frames(study, rows, raters=MODELS[:1]), study, FOLD)
    assert len(sizes) == N_ITEMS
    assert all(SMALLEST <= size <= 1 / SMALLEST for size in sizes.values())
