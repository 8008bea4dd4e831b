"""Forms of leads in a browser without scripts: what is valid is stored, what is not is said and still there."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from playwright.sync_api import BrowserContext, Locator, Page, expect
from sqlalchemy import Engine, text

from app.accounts.lead_access import add_lead, new_link
from app.llm.client.servers import ModelServer
from app.protocol.preregistration import Monitoring, SizePlan
from app.protocol.study import Protocol
from app.rating.life_cycle import open_study
from app.studies.editor.protocol_edits import get_draft
from app.studies.folder.read import read_files
from app.studies.load import load_study
from app.studies.members.members import record_member
from app.studies.studies import get_study
from tests.journeys.lead_steps import PASSWORD, sign_in
from tests.kit.folder import rated_folder
from tests.studies.methods.paraphrases import PREREGISTRATION

pytestmark = [pytest.mark.browser, pytest.mark.slow]
FACTORS = b"""\
conditions:
  turned: {kind: scale_direction, assign: between}
  task: {kind: instruction, assign: between, levels: {warm: Be warm., fair: Be fair.}}
"""


class Plain:
    """A lead at a page without scripts."""

    def __init__(self, page: Page, engine: Engine, *, is_open: bool) -> None:
        """`is_open`: whether raters can come."""
        self.page, self.engine, self.is_open = page, engine, is_open

    def open(self, address: str) -> None:
        """Go to a page of the study."""
        answer = self.page.goto(f"/studies/rated{address}")
        assert answer
        assert answer.status == 200

    def send(self, button: Locator) -> int:
        """Send a form, and return what its POST was answered with; a redirect must lead to a page."""
        with self.page.expect_response(lambda one: one.request.method == "POST") as posted:
            button.click()
        status = posted.value.status
        if status == 303:
            self.page.wait_for_load_state()
            last = self.page.request.get(self.page.url)
            assert last.status == 200, self.page.url
        return status

    def press(self, name: str, **options: Any) -> int:  # noqa: ANN401 - Playwright's options
        """Press a button by its name."""
        return self.send(self.page.get_by_role("button", name=name, **options))

    def unfold(self) -> None:
        """Open what the form of a page of the design has folded."""
        for summary in self.page.locator("#design-form details:not([open]) > summary").all()[::-1]:
            summary.click()

    def saved(self) -> None:
        """Save a page of the design; it is there again."""
        assert self.press("Save", exact=True) == 303
        expect(self.page).to_have_url(re.compile("saved=1"))

    @property
    def protocol(self) -> Protocol:
        """The stored draft, which has no problems."""
        with self.engine.begin() as db:
            study = get_study(db, "rated")
            assert study
            protocol = get_draft(db, study).protocol
        assert protocol
        return protocol

    def query(self, sql: str) -> Any:  # noqa: ANN401 - what is stored
        """One stored value."""
        with self.engine.begin() as db:
            return db.execute(text(sql)).scalars().first()

    def field(self, name: str) -> Locator:
        """An input by its name."""
        return self.page.locator(f"main [name='{name}']:not([type=hidden])")

    def problem(self, path: str, words: str) -> None:
        """A sentence stands beside its field."""
        expect(self.page.locator(f"[id='{path}-problem']")).to_contain_text(words)


@pytest.fixture(params=["draft", "open"])
def plain(
    request: pytest.FixtureRequest, engine: Engine, new_context: Callable[..., BrowserContext], built_app: FastAPI
) -> Plain:
    """A lead of a draft or an open study, with a colleague."""
    files = rated_folder()
    files["study.yaml"] = files["study.yaml"].replace(b"reference: person", b"reference: person, primary: [preference]")
    files["study.yaml"] += FACTORS
    files.pop("ratings.csv")
    with engine.begin() as db:
        lead, other = add_lead(db, "lead@example.org", PASSWORD), add_lead(db, "other@example.org", PASSWORD)
        load_study(db, read_files(files), lead.id)
        study = get_study(db, "rated")
        assert study
        record_member(db, study.id, other.id, "monitor")
        if request.param == "open":
            open_study(db, "rated")
        token = new_link(db, lead)
    page = new_context(java_script_enabled=False).new_page()
    sign_in(page, token)
    return Plain(page, engine, is_open=request.param == "open")


def test_monitoring(plain: Plain) -> None:
    plain.open("/design/monitoring")
    plain.field("monitoring.looks").fill("0.5\n1")
    plain.field("monitoring.n_ratings").fill("40")
    plain.field("monitoring.spending").select_option("pocock")
    plain.field("monitoring.alpha").fill("0.01")
    plain.field("monitoring.blind_interim").check()
    plain.saved()
    if plain.is_open:
        expect(plain.page.locator("#design-state")).to_contain_text("Must stay as it is once the study has been opened")
        expect(plain.field("monitoring.looks")).to_have_value("0.5\n1")
        return
    wanted = {"looks": (0.5, 1), "n_ratings": 40, "spending": "pocock", "alpha": 0.01, "blind_interim": True}
    assert plain.protocol.monitoring == Monitoring.model_validate(wanted)
    expect(plain.field("monitoring.looks")).to_have_value("0.5\n1")
    plain.field("monitoring.looks").fill("0.5\nsoon")
    plain.field("monitoring.alpha").fill("2")
    plain.saved()
    expect(plain.field("monitoring.looks")).to_have_value("0.5\nsoon")
    expect(plain.field("monitoring.alpha")).to_have_value("2")
    plain.problem("monitoring.alpha", "less than 0.5")
    plain.problem("monitoring.looks", "soon")


def test_preregistration(plain: Plain) -> None:
    plain.open("/design/preregistration")
    plain.unfold()
    assert plain.send(plain.page.locator("[value='add preregistration.plan']")) == 303
    plain.unfold()
    plain.field("preregistration.hypotheses").fill("Machines are rated higher.\nRaters agree.")
    for name in ("sample_size", "stopping_rule", "exclusions", "existing_data", "other"):
        plain.field(f"preregistration.{name}").fill(f"Our {name}.")
    plain.field("preregistration.plan.difference").fill("0.3")
    plain.field("preregistration.plan.power").fill("0.9")
    plain.saved()
    stored = plain.protocol.preregistration
    assert stored.hypotheses == ("Machines are rated higher.", "Raters agree.")
    assert stored.plan == SizePlan(difference=0.3, power=0.9)
    assert stored.other == "Our other."
    plain.unfold()
    plain.field("preregistration.plan.power").fill("3")
    plain.field("preregistration.other").fill("Something else.")
    plain.saved()
    expect(plain.field("preregistration.plan.power")).to_have_value("3")
    plain.problem("preregistration.plan.power", "less than 1")
    plain.unfold()
    expect(plain.field("preregistration.other")).to_have_value("Something else.")
    plain.field("preregistration.plan.power").fill("0.9")
    plain.saved()
    plain.open("/preregistration")
    assert plain.press("Preregister") == 303
    expect(plain.page.get_by_role("table")).to_contain_text("OSF and AsPredicted")
    assert plain.query("SELECT count(*) FROM registrations") == 1


def test_text_of_the_protocol(plain: Plain) -> None:
    plain.open("/design/text")
    yaml = plain.field("yaml")
    now = yaml.input_value()
    yaml.fill(now.replace("Replies that were rated", "Replies by others"))
    plain.saved()
    assert plain.protocol.title == "Replies by others"
    yaml.fill("title: [")
    assert plain.press("Save", exact=True) == 422
    expect(yaml).to_have_value("title: [")
    expect(plain.page.locator(".notice.error")).to_contain_text("study.yaml")
    yaml.fill(now.replace("raters_per_trial: 4", "raters_per_trial: many"))
    plain.saved()
    expect(yaml).to_have_value(re.compile("many"))
    expect(plain.page.locator(".notice.error").first).to_contain_text("raters_per_trial")


def test_pasted_methods(plain: Plain) -> None:
    plain.open("/methods")
    field = plain.page.get_by_label("Methods section or preregistration")
    assert plain.press("Read the text") == 422
    field.fill(PREREGISTRATION)
    assert plain.press("Read the text") == 200
    plain.page.get_by_role("group", name="Trials per rater").get_by_label("Accept").check()
    assert plain.press("Use what is accepted") == 200
    assert plain.protocol.design.trials_per_rater == 12


def test_people(plain: Plain) -> None:
    plain.open("/people")
    page, email, role = plain.page, plain.page.get_by_label("E-mail address"), plain.page.locator("#role")
    email.fill("other@example.org")
    role.select_option("analyst")
    assert plain.press("Make invitation") == 422
    expect(page.get_by_role("alert")).to_contain_text("other@example.org belongs to this study already")
    expect(email).to_have_value("other@example.org")
    expect(role).to_have_value("analyst")
    email.fill("new@example.org")
    assert plain.press("Make invitation") == 303
    expect(page.get_by_label("Link", exact=True)).to_have_value(re.compile("/invitations/"))
    assert plain.query("SELECT role FROM study_invitations") == "analyst"
    assert plain.press("Withdraw the invitation of new@example.org") == 303
    assert plain.query("SELECT count(*) FROM study_invitations") == 0
    row = page.get_by_role("row", name="other@example.org")
    row.get_by_label("Role of other@example.org").select_option("editor")
    assert plain.send(row.get_by_role("button", name="Change")) == 303
    assert plain.query("SELECT role FROM study_members JOIN leads ON id = lead_id ORDER BY email DESC") == "editor"
    assert plain.send(row.get_by_role("button", name="Make sign-in link")) == 303
    expect(page.get_by_label("Link", exact=True)).to_have_value(re.compile("/sign-in/"))
    own = page.get_by_role("row", name="lead@example.org")
    own.get_by_label("Role of lead@example.org").select_option("monitor")
    assert plain.send(own.get_by_role("button", name="Change")) == 422
    expect(page.get_by_role("alert")).to_contain_text("A study needs an owner")
    page.get_by_text("Leave this study").click()
    assert plain.press("Leave now") == 422
    assert plain.send(row.get_by_role("button", name="Remove")) == 303
    assert plain.query("SELECT count(*) FROM study_members") == 1


def test_settings(plain: Plain) -> None:
    page = plain.page
    plain.open("/settings")
    title, keep = page.locator("#title"), page.get_by_label("Keep the data until")
    title.fill("   ")
    assert plain.press("Rename") == 422
    expect(page.get_by_role("alert")).to_contain_text("Enter a title")
    expect(title).to_have_value("   ")
    title.fill("Another title")
    assert plain.press("Rename") == 303
    assert plain.query("SELECT document->>'title' FROM protocols ORDER BY version DESC") == "Another title"
    expect(title).to_have_value("Another title")
    page.locator("#copy-title").fill("A copy of mine")
    page.locator("#copy-slug").fill("rated")
    assert plain.press("Copy study") == 422
    expect(page.get_by_role("alert")).to_contain_text("rated")
    expect(page.locator("#copy-title")).to_have_value("A copy of mine")
    expect(page.locator("#copy-slug")).to_have_value("rated")
    page.locator("#copy-slug").fill("mine")
    assert plain.press("Copy study") == 303
    assert (
        plain.query("SELECT document->>'title' FROM protocols p JOIN studies s ON s.id = study_id WHERE slug = 'mine'")
        == "A copy of mine"
    )
    plain.open("/settings")
    keep.fill("2031-12-31")
    assert plain.press("Save date") == 303
    expect(keep).to_have_value("2031-12-31")
    assert str(plain.query("SELECT keep_until FROM studies WHERE slug = 'rated'")) == "2031-12-31"
    assert plain.press("Archive study") == 303
    assert plain.query("SELECT archived_at IS NOT NULL FROM studies WHERE slug = 'rated'")
    assert plain.press("Restore from archive") == 303
    if plain.is_open:
        expect(page.get_by_role("button", name="Delete study")).to_have_count(0)
        return
    page.locator("#confirm").fill("rate")
    assert plain.press("Delete study") == 422
    expect(page.get_by_role("alert")).to_contain_text("Nothing was deleted")
    page.locator("#confirm").fill("rated")
    assert plain.press("Delete study") == 303
    assert plain.query("SELECT count(*) FROM studies WHERE slug = 'rated'") == 0


def test_webhooks(plain: Plain) -> None:
    page = plain.page
    plain.open("/settings/webhooks")
    address, ticks = page.get_by_label("Address of the receiver"), page.locator("[name=events]")
    address.fill("ftp://lab.example.org/here")
    ticks.last.uncheck()
    assert plain.press("Add webhook") == 422
    expect(page.get_by_role("alert")).to_be_visible()
    expect(address).to_have_value("ftp://lab.example.org/here")
    expect(ticks.last).not_to_be_checked()
    address.fill("https://93.184.216.34/attune")
    assert plain.press("Add webhook") == 303
    expect(page.get_by_label("Secret", exact=True)).to_have_value(re.compile("whsec_"))
    assert plain.query("SELECT address FROM webhooks") == "https://93.184.216.34/attune"
    assert plain.press("Send a test") == 303
    assert plain.press("Replace secret") == 303
    assert plain.press("Delete") == 303
    assert plain.query("SELECT count(*) FROM webhooks") == 0


def test_judges(plain: Plain, built_app: FastAPI) -> None:
    built_app.state.model_servers = (
        ModelServer(name="Local", base_url="http://127.0.0.1:9/v1", models=("a-model",), max_tokens=10**6),
    )
    page = plain.page
    plain.open("/judges/new")
    page.get_by_label("Name of the judge").fill("strict")
    page.get_by_label("Persona").fill("You are strict.")
    page.get_by_label("Token budget").fill("2000000")
    assert plain.press("Estimate") == 422
    expect(page.get_by_role("alert")).to_contain_text("at most 1,000,000")
    expect(page.get_by_label("Persona")).to_have_value("You are strict.")
    page.get_by_label("Token budget").fill("99999999999999")
    assert plain.press("Estimate") == 422
    expect(page.get_by_role("alert")).to_contain_text("at most 1,000,000")
    expect(page.get_by_label("Persona")).to_have_value("You are strict.")
    page.get_by_label("Token budget").fill("900000")
    assert plain.press("Estimate") == 200
    expect(page.get_by_role("status")).to_contain_text("requests")
    assert plain.press("Plan only") == 303
    expect(page.locator("main")).to_contain_text("strict")
    assert plain.query("SELECT name FROM model_runs") == "strict"
    plain.open("/judges/new")
    page.get_by_label("Name of the judge").fill("strict")
    assert plain.press("Estimate") == 200


def test_plan(plain: Plain) -> None:
    page = plain.page
    plain.open("/plan")
    page.get_by_label("Detect a difference of").fill("0.2")
    page.get_by_label("Raters per trial", exact=True).fill("4")
    page.get_by_role("button", name="Forecast precision").click()
    expect(page.locator("figure.chart")).to_be_visible(timeout=180_000)
    expect(page.get_by_label("Detect a difference of")).to_have_value("0.2")
    again = page.url
    use = page.get_by_role("button", name=re.compile("^Use .* per trial$"))
    if use.count():
        wanted = int(use.get_attribute("value") or 0)
        assert plain.send(use) == 303
        assert plain.protocol.design.raters_per_trial == wanted
        page.goto(again)
    assert plain.press("Use this plan for the preregistration") == 303
    kept = plain.protocol.preregistration.plan
    assert kept
    assert kept.difference == 0.2


def test_order_of_conditions(plain: Plain) -> None:
    plain.open("/design/conditions")
    assert [*plain.protocol.conditions] == ["turned", "task"]
    assert plain.send(plain.page.locator("[value='down conditions.0']")) == 303
    assert [*plain.protocol.conditions] == ["task", "turned"]
    assert plain.send(plain.page.locator("[value='up conditions.1']")) == 303
    assert [*plain.protocol.conditions] == ["turned", "task"]
    plain.open("/design/sources")
    assert plain.send(plain.page.locator("[value='down sources.0']")) == 303
    assert [*plain.protocol.sources] == ["machine", "person"]


def test_password(plain: Plain) -> None:
    page = plain.page
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.goto("/sign-in?next=/account")
    page.get_by_label("E-mail address").fill("lead@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.goto("/account")
    page.get_by_label("Current password", exact=True).fill("not the password")
    page.get_by_label("New password").fill("four quite unrelated words")
    assert plain.press("Change password") == 422
    expect(page.get_by_role("alert")).to_contain_text("not your current password")
    page.get_by_label("Current password", exact=True).fill(PASSWORD)
    page.get_by_label("New password").fill("four quite unrelated words")
    assert plain.press("Change password") == 303
    expect(page.get_by_role("status")).to_contain_text("has been changed")
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.goto("/sign-in")
    page.get_by_label("E-mail address").fill("lead@example.org")
    page.get_by_label("Password").fill("four quite unrelated words")
    assert plain.press("Sign in") == 303
    expect(page.locator("h1")).to_have_text("Studies")


def test_tokens(plain: Plain) -> None:
    page = plain.page
    plain.open("/settings/api")
    name, role, days = page.get_by_label("What it is for"), page.locator("#role"), page.get_by_label("Ends after")
    name.fill("   ")
    role.select_option("editor")
    days.select_option("365")
    assert plain.press("Make token") == 422
    expect(role).to_have_value("editor")
    expect(days).to_have_value("365")
    name.fill("Nightly import")
    assert plain.press("Make token") == 303
    token = page.get_by_label("Token", exact=True).input_value()
    headers = {"Authorization": f"Bearer {token}"}
    assert page.request.get("/api/v1/studies/rated", headers=headers).status == 200
    assert plain.query("SELECT role FROM api_tokens") == "editor"
    assert plain.press("Revoke Nightly import") == 303
    assert page.request.get("/api/v1/studies/rated", headers=headers).status == 401
