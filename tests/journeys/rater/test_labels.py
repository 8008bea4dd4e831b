"""A study with conditions between raters: each rater sees the labels of one condition, then the debriefing."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from tests.journeys.rater_steps import open_a_study
from tests.kit.builder import EMPATHY
from tests.kit.database import rows

pytestmark = pytest.mark.browser
N_ITEMS, N_RATERS = 2, 4
TRUTH = {"person": "Written by a person", "model": "Written by an AI"}
FLOW = {
    "consent": {"version": "1", "text": "You read replies."},
    "debrief": {"text": "For half of you the labels were swapped.", "show_sources": True},
}


def go_through(page: Page, who: str) -> list[tuple[str, str]]:
    """Complete the study; return the text and the label of every rated reply."""
    page.goto(f"/s/study?participant={who}")
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Begin").click()
    seen = []
    for n in range(1, 2 * N_ITEMS + 1):
        expect(page.locator("h1")).to_have_text(f"Item {n} of {2 * N_ITEMS}")
        seen.append((page.locator(".response .verbatim").inner_text(), page.locator(".shown-label").inner_text()))
        page.locator("#q0r0-4").check()
        page.locator("#next").click()
    expect(page.locator("h1")).to_have_text("What this study was about")
    return seen


def test_conditions_show_their_labels_and_debriefing_the_truth(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    open_a_study(
        engine,
        n_items=N_ITEMS,
        questions=[EMPATHY],
        flow=FLOW,
        conditions={"label": {"kind": "shown_label", "levels": ["true", "swapped"], "assign": "between"}},
        design={"trials": "single", "raters_per_trial": 2},
    )
    for number in range(N_RATERS):
        page = new_context().new_page()
        seen = go_through(page, f"rater-{number}")
        told = page.locator("main li").all_inner_texts()
        assert len(told) == 2 * N_ITEMS
        shown = rows(
            engine,
            """
            SELECT p.text, r.shown_label, r.condition, s.key FROM ratings r JOIN raters x ON x.id = r.rater_id
            JOIN responses p ON p.id = r.response_id JOIN sources s ON s.id = p.source_id
            WHERE r.rater_id = (SELECT max(id) FROM raters) ORDER BY r.position
        """,
        )
        assert [row[:2] for row in shown] == seen
        (condition,) = {row[2] for row in shown}
        for text, label, _, source in shown:
            assert (label == TRUTH[source]) == (condition == "label=true")
            assert any(text in words and TRUTH[source] in words for words in told)
        page.get_by_role("button", name="Finish").click()
        expect(page.locator("#completion-code")).to_have_text("C0DE42")
    finished = rows(engine, "SELECT condition, count(*) FROM rating_sessions WHERE state = 'finished' GROUP BY 1")
    assert sorted(finished) == [("label=swapped", 2), ("label=true", 2)]
    each = "SELECT DISTINCT count(*) FROM ratings GROUP BY response_id, condition"
    assert rows(engine, each) == [(2,)]
