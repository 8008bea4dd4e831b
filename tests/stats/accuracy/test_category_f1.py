import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.stats.accuracy.category_f1 import confusion, f1_macro, f1_scores

metrics = pytest.importorskip("sklearn.metrics")

EMOTIONS = ["anger", "fear", "joy", "sadness"]


def _answers(n: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    item, rater = rng.integers(0, 40, n), rng.integers(0, 9, n)
    key = np.array(EMOTIONS)[rng.integers(0, 3, 40)][item]
    given_ = np.where(rng.random(n) < 0.6, key, np.array(EMOTIONS)[rng.integers(0, 3, n)])
    return given_, key, item, rater


def test_confusion_table_and_f1_match_scikit_learn() -> None:
    answer, key, item, rater = _answers()
    table = confusion(answer, key, EMOTIONS)
    assert table.counts.tolist() == metrics.confusion_matrix(key, answer, labels=EMOTIONS).tolist()
    known = metrics.f1_score(key, answer, labels=EMOTIONS[:3], average=None)
    assert f1_scores(table.counts)[:3] == pytest.approx(known)
    assert np.isnan(f1_scores(table.counts)[3])
    found = f1_macro(answer, key, EMOTIONS, item=item, rater=rater)
    assert found.estimate == pytest.approx(metrics.f1_score(key, answer, average="macro"))
    assert found.interval
    assert found.interval.low < (found.estimate or 0) < found.interval.high
    assert (found.n_items, found.n_raters, found.n_ratings) == (40, 9, 200)


def test_f1_interval_is_reproducible_and_widens_with_fewer_items() -> None:
    answer, key, item, rater = _answers()
    one, two = (f1_macro(answer, key, EMOTIONS, item=item, rater=rater, seed=4) for _ in range(2))
    assert one == two
    half = f1_macro(answer, key, EMOTIONS, item=item // 10, rater=rater, seed=4)
    assert (half.standard_error or 0) > 0


def test_f1_bootstrap_resamples_whole_items() -> None:
    """By hand: two items, one all correct and one all wrong; F1 of resamples is 1, .5 or 0, with odds 1:2:1."""
    answer, key = np.array(["a", "a", "b", "b"]), np.array(["a", "a", "a", "a"])
    found = f1_macro(answer, key, ["a", "b"], item=np.array([0, 0, 1, 1]), rater=np.arange(4), n_resamples=8000)
    assert found.estimate == pytest.approx((2 / 3 + 0) / 2)
    expected = np.sqrt(np.average((np.array([1, 1 / 3, 0]) - 5 / 12) ** 2, weights=[1, 2, 1]))
    assert found.standard_error == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize(
    ("answer", "key", "item", "reason", "interval_reason"),
    [
        ([], [], [], "no_pairable_units", None),
        (["anger", None], [None, "joy"], [0, 1], "no_pairable_units", None),
        (["anger"], ["boredom"], [0], "no_pairable_units", None),
        (["anger", "joy"], ["anger", "anger"], [0, 0], None, "one_cluster"),
        (["anger", "joy"], ["anger", "joy"], [0, 1], None, "no_variation"),
    ],
)
def test_f1_without_variation_reports_a_reason(
    answer: list[str | None], key: list[str | None], item: list[int], reason: str | None, interval_reason: str | None
) -> None:
    place = np.array(item)
    found = f1_macro(np.array(answer, object), np.array(key, object), EMOTIONS, item=place, rater=place)
    assert (found.reason, found.interval_reason) == (reason, interval_reason)


@given(cells=st.lists(st.integers(0, 3), min_size=9, max_size=9))
def test_f1_scores_lie_between_zero_and_one(cells: list[int]) -> None:
    scores = f1_scores(np.array(cells).reshape(3, 3))
    known = scores[np.isfinite(scores)]
    assert ((known >= 0) & (known <= 1)).all()
