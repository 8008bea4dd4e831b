import numpy as np
import pytest

from app.stats.arrays import Floats, Ints
from app.stats.linear.slopes import NOT_ALL_TURNS, turn_slope, turn_slope_difference, whole_on_turns
from app.stats.mixed.random_slopes import mixed_contrast
from tests.stats.sleepstudy import day, reaction, subject


def _dialogues(n_dialogues: int, n_raters: int, n_turns: int, noise: float = 1.0) -> tuple[Floats, Ints, Ints, Ints]:
    rng = np.random.default_rng(8)
    dialogue, rater, turn = (axis.ravel() for axis in np.indices((n_dialogues, n_raters, n_turns)))
    slope = 0.3 + rng.normal(0, 0.2, n_dialogues)[dialogue] + rng.normal(0, 0.2, n_raters)[rater]
    level = rng.normal(size=n_dialogues)[dialogue] + rng.normal(size=n_raters)[rater]
    return level + slope * turn + noise * rng.normal(size=len(turn)), turn, dialogue, rater


def test_sleepstudy_slope_matches_lmertest() -> None:
    """Reaction ~ Days + (Days | Subject): 10.46729, SE 1.54579, df 17.0 (lme4 1.1.31, lmerTest 3.1.3)."""
    result = turn_slope(reaction, day, dialogue=subject, rater=subject)
    assert (result.estimate, result.standard_error, result.df) == pytest.approx((10.46729, 1.54579, 17), abs=1e-5)


def test_complete_dialogue_slope_is_mean_of_dialogue_lines() -> None:
    value, turn, dialogue, rater = _dialogues(8, 5, 4)
    result = turn_slope(value, turn.astype(float), dialogue=dialogue, rater=rater)
    lines = [np.polyfit(np.arange(4), value[(dialogue == d) & (rater == r)], 1)[0] for d in range(8) for r in range(5)]
    assert result.estimate == pytest.approx(np.mean(lines))
    assert result.interval
    assert (result.n_items, result.n_raters, result.n_ratings) == (8, 5, 160)


def test_slope_difference_is_difference_between_sources() -> None:
    value, turn, dialogue, rater = _dialogues(8, 5, 4)
    treated = dialogue % 2 == 0
    result = turn_slope_difference(value, turn.astype(float), treated, dialogue=dialogue, rater=rater)
    sides = [
        turn_slope(value[s], turn[s].astype(float), dialogue=dialogue[s], rater=rater[s]) for s in (treated, ~treated)
    ]
    assert result.estimate == pytest.approx((sides[0].estimate or 0) - (sides[1].estimate or 0))
    assert result.interval


def test_slope_difference_requires_both_sources() -> None:
    value, turn, dialogue, rater = _dialogues(2, 2, 2)
    result = turn_slope_difference(value, turn.astype(float), dialogue < 9, dialogue=dialogue, rater=rater)
    assert (result.reason, result.note) == ("no_pairable_units", "There are no ratings of the reference.")


def test_only_last_turn_predicts_overall_rating() -> None:
    rng = np.random.default_rng(2)
    dialogue, rater = (axis.ravel() for axis in np.indices((10, 6)))
    turns = rng.normal(size=(60, 3))
    turns[0, 1] = np.nan
    whole = 2 * turns[:, 2] + 0.1 * rng.normal(size=60)
    first, second, last = whole_on_turns(whole, turns, dialogue=dialogue, rater=rater)
    assert last.estimate == pytest.approx(2, abs=0.1)
    assert last.n_ratings == 59
    for other in (first, second):
        assert other.estimate == pytest.approx(0, abs=0.1)


def test_weights_of_turns_that_nobody_rated_all_say_so() -> None:
    """Of two who wrote with each other, each rates the own turns; the reason was that there are no ratings."""
    own = np.array([[1.0, np.nan], [np.nan, 2.0], [3.0, np.nan], [np.nan, 4.0]])
    pair, rater = np.array([0, 0, 1, 1]), np.arange(4)
    found = whole_on_turns(np.array([1.0, 2.0, 3.0, 4.0]), own, dialogue=pair, rater=rater)
    assert [(one.reason, one.note) for one in found] == 2 * [("no_pairable_units", NOT_ALL_TURNS)]


@pytest.mark.parametrize(
    ("value", "turn", "dialogue", "rater", "reason", "interval_reason"),
    [
        ([], [], [], [], "no_pairable_units", None),
        ([1, 2], [1, 1], [0, 1], [0, 1], "singular", None),
        ([1, 2, 3], [1, 2, 3], [0, 0, 0], [0, 1, 1], None, "no_variation"),
        ([1, 2, 1, 4, 2], [1, 2, 3, 1, 2], [0, 0, 0, 0, 0], [0, 0, 0, 1, 1], None, "one_cluster"),
        ([2, 2, 2, 2], [1, 2, 1, 2], [0, 0, 1, 1], [0, 0, 1, 1], None, "no_variation"),
    ],
)
def test_undefined_turn_slope_reports_a_reason(  # the columns of the parameter table
    value: list[float],
    turn: list[float],
    dialogue: list[int],
    rater: list[int],
    reason: str | None,
    interval_reason: str | None,
) -> None:
    number, place = np.array(value, float), np.array(turn, float)
    result = turn_slope(number, place, dialogue=np.array(dialogue), rater=np.array(rater))
    assert (result.reason, result.interval_reason) == (reason, interval_reason)


def test_verbagg_between_item_factor_matches_lmertest() -> None:
    """VerbAgg of lme4: resp ~ mode + (1 | id) + (1 | item): -.18170, SE .12412, df 22.0.

    316 people answered 24 items with no, perhaps or yes (1, 2, 3). The test is between items, so it does not matter
    which person gave which answer, and the data below are only counts of each answer.
    """
    counts = {
        "want": "95 130,86 104,99 63,112 137,93 105,84 74,120 68,90 28,63 13,127 91,88 49,64 35",
        "do": "108 117,97 83,68 40,97 110,92 62,53 25,108 37,61 16,25 4,117 81,91 44,43 14",
    }
    value, mode, item = [], [], []
    for name, cells in counts.items():
        for k, cell in enumerate(cells.split(",")):
            perhaps, yes = (int(count) for count in cell.split())
            value += [3.0] * yes + [2.0] * perhaps + [1.0] * (316 - yes - perhaps)
            mode += [name == "do"] * 316
            item += [f"{name} {k}"] * 316
    columns = np.column_stack([np.ones(len(value)), np.array(mode) - 0.5])
    person = np.tile(np.arange(316), 24)
    contrast = np.array([0.0, 1.0])
    result = mixed_contrast(np.array(value), columns, contrast, item=np.array(item), rater=person, has_slopes=False)
    assert (result.estimate, result.standard_error) == pytest.approx((-0.18170, 0.12412), abs=1e-5)
    assert result.df == pytest.approx(22, abs=1e-3)
