"""Problems with items that raters report: stored with their item, listed for the lead, deleted with the answers."""

import re
from collections.abc import Callable
from typing import Any

from sqlalchemy import Engine, text

from app.rating.sessions import get_rating_session
from app.rating.steps.reported_problems import list_problems_of_pages, list_reported_problems
from app.rating.withdrawal.withdraw import withdraw
from app.results.items.item_rows import Search, list_item_rows
from app.studies.export import study_rating_sessions
from tests.kit.builder import EMPATHY
from tests.kit.database import rows
from tests.kit.rater_pages import Visitor, form_address, heading


def report(anna: Visitor, page: Any, words: str, **headers: str) -> Any:  # noqa: ANN401 - httpx's response
    return anna.post(f"{form_address(page)}/problem", data={"problem": words}, headers=headers)


def test_report_is_kept_with_its_item_and_deleted_with_the_answers(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = study(n_items=2)
    anna = visitor()
    page = anna.begin()
    assert "Report a problem with this item" in page.text
    for _ in range(2):
        answer = report(anna, page, "Response <b>A</b>\r\nis empty. ")
        assert (answer.status_code, heading(answer)) == (200, "Report a problem with this item")
        assert "Your report was sent" in answer.text
    assert heading(anna.get("/s/study/rate")) == heading(page)
    served = "SELECT t.item_id FROM assignments a JOIN trials t ON t.id = a.trial_id WHERE a.state = 'leased'"
    (item,) = rows(engine, served)
    with engine.begin() as db:
        (one,) = list_reported_problems(db, study_id, item[0])
        assert one.text == "Response <b>A</b>\nis empty."
        listed, n = list_item_rows(db, study_id, Search(state="reported"), "", first=0, n=9)
        assert ([row.id for row in listed], listed[0].n_problems, n) == ([item[0]], 1, 1)
        assert list_item_rows(db, study_id, Search(), "", first=0, n=9)[1] == 2
        (exported,) = study_rating_sessions(db, study_id)["reported_problems"].to_dict("records")
        assert (exported["item"], exported["position"], exported["problem"]) == (listed[0].key, 1, one.text)
        session = get_rating_session(db, "study", anna.cookies["attune-rater-study"])
        assert session
        withdraw(db, session, is_deletion=True)
        assert list_reported_problems(db, study_id, item[0]) == []


def test_script_gets_the_form_alone(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study()
    anna = visitor()
    answer = report(anna, anna.begin(), "Empty", **{"HX-Request": "true"})
    assert answer.text.lstrip().startswith('<form class="report-form"')


def test_impossible_report_is_explained_and_kept(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    empty, long = report(anna, page, " \n"), report(anna, page, "x" * 1001)
    assert (empty.status_code, long.status_code) == (422, 422)
    assert "Please describe the problem" in empty.text
    assert "This text is too long: at most 1000 characters." in long.text
    assert "x" * 1001 in long.text
    assert "Your report was sent" in report(anna, page, "x" * 998 + "\r\n" + "y").text


def test_no_rater_sends_a_hundred_reports(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna, ben = visitor(), visitor()
    page = anna.begin()
    with engine.begin() as db:
        db.execute(
            text("""
                INSERT INTO reported_problems (study_id, rater_id, assignment_id, text)
                SELECT a.study_id, a.rater_id, a.id, 'no. ' || n FROM assignments a, generate_series(1, 19) AS n
                WHERE a.state = 'leased'
            """)
        )
    assert "Your report was sent" in report(anna, page, "the twentieth").text
    assert "No more reports can be sent: the researchers have received your 20." in report(anna, page, "one more").text
    assert rows(engine, "SELECT count(*) FROM reported_problems") == [(20,)]
    assert "Your report was sent" in report(ben, ben.begin("ben"), "mine").text


def test_problems_are_reported_on_pages_without_an_item(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    mood = {"key": "mood", "target": "rater", "type": "text", "text": "Mood?"}
    study_id = study(n_items=1, questions=[EMPATHY, mood], design={"trials": "single"}, instructions="Read.")
    anna = visitor()
    link = re.search(r'href="(/s/study/problem[^"]*)"', anna.arrive().text)
    assert link is not None
    assert link[1] == "/s/study/problem?page=start"
    form = anna.get(link[1]).text
    assert '<input type="hidden" name="page" value="start">' in form
    for page, words in (("start", "A link is broken"), ("start", "A link is broken"), ("questions", "Odd"), ("x", "?")):
        assert "Your report was sent" in anna.post("/s/study/problem", data={"page": page, "problem": words}).text
    assert anna.post("/s/study/problem", data={"page": "start", "problem": " "}).status_code == 422
    page = anna.begin().text
    assert ("/s/study/problem?" in page, page.count("Report a problem")) == (False, 1)
    with engine.begin() as db:
        found = [(one.text, one.place) for one in list_problems_of_pages(db, study_id)]
        assert found == [("?", "Another page"), ("Odd", "Questionnaire"), ("A link is broken", "Instructions")]
        exported = study_rating_sessions(db, study_id)["reported_problems"]
    assert list(exported["page"]) == ["start", "questions", "other"]
    assert exported["item"].isna().all()
