"""All estimates as groups by question."""

from collections.abc import Sequence

import pytest

from app.analysis import analyze
from app.analysis.estimate import Estimate
from app.protocol.labels import Labels
from app.results.pages.sections import estimate_tables as module
from app.results.pages.sections.estimate_tables import NO_QUESTION, NOT_ESTIMABLE, estimate_groups
from tests.kit.frames import CHOICE, FIVE, frames, protocol

SOURCES = {"human": {"kind": "human"}, "model": {"kind": "model"}}
STUDY = protocol(FIVE, CHOICE, sources=SOURCES)
ROWS = [
    {"rater": rater, "item": item, "response": f"{item}:{source}", "question": "empathy", "value": value}
    for value, (rater, item, source) in enumerate(
        [(rater, item, source) for rater in "abc" for item in ("i1", "i2") for source in SOURCES], start=1
    )
    if value < len("abcdef")
]


@pytest.fixture(scope="module")
def estimates() -> Sequence[Estimate]:
    return analyze(frames(STUDY, ROWS), STUDY).estimates


def test_every_estimate_is_in_one_group_and_the_not_estimable_come_last(estimates: Sequence[Estimate]) -> None:
    groups = estimate_groups(estimates, Labels(questions={"empathy": "Warmth"}))
    assert sum(group.n for group in groups) == len(estimates)
    assert [group.title for group in groups][-1] == NOT_ESTIMABLE
    assert {"Warmth"} <= {group.title for group in groups} <= {"Warmth", "Preference", NO_QUESTION, NOT_ESTIMABLE}
    assert not any(group.is_open for group in groups)


def test_question_without_room_keeps_its_address_and_a_single_group_is_open(
    estimates: Sequence[Estimate], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_ROWS", 3)
    known = [estimate for estimate in estimates if estimate.estimate is not None and estimate.question == "empathy"]
    first = estimate_groups([*known, *(f for f in estimates if f.estimate is None)], Labels())[0]
    assert (first.key, first.rows, first.n) == ("empathy", [], len(known))
    (alone,) = estimate_groups(known, Labels())
    assert alone.is_open
    assert len(alone.rows) == 3
