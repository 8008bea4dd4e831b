"""The page Plan: effort at once, precision on request, nonsense in its fields."""

import re
import time

import pytest
from sqlalchemy import Connection
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.analysis.document.preregistration import sample_size
from app.base.documents.blocks import DataTable
from app.protocol.preregistration import SizePlan
from app.results.planning.effort import data_with_size
from app.results.registration.preregister import ToRegister, register
from app.studies.protocols import get_protocol
from tests.kit.lead_studies import study_of

PAGE = "/studies/small/plan"


def test_effort_is_computed_from_the_fields(client: TestClient, study_id: int) -> None:
    page = client.get(f"{PAGE}?items=60&per_trial=4&minutes=1&other=0&pay=15&fee=0").text
    assert "<dd>240</dd>" in "".join(page.split())
    assert "<dd>60</dd>" in "".join(page.split())
    assert "4.0 hours" in page


@pytest.mark.parametrize("query", ["items=no", "items=-5&per_trial=1e9", "minutes=nan&pay=inf", "fee=", "difference=x"])
def test_invalid_plan_fields_fall_back_to_defaults_and_bounds(client: TestClient, study_id: int, query: str) -> None:
    assert client.get(f"{PAGE}?{query}").status_code == 200


def test_forecast_names_limiting_factor_and_draws_curve(client: TestClient, study_id: int) -> None:
    fields = "items=20&per_trial=3&item=&item_source=0.5&rater=&rater_source=&residual=1&difference=0.5&width="
    page = client.get(f"{PAGE}?{fields}&forecast=1").text
    assert "80% power needs a width of" in page
    assert "data:image/svg+xml;base64," in page
    assert "mean of 20 simulated studies" in page
    assert "limiting factor" in page or "reaches the goal" in page


def test_forecast_says_that_the_primary_contrast_has_another_test(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    study_of(db, lead, slug="other", analysis={"primary": [{"question": "empathy", "test": "wilcoxon"}]})
    page = client.get("/studies/other/plan?items=20&per_trial=1&forecast=1").text
    assert "uses another test (Wilcoxon signed-rank V), which is not simulated" in page
    assert "1 rater per trial" in page
    assert "1 raters" not in page


def test_number_of_raters_is_taken_over_into_trials_and_recruitment(
    client: TestClient, study_id: int, db: Connection
) -> None:
    answer = client.post(f"{PAGE}/size", data={"setting": "raters_per_trial", "n": "7"})
    assert answer.headers["location"].endswith("/design/recruitment")
    protocol = get_protocol(db, study_id, 1)
    assert protocol.design.raters_per_trial == 7
    client.post(f"{PAGE}/size", data={"setting": "trials_per_rater", "n": "3"})
    assert get_protocol(db, study_id, 1).design.trials_per_rater == 3
    for data in ({"setting": "raters_per_trial", "n": "0"}, {"setting": "trials", "n": "3"}):
        assert client.post(f"{PAGE}/size", data=data).status_code == 422


def test_what_is_registered_is_what_was_planned(client: TestClient, study_id: int, db: Connection) -> None:
    """Before, the registration made another plan, of the default assumptions."""
    sds = {"item": 0.5, "item_source": 0.4, "rater": 0.5, "rater_source": 0.3, "residual": 0.8}
    sent = {**sds, "mean": 2.5, "difference": 0.7, "n_raters": 20, "attrition": 0.1, "power": 0.9}
    assert client.post(f"{PAGE}/kept", data={**sent, "attrition": "2"}).status_code == 422
    answer = client.post(f"{PAGE}/kept", data=sent)
    assert answer.headers["location"].endswith("/preregistration")
    protocol = get_protocol(db, study_id, 1)
    assert protocol.preregistration.plan == SizePlan(**sent)
    made = register(ToRegister(protocol, [], 0, 1, n_simulations=2))
    assert {name: made.assumed[name] for name in (*sds, "mean", "difference", "attrition")} == {
        name: value for name, value in sent.items() if name not in {"n_raters", "power"}
    }
    assert {row["n_raters"] for row in made.plan} == {20}
    [table] = [block for block in sample_size(made, protocol) if isinstance(block, DataTable)]
    assert "a difference of 0.70" in table.notes[1]
    assert "10% of the raters leave early" in table.notes[1]
    page = client.get(PAGE).text
    assert 'value="0.7"' in page
    assert re.search(r'value="0.9"\s+selected', page)
    kept = client.get(f"{PAGE}?forecast=1&items=12").text
    assert " and 20 raters, the 95% CI" in kept
    assert "on a scale from 1 to 5. Assumptions: mean 2.50, difference 0.70" in " ".join(kept.split())
    assert re.search(r"A share of \d\d\.\d% in place of an even split is detected in", " ".join(kept.split()))
    emptied = client.get(f"{PAGE}?forecast=1&items=12&n_raters=&difference=").text
    assert " and 20 raters, the 95% CI" not in emptied
    assert "difference 0.40" in emptied


def test_every_pool_gets_as_many_raters() -> None:
    data = {"design": {"pools": {"expert": {"raters_per_trial": 2}, "crowd": {}}}}
    found = data_with_size(data, "raters_per_trial", 5)["design"]
    assert found == {
        "pools": {"expert": {"raters_per_trial": 5}, "crowd": {"raters_per_trial": 5}},
        "raters_per_trial": 5,
    }


def test_pilot_with_too_few_ratings_is_handled(client: TestClient, study_id: int) -> None:
    assert client.get(f"{PAGE}?forecast=1&pilot=1").status_code == 200


def test_oversized_plan_is_not_simulated(client: TestClient, study_id: int) -> None:
    before = time.monotonic()
    page = client.get(f"{PAGE}?items=5000&per_trial=100&forecast=1").text
    assert "Precision is simulated for up to 30,000 ratings" in page
    assert time.monotonic() - before < 60


def test_plan_says_what_a_judge_saves_and_that_one_saves_nothing(client: TestClient, study_id: int) -> None:
    size = "items=60&per_trial=3&width=0.8&forecast=1&judge_cost=5"
    page = " ".join(client.get(f"{PAGE}?{size}&correlation=0.7").text.split())
    assert "People and a model judge" in page
    assert "people rate" in page
    assert "With the judge" in page
    nothing = " ".join(client.get(f"{PAGE}?{size}&correlation=0").text.split())
    assert "The judge saves nothing: its answers do not go along with those of people." in nothing


def test_plan_without_a_judge_in_the_pilot_says_so(client: TestClient, db: Connection, lead: Lead) -> None:
    assert "People and a model judge" not in client.get(f"{PAGE}?items=20&per_trial=1&forecast=1").text
