"""Every page of Help: it renders, its links lead somewhere, and search finds what it says."""

import re

import pytest
from starlette.testclient import TestClient

from app.base.help.library import Library
from app.base.help.pages import TOPICS
from app.base.help.search import SearchIndex, _terms
from app.base.help.synonyms import SYNONYMS
from app.settings import folder

DOCS = folder("docs")
PICTURES = {path.name for path in (DOCS / "pictures").iterdir()}
LINK = re.compile(r'(?:href|src)="([^"]*)"')


def picture(name: str) -> str:
    """The address of a picture, which must exist."""
    assert name in PICTURES, f"docs/pictures/{name} is missing"
    return f"/static/{name}"


@pytest.fixture(scope="module")
def library() -> Library:
    return Library(DOCS, picture)


def test_every_link_of_every_page_leads_to_a_heading_a_picture_or_a_script(library: Library) -> None:
    anchors = {name: {heading.anchor for heading in library.headings(name)} for name in library.names}
    broken = []
    for name in library.names:
        for target in LINK.findall(library.page(name).html):
            path, _, anchor = target.partition("#")
            there = path.removeprefix("/help").strip("/") if path else name
            is_elsewhere = "://" in target or path.startswith("/static/") or there in library.scripts
            if not is_elsewhere and anchor not in {"", *anchors.get(there or "README", set())}:
                broken.append((name, target))
            if not is_elsewhere and there not in {"", *library.names}:
                broken.append((name, target))
    assert broken == []


def test_no_page_has_raw_markup_or_loads_from_elsewhere(library: Library) -> None:
    for name in library.names:
        html = re.sub(r"<(pre|code)[^>]*>.*?</\1>", "", library.page(name).html, flags=re.DOTALL)
        assert not re.search(r"&lt;(table|img|br|div|a) ", html), name
        assert not re.search(r'src="(?!/static/)', html), name


def test_every_page_of_the_index_has_its_title_and_neighbours(library: Library) -> None:
    names = [entry.name for entry in library.entries]
    assert len(names) == len(set(names)) > 30
    assert all(library.page(name).title for name in names)
    assert library.around(names[0])[0] is None
    assert library.around(names[0])[1] == library.entries[1]
    assert library.around("README") == (None, None)


def test_every_topic_is_a_heading_and_names_a_page_of_the_lead(library: Library) -> None:
    for topic in TOPICS.values():
        name, _, anchor = topic.partition("#")
        assert name in library.names
        assert anchor in {"", *(heading.anchor for heading in library.headings(name))}, topic


@pytest.fixture(scope="module")
def index(library: Library) -> SearchIndex:
    return SearchIndex(library)


PART_MARKED = re.compile(r"\w<mark>|</mark>\w")
# What people search for, in their own words, and a section that has to be among the first three.
SEARCHES = {
    "annotator": "raters",
    "annotators": "raters",
    "inter-annotator agreement": "statistics/agreement",
    "IAA": "statistics/agreement",
    "IRR": "statistics/agreement",
    "interrater reliability": "statistics/agreement",
    "Krippendorff's alpha": "statistics/agreement#krippendorff_alpha_nominal-_ordinal-_interval-_ratio",
    "Cohen kappa": "statistics/agreement#cohen_kappa-cohen_kappa_linear-cohen_kappa_quadratic",
    "Likert": "editing-a-study#questions",
    "Likert scale": "protocol#questions",
    "forced choice": "statistics/comparison#share_preferred",
    "pairwise": "statistics/comparison#share_preferred",
    "win rate": "statistics/comparison#share_preferred",
    "Elo": "statistics/comparison#bt_strength",
    "IRB": "privacy#for-an-ethics-board-irb",
    "randomization": "protocol#design",
    "blinding": "protocol#design",
    "missing data": "statistics#minimum-data",
    "significance": "statistics#verdicts",
    "attrition": "statistics/raters#attrition_share",
    "dropout": "statistics/raters#attrition_share",
    "task": "tutorial#4-consent-trials-and-analysis",
    "sample size": "planning",
    "attention checks": "raters#flags",
    "bonus payment": "raters#pay-raters",
    "completion code": "protocol#completion",
    "LLM as a judge": "models",
    "How do I restore a backup?": "operations#backups",
    "backup": "operations#backups",
    "caddy": "server#caddy",
    "survey_code SONA": "sona",
    "krippendorf alph": "statistics/agreement",
    "where is the data": "results#downloads",
    "How many participants do I need?": "planning",
    "can I delete a participant": "raters#exclude-raters",
    "what if someone drops out": "prolific#time-outs-and-returns",
    "how do I cite this": "results#the-report-for-a-paper",
    "informed consent": "protocol#flowconsent",
    "is it anonymous": "privacy",
    "export to SPSS": "results#downloads",
    "how do I stop the study": "editing-a-study#pause-and-close",
    "change the wording of a question": "editing-a-study#versions",
    "does it work on a phone": "rating-page#layout",
    "can raters go back": "rating-page#layout",
    "upload pictures": "study-folder",
    "translate the study": "languages",
    "within-subjects": "protocol#conditions",
    "ANOVA": "statistics/contrasts#factor_effect",
    "delete my data": "privacy#for-raters",
    "can I see results before the study ends": "results#monitoring-without-peeking",
    "how do I add more raters later": "editing-a-study#pause-and-close",
    "can I use my own scale": "editing-a-study#questions",
    "memory requirements": "server",
    "LDAP": "openid",
    "log rotation": "security#logs",
    "correction for multiple testing": "statistics/comparison#multiple-tests",
    "lmer": "results#models-as-code",
    "data dictionary": "database",
    "bayes factor": "results#models-as-code",
}


@pytest.mark.parametrize("query", SEARCHES)
def test_search_finds_first_what_readers_look_for(index: SearchIndex, query: str) -> None:
    found = index.find(query)
    first = [f"{hit.section.name}#{hit.section.anchor}" for hit in found.hits[:3]]
    assert any(one.startswith(SEARCHES[query]) for one in first), first
    assert not found.is_partial
    assert [hit.excerpt for hit in found.hits if PART_MARKED.search(hit.excerpt)] == []


def test_search_leads_to_headings(index: SearchIndex, library: Library) -> None:
    anchors = {(name, heading.anchor) for name in library.names for heading in library.headings(name)}
    assert {(one.name, one.anchor) for one in index.sections if one.anchor} <= anchors


def test_search_marks_whole_words_only(index: SearchIndex) -> None:
    assert not any("<mark>irre" in hit.excerpt.lower() for hit in index.find("irr").hits)
    assert "<mark>weights</mark>" in " ".join(hit.excerpt for hit in index.find("weight").hits)


def test_excerpts_have_no_marks_of_tables_and_lists(index: SearchIndex) -> None:
    assert not any(re.search(r"---|\| |\*\*|^- ", one.text) for one in index.sections if "`" not in one.text)


def test_search_says_what_it_did_with_a_query_that_fits_nowhere(index: SearchIndex) -> None:
    assert (
        index.find("").hits == index.find("zyzzyva").hits == index.find("оценка").hits == index.find("评分").hits == ()
    )
    assert index.find("krippendroff").similar == ("krippendorff",)
    assert index.find("beta").similar == ()
    assert [hit.section.anchor for hit in index.find("<b>kappa</b>").hits] == [
        hit.section.anchor for hit in index.find("kappa").hits
    ]
    partial = index.find("caddy zyzzyva")
    assert partial.is_partial
    assert partial.hits[0].section.name == "server"
    assert index.find("IRB").also == ("ethics board", "ethics")


def test_every_synonym_is_a_word_of_the_documentation(index: SearchIndex) -> None:
    """A search for each of them, with its excerpts, took seven seconds."""
    terms = {one: _terms(one.split())[0] for words in SYNONYMS.values() for one in words}
    found = {one for one in terms if any(all(term.score(section) for term in terms[one]) for section in index.sections)}
    assert sorted(terms.keys() - found) == []
    assert [one for one in SYNONYMS if one != one.casefold()] == []


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("zyzzyva", "Nothing found for <q>zyzzyva</q>"),
        ("评分", "Help is in English"),
        ("<script>alert(1)</script>", "<q>&lt;script&gt;alert(1)&lt;/script&gt;</q>"),
        ("<b>kappa</b>", "cohen_kappa"),
        ("alpha " * 900, "Only the first 8 words and 200 characters were used"),
        ("double zyzzyva", "These contain some of the words"),
        ("krippendroff", ">krippendorff</a>?"),
    ],
)
def test_search_page_answers_any_query(visitor: TestClient, words: str, answer: str) -> None:
    page = visitor.get("/help/search", params={"words": words})
    assert page.status_code == 200
    assert answer in page.text
    assert "<script>alert" not in page.text
    assert ">All pages<" in page.text


def test_wrong_address_shows_what_may_have_been_meant(visitor: TestClient) -> None:
    page = visitor.get("/help/flags-of-raters")
    assert page.status_code == 404
    assert "Help has no page <q>flags-of-raters</q>" in page.text
    assert "/help/raters#flags" in page.text


def test_help_is_read_without_signing_in_and_without_a_database(visitor: TestClient) -> None:
    page = visitor.get("/help/tutorial").text
    assert "<h1>From a spreadsheet to a report</h1>" in page
    assert 'aria-current="page">From a spreadsheet to a report' in page
    assert "Sign out" not in page
    assert visitor.get("/help/search", params={"words": "bonus payment"}).text.count("<mark>") >= 2
    assert "data frames" in visitor.get("/help/clients/attune_study.R").text
    for wrong in ("nothing", "README", "../README", "draw_architecture.py", "%2e%2e/pyproject"):
        assert visitor.get(f"/help/{wrong}").status_code == 404
