import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from app.stats.arrays import Floats, Ints
from app.stats.choice.strengths import Strengths, strengths, win_matrix

Choice = tuple[int, int, float]


def _of(choices: list[Choice], n_sources: int = 3, *, has_position: bool = False, reference: int = 0) -> Strengths:
    """Return strengths from choices by three raters on four items in turn."""
    left, right, won = _columns(choices)
    place = np.arange(len(left))
    return strengths(
        left,
        right,
        won,
        n_sources=n_sources,
        item=place % 4,
        rater=place % 3,
        has_position=has_position,
        reference=reference,
    )


def _columns(choices: list[Choice]) -> tuple[Ints, Ints, Floats]:
    table = np.array(choices, float).reshape(-1, 3)
    return table[:, 0].astype(int), table[:, 1].astype(int), table[:, 2]


MIXED: list[Choice] = [(0, 1, 1), (1, 0, 1), (1, 2, 0), (2, 0, 0), (0, 2, 0.5), (2, 1, 1), (1, 0, 0), (0, 2, 0)] * 3


def test_untied_strengths_match_logistic_regression() -> None:
    choices = [c for c in MIXED if c[2] != 0.5]
    left, right, won = _columns(choices)
    signs = np.eye(3)[left] - np.eye(3)[right]
    fit = sm.Logit(won, np.column_stack([signs[:, 1:], np.ones(len(won))])).fit(disp=False)
    found = _of(choices, has_position=True)
    assert found.position is not None
    estimates = [found.strengths[1].estimate, found.strengths[2].estimate, found.position.estimate]
    assert estimates == pytest.approx(fit.params.tolist())
    assert found.log_nu is None


def test_contrasts_do_not_depend_on_reference() -> None:
    there, back = _of(MIXED, reference=0), _of(MIXED, reference=2)
    assert there.strengths[0].estimate == back.strengths[2].estimate == 0
    for a in range(3):
        for b in range(3):
            one, other = there.contrasts[a][b], back.contrasts[a][b]
            assert one.estimate == pytest.approx(other.estimate, abs=1e-8)
            assert one.standard_error == pytest.approx(other.standard_error)
    assert there.log_nu is not None
    assert there.log_nu.interval is not None


def test_separated_and_disconnected_sources_report_their_reason() -> None:
    found = _of([*MIXED, (3, 0, 1), (1, 3, 0), (4, 4, 0.5)], n_sources=5)
    assert [result.reason for result in found.strengths] == [None, None, None, "separation", "disconnected"]
    assert found.contrasts[1][2].estimate is not None
    assert found.contrasts[3][4].reason == "separation"
    assert found.strengths[1].estimate == pytest.approx(_of(MIXED).strengths[1].estimate)


def test_separated_reference_leaves_all_strengths_undefined() -> None:
    found = _of([*MIXED, (3, 0, 1), (1, 3, 0)], n_sources=4, reference=3, has_position=True)
    assert {result.reason for result in found.strengths} == {"separation"}
    assert found.position is not None
    assert found.position.estimate is None


def test_unconnected_reference_is_disconnected() -> None:
    found = _of(MIXED, n_sources=4, reference=3)
    assert {result.reason for result in found.strengths} == {"disconnected"}


def test_only_ties_give_no_strengths() -> None:
    found = _of([(0, 1, 0.5), (1, 2, 0.5), (2, 0, 0.5)])
    assert {result.reason for result in found.strengths} == {"no_variation"}


def test_no_choices_give_no_strengths() -> None:
    assert {result.reason for result in _of([]).strengths} == {"disconnected"}


def test_constant_sides_leave_only_position_undefined() -> None:
    choices: list[Choice] = [(0, 1, 1), (0, 1, 0), (0, 1, 1), (0, 1, 1), (0, 1, 0), (0, 1, 1)]
    found = _of(choices, n_sources=2, has_position=True)
    assert found.position is not None
    assert found.position.reason == "singular"
    assert found.strengths[1].estimate == pytest.approx(-np.log(2))


def test_side_that_always_wins_is_separated_and_strengths_remain() -> None:
    choices: list[Choice] = [(0, 1, 1), (1, 0, 1), (0, 1, 1), (1, 0, 1)]
    found = _of(choices, n_sources=2, has_position=True)
    assert found.position is not None
    assert found.position.reason == "separation"
    assert found.strengths[1].estimate == pytest.approx(0, abs=1e-9)


def test_side_separated_for_one_source_has_no_finite_effect() -> None:
    found = _of([(0, 1, 1), (0, 1, 1), (1, 0, 1), (1, 0, 0)] * 2, n_sources=2, has_position=True)
    assert found.position is not None
    assert found.position.reason == "separation"
    assert "Sides and sources together" in found.position.note
    assert found.strengths[1].estimate is not None


def test_win_matrix_counts_wins_and_ties_from_either_side() -> None:
    matrix = win_matrix(*_columns([(0, 1, 1), (1, 0, 0), (0, 1, 0), (1, 0, 0.5)]), n_sources=3)
    assert matrix.wins.tolist() == [[0, 2, 0], [1, 0, 0], [0, 0, 0]]
    assert matrix.ties.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert matrix.shares[0, 1] == 2.5 / 4
    assert np.isnan(matrix.shares[0, 2])


def test_three_way_cycle_is_counted_once() -> None:
    circle: list[Choice] = [(0, 1, 1), (1, 2, 1), (2, 0, 1)]
    assert win_matrix(*_columns(circle), n_sources=3).n_intransitive == (1, 1)
    line: list[Choice] = [(0, 1, 1), (1, 2, 1), (2, 0, 0), (0, 3, 1)]
    assert win_matrix(*_columns(line), n_sources=4).n_intransitive == (0, 1)


@settings(max_examples=60)
@given(
    choices=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0])), max_size=30),
    has_position=st.booleans(),
)
def test_mirrored_sides_give_same_strengths_or_reasons(choices: list[Choice], *, has_position: bool) -> None:
    there = _of(choices, 4, has_position=has_position)
    back = _of([(right, left, 1 - won) for left, right, won in choices], 4, has_position=has_position)
    for one, other in zip(there.strengths, back.strengths, strict=True):
        assert one.reason == other.reason
        if one.estimate is not None:
            assert other.estimate == pytest.approx(one.estimate, abs=1e-6)
    if there.position and back.position and there.position.estimate is not None:
        assert back.position.estimate == pytest.approx(-there.position.estimate, abs=1e-6)
