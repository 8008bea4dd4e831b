"""A judge can answer the pages of every template: all kinds of question, all conditions, turn by turn."""

import json
from typing import Any

import pytest
from sqlalchemy import Connection, text

from app.llm.client.asked import answer_format, schema_of
from app.llm.judges.judge_pages import JudgePage, PageQuestion, answers_of, judged_study, planned_requests
from app.llm.judges.judge_settings import JudgeSettings
from app.llm.judges.judging import record_judgement
from app.llm.runs.requests import list_open, record_plan
from app.llm.runs.runs import NewRun, record_judge, record_run
from app.protocol.questions.slider import SliderQuestion
from app.studies.folder.study_templates import list_templates
from app.studies.load import load_study
from tests.kit.templates import template_study


def answer_to(page: JudgePage, one: PageQuestion, number: int) -> Any:  # noqa: ANN401 - a value of JSON
    """A valid answer to one field; rankings need a different rank for each response."""
    asked = one.asked
    field = next(field for field in page.sheet.fields if field.name == one.form_name.partition(".")[0])
    if asked.kind == "number":
        assert isinstance(field.question, SliderQuestion)
        return field.question.values[0]
    if asked.kind == "text":
        return "Some words about it. " * 20
    if asked.kind == "passages":
        return [" ".join(field.slot.passages[0].split()[:2])]
    if field.slot.shown:
        return asked.allowed[number]
    return [asked.allowed[0]] if asked.kind == "several_of" else asked.allowed[0]


def answered(page: JudgePage) -> str:
    """The answer of a model to a page."""
    n_ranked = 0
    found = {}
    for one in page.questions:
        found[one.asked.name] = answer_to(page, one, n_ranked)
        n_ranked += "." in one.form_name and not one.form_name.endswith(".strength")
    return json.dumps(found)


# Of what raters write, there is nothing to judge before they did.
WRITTEN = {"empathic-dyads", "suggestions", "venting"}


def test_raters_write_in_the_templates_that_are_left_out() -> None:
    assert all(template_study(name).protocol.writing for name in WRITTEN)


@pytest.mark.parametrize("name", [one.name for one in list_templates() if one.name not in WRITTEN])
def test_the_answers_to_every_page_are_stored(db: Connection, name: str) -> None:
    study_id = load_study(db, template_study(name))
    study = judged_study(db, study_id, 1)
    rater = record_judge(db, study_id, "judge", {})
    run = record_run(db, study_id, NewRun("judge", "judge", 1, rater, "http://127.0.0.1", "model", {}))
    planned = planned_requests(db, study, JudgeSettings())
    record_plan(db, run, planned)
    requests = list_open(db, run)
    assert len(requests) == len(planned) > 0
    rows: set[tuple[object, ...]] = set()
    for request in requests[:40]:
        page = study.page(db, request)
        names = [one.asked.name for one in page.questions]
        assert len(set(names)) == len(names)
        asked = [one.asked for one in page.questions]
        assert all(f'"{one}": ' in answer_format(asked) for one in schema_of(asked)["properties"])
        answers = answers_of(page.sheet, page.questions, answered(page), page.view.response_ids)
        assert {answer.slot.name for answer in answers} == {field.name for field in page.sheet.fields}
        record_judgement(db, page.view, rater, request.id, answers)
        shown = (request.item_id, request.condition, request.repeat)
        pair = frozenset(request.response_ids) if len(request.response_ids) == 2 else None
        rows |= {
            (*shown, pair, answer.slot.question.key, answer.slot.turn, response)
            for answer in answers
            for response, _ in answer.slot.question.rows(answer, answer.slot.response_id)
        }
    stored = db.execute(text("SELECT count(*) FROM ratings WHERE rater_id = :rater"), {"rater": rater}).scalar_one()
    assert stored == len(rows) > 0
