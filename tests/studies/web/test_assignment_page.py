"""The pages *Trials* and *Conditions*: what is stored is offered, keys in use stay, and fields follow others."""

from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from tests.kit.lead_studies import study_of
from tests.rating.lead.test_question_editor import document, form_on

TRIALS = "/studies/small/design/assignment"
CONDITIONS = "/studies/small/design/conditions"


def test_pool_of_a_rater_keeps_its_key_and_quotas_follow_the_columns(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    study_id = study_of(db, lead)
    for _ in range(2):
        client.post(TRIALS, data=form_on(client, TRIALS) | {"do": ["add design.pools"]})
    db.execute(
        text("INSERT INTO raters (study_id, key, pool, attributes) VALUES (:study, 'r', 'new_pool', :attributes)"),
        {"study": study_id, "attributes": '{"clinic": "north"}'},
    )
    names = {"design.pools.0.label": ["Nurses"], "design.pools.1.label": ["Doctors"]}
    client.post(TRIALS, data=form_on(client, TRIALS) | names)
    assert document(db)["design"]["pools"].keys() == {"new_pool", "doctors"}

    client.post(TRIALS, data=form_on(client, TRIALS) | {"do": ["add design.quotas"]})
    assert document(db)["design"]["quotas"] == {"clinic": {"north": 100}}
    client.post(TRIALS, data=form_on(client, TRIALS) | {"do": ["add design.listed"]})
    assert [len(trial) for trial in document(db)["design"]["listed"]] == [2]
    assert form_on(client, TRIALS)["design.listed.0:item"] == ["exam"]
    other = form_on(client, TRIALS) | {"design.quotas.0:key": ["site"]}
    page = client.post(TRIALS, data=other, headers={"hx-request": "true"}).text
    assert "outerHTML:[id='design.quotas.0']" in page


def test_conditions_are_drawn_anew_when_their_kind_changes(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead)
    client.post(CONDITIONS, data=form_on(client, CONDITIONS) | {"do": ["add conditions"]})
    assert 'aria-label="Value for Condition A"' in client.get(CONDITIONS).text
    profile = form_on(client, CONDITIONS) | {"conditions.0.kind": ["profile"]}
    page = client.post(CONDITIONS, data=profile, headers={"hx-request": "true"}).text
    assert "outerHTML:[id='conditions']" in page
    assert document(db)["conditions"]["new_condition"]["levels"] == {"hidden": "", "shown": ""}
    same = client.post(CONDITIONS, data=form_on(client, CONDITIONS), headers={"hx-request": "true"}).text
    assert "outerHTML:[id='conditions']" not in same


def test_conditions_and_sources_are_moved_by_button(client: TestClient, db: Connection, lead: Lead) -> None:
    """Mappings in another order are equal, so that nothing was saved."""
    study_of(db, lead)
    for change in ({"do": ["add conditions"]}, {"conditions.0.kind": ["profile"]}, {"do": ["add conditions"]}):
        client.post(CONDITIONS, data=form_on(client, CONDITIONS) | change)
    sources = "/studies/small/design/sources"
    for page, part in ((CONDITIONS, "conditions"), (sources, "sources")):
        first, second = document(db)[part]
        client.post(page, data=form_on(client, page) | {"do": [f"down {part}.0"]})
        assert [*document(db)[part]] == [second, first]
        client.post(page, data=form_on(client, page) | {"do": [f"up {part}.1"]})
        assert [*document(db)[part]] == [first, second]
        client.post(page, data=form_on(client, page))
        number = form_on(client, page)["number"]
        client.post(page, data=form_on(client, page))
        assert form_on(client, page)["number"] == number


def test_form_in_an_earlier_order_is_not_read_as_one_in_the_present_order(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    study_of(db, lead)
    sources = "/studies/small/design/sources"
    mine = form_on(client, sources)
    first, second = document(db)["sources"]
    client.post(sources, data=mine | {"do": ["down sources.0"]})
    assert client.post(sources, data=mine | {"sources.0.label": ["First"]}).status_code == 409
    assert [*document(db)["sources"]] == [second, first]
    assert client.post(sources, data=mine | {"do": ["down sources.0"]}).status_code == 303
    assert [*document(db)["sources"]] == [second, first]


def test_every_mapping_is_moved_by_button(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead)
    for change in ({"do": ["add conditions"]}, {"conditions.0.kind": ["instruction"]}):
        client.post(CONDITIONS, data=form_on(client, CONDITIONS) | change)
    (condition,) = document(db)["conditions"].values()
    first, second = condition["levels"]
    client.post(CONDITIONS, data=form_on(client, CONDITIONS) | {"do": ["down conditions.0.levels.0"]})
    (condition,) = document(db)["conditions"].values()
    assert [*condition["levels"]] == [second, first]
