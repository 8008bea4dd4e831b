"""A judge is asked for the points of each response, and its answer is checked like a rater's."""

import json
from typing import Any

import pytest
from sqlalchemy import Connection

from app.llm.client.answers import UnparsedError
from app.llm.judges.judge_pages import JudgePage, answers_of, judged_study, planned_requests
from app.llm.judges.judge_settings import JudgeSettings
from tests.kit.builder import build_study, protocol_of

SHARES: dict[str, Any] = {"key": "shares", "type": "allocation", "text": "Share the points."}
THREE = {"person": {"kind": "human"}, "one": {"kind": "model"}, "two": {"kind": "model"}}


@pytest.fixture(name="page")
def _page(db: Connection) -> JudgePage:
    study = judged_study(db, build_study(db, protocol_of(questions=[SHARES], sources=THREE), n_items=1), 1)
    (request,) = planned_requests(db, study, JudgeSettings())
    return study.page(db, request)


def reply(page: JudgePage, *points: object) -> str:
    return json.dumps({one.asked.name: number for one, number in zip(page.questions, points, strict=True)})


def test_points_are_read_from_the_fields_of_the_reply(page: JudgePage) -> None:
    assert [one.asked.about for one in page.questions] == [
        f"question 1: points of Response {letter}, 100 in all" for letter in "ABC"
    ]
    (answer,) = answers_of(page.sheet, page.questions, reply(page, 60, "15", 25.0), page.view.response_ids)
    assert answer.by_response == tuple(zip(page.view.response_ids, (60, 15, 25), strict=True))


def test_points_that_do_not_add_up_are_no_answer(page: JudgePage) -> None:
    with pytest.raises(UnparsedError, match=r"The field q1_A: The points must add up to 100\. Yours add up to 95\."):
        answers_of(page.sheet, page.questions, reply(page, 60, 15, 20), page.view.response_ids)
