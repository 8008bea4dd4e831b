"""Estimates do not depend on the names or the order of raters and items, nor on the side of a response."""

import math
from collections.abc import Callable

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from app.analysis import analyze
from app.analysis.report.report import Report
from tests.kit.examples import examples
from tests.kit.frames import CHOICE, FIVE, Row, first, frames, protocol

Numbers = dict[str, list[float | None]]

# tolerance for iterative fits that start at different values
CLOSE = 1e-4
# odds beyond HUGE or 1 / HUGE may differ by FLAT of their logarithm
HUGE, FLAT = 1e3, 0.01
SIDED: dict[str, Callable[[float], float]] = {"first_side_share": lambda x: 1 - x, "position_effect": lambda x: -x}


@st.composite
def _studies(draw: st.DrawFn) -> list[Row]:
    """Draw up to five raters and five items: ratings of two sources, and choices between them with their sides."""
    rows: list[Row] = []
    for r in range(draw(st.integers(2, 5))):
        for i in range(draw(st.integers(2, 5))):
            at = {"rater": f"r{r}", "item": f"i{i}"}
            for source in ("human", "model"):
                value = draw(st.sampled_from([1, 2, 3, 4, 5, None]))
                if value is not None:
                    rows.append({**at, "response": f"i{i}:{source}", "question": "empathy", "value": value})
            left, right = draw(st.permutations([f"i{i}:human", f"i{i}:model"]))
            vote = {"question": "preference", "value": draw(st.sampled_from(["human", "model", "tie"]))}
            rows.append({**at, **vote, "left_response": left, "right_response": right})
    return rows


def _report(rows: list[Row]) -> Report:
    study = protocol(FIVE, {**CHOICE, "tie": True}, analysis={"cut": {"empathy": 4}})
    return analyze(frames(study, rows), study)


def _numbers(report: Report) -> Numbers:
    """Return estimate, error and p of each estimate that names no rater or item and involves no random draws."""
    found: Numbers = {}
    for f in report.estimates:
        if not {"raters", "subgroup"} & f.scope.keys() and not f.method.startswith(("bootstrap", "pigeonhole")):
            key = f"{f.section} {f.measured} {f.scope} {f.statistic} {f.unit} {f.method} {f.n_ratings}"
            found[key] = [f.estimate, f.ci_low, f.ci_high]
    return found


def _renamed(rows: list[Row], name: Callable[[str], str]) -> list[Row]:
    """Return the study with other names for raters and items, in another order."""
    keys = ("response", "left_response", "right_response")
    found = []
    for row in reversed(rows):
        item = name(row["item"])
        named = {key: f"{item}:{row[key].partition(':')[2]}" for key in keys if key in row}
        found.append({**row, **named, "item": item, "rater": name(row["rater"])})
    return found


def _same(one: Numbers, other: Numbers) -> None:
    assert set(one) == set(other)
    for key, numbers in one.items():
        is_flat = _is_flat(key, numbers)
        for before, after in zip(numbers, other[key], strict=True):
            assert (before is None) == (after is None), key
            if before is None or after is None:
                continue
            if is_flat:
                assert math.log(after) == pytest.approx(math.log(before), abs=FLAT), key
            else:
                assert after == pytest.approx(before, rel=CLOSE, abs=CLOSE), key


def _is_flat(key: str, numbers: list[float | None]) -> bool:
    """Return whether these are huge odds of the mixed model, where the likelihood hardly changes with the odds."""
    return "odds_preferred_glmm" in key and numbers[0] is not None and not 1 / HUGE < numbers[0] < HUGE


@given(_studies())
@settings(max_examples=examples(4), deadline=None, phases=[Phase.explicit, Phase.generate])  # slow to shrink
def test_estimates_ignore_rater_and_item_names(rows: list[Row]) -> None:
    renamed = _renamed(rows, lambda key: f"{key[0]}{9 - int(key[1:])} z")
    _same(_numbers(_report(rows)), _numbers(_report(renamed)))


@given(_studies())
@settings(max_examples=examples(4), deadline=None, phases=[Phase.explicit, Phase.generate])  # slow to shrink
def test_swapping_sides_changes_only_side_estimates(rows: list[Row]) -> None:
    swapped = [
        {**row, "left_response": row["right_response"], "right_response": row["left_response"]}
        if "left_response" in row
        else row
        for row in rows
    ]
    before, after = _report(rows), _report(swapped)
    of_sides = [key for key in _numbers(before) if any(name in key for name in (*SIDED, "'side'"))]
    kept = [{key: value for key, value in _numbers(one).items() if key not in of_sides} for one in (before, after)]
    _same(*kept)
    for statistic, turned in SIDED.items():
        one, other = (first(report, statistic) for report in (before, after))
        assert one.reason == other.reason
        if one.estimate is not None:
            assert other.estimate == pytest.approx(turned(one.estimate), abs=CLOSE)
