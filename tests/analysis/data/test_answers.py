"""Answers are selected once, so that all sections share what is computed from them."""

import gc
from weakref import ref

import numpy as np

from app.analysis.data.answers import Answers


def answers() -> Answers:
    return Answers(
        item=np.array([0, 0, 1, 1]),
        unit=np.array([0, 0, 1, 1]),
        rater=np.array([0, 0, 0, 1]),
        source=np.array([0, 0, 1, 1]),
        value=np.array([1.0, 4.0, 2.0, 3.0]),
        is_first=np.array([True, False, True, True]),
        row=np.arange(4),
    )


def test_answers_of_a_source_are_the_same_object_each_time() -> None:
    whole = answers()
    part = whole.of_source(1)
    assert part.value.tolist() == [2.0, 3.0]
    assert whole.of_source(1) is part
    assert part.of_source(1) is part
    assert part.per_item is part


def test_means_per_item_average_several_answers_of_a_rater() -> None:
    whole = answers()
    assert whole.per_item.value.tolist() == [2.5, 2.0, 3.0]
    assert whole.per_item is whole.per_item


def test_first_answers_are_found_again_within_a_selection() -> None:
    whole = answers()
    assert whole.within(np.array([False, True, True, True])).is_first.all()
    assert whole.with_own_first is whole


def test_answers_are_freed_without_the_garbage_collector() -> None:
    """A million answers take 50 MB, and the collector counts objects, not their size."""
    gc.collect()
    gc.disable()
    try:
        whole = answers().of_source(1)
        seen = [ref(whole), ref(whole.of_source(1)), ref(whole.per_item), ref(whole.with_own_first)]
        del whole
        assert [one() for one in seen] == [None] * 4
    finally:
        gc.enable()
