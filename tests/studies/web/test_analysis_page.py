"""The page of the analysis saves by itself: fields that name a score are drawn anew when its key has changed."""

from html import unescape

from sqlalchemy import Connection
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.lead_studies import study_of
from tests.rating.lead.test_question_editor import document, form_on

ANALYSIS = "/studies/small/design/analysis"


def test_a_score_is_added_named_and_compared(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead, questions=[PREFERENCE, EMPATHY, EMPATHY | {"key": "warmth", "text": "How warm?"}])
    for path in ("composites", "primary"):
        client.post(ANALYSIS, data=form_on(client, ANALYSIS) | {"do": [f"add analysis.{path}"]})
    client.post(ANALYSIS, data=form_on(client, ANALYSIS) | {"analysis.primary.0.question": ["score"]})
    assert document(db)["analysis"]["primary"][0]["question"] == "score"

    named = form_on(client, ANALYSIS) | {"analysis.composites.0.label": ["Kindness"]}
    page = unescape(client.post(ANALYSIS, data=named, headers={"hx-request": "true"}).text)
    assert document(db)["analysis"]["primary"][0]["question"] == "kindness"
    assert list(document(db)["analysis"]["composites"]) == ["kindness"]
    assert "outerHTML:[id='analysis.primary.0']" in page
    assert "analysis.composites.0:key" not in named
