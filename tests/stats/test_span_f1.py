import numpy as np
import pytest

from app.stats.spans import Marked, Span, marked_characters, span_scores

metrics = pytest.importorskip("sklearn.metrics")

LENGTHS: dict[object, int] = dict.fromkeys(range(5), 40)
KEY: dict[object, list[Span]] = {text: [(5, 15), (30, 35)] for text in range(5)}


def _marks() -> list[Marked]:
    rng = np.random.default_rng(1)
    starts = rng.integers(0, 20, (5, 4))
    return [
        Marked(text, text, rater, ((int(starts[text, rater]), int(starts[text, rater]) + 12),))
        for text in range(5)
        for rater in range(4)
    ]


def test_character_scores_match_scikit_learn() -> None:
    marks = _marks()
    given = np.concatenate([marked_characters(mark.spans, 40) for mark in marks])
    right = np.concatenate([marked_characters(KEY[mark.text], 40) for mark in marks])
    found = span_scores(marks, KEY, LENGTHS)
    known = [score(right, given) for score in (metrics.f1_score, metrics.precision_score, metrics.recall_score)]
    assert [found.f1.estimate, found.precision.estimate, found.recall.estimate] == pytest.approx(known)
    for score in (found.f1, found.precision, found.recall):
        assert score.interval
        assert 0 < score.interval.low < (score.estimate or 0) < score.interval.high < 1
        assert (score.n_items, score.n_raters, score.p_value) == (5, 4, None)


def test_texts_without_answer_key_are_excluded() -> None:
    found = span_scores(_marks(), {0: KEY[0]}, LENGTHS)
    assert (found.f1.n_units, found.f1.interval_reason) == (4, "one_cluster")
    assert span_scores(_marks(), {}, LENGTHS).f1.reason == "no_pairable_units"


def test_perfect_and_empty_spans_have_no_interval() -> None:
    perfect = [Marked(text, text, rater, tuple(KEY[text])) for text in range(2) for rater in range(2)]
    assert (span_scores(perfect, KEY, LENGTHS).f1.estimate, span_scores(perfect, KEY, LENGTHS).f1.interval_reason) == (
        1,
        "no_variation",
    )
    empty = [Marked(text, text, rater, ()) for text in range(2) for rater in range(2)]
    found = span_scores(empty, KEY, LENGTHS)
    assert (found.precision.reason, found.recall.estimate, found.f1.estimate) == ("no_pairable_units", 0, 0)
