import re

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.rating.life_cycle import open_study
from app.results.overview.progress import get_progress
from app.studies.audit import list_acts
from app.studies.coverage import get_coverage
from app.studies.load import load_study
from app.studies.studies import get_study
from tests.kit.lead_studies import rate, study_of
from tests.kit.templates import template_study


@pytest.fixture
def study_id(db: Connection, lead: Lead) -> int:
    made = study_of(db, lead)
    open_study(db, "small")
    return made


def test_coverage_counts_rating_sessions_and_simulated_raters(db: Connection, study_id: int) -> None:
    rate(db, study_id, rater="a")
    rate(db, study_id, rater="b", is_simulated=True)
    assert get_coverage(db, study_id).rating_sessions == (2, 1, 0, 1, 0, 0, 0, 0, 0, 0)


def test_rater_not_seen_recently_is_not_active(db: Connection, study_id: int) -> None:
    rate(db, study_id, rater="a")
    db.execute(text("UPDATE rating_sessions SET last_seen_at = now() - interval '3 minutes'"))
    assert get_coverage(db, study_id).rating_sessions.n_active == 0


def test_study_page_starts_with_progress(client: TestClient, db: Connection, study_id: int) -> None:
    assert ">Recruit raters</a>" in client.get("/studies/small").text
    rate(db, study_id, rater="a")
    page = client.get("/studies/small").text
    assert ">Recruit raters</a>" not in page
    assert "1 of 4 trials rated (25%)." in page
    assert "The situation of voicemail" in page


def test_study_page_shows_progress_over_time(client: TestClient, db: Connection, study_id: int) -> None:
    assert "chart-progress" not in client.get("/studies/small").text
    rate(db, study_id, rater="a")
    rate(db, study_id, rater="b")
    move = text("UPDATE assignments SET submitted_at = :at WHERE rater_id = :rater")
    raters = db.execute(text("SELECT rater_id FROM assignments ORDER BY rater_id")).scalars()
    for rater, day in zip(raters, ("03", "09"), strict=True):
        db.execute(move, {"rater": rater, "at": f"2026-05-{day}T10:00Z"})
    assert 'alt="2 of 4 trials rated from 3 to 9 May 2026.' in client.get("/studies/small").text
    drawn = client.get("/studies/small/drawings/progress.svg")
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert "cache-control" not in drawn.headers or "private, max-age" not in drawn.headers["cache-control"]
    assert (
        client.get("/studies/small/charts/progress.json").json()["description"].startswith("Progress over time. 2 of 4")
    )


def test_monitor_gets_the_chart_of_progress_and_no_links_that_refuse(
    client: TestClient, db: Connection, study_id: int
) -> None:
    """The chart said that the server may be busy, and tried again without end."""
    rate(db, study_id, rater="a")
    db.execute(text("UPDATE study_members SET role = 'monitor'"))
    page = client.get("/studies/small").text
    assert client.get("/studies/small/drawings/progress.svg").status_code == 200
    linked = {href.partition("?")[0] for href in re.findall(r'(?:href|src)="(/studies/small[^"#]*)', page)}
    assert "/studies/small/drawings/progress.svg" in linked
    assert {href: client.get(href).status_code for href in linked if client.get(href).status_code == 403} == {}


def test_draft_has_steps_and_with_ratings_tabs_but_never_both(client: TestClient, db: Connection, lead: Lead) -> None:
    made = study_of(db, lead, slug="draft")
    marks = ('aria-label="Steps to an open study"', 'class="tabs"')
    pages = ("", "/design", "/design/consent", "/items", "/raters")
    has = [[mark in client.get(f"/studies/draft{page}").text for mark in marks] for page in pages]
    assert has == [[True, False]] * len(pages)
    rate(db, made, rater="a", n_trials=0)
    db.execute(
        text(
            "INSERT INTO ratings (study_id, rater_id, question, item_id, outcome, chosen_response_id)"
            " SELECT :s, r.id, 'preference', p.item_id, 'response', p.id FROM raters r, responses p"
            " WHERE r.study_id = :s AND p.study_id = :s LIMIT 1"
        ),
        {"s": made},
    )
    has = [[mark in client.get(f"/studies/draft{page}").text for mark in marks] for page in pages]
    assert has == [[False, True]] * len(pages)
    design = client.get("/studies/draft/design").text
    assert "is-step" not in design
    assert ">Trials" in design


def test_progress_of_loaded_answers_counts_those_with_a_time(db: Connection, study_id: int) -> None:
    rate(db, study_id, rater="a")
    db.execute(text("DELETE FROM seats"))
    db.execute(text("UPDATE ratings SET rated_at = '2026-05-03T10:00Z'"))
    found = get_progress(db, study_id)
    assert (found.noun, found.goal, found.steps[-1].n_so_far) == ("answers", None, 1)


def test_each_shown_trial_is_accounted_for_once(db: Connection, study_id: int) -> None:
    for n, state in enumerate(["done", "done", "skipped", "returned", "leased"]):
        rate(db, study_id, rater=str(n), state=state)
    counted = get_coverage(db, study_id).reconciliation
    assert counted == (5, 2, 1, 1, 1, 0, 0)
    assert counted.n_unaccounted == 0


def test_done_trial_without_answer_is_lost(db: Connection, study_id: int) -> None:
    rate(db, study_id, rater="a", with_answer=False)
    assert get_coverage(db, study_id).reconciliation.n_lost == 1


def test_more_raters_than_seats_are_duplicated(db: Connection, study_id: int) -> None:
    for rater in "abc":
        rate(db, study_id, rater=rater)
    assert get_coverage(db, study_id).reconciliation.n_double == 1


def test_distribution_and_least_covered_trials_are_consistent(db: Connection, study_id: int) -> None:
    rate(db, study_id, rater="a")
    counted = get_coverage(db, study_id)
    assert counted.distribution == [(0, 1), (1, 1)]
    assert (counted.n_trials, counted.n_seats) == (2, 4)
    assert [trial.n_done for trial in counted.least] == [0, 1]
    least = counted.least[0]
    assert least.responses == [f"{least.item}:person", f"{least.item}:model"]


def test_trials_of_one_pair_are_told_apart_by_their_condition(client: TestClient, db: Connection, lead: Lead) -> None:
    """Each pair was there twice with the same words when raters read a label that is true or swapped."""
    label = {"kind": "shown_label", "levels": ["true", "swapped"], "assign": "within"}
    study_of(db, lead, slug="labels", conditions={"label": label}, flow={"debrief": {"text": "Some were swapped."}})
    open_study(db, "labels")
    page = client.get("/studies/labels").text
    for words in ("Label: true", "Label: swapped"):
        assert page.count(f'<span class="slug">{words}</span>') == 2


def test_page_reports_no_lost_or_duplicated_trials(client: TestClient, db: Connection, study_id: int) -> None:
    rate(db, study_id, rater="a")
    page = client.get("/studies/small").text
    assert "Shown 1 = answered 1 + skipped 0" in page
    assert "Data integrity check passed" in page


def test_coverage_fragment_matches_page(client: TestClient, db: Connection, study_id: int) -> None:
    rate(db, study_id, rater="a")
    page = client.get("/studies/small").text
    fragment = client.get("/studies/small/coverage", headers={"hx-request": "true"}).text
    numbers, swap, trials = fragment.partition(' hx-swap-oob="true"')
    assert swap
    opening = '<section id="trials"'
    numbers, _, start = numbers.partition(opening)
    assert numbers.strip() in page
    assert opening + start + trials.strip() in page
    assert 'hx-get="/studies/small/coverage"' in fragment


def test_trials_are_listed_only_while_seats_are_free(client: TestClient, db: Connection, study_id: int) -> None:
    rate(db, study_id, rater="a")
    db.execute(text("DELETE FROM seats WHERE trial_id NOT IN (SELECT trial_id FROM assignments)"))
    assert "Least covered trials" in client.get("/studies/small").text
    rate(db, study_id, rater="b")
    assert "Least covered trials" not in client.get("/studies/small").text


def test_fragment_address_without_htmx_redirects_to_page(client: TestClient, study_id: int) -> None:
    assert client.get("/studies/small/coverage").headers["location"] == "/studies/small"


def test_study_that_is_not_open_stops_polling(client: TestClient, study_id: int) -> None:
    client.post("/studies/small/status", data={"status": "paused"})
    assert "hx-trigger" not in client.get("/studies/small").text


def test_study_can_be_opened_paused_and_closed(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead)
    for status in ("open", "paused", "open", "closed"):
        assert client.post("/studies/small/status", data={"status": status}).status_code == 303
        assert db.execute(text("SELECT status FROM studies")).scalar_one() == status


def test_second_press_changes_and_logs_nothing(client: TestClient, db: Connection, lead: Lead) -> None:
    """The log said that the status changed from open to open, and a study was closed again at a later time."""
    study_id = study_of(db, lead)
    for status in ("open", "open", "closed", "closed"):
        assert client.post("/studies/small/status", data={"status": status}).status_code == 303
    changes = [act.detail for act in list_acts(db, study_id) if act.action == "status changed"]
    assert changes == [{"before": "open", "after": "closed"}, {"before": "draft", "after": "open"}]


def test_as_many_raters_are_asked_for_as_one_trial_needs(client: TestClient, db: Connection, lead: Lead) -> None:
    """One rater was asked for where each of two trials needed two."""
    study_of(db, lead, design={"trials_per_rater": 4})
    client.post("/studies/small/status", data={"status": "open"})
    assert "About 2 more raters needed." in client.get("/studies/small").text


def test_closed_study_asks_for_no_more_raters(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead, design={"trials_per_rater": 1})
    client.post("/studies/small/status", data={"status": "open"})
    assert "About 4 more raters needed." in client.get("/studies/small").text
    assert "Recruit raters" in client.get("/studies/small/raters").text
    client.post("/studies/small/status", data={"status": "closed"})
    page = client.get("/studies/small").text
    assert "0 of 4 trials rated (0%)." in page
    assert "more raters needed" not in page
    page = client.get("/studies/small/raters").text
    assert "No one rated in this study." in page
    assert "Recruit raters" not in page


def test_closing_says_whom_it_stops(client: TestClient, db: Connection, study_id: int) -> None:
    assert "rating now" not in client.get("/studies/small").text
    rate(db, study_id, rater="a")
    page = client.get("/studies/small").text
    assert "1 rater is rating now, and cannot go on. Submitted answers are kept." in page
    assert "You can reopen the study later." in page


def test_closing_says_if_it_is_final(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead, slug="hidden", monitoring={"blind_interim": True})
    open_study(db, "hidden")
    assert "Estimates become visible, so the study cannot be reopened." in client.get("/studies/hidden").text


def test_study_without_responses_cannot_be_opened(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead, item_keys=())
    answer = client.post("/studies/small/status", data={"status": "open"})
    assert answer.status_code == 400
    assert "has nothing to rate" in answer.text


def test_unknown_status_is_rejected(client: TestClient, study_id: int) -> None:
    assert client.post("/studies/small/status", data={"status": "deleted"}).status_code == 422


@pytest.mark.parametrize("key", ["<img src=x onerror=alert(1)>", "\u202eabc", "=HYPERLINK(1)"])
def test_hostile_item_id_is_escaped(client: TestClient, db: Connection, lead: Lead, key: str) -> None:
    study_of(db, lead, item_keys=(key,))
    client.post("/studies/small/status", data={"status": "open"})
    page = client.get("/studies/small").text
    assert "<img src=x" not in page
    assert f"<bdi>{key.replace('<', '&lt;').replace('>', '&gt;')}</bdi>" in page


@pytest.mark.parametrize(("language", "is_told"), [("fa", True), ("de", False)])
def test_missing_translation_is_announced_before_opening(
    client: TestClient, db: Connection, lead: Lead, language: str, *, is_told: bool
) -> None:
    study_of(db, lead, language=language)
    assert ("there is no translation for fa. Available: en, ar or de" in client.get("/studies/small").text) == is_told


def test_page_shows_design_requirements_and_obstacles(client: TestClient, db: Connection, lead: Lead) -> None:
    title = "A person and a model, by GPT"
    sources = {"person": {"kind": "human"}, "model": {"kind": "model", "family": "GPT"}}
    study_of(db, lead, title=title, sources=sources, flow={"exposure_cap": 1})
    page = client.get("/studies/small").text
    assert "This design needs at least" in page
    assert "rated 4 times in total" in page
    assert "Give raters another title" in page
    study_of(
        db,
        lead,
        slug="unmet",
        conditions={
            "told": {"kind": "instruction", "levels": {"a": "A", "b": "B"}, "assign": "between", "caps": {"a": 1}}
        },
    )
    assert "cannot be fulfilled: at most 1 rater may have Told: a, but " in client.get("/studies/unmet").text


def test_study_without_possible_trials_says_so(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead, item_keys=())
    assert "No trials can be made" in client.get("/studies/small").text


def test_trials_without_responses_are_counted(db: Connection, lead: Lead, client: TestClient) -> None:
    """Regression test: the list of their responses was NULL, and the page failed with status 500."""
    load_study(db, template_study("theory-of-mind"), lead.id)
    open_study(db, "theory-of-mind")
    assert client.get("/studies/theory-of-mind").status_code == 200
    study = get_study(db, "theory-of-mind")
    assert study
    assert {tuple(trial.responses) for trial in get_coverage(db, study.id).least} == {()}


def test_item_without_a_pair_is_named_before_opening(db: Connection, client: TestClient, study_id: int) -> None:
    db.execute(text("DELETE FROM responses WHERE id = (SELECT min(id) FROM responses)"))
    assert "1 item without the responses that a trial needs will not be shown" in client.get("/studies/small").text
