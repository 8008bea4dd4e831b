"""Declared looks: ascending shares that end at 1, with a planned number of ratings and one primary contrast."""

import pytest
from pydantic import ValidationError

from app.protocol.preregistration import Monitoring
from app.protocol.study import Protocol
from tests.kit.builder import protocol_of

LOOKS = {"looks": [0.5, 1], "n_ratings": 200}
EMPATHY = {"question": "empathy"}


@pytest.mark.parametrize("looks", [[0.5], [1, 0.5], [0.5, 0.5, 1]])
def test_looks_must_ascend_and_end_at_one(looks: list[float]) -> None:
    with pytest.raises(ValidationError, match="looks"):
        Monitoring.model_validate({"looks": looks, "n_ratings": 200})


def test_looks_require_planned_number_of_ratings() -> None:
    with pytest.raises(ValidationError, match="n_ratings"):
        Monitoring.model_validate({"looks": [0.5, 1]})


@pytest.mark.parametrize("primary", [[], [EMPATHY, {"question": "preference"}]])
def test_looks_require_single_primary_contrast(primary: list[dict[str, str]]) -> None:
    with pytest.raises(ValidationError, match=r"monitoring\.looks"):
        Protocol.model_validate(protocol_of(monitoring=LOOKS, analysis={"primary": primary}))


def test_looks_with_plan_and_contrast_are_accepted() -> None:
    protocol = Protocol.model_validate(protocol_of(monitoring=LOOKS, analysis={"primary": [EMPATHY]}))
    assert protocol.monitoring.looks == (0.5, 1)


@pytest.mark.parametrize(("share", "n", "due"), [(0.55, 100, 55), (0.5, 101, 51), (1 / 3, 9, 3), (0.3, 10, 3)])
def test_a_look_is_due_at_the_first_number_that_reaches_its_share(share: float, n: int, due: int) -> None:
    plan = Monitoring.model_validate({"looks": [share, 1], "n_ratings": n})
    assert plan.ratings_at_looks == (due, n)
