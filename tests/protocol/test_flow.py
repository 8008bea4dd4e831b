"""The flow of a rating session: its steps, and the contents of each."""

import re

import pytest
from pydantic import ValidationError

from app.protocol.flow import Flow
from app.protocol.study import Protocol
from tests.kit.protocols import protocol

WHOLE = {
    "consent": {"version": "1", "text": "You may stop at any time."},
    "eligibility": {"accept": {"adult": "yes"}},
    "before": [{"questions": ["mood"]}],
    "practice": {"trials": [{"item": "p1", "expect": {"warm": [2, 3]}, "feedback": "This one is warm."}]},
    "revisit": ["who", "sure"],
    "debrief": {"text": "Thank you."},
}


def test_expected_answers_are_text_as_in_ratings_csv() -> None:
    practice = Flow.model_validate(WHOLE).practice
    assert practice
    assert practice.trials[0].expect == {"warm": ("2", "3")}


@pytest.mark.parametrize(
    ("flow", "words"),
    [
        ({"consent": {"version": "", "text": "x"}}, "at least 1 character"),
        ({"eligibility": {"accept": {}}}, "at least 1 item"),
        ({"eligibility": {"accept": {"warm": "3"}}}, "questions about the rater (mood or adult), found warm"),
        ({"before": [{"questions": ["mood"]}], "after": [{"questions": ["mood"]}]}, "once, found mood more than once"),
        ({"before": [{"questions": ["nothing"]}]}, "found nothing"),
        ({"before": [{"questions": ["mood"], "pools": ["crowd"]}]}, "pools from design.pools (none), found crowd"),
        ({"revisit": ["mood"]}, "about a response or an item (warm, who or sure), found mood"),
        (
            {"practice": {"trials": [{"item": "p", "expect": {"cold": 1}}]}},
            "flow.practice must name questions (warm, who, sure, mood or adult), found cold",
        ),
        ({"practice": {"trials": [{"item": "p"}], "pass_share": 2}}, "less than or equal to 1"),
        ({"exposure_cap": 0}, "greater than or equal to 1"),
    ],
)
def test_invalid_flow_is_rejected_with_message(flow: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(words)):
        protocol(flow=flow)


def test_complete_flow_is_valid() -> None:
    assert isinstance(protocol(flow=WHOLE), Protocol)
