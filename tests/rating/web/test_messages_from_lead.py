"""Messages of a lead: read before the next page, confirmed, and part of the rater's copy of the data."""

from collections.abc import Callable

import pytest
from sqlalchemy import Connection, Engine

from app.accounts.lead_access import add_lead
from app.accounts.leads import Lead
from app.rating.sessions import get_rating_session
from app.rating.steps.messages import MessageError, list_sent, send_message
from app.rating.withdrawal.rater_data import get_rater_data
from app.rating.withdrawal.withdraw import withdraw
from app.studies.audit import list_acts
from app.studies.studies import StudyRow, get_study
from tests.kit.rater_pages import Visitor, heading

HEADING = "Message from the researchers"


def study_and_lead(db: Connection) -> tuple[StudyRow, Lead]:
    study = get_study(db, "study")
    assert study
    return study, add_lead(db, "lead@example.org")


def test_message_is_read_before_the_next_page(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = study(n_items=2)
    anna, ben = visitor(), visitor()
    page = anna.begin("anna")
    ben.begin("ben")
    with engine.begin() as db:
        row, lead = study_and_lead(db)
        assert send_message(db, row, lead, "Item 2 is <b>repaired</b>.\nThank you.") == 2
    message = anna.rate(page)
    assert (heading(message), message.url.path) == (HEADING, "/s/study/messages")
    assert "Item 2 is &lt;b&gt;repaired&lt;/b&gt;." in message.text
    assert heading(anna.get("/s/study/rate")) == HEADING
    last = message.text.partition('name="last" value="')[2].partition('"')[0]
    assert heading(anna.post("/s/study/messages", data={"last": "x"})) == HEADING
    assert heading(anna.post("/s/study/messages", data={"last": last})).startswith("Item 2")
    assert heading(anna.get("/s/study/messages")).startswith("Item 2")
    with engine.begin() as db:
        (sent,) = list_sent(db, study_id, 10)
        assert (sent.n_raters, sent.n_read, sent.rater) == (2, 1, None)
        act = list_acts(db, study_id)[0]
        assert (act.action, act.detail) == ("message to raters sent", {"rater": "", "n_raters": 2})
        token = anna.cookies["attune-rater-study"]
        session = get_rating_session(db, "study", token)
        assert session
        assert len(get_rater_data(db, study_id, session.rater_id)["rater_messages"]) == 1
        withdraw(db, session, is_deletion=True)
        assert [one.n_raters for one in list_sent(db, study_id, 10)] == [1]


@pytest.mark.parametrize(
    ("words", "rater", "problem"),
    [
        (" ", "", "characters of plain text"),
        ("x" * 2001, "", "characters of plain text"),
        ("a\x07", "", "characters of plain text"),
        ("The replies of Model are repaired.", "", "names model"),
        ("Hello", "r-nobody", "r-nobody has an open session"),
        ("Hello", "", "No rater has an open session"),
    ],
    ids=["empty", "long", "control character", "names a source", "unknown rater", "nobody there"],
)
def test_impossible_message_is_explained(
    engine: Engine, study: Callable[..., int], words: str, rater: str, problem: str
) -> None:
    study()
    with engine.begin() as db:
        row, lead = study_and_lead(db)
        with pytest.raises(MessageError, match=problem):
            send_message(db, row, lead, words, rater=rater)
