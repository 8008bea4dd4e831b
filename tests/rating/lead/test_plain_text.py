"""The plain text of a trial, which model judges read, has the same words as the page that raters see."""

import re
from html.parser import HTMLParser

import pytest
from sqlalchemy import Connection
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.base.language.language import language_of
from app.rating.page.plain_text import QUOTE, instructions_text, trial_text
from app.rating.page.sheet import make_sheet
from app.rating.preview.preview import example_trial
from app.studies.editor.preview_pages import preview_pages
from app.studies.folder.study_templates import list_templates
from app.studies.load import load_study
from app.studies.protocols import get_protocol
from tests.kit.templates import template_study

# Controls of the page and texts that repeat others; they tell a rater nothing about the trial.
CONTROLS = {"bar", "switch", "sheet-end", "by-marking", "skip", "heads", "row-name", "visually-hidden", "ranking-order"}
# The buttons for ranks: a sentence above them names the first and the last.
CONTROLS |= {"ranking-rows"}
NOT_TEXT = {"script", "style", "kbd", "button", "head", "nav"}
VOID = {"input", "br", "meta", "link", "img", "hr", "col", "wbr"}


class Visible(HTMLParser):
    """The texts of a page outside its controls."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[bool] = []
        self.pieces: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            classes = set((dict(attrs).get("class") or "").split())
            self.open.append(tag in NOT_TEXT or bool(classes & CONTROLS) or (bool(self.open) and self.open[-1]))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID and self.open:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if data.strip() and not (self.open and self.open[-1]):
            self.pieces.append(squeezed(data))


def squeezed(text: str) -> str:
    return " ".join(text.split())


def pieces_of(html: str) -> list[str]:
    """The visible texts of the main part of a page."""
    page = Visible()
    page.feed('<form id="rate-form"' + html.partition('<form id="rate-form"')[2].partition("</form>")[0])
    return page.pieces


def parts_of(line: str) -> list[str]:
    """A line of the plain text without its marks: the parts that stand apart on the page."""
    if line.startswith(QUOTE.strip()):
        return [line.removeprefix(QUOTE.strip())]
    # A visually hidden heading, and the numbers of turns, which the style sheet counts.
    if line == "About the person:" or line.removesuffix(".").isdigit():
        return []
    bare = re.sub(r"^(- |\d+\. )", "", line).removesuffix(" (optional)")
    if bare.startswith(("(Response", "(Turn")) or "; Response" in bare:
        return []
    return re.split(r" – |(?<=^\d): |(?<=^\d\d): |(?<=^-\d): ", bare)


@pytest.mark.parametrize("name", [template.name for template in list_templates()])
def test_judges_and_raters_read_the_same(db: Connection, client: TestClient, lead: Lead, name: str) -> None:
    study_id = load_study(db, template_study(name), lead.id)
    protocol = get_protocol(db, study_id, 1)
    language = language_of(protocol.language)
    for page in (page for page in preview_pages(protocol) if page.step == "rating"):
        view = example_trial(db, study_id, protocol, page.cell)
        assert view
        text = trial_text(make_sheet(protocol, view, wrong={}), view, language)
        shown_page = client.get(f"/studies/{name}/design/preview", params={"at": page.key})
        html = shown_page.text
        assert "no rating page to show" not in html
        assert "frame-ancestors 'self'" in shown_page.headers["content-security-policy"]
        assert "form-action 'none'" in shown_page.headers["content-security-policy"]
        plain = client.get(f"/studies/{name}/design/preview/text", params={"at": page.key})
        assert plain.text == f"{instructions_text(protocol, language)}\n\n{text}\n"
        pieces, bare = pieces_of(html), squeezed(re.sub(f"^{QUOTE.strip()}", "", text, flags=re.MULTILINE))
        missing = [piece for piece in pieces if piece not in bare]
        assert (missing, page.key) == ([], page.key)
        shown = squeezed(" ".join(pieces))
        invented = [part for line in text.splitlines() for part in parts_of(line) if squeezed(part) not in shown]
        assert (invented, page.key) == ([], page.key)
    start = client.get(f"/studies/{name}/design/preview", params={"at": "instructions"}).text
    assert squeezed(protocol.title_for_raters) in squeezed(start)
    assert protocol.instructions.strip() in instructions_text(protocol, language)
