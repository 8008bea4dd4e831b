"""How far the primary differences vary, in the records of a report."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from app.analysis.data.frames import Frames
from app.analysis.estimate import Estimate
from app.analysis.report.computed_report import report_of
from app.analysis.report.report import Report
from app.protocol.labels import Labels
from app.results.pages.sections.part_tables import blocks_of
from app.results.pages.sections.parts import parts_of
from tests.kit.frames import CHOICE, FIVE, Row, frames, protocol

STUDY = protocol(FIVE, CHOICE, analysis={"primary": ["empathy", "preference"]})
# of each item, how much more the model is rated, and how many of the eight raters choose it
LIFTS = {f"i{n:02}": lift for n, lift in enumerate([2, 2, 2, 2, 1, 1, 1, 0, 0, -1, -1, -2])}


def _rows() -> list[Row]:
    draw = np.random.default_rng(5)
    found: list[Row] = []
    for n in range(8):
        for item, lift in LIFTS.items():
            me = {"rater": f"r{n}", "item": item}
            for source, more in (("human", 0), ("model", lift)):
                value = int(np.clip(draw.integers(2, 5) + more, 1, 5))
                found.append({**me, "response": f"{item}:{source}", "question": "empathy", "value": value})
            winner = "model" if n < 4 + 2 * lift else "human"
            found.append({**me, "question": "preference", "value": winner})
    return found


@cache
def report() -> Report:
    data: Frames = frames(STUDY, _rows())
    return report_of(data, STUDY, full=False)


PAIR = {"source": "model", "reference": "human"}


def one(statistic: str) -> Estimate:
    (found,) = (each for each in report().estimates if each.statistic == statistic)
    assert found.scope == PAIR
    return found


@pytest.mark.parametrize(
    ("statistic", "like", "inference"),
    [
        ("difference_new_item", "mean_difference", "items"),
        ("difference_new_rater", "mean_difference", "raters"),
        ("share_new_item", "share_preferred", "items"),
        ("share_new_rater", "share_preferred", "raters"),
    ],
)
def test_prediction_interval_is_wider_than_the_confidence_interval(statistic: str, like: str, inference: str) -> None:
    found = one(statistic)
    mean = next(each for each in report().estimates if each.statistic == like and each.scope == PAIR)
    assert (found.role, found.inference, found.procedure) == ("descriptive", inference, "prediction_distribution")
    assert found.estimate == pytest.approx(mean.estimate, abs=0.02)
    if inference == "items":
        assert found.ci_low is not None
        assert found.ci_low < (mean.ci_low or 0) < (mean.ci_high or 0) < (found.ci_high or 0)


def test_items_with_the_most_and_the_least_effect_are_those_of_the_data() -> None:
    for statistic, question in (("item_difference", "empathy"), ("item_share", "preference")):
        found = [each for each in report().estimates if each.statistic == statistic]
        values = [each.estimate or 0.0 for each in found]
        assert values == sorted(values, reverse=True)
        assert len(found) == 10
        lifts = [LIFTS[each.scope["subgroup"]["item"]] for each in found]
        assert min(lifts[:5]) >= max(lifts[5:])
        assert {each.question for each in found} == {question}
    last = found[-1]
    assert (last.note, last.n_ratings, last.n_items) == ("8 choices; not shrunk: 0.0%", 8, 1)
    assert 0 < values[-1] < values[0] < 1


def test_page_of_items_shows_how_far_the_differences_vary() -> None:
    part = parts_of(report().estimates, STUDY)["items"]
    block = next(iter(blocks_of("items", part.estimates, Labels())))
    assert block.table.header[2:5] == ("On a new item", "For a new rater", "Items with the opposite sign")
    assert {row[0] for row in block.table.rows} == {"Empathy", "Preference"}


def test_few_items_are_too_few_to_tell() -> None:
    few = [row for row in _rows() if row["item"] in list(LIFTS)[:4]]
    found = {each.statistic: each for each in report_of(frames(STUDY, few), STUDY, full=False).estimates}
    assert found["difference_new_item"].reason == "too_few"
    assert "item_difference" not in found


def test_page_says_why_a_prediction_interval_is_not_shown() -> None:
    variation = next(one for one in blocks_of("items", report().estimates, Labels()) if "prediction" in one.caption)
    assert not any("No interval" in note for note in variation.notes)
    without = [
        replace(one, ci_low=None, ci_high=None, ci_reason="too_few") if one.statistic == "difference_new_item" else one
        for one in report().estimates
    ]
    found = next(one for one in blocks_of("items", without, Labels()) if "prediction" in one.caption)
    assert [note for note in found.notes if "No interval (1): the prediction interval would include" in note]
