"""Conversations of raters: each is an item of its own, so that intervals generalize to new raters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from app.analysis import analyze
from app.analysis.data.frames import with_own_texts
from app.protocol.study import Protocol
from tests.kit.frames import frames

if TYPE_CHECKING:
    from app.analysis.data.frames import Frames
    from tests.kit.frames import Row

STUDY = Protocol.model_validate(
    {
        "attune": 1,
        "slug": "talks",
        "title": "Talks",
        "sources": {"warm": {"kind": "model"}, "diary": {"kind": "human"}},
        "conditions": {"partner": {"kind": "source", "levels": ["warm", "diary"]}},
        "design": {"trials": "conversation"},
        "conversation": {"partners": {"warm": {"model": "m"}, "diary": {"replies": "none"}}},
        "questions": [
            {"key": "warmth", "type": "slider", "target": "response", "text": "How warm?", "min": 0, "max": 10},
            {"key": "liked", "type": "slider", "target": "item", "text": "How was it?", "min": 0, "max": 10},
        ],
        "analysis": {
            "primary": [{"question": "warmth", "source": "warm", "reference": "diary", "test": "mean_difference"}]
        },
    }
)
VALUES = {"warm": (7, 9, 4, 8, 6), "diary": (3, 5, 6, 2, 4)}


def talks() -> Frames:
    """Ten raters, each with a conversation about the same task."""
    rows: list[Row] = []
    responses = []
    for source, values in VALUES.items():
        for number, value in enumerate(values):
            rater, key = f"{source}-{number}", f"c-{source}-{number}"
            responses.append({"response": key, "item": "task", "source": source, "written_by": rater, "text": "Hi"})
            common = {"rater": rater, "item": "task", "condition": f"partner={source}"}
            rows.append({**common, "response": key, "question": "warmth", "value": value})
            rows.append({**common, "question": "liked", "value": value})
    made = frames(STUDY, rows)
    return type(made)(
        items=pd.DataFrame({"item": ["task"], "topic": ["work"]}),
        responses=pd.DataFrame(responses),
        raters=made.raters,
        ratings=made.ratings,
    )


def test_each_conversation_is_an_item_with_the_attributes_of_its_task() -> None:
    changed = with_own_texts(talks())
    assert set(changed.items["item"]) == set(changed.responses["response"])
    assert set(changed.items["topic"]) == {"work"}
    assert changed.ratings["item"].notna().all()
    of = changed.ratings[changed.ratings["question"] == "liked"].set_index("rater")["item"]
    assert of["warm-3"] == "c-warm-3"


def test_difference_between_partners_has_the_interval_of_raters() -> None:
    (primary,) = analyze(talks(), STUDY).primary
    (found,) = primary.estimates
    assert found.estimate == pytest.approx(2.8)
    # Raters and conversations are the same clusters: the variance is that of Welch's t test.
    error = sum(np.var(values, ddof=1) / len(values) for values in VALUES.values()) ** 0.5
    assert found.ci_low == pytest.approx(2.8 - t.ppf(0.975, 8) * error)
    assert (found.n_items, found.n_raters) == (10, 10)


def test_study_without_conversations_yet_is_unchanged() -> None:
    empty = talks()
    none = type(empty)(empty.items, empty.responses.head(0), empty.raters, empty.ratings.head(0))
    assert with_own_texts(none) is none
