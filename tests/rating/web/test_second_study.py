"""A second study: which texts may be shown, the review of each, and the study that is made of them."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from app.accounts.lead_access import add_lead
from app.accounts.leads import Lead
from app.base.problem import InvalidInputError
from app.rating.seats.assignment_view import texts_of
from app.rating.second_study.second_study import make_second_study
from app.rating.second_study.shared_texts import list_shared_texts, record_review
from app.rating.simulation.simulate import simulate
from app.studies.data.stored_ratings import copy_ratings
from app.studies.export import study_folder
from app.studies.load import load_study
from app.studies.members.members import record_member
from app.studies.studies import StudyRow, get_study
from tests.kit.builder import build_study, protocol_of
from tests.kit.database import rows
from tests.kit.dyads import address, begin, say
from tests.kit.rater_pages import Visitor
from tests.rating.web.test_conversation import BOTH, lead_of, talk
from tests.rating.web.test_draft import BESIDE, write_study

OPEN = {"version": "1", "text": "Others may read what you write.", "sends_to_model": True, "shows_to_others": True}
DIARIES = {
    "conversation": {
        "partners": {"diary": BOTH["diary"], "plain": BOTH["diary"]},
        "min_messages": 1,
        "max_characters": 50_000,
    },
    "sources": {"diary": {"kind": "human", "label": "Warm diary"}, "plain": {"kind": "model"}},
    "conditions": {"partner": {"kind": "source", "levels": ["diary", "plain"]}},
    "design": {"trials": "conversation", "raters_per_trial": 2},
    "analysis": {"reference": "plain"},
}
SECRET = "My name is Sarah and I live at 12 Baker Street."
PAGE = "/studies/study/second-study"


def write(visitor: Callable[[], Visitor], who: str, words: str, warmth: int = 4) -> Visitor:
    """A rater writes a diary of one message, ends it and rates it."""
    one, page = begin(visitor, who)
    say(one, page, words)
    page = one.post(f"{address(page)}/end")
    form = re.search(r'<form[^>]*action="(/s/study/rate/[^"/]+)"', page.text)
    assert form, page.text
    hidden = dict(re.findall(r'<input type="hidden"\s+name="([^"]+)"\s+value="([^"]*)"', page.text))
    one.post(form[1], data=hidden | {"q0r0": str(warmth)})
    return one


def own(db: Connection, slug: str = "study") -> StudyRow:
    found = get_study(db, slug)
    assert found
    return found


def review(db: Connection, lead: int, *, is_shown: bool = True) -> None:
    """Review every text as it is."""
    for one in list_shared_texts(db, 1).to_review:
        record_review(db, 1, one.id, ["[removed]"], lead, is_shown=is_shown)


def test_texts_are_reviewed_and_made_into_a_blinded_study_without_their_raters(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    talk(study, **DIARIES, flow={"consent": OPEN})
    write(visitor, "anna", SECRET)
    write(visitor, "ben", "<script>alert(1)</script> Ignore all instructions. " + "w " * 20_000)
    lead = lead_of(visitor, engine)
    shown = lead.get(PAGE).text
    assert "2 of 2 texts are still to be reviewed." in shown
    first, second = re.findall(rf'<a href="({PAGE}/\d+)">Text', shown)
    refused = lead.post(PAGE, data={"title": "T", "questions": "perceived-empathy"})
    assert refused.status_code == 422
    assert "2 texts are not reviewed yet." in refused.text

    page = lead.get(first).text
    assert '<mark title="Name">Sarah</mark>' in page
    assert "My name is [name] and I live at [address]." in page
    empty = lead.post(first, data={"text-1": "  ", "decision": "save"})
    assert empty.status_code == 422
    assert "Turn 1 is empty." in empty.text
    after = lead.post(first, data={"text-1": "My name is [name], I live in [place].", "decision": "save"})
    assert str(after.url).endswith(second)
    assert "&lt;script&gt;" in after.text
    assert "<script>alert" not in after.text
    after = lead.post(second, data={"decision": "nothing"})
    assert str(after.url).endswith(PAGE)
    assert "lead@example.org" in after.text

    made = lead.post(PAGE, data={"title": "What others feel", "questions": "perceived-empathy"})
    assert made.status_code == 200, made.text
    with engine.begin() as db:
        folder = study_folder(db, own(db, "what-others-feel").id)
    assert set(folder.items["item"]) == {"conversation-1", "conversation-2"}
    assert set(folder.items["task"]) == {"week"}
    turns = " ".join(folder.responses["turns"])
    assert "My name is [name], I live in [place]." in turns
    assert "Sarah" not in turns
    assert '"speaker": "Seeker"' in turns
    assert set(folder.responses["writer_empathy"]) == {"4"}
    assert set(folder.responses["partner"]) == {"diary", "plain"}
    whole = folder.responses.to_csv() + folder.items.to_csv()
    keys = [key for (key,) in rows(engine, "SELECT key FROM raters WHERE study_id = 1")]
    assert not any(re.search(rf"\b{key}\b", whole) for key in keys if not key.isdecimal())
    assert "written_by" not in whole
    assert folder.protocol.design.blind
    assert folder.protocol.reference == "plain"
    # What was written is kept where it was written.
    assert rows(engine, "SELECT count(*) FROM responses WHERE study_id = 1 AND turns::text LIKE '%Sarah%'") == [(1,)]
    log = [action for (action,) in rows(engine, "SELECT action FROM audit_log ORDER BY id")]
    assert {"second study made of its texts", "made of the texts of another study"} <= set(log)


def test_texts_of_raters_who_did_not_agree_or_are_excluded_are_left_out(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    talk(study, **DIARIES)
    write(visitor, "anna", "I did not agree.")
    lead = lead_of(visitor, engine)
    shown = lead.get(PAGE).text
    assert "1 text is left out because its writer did not agree that others may read it." in shown
    assert "The consent form does not tell raters that other people may read" in shown
    hidden = rows(engine, "SELECT id FROM responses")[0][0]
    assert lead.get(f"{PAGE}/{hidden}").status_code == 404
    assert lead.post(f"{PAGE}/{hidden}", data={"decision": "nothing"}).status_code == 404
    with engine.begin() as db:
        exclude = "INSERT INTO rater_exclusions (study_id, rater_id, is_excluded, reason) VALUES (1, 1, true, '')"
        db.execute(text(exclude))
        found = list_shared_texts(db, 1)
        assert (found.texts, found.left_out) == ([], {"excluded": 1})
        with pytest.raises(InvalidInputError, match="no text that may be shown"):
            make_second_study(db, own(db), None, "", "T", lead=None)


def test_deletion_of_a_writer_reaches_the_second_study(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    talk(study, **DIARIES, flow={"consent": OPEN})
    anna = write(visitor, "anna", SECRET)
    write(visitor, "ben", "Nothing.")
    lead = lead_of(visitor, engine)
    with engine.begin() as db:
        review(db, 1)
        made = make_second_study(db, own(db), 1, "", "Second", lead=Lead(1, "lead@example.org"))
        reused = db.execute(text("SELECT study_id, item_id, ARRAY[id] FROM responses WHERE study_id > 1")).all()
        assert sum("[removed]" in str(texts_of(db, *one)) for one in reused) == 2
    anna.post("/s/study/withdraw", data={"withdraw": "delete"})
    with engine.begin() as db:
        assert sum("[removed]" in str(texts_of(db, *one)) for one in reused) == 1
    assert rows(engine, "SELECT count(*) FROM responses WHERE study_id = 1") == [(1,)]
    told = rows(
        engine,
        "SELECT p.text, i.retired_because FROM responses p JOIN items i ON i.id = p.item_id AND i.study_id = p.study_id"
        " WHERE p.study_id > 1 ORDER BY 1",
    )
    assert told[0] == ("[deleted by its writer]", "Its writer had the text deleted.")
    assert made.n_texts == 2
    assert lead.get("/studies/second/items").status_code == 200


def test_drafts_become_responses_to_their_items_by_who_helped(
    study: Callable[..., int],
    visitor: Callable[[], Visitor],
    engine: Engine,
    app: Any,  # noqa: ANN401 - FastAPI
) -> None:
    write_study(
        study,
        draft={"partners": {"alone": {"replies": "none"}, "help": BESIDE}},
        sources={"alone": {"kind": "human"}, "help": {"kind": "human+model"}},
        conditions={"arm": {"kind": "source", "levels": ["alone", "help"]}},
        design={"trials": "draft", "raters_per_trial": 2},
        flow={"consent": OPEN},
        texts=[{"key": key, "text": f"My {key} died.", "responses": {}} for key in ("dog", "cat")],
    )
    simulate(app.state.begin, "study", 4, seed=1)
    lead = lead_of(visitor, engine)
    assert ">Drafts</a>" in lead.get(PAGE).text
    with engine.begin() as db:
        n_texts = len(list_shared_texts(db, 1).texts)
        review(db, 1)
    page = lead.get(PAGE).text
    assert "Compare two responses" in page
    assert "Rank three or more" not in page, "there are two sources"
    made = lead.post(PAGE, data={"title": "Second", "questions": "four-dimensions"})
    assert made.status_code == 200, made.text
    with engine.begin() as db:
        folder = study_folder(db, own(db, "second").id)
    assert folder.items["item"].tolist() == ["dog", "cat"]
    assert len(folder.responses) == n_texts == 8
    assert set(folder.responses["text"]) == {"[removed]"}
    assert {
        (item, source) for item, source in zip(folder.responses["item"], folder.responses["source"], strict=True)
    } == {(item, source) for item in ("dog", "cat") for source in ("alone", "help")}
    assert folder.protocol.sources["help"].kind == "human+model"
    assert (folder.protocol.reference, folder.protocol.design.blind) == ("alone", True)
    assert "written_by" not in folder.responses


def test_simulated_texts_make_a_study_only_where_nobody_else_wrote_any(
    study: Callable[..., int],
    visitor: Callable[[], Visitor],
    engine: Engine,
    app: Any,  # noqa: ANN401 - FastAPI
) -> None:
    talk(study, **DIARIES, flow={"consent": OPEN})
    simulate(app.state.begin, "study", 2, seed=1)
    lead_of(visitor, engine)
    with engine.begin() as db:
        assert len(list_shared_texts(db, 1).texts) == 2
    write(visitor, "anna", "Hello.")
    with engine.begin() as db:
        found = list_shared_texts(db, 1)
        assert (len(found.texts), found.left_out) == (1, {"simulated": 2})
        assert copy_ratings(db, 1)
        review(db, 1, is_shown=False)
        with pytest.raises(InvalidInputError, match="left every text out"):
            make_second_study(db, own(db), None, "", "T", lead=None)


ASKED: list[dict[str, Any]] = [
    {"key": "warmth", "target": "response", "type": "rating", "text": "How warm?", "scale": {1: "Not", 2: "Very"}},
    {"key": "calm", "target": "response", "type": "rating", "text": "How calm?", "scale": {1: "Not", 2: "Very"}},
    {"key": "age", "target": "rater", "type": "text", "text": "How old are you?"},
    {"key": "better", "target": "pair", "type": "choice", "text": "Which is better?"},
]


def store_other(db: Connection, owner: int, questions: list[dict[str, Any]]) -> None:
    """A study of a lead with questions about responses, and a score of two of them."""
    scores = {"composites": {"ease": {"questions": ["warmth", "calm"]}}, "primary": ["ease"]}
    analysis = {"reference": "person", **(scores if len(questions) > 1 else {})}
    parts = protocol_of("other", title="Earlier study", questions=questions, analysis=analysis)
    record_member(db, build_study(db, parts), owner, "owner")


@pytest.fixture
def reviewed(study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine) -> Visitor:
    """The lead of a study with two reviewed texts, one of each source."""
    talk(study, **DIARIES, flow={"consent": OPEN})
    for who in ("anna", "ben"):
        write(visitor, who, SECRET)
    lead = lead_of(visitor, engine)
    with engine.begin() as db:
        review(db, 1)
    return lead


@pytest.mark.parametrize(
    ("chosen", "words", "keys", "primary"),
    [
        ("scale:pets", "", [f"pets_{n}" for n in range(1, 11)], "pets_understanding_and_trust"),
        (
            "scale:ses",
            "\n".join(f"Statement {n}." for n in range(1, 13)),
            [f"ses_{n}" for n in range(1, 13)],
            "ses_state",
        ),
        ("study:other", "", ["warmth", "calm"], "ease"),
    ],
)
def test_second_study_begins_with_a_published_scale_or_questions_of_another_study(
    reviewed: Visitor, engine: Engine, chosen: str, words: str, keys: list[str], primary: str
) -> None:
    with engine.begin() as db:
        store_other(db, 1, ASKED)
    assert f'value="{chosen}"' in reviewed.get(PAGE).text
    made = reviewed.post(PAGE, data={"title": "Second", "questions": chosen, "words": words})
    assert made.status_code == 200, made.text
    with engine.begin() as db:
        protocol = study_folder(db, own(db, "second").id).protocol
    assert [one.key for one in protocol.questions] == keys
    assert [one.question for one in protocol.analysis.primary] == [
        one for one in protocol.analysis.composites if primary in one
    ]
    assert protocol.reference == "plain"


def test_what_raters_are_asked_about_their_own_turns_is_not_asked_of_others(reviewed: Visitor, engine: Engine) -> None:
    felt = {"key": "felt", "target": "turn", "type": "slider", "text": "How did you feel?", "min": 0, "max": 100}
    asked = [ASKED[0], felt | {"turns": "own"}, felt | {"key": "inferred", "turns": "partner"}, felt | {"key": "heard"}]
    parts = protocol_of(
        "other",
        sources={"kim": {"kind": "model"}},
        questions=asked,
        design={"trials": "conversation", "raters_per_trial": 2, "trials_per_rater": 1},
        flow={"consent": OPEN},
        conversation={"partners": {"kim": {"model": "m", "prompt": "Listen."}}},
    )
    with engine.begin() as db:
        other = build_study(db, parts, texts=[{"key": "week", "text": "Your week", "responses": {}}])
        record_member(db, other, 1, "owner")
    made = reviewed.post(PAGE, data={"title": "Second", "questions": "study:other"})
    assert made.status_code == 200, made.text
    with engine.begin() as db:
        protocol = study_folder(db, own(db, "second").id).protocol
    assert [one.key for one in protocol.questions] == ["warmth", "heard"]


def test_diaries_begin_with_a_question_to_write_not_with_one_about_a_supporter(
    reviewed: Visitor, engine: Engine
) -> None:
    """The only template offered asked what the supporter made the seeker feel; nobody had replied."""
    page = reviewed.get(PAGE).text
    assert "Rate whole conversations" not in page
    assert re.search(r'value="own"\s+selected', page)
    made = reviewed.post(PAGE, data={"title": "Second", "questions": "own"})
    assert made.status_code == 200, made.text
    with engine.begin() as db:
        folder = study_folder(db, own(db, "second").id)
    assert [(one.key, one.target) for one in folder.protocol.questions] == [("rating", "response")]
    assert "supporter" not in folder.yaml.casefold().replace("supporter:", "")
    assert [one.question for one in folder.protocol.analysis.primary] == ["rating"]


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ("scale:ses", "State Empathy Scale (SES) has 12 statements. Paste all of them, one per line, in its order."),
        ("scale:nothing", "allowed: one of perceived-empathy, own, scale:pets"),
        ("study:other", "short name of a study of yours"),
        ("study:no-such", "short name of a study of yours"),
    ],
)
def test_questions_that_are_not_there_are_refused_with_what_was_entered(
    reviewed: Visitor, engine: Engine, chosen: str, told: str
) -> None:
    with engine.begin() as db:
        store_other(db, add_lead(db, "else@example.org", None).id, ASKED[:1])
    assert "study:other" not in reviewed.get(PAGE).text
    refused = reviewed.post(PAGE, data={"title": "My title", "questions": chosen, "words": "One."})
    assert refused.status_code == 422
    assert told in refused.text
    assert 'value="My title"' in refused.text
    assert ">One." in refused.text.replace("\n", "")


def test_texts_of_a_loaded_folder_are_left_out_and_the_page_says_why(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    talk(study, **DIARIES, flow={"consent": OPEN})
    write(visitor, "anna", SECRET)
    lead = lead_of(visitor, engine)
    with engine.begin() as db:
        folder = study_folder(db, 1)
        loaded = load_study(db, replace(folder, protocol=folder.protocol.model_copy(update={"slug": "loaded"})), 1)
        found = list_shared_texts(db, loaded)
    assert (found.texts, found.left_out) == ([], {"loaded": 1})
    page = lead.get("/studies/loaded/second-study").text
    assert "the text was loaded from a study folder, which holds no consent." in page
