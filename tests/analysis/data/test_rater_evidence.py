"""The evidence of many raters at once is that of each rater by its definition."""

from collections import Counter
from itertools import groupby
from statistics import median

import numpy as np

from app.analysis.data.rater_evidence import RaterAnswers, evidence_of
from app.protocol.rater_flags import Evidence


def longest(values: list[float]) -> int:
    return max((len(list(same)) for _, same in groupby(values)), default=0)


def test_evidence_of_all_raters_is_that_of_each_by_its_definition() -> None:
    """Raters without ratings, choices or times stand first, between others, and last; one has no order."""
    rng = np.random.default_rng(6)
    points = [rng.integers(1, 4, n).astype(float).tolist() for n in (0, 40, 0, 7, 12, 0)]
    sides = [(rng.random(n) < 0.5).tolist() for n in (3, 0, 0, 20, 9, 0)]
    times = [rng.integers(1_000, 90_000, n).astype(float).tolist() for n in (0, 4, 5, 0, 1, 0)]
    has_order = [True, True, True, False, True, True]
    lists = points, sides, times
    of = [np.repeat(np.arange(6), [len(one) for one in parts]) for parts in lists]
    answers = RaterAnswers(
        n_ratings=np.arange(6),
        number=np.concatenate(points),
        number_of=of[0],
        unit=np.zeros(len(of[0]), np.int64),
        is_left=np.concatenate(sides).astype(bool),
        side_of=of[1],
        pair=np.zeros((0, 2), np.int64),
        is_lower=np.zeros(0, bool),
        pair_of=np.zeros(0, np.int64),
        active_ms=np.concatenate(times),
        time_of=of[2],
        n_words=10 * np.arange(6),
        has_order=np.array(has_order),
    )
    assert evidence_of("abcdef", answers, group=np.ones(6, np.int64)) == {
        name: Evidence(
            n_ratings=n,
            n_trials=len(times[n]),
            median_ms=median(times[n]) if times[n] else None,
            total_ms=sum(times[n]),
            n_words=10 * n,
            n_points=len(points[n]),
            n_most=max(Counter(points[n]).values(), default=0),
            longest_run=longest(points[n]) if has_order[n] else 0,
            n_sides=len(sides[n]),
            n_left=sum(sides[n]),
            longest_side_run=longest(sides[n]) if has_order[n] else 0,
        )
        for n, name in enumerate("abcdef")
    }


def test_raters_are_compared_within_their_group_only() -> None:
    """Two rate alike and two the opposite of each other; a third pair is compared with nobody."""
    up, down = [1.0, 2, 3], [3.0, 2, 1]
    rated = [up, up, up, down, up, up]
    of, none = np.repeat(np.arange(6), 3), np.zeros(0, np.int64)
    answers = RaterAnswers(
        n_ratings=np.full(6, 3),
        number=np.concatenate(rated),
        number_of=of,
        unit=np.tile([7, 8, 9], 6),
        is_left=np.zeros(0, bool),
        side_of=none,
        pair=np.zeros((0, 2), np.int64),
        is_lower=np.zeros(0, bool),
        pair_of=none,
        active_ms=np.zeros(0),
        time_of=none,
        n_words=np.zeros(6, np.int64),
        has_order=np.ones(6, bool),
    )
    found = evidence_of("abcdef", answers, group=np.array([1, 1, 2, 2, 0, 0]))
    assert [(one.n_compared, one.agreement) for one in found.values()] == [
        *[(3, 1.0)] * 2,
        *[(3, -1.0)] * 2,
        *[(0, None)] * 2,
    ]
