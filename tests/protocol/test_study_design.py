"""The design of a study: pools, blocks, repeats."""

import pytest
from pydantic import ValidationError

from app.protocol.study_design import Design


def test_pool_overrides_design_numbers() -> None:
    design = Design.model_validate(
        {"raters_per_trial": 3, "trials_per_rater": 10, "pools": {"expert": {"raters_per_trial": 2}, "crowd": {}}}
    )
    assert [design.raters_of(pool) for pool in ("expert", "crowd", None)] == [2, 3, 3]
    assert [design.trials_of(pool) for pool in ("expert", None)] == [10, 10]
    assert Design().trials_of("expert") is None


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"open_pool": "crowd"}, "one of design.pools, found crowd"),
        ({"pools": {"recipient": {"items": "own"}}, "open_pool": "recipient"}, "no items of their own"),
        ({"repeats": {"n": 5}, "trials_per_rater": 4}, "at most design.trials_per_rater, found 5"),
        ({"human_sample": {"share": 0.4, "grows_to": 0.4}}, "grows_to must be larger than share"),
        ({"blocks": {}}, "either a size or a column"),
        ({"blocks": {"size": 5, "column": "topic"}}, "either a size or a column"),
    ],
)
def test_invalid_design_is_rejected_with_message(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Design.model_validate(wrong)


def test_open_pool_conflicts_with_personal_links() -> None:
    design = {"pools": {"crowd": {}}, "open_pool": "crowd", "links": "personal"}
    with pytest.raises(ValueError, match=r"must not be set with design\.links: personal"):
        Design.model_validate(design)
