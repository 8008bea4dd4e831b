"""Computations shared by several estimates give the same results as separate ones."""

import gc
from contextlib import suppress
from contextvars import Context

import numpy as np
from threadpoolctl import threadpool_info

from app.stats.arrays import one_thread
from app.stats.clusters import clusters
from app.stats.remembered import remembered, remembering


def test_clusters_of_same_arrays_are_computed_once() -> None:
    item, rater = np.array([5, 5, 9]), np.array([1, 2, 1])
    found = clusters(item, rater)
    assert clusters(item, rater) is found
    again = clusters(item.copy(), rater)
    assert again is not found
    np.testing.assert_array_equal(again.cell, found.cell)


def test_clusters_of_deleted_arrays_are_not_reused() -> None:
    for n in range(2, 30):
        item, rater = np.arange(n), np.zeros(n, dtype=np.int64)
        assert clusters(item, rater).n_items == n
        del item, rater
        gc.collect(0)


def test_linear_algebra_thread_limit_is_restored() -> None:
    before = [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]
    with one_thread(), one_thread():
        inside = {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}
    assert inside == {1}
    assert [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"] == before


def test_equal_arguments_are_computed_once_within_remembering_and_anew_outside() -> None:
    calls: list[int] = []

    @remembered
    def doubled(values: np.ndarray, *, by: float = 2) -> np.ndarray:
        calls.append(len(values))
        return values * by

    def three_times() -> None:
        doubled(np.array([1, 2]))
        doubled(np.array([1, 2]))
        doubled(np.array([1, 2]), by=3)

    def of_one_report() -> None:
        with remembering():
            three_times()
            with remembering():
                three_times()
            three_times()
            assert len(calls) == 2
            np.testing.assert_array_equal(doubled(np.array([1, 2])), [2, 4])
        three_times()
        assert len(calls) == 5

    Context().run(of_one_report)


def test_what_was_remembered_is_forgotten_after_an_error() -> None:
    calls: list[int] = []
    answer = remembered(calls.append)

    def of_two_reports() -> None:
        with suppress(ZeroDivisionError), remembering():
            answer(1)
            raise ZeroDivisionError
        with remembering():
            answer(1)

    Context().run(of_two_reports)
    assert calls == [1, 1]
