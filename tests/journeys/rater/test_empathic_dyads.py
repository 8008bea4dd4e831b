"""Two people write with each other, each says what they felt and what the other felt, and the results compare it."""

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from app.protocol.opening import placeholders
from app.rating.life_cycle import open_study
from app.studies.creation.read_new_study import read_template, store_study
from app.studies.protocols import get_protocol
from app.studies.studies import get_study
from tests.journeys.axe import LOOKS, LOOKS_OF_LEADS, check_in
from tests.journeys.lead_steps import a_lead, sign_in
from tests.journeys.rater.test_dyads import write
from tests.kit.database import rows

pytestmark = pytest.mark.browser
# What is felt at the five messages of each, and what the other infers of it, in two pairs.
FELT, INFERRED = (20, 70, 40, 90, 55), ((30, 60, 45, 80, 35), (25, 80, 35, 85, 60))
STORED = """
    SELECT a.question, p.turns -> (a.turn - 1) ->> 'by' = d.role, array_agg(DISTINCT CAST(a.number AS integer))
    FROM ratings a JOIN dyad_members d ON d.assignment_id = a.assignment_id JOIN responses p ON p.id = a.response_id
    WHERE a.turn IS NOT NULL GROUP BY 1, 2 ORDER BY 1
"""


def arrive(page: Page, who: str) -> None:
    page.goto(f"/s/ours?participant={who}")
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Begin").click()


def talk(first: Page, second: Page) -> None:
    """Five messages of each, in turn, until both are in front of the questions."""
    for number in range(5):
        for one, other, who in ((first, second, "first"), (second, first, "second")):
            words = f"Message {number + 1} of the {who}."
            write(one, words)
            expect(other.get_by_role("log")).to_contain_text(words)
    first.get_by_role("button", name="I am done: go on to the questions").click()
    second.get_by_role("button", name="Continue to the questions").click()


def rate(page: Page, own: range, partners: range, inferred: tuple[int, ...]) -> None:
    """Say what was felt at each own message, and infer it of the partner's."""
    for question, turns, values in (("q0", own, FELT), ("q1", partners, inferred)):
        fields = page.locator(f"input[name^='{question}r0t'][type=number]")
        expect(fields).to_have_count(len(turns))
        for turn, value in zip(turns, values, strict=True):
            page.locator(f"input[name='{question}r0t{turn}'][type=number]").fill(str(value))
    for question in ("q2", "q3"):
        page.locator(f"input[name='{question}r0'][value='4']").check(force=True)
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()


def test_two_who_talk_infer_each_others_feelings_and_the_results_say_how_closely(
    new_context: Callable[..., BrowserContext], engine: Engine
) -> None:
    lead = new_context().new_page()
    sign_in(lead, a_lead(engine))
    with engine.begin() as db:
        (lead_id,) = rows(engine, "SELECT id FROM leads")[0]
        store_study(db, read_template("empathic-dyads", "Ours", "ours"), lead_id)
        study = get_study(db, "ours")
        assert study
        open_study(db, "ours", [*placeholders(get_protocol(db, study.id, 1))])
    for number, inferred in enumerate(INFERRED):
        pages = [new_context().new_page() for _ in range(2)]
        for who, one in zip("ab", pages, strict=True):
            arrive(one, f"{who}{number}")
        for one in pages:
            one.wait_for_selector("#talk")
        first, second = pages if pages[0].get_by_text("Please begin.").first.is_visible() else pages[::-1]
        talk(first, second)
        if number == 0:
            check_in(LOOKS, first)
        rate(first, range(1, 11, 2), range(2, 11, 2), inferred)
        rate(second, range(2, 11, 2), range(1, 11, 2), inferred)
    said = sorted({value for one in INFERRED for value in one})
    assert rows(engine, STORED) == [("felt", True, sorted(FELT)), ("inferred", False, said)]
    lead.goto("/studies/ours/results")
    main = lead.locator("main")
    expect(main).to_contain_text("correlated with the targets", timeout=90_000)
    z = [np.arctanh(np.corrcoef(FELT, one)[0, 1]) for one in INFERRED]
    expect(main).to_contain_text(f"r = {np.tanh(np.mean(z)):.2f} on average")
    check_in(LOOKS_OF_LEADS, lead)
