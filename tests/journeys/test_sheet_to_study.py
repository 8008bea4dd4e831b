"""From an awkward spreadsheet to the study that was meant, and a rater who ends on the completion code: all counted."""

import json
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine, text

from app.protocol.study import Protocol
from app.rating.recruitment import recruitment
from app.studies.editor.question_keys import key_of
from tests.journeys.axe import LIGHT_AND_DARK_PHONE, check_in
from tests.journeys.lead_steps import a_lead, sign_in
from tests.journeys.test_question_editor import LABELS, STATEMENTS, Counted
from tests.kit.waiting import until
from tests.studies.web.test_spreadsheet import awkward, csv, excel

pytestmark = pytest.mark.browser
MAX_CLICKS, MAX_FIELDS = 30, 25
TITLE = "Empathy of a counselor and two models"
INSTRUCTIONS = "You will read posts of students and two replies to each. Say how each reply seems to you."
CONSENT = (
    "**Purpose.** We study how replies are read. **Contact.** A. Müller, mueller@example.org. You may stop at any time."
)
AGE = "How old are you?"
# The completion codes of a study, as they are drawn one after the other.
CODES = ("CODEDONE", "CODENONE", "CODEAGED", "CODEFAIL", "CODEFULL")
COMPLETION = {
    "code": CODES[0],
    "otherwise": {
        "no_consent": {"code": CODES[1]},
        "screened_out": {"code": CODES[2]},
        "failed_checks": {"code": CODES[3]},
        "full": {"code": CODES[4]},
    },
}
# Which page a rater is on: its address, and what its form is sent to.
_HERE = "location.href + [...document.querySelectorAll('main form')].map((one) => one.action)"


class Hand(Counted):
    """The lead's hand in the steps of a draft."""

    def step(self, name: str) -> None:
        """Go to a step."""
        self.click(
            self.page.get_by_role("navigation", name="Steps to an open study").get_by_role(
                "link", name=name, exact=True
            )
        )

    def button(self, name: str | re.Pattern[str]) -> None:
        """Press a button."""
        self.click(self.page.get_by_role("button", name=name))

    def saved(self) -> None:
        """Wait until what was typed is stored."""
        expect(self.page.locator("#design-state [role=status]")).to_contain_text(re.compile("aved"))


def drop(hand: Hand, sheet: Path, goal: str, shows: str) -> None:
    """Two clicks, and raters' page is there, or the results."""
    hand.clicks += 1
    hand.page.get_by_label("Drop a spreadsheet").set_input_files(sheet)
    hand.button(re.compile(goal))
    expect(hand.page.locator("main")).to_contain_text(shows)


def ask_statements(hand: Hand, statements: Sequence[str], labels: Sequence[str], score: str, *, instead: bool) -> None:
    """Several statements on own labels, combined into one score; the last one is seen."""
    page = hand.page
    hand.click(page.get_by_text("Several statements, one scale"))
    hand.type(page.get_by_label("Statements", exact=True), "\n".join(statements))
    hand.type(page.get_by_label("Or your own labels"), "\n".join(labels))
    hand.type(page.get_by_label("Name of the score"), score)
    if instead:
        hand.click(page.get_by_label("Replace the questions that the rating page has now"))
    hand.button("Add statements")
    expect(page.get_by_role("link", name=f"Edit: {statements[-1]}")).to_be_visible()


def ask(hand: Hand) -> None:
    """Five statements on own labels as one score, a choice with tie, an age question, a check."""
    page = hand.page
    for question in ("The empathy", "The quality"):
        hand.button(re.compile(f"Remove: {question}"))
        expect(page.get_by_role("button", name=re.compile(f"Remove: {question}"))).to_have_count(0)
    hand.click(page.get_by_role("link", name="Edit: Which response is better?"))
    hand.click(page.get_by_label("Offer “About the same”"))
    expect(page.locator("#asked-1")).to_contain_text("About the same")
    ask_statements(hand, STATEMENTS, LABELS, "Empathy", instead=False)
    hand.choose(page.get_by_label("One question"), "Slider")
    hand.choose(page.get_by_label("Where it is asked"), "about the rater, asked once")
    hand.button("Add question")
    expect(page.get_by_label("Text of the question")).to_have_value("")
    hand.type(page.get_by_label("Text of the question"), AGE)
    hand.type(page.get_by_label("Lowest number"), "18")
    expect(page.locator("#asked-7")).to_contain_text(AGE)
    hand.saved()
    hand.button("Add attention check")
    expect(page.get_by_label("Asked after this many trials")).to_be_visible()
    hand.type(page.get_by_label("Asked after this many trials"), "3")
    hand.button("Save")


def say(hand: Hand, title: str = TITLE, instructions: str = INSTRUCTIONS) -> None:
    """Title, instructions and consent."""
    page = hand.page
    hand.click(page.get_by_role("link", name="Title and instructions"))
    hand.type(page.get_by_label("Title", exact=True), title)
    hand.type(page.get_by_label("Instructions"), instructions)
    hand.button("Save")
    hand.step("Consent")
    hand.type(page.get_by_label("Text", exact=True).first, CONSENT)
    hand.button("Save")


@pytest.fixture
def codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Known completion codes in place of random ones."""
    known = iter(CODES)
    monkeypatch.setattr(recruitment, "new_code", lambda: next(known))


def recruit_and_open(hand: Hand, *, walks: bool) -> str:
    """Prolific, pay, a walk as a rater, open; the link."""
    page = hand.page
    hand.step("Recruitment")
    hand.button(re.compile("^Prolific"))
    hand.type(page.get_by_label("Pay per rater"), "4.50")
    expect(page.get_by_label("Payment per participant", exact=True)).to_have_value("4.50")
    link = page.get_by_label("Study link", exact=True).input_value()
    hand.step("Check and open")
    if walks:
        expect(page.locator("li.look", has_text="Walk-through")).to_be_visible()
        hand.button("Walk through as a rater")
        check_in(LIGHT_AND_DARK_PHONE, page)
        take_part(page)
        expect(page.locator("#completion-code")).to_be_visible()
        hand.click(page.get_by_role("link", name="Back to the study"))
        expect(page.locator("li.good", has_text="Walk-through")).to_be_visible()
    hand.click(page.get_by_text("Open study", exact=True))
    hand.button("Open now")
    expect(page.locator(".chip")).to_have_text("open")
    return link


def meant() -> Protocol:
    """The study that the lead had in mind."""
    names = {"Antwort Beraterin": "human", "GPT-4o": "model", "Llama 3": "model"}
    keys = [key_of(words, "rating") for words in STATEMENTS]
    scale = {str(n): words for n, words in enumerate(LABELS, 1)}
    return Protocol.model_validate(
        {
            "attune": 1,
            "slug": "posts",
            "template": "ayers-pair",
            "title": TITLE,
            "rater_title": "Reading and rating texts",
            "instructions": INSTRUCTIONS,
            "sources": {name: {"kind": kind} for name, kind in names.items()},
            "questions": [
                {
                    "key": "preference",
                    "target": "pair",
                    "type": "choice",
                    "text": "Which response is better?",
                    "tie": True,
                    "neither": False,
                },
                *(
                    {"key": key, "target": "response", "type": "rating", "text": words, "scale": scale}
                    for key, words in zip(keys, STATEMENTS, strict=True)
                ),
                {"key": "how_old_are_you", "target": "rater", "type": "slider", "text": AGE, "min": 18, "max": 100},
            ],
            "design": {
                "trials": "pairs",
                "raters_per_trial": 3,
                "trials_per_rater": 6,
                "blind": True,
                "pairs": "reference",
            },
            "flow": {"consent": {"version": "1", "text": CONSENT}},
            "checks": {
                "attention": [
                    {
                        "key": "attention",
                        "text": "This question checks your attention. Please choose “Often”.",
                        "codes": dict(zip("12345", ("Never", "Rarely", "Sometimes", "Often", "Always"), strict=True)),
                        "correct": "4",
                        "after": 3,
                    }
                ]
            },
            "analysis": {
                "reference": "Antwort Beraterin",
                "primary": ["preference"],
                "composites": {"empathy": {"questions": keys}},
            },
            "recruitment": {"platform": "prolific", "pay": 4.5},
            "completion": COMPLETION,
        }
    )


def take_part(page: Page) -> None:
    """Answer everything that is asked, one page after the other."""
    page.get_by_role("button", name="I agree and want to take part").click()
    page.get_by_role("button", name="Begin").click()
    while "/done" not in page.url:
        page.wait_for_load_state()
        for group in page.locator("main fieldset:has(input[type=radio])").all():
            often = group.get_by_label("Often")
            (often if often.count() else group.get_by_role("radio").nth(1)).first.check(force=True)
        for slider in page.locator("main input[type=range]").all():
            slider.press("ArrowRight")
        before = page.evaluate(_HERE)
        page.locator("main button[type=submit]:not(.quiet):visible").first.click()
        until(page, f"(before) => {_HERE} !== before", before)


def as_participant(link: str) -> str:
    """The link as Prolific fills it in."""
    for placeholder, value in (("PROLIFIC_PID", "p1"), ("STUDY_ID", "s1"), ("SESSION_ID", "x1")):
        link = link.replace(f"{{{{%{placeholder}%}}}}", value)
    return link


def count(hand: Hand, begun: float, to: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Print the lead's work, and check that it is not too much."""
    with capsys.disabled():
        seconds = time.monotonic() - begun
        print(f"\n{hand.clicks} clicks, {hand.fields} typed fields, {seconds:.0f} s to {to}")  # noqa: T201
    assert hand.clicks <= MAX_CLICKS
    assert hand.fields <= MAX_FIELDS


def stored(engine: Engine, slug: str, *, n_items: int) -> Protocol:
    """The protocol of a stored study, which has so many items."""
    with engine.begin() as db:
        query = "SELECT p.document, (SELECT count(*) FROM items i WHERE i.study_id = s.id) FROM protocols p"
        query += " JOIN studies s ON s.id = p.study_id WHERE s.slug = :slug"
        document, n = db.execute(text(query), {"slug": slug}).one()
    assert n == n_items
    return Protocol.model_validate(document)


def check_same(made: Protocol, wanted: Protocol) -> None:
    """Compare two protocols field by field."""
    for part in Protocol.model_fields:
        assert getattr(made, part) == getattr(wanted, part), part


@pytest.mark.usefixtures("codes")
def test_sheet_becomes_the_study_that_was_meant(
    engine: Engine,
    page: Page,
    new_context: Callable[..., BrowserContext],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sign_in(page, a_lead(engine))
    (tmp_path / "posts.xlsx").write_bytes(excel(awkward()))
    page.goto("/studies")
    hand, begun = Hand(page), time.monotonic()
    drop(hand, tmp_path / "posts.xlsx", "Compare two responses side by side", "Beitrag 1: Ich fühle mich müde.")
    ask(hand)
    say(hand)
    link = recruit_and_open(hand, walks=True)
    count(hand, begun, "the open study", capsys)
    made = stored(engine, "posts", n_items=30)
    check_same(made, meant())
    rater = new_context().new_page()
    rater.goto(as_participant(link))
    take_part(rater)
    expect(rater.locator("#completion-code")).to_have_text(CODES[0])
    address = f"https://app.prolific.com/submissions/complete?cc={CODES[0]}"
    expect(rater.locator("#completion-link")).to_have_attribute("href", address)


def test_raters_that_the_analysis_needs_are_used_by_one_button(engine: Engine, page: Page, tmp_path: Path) -> None:
    """Beside the sentences of the analysis; the field on *Trials* has the number then."""
    sign_in(page, a_lead(engine))
    (tmp_path / "posts.xlsx").write_bytes(excel(awkward()))
    page.goto("/studies")
    hand = Hand(page)
    drop(hand, tmp_path / "posts.xlsx", "Compare two responses side by side", "Beitrag 1: Ich fühle mich müde.")
    hand.step("Analysis")
    hand.type(page.get_by_label("Smallest effect size of interest"), "0.6")
    hand.button("How many raters does this need?")
    needed = page.locator("#needed")
    expect(needed).to_contain_text(
        re.compile(r"A share of \d\d\.\d% in place of an even split is detected"), timeout=180_000
    )
    expect(needed).to_contain_text(re.compile(r"CI is\s+\d\d\.\d percentage points wide"))
    use = needed.get_by_role("button", name=re.compile("^Use [0-9]+ raters per trial$"))
    wanted = use.get_attribute("value") or ""
    assert use.inner_text() == f"Use {wanted} raters per trial"
    hand.click(use)
    expect(page).to_have_url(re.compile("/design/recruitment"))
    hand.step("Trials")
    expect(page.get_by_label("Raters per trial").first).to_have_value(wanted)
    with engine.begin() as db:
        query = "SELECT document #>> '{design,raters_per_trial}' FROM protocols ORDER BY study_id DESC, version DESC"
        assert db.execute(text(query)).scalars().first() == wanted


SPOKEN = [f"The supporter {words}." for words in ("listens", "asks", "stays calm", "is warm", "is patient", "is clear")]
SPOKEN += [f"I would {words}." for words in ("talk to this supporter again", "feel less alone", "know what to do next")]
TALKS = "Empathy in whole conversations"


def turns() -> str:
    """Four conversations with a nurse and a model each, one turn per line."""
    lines = [
        {"conversation": f"c{n}", "model": who, "turn": turn, "speaker": speaker, "text": f"{words} {n}, says {who}."}
        for n in range(1, 5)
        for who in ("Nurse", "GPT-4o")
        for turn, (speaker, words) in enumerate(
            (("Seeker", "I feel alone"), ("Supporter", "Tell me about it"), ("Seeker", "Nobody calls")), 1
        )
    ]
    return "\n".join(map(json.dumps, lines))


@pytest.mark.slow
@pytest.mark.usefixtures("codes")
def test_dialogues_of_turns_become_an_open_study_with_nine_questions(
    engine: Engine,
    page: Page,
    new_context: Callable[..., BrowserContext],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sign_in(page, a_lead(engine))
    (tmp_path / "talks.jsonl").write_text(turns())
    page.goto("/studies")
    hand, begun = Hand(page), time.monotonic()
    drop(hand, tmp_path / "talks.jsonl", "Rate whole conversations", "Tell me about it 1")
    ask_statements(hand, SPOKEN, LABELS, "Support", instead=True)
    say(hand, TALKS)
    link = recruit_and_open(hand, walks=False)
    count(hand, begun, "the open study of dialogues", capsys)
    made = stored(engine, "talks", n_items=4)
    keys = [key_of(words, "rating") for words in SPOKEN]
    scale = {str(n): words for n, words in enumerate(LABELS, 1)}
    questions = [
        {"key": key, "target": "response", "type": "rating", "text": words, "scale": scale}
        for key, words in zip(keys, SPOKEN, strict=True)
    ]
    wanted = {
        "attune": 1,
        "slug": "talks",
        "template": "perceived-empathy",
        "title": TALKS,
        "rater_title": "Reading and rating texts",
        "instructions": INSTRUCTIONS,
        "sources": {"Nurse": {"kind": "human"}, "GPT-4o": {"kind": "model"}},
        "questions": questions,
        "design": {"trials": "single", "raters_per_trial": 3, "trials_per_rater": 4, "blind": True},
        "flow": {"consent": {"version": "1", "text": CONSENT}},
        "analysis": {"reference": "Nurse", "composites": {"support": {"questions": keys}}},
        "recruitment": {"platform": "prolific", "pay": 4.5},
        "completion": COMPLETION,
    }
    check_same(made, Protocol.model_validate(wanted))
    rater = new_context().new_page()
    rater.goto(as_participant(link))
    rater.get_by_role("button", name="I agree and want to take part").click()
    rater.get_by_role("button", name="Begin").click()
    for words in ("I feel alone", "Tell me about it", "Nobody calls", *SPOKEN):
        expect(rater.locator("main").get_by_text(words).first).to_be_visible()
    expect(rater.locator("main fieldset:has(input[type=radio])")).to_have_count(9)


# What a lead who has all ratings already never had to write.
COLLECTED_INSTRUCTIONS = """[Say here what raters read and judge, in your own words.]

Read everything on the page before you answer. You will not be told who wrote a response."""
COLLECTED_CONSENT = """**Purpose.** [What the study is about, and who conducts it.]

**What you will do.** [What raters read and answer, and how long it takes.]

**Risks and benefits.** [Whether the texts may be distressing, and what raters get.]

**Voluntary participation.** Taking part is voluntary. You can stop at any time without giving a reason, with
the link at the bottom of each page. There you can also have all your answers deleted.

**Data protection.** Your answers are stored under a pseudonym. If you come from a recruitment platform, your
participant ID is stored separately from your answers. The answers are used for research and may be published
in a form that does not identify you.

**Contact.** If you have questions about the study or your data, contact [name and email address]. [Ethics
committee and approval number.]

You can take part if you are at least 18 years old.
"""


def test_ratings_already_collected_become_results_without_a_question_removed(
    engine: Engine, page: Page, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sign_in(page, a_lead(engine))
    names = ("Anna", "Ben", "R1", "Coder 2")
    rows: list[tuple[str, ...]] = [("Nr.", "Beitrag", "System", "Antwort", *names)]
    for n in range(1, 9):
        for place, who in enumerate(("Beraterin", "GPT-4o")):
            texts = (f"Beitrag {n}: Ich fühle mich müde und allein, seit der Winter kam.", who)
            given = (str(1 + (n * (k + 2) + place) % 4 + place) for k in range(len(names)))
            rows.append(
                (str(n), *texts, f"Danke, dass Sie schreiben, {n}. Erzählen Sie mir mehr davon, {who}.", *given)
            )
    (tmp_path / "urteile.csv").write_bytes(csv(rows))
    page.goto("/studies")
    hand, begun = Hand(page), time.monotonic()
    drop(hand, tmp_path / "urteile.csv", "Ratings already collected", "Agreement between raters")
    expect(page.locator("main")).to_contain_text("How does GPT-4o compare with Beraterin on Rating?")
    count(hand, begun, "the results of ratings already collected", capsys)
    made = stored(engine, "urteile", n_items=8)
    scale = {str(point): "" for point in range(1, 6)}
    wanted = {
        "attune": 1,
        "slug": "urteile",
        "title": "Urteile",
        "rater_title": "Reading and rating texts",
        "instructions": COLLECTED_INSTRUCTIONS,
        "sources": {"Beraterin": {"kind": "human"}, "GPT-4o": {"kind": "model"}},
        "questions": [
            {
                "key": "rating",
                "label": "Rating",
                "target": "response",
                "type": "rating",
                "text": "Rating",
                "scale": scale,
            }
        ],
        "design": {"trials": "single", "raters_per_trial": 4, "trials_per_rater": 10, "blind": True},
        "flow": {"consent": {"version": "1", "text": COLLECTED_CONSENT}},
        "analysis": {"reference": "Beraterin", "primary": ["rating"]},
    }
    check_same(made, Protocol.model_validate(wanted))
