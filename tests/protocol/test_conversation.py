"""Studies in which raters have conversations: which protocols are consistent, and what they may be opened with."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.protocol.allocation.trials import PlannedItem, planned_trials
from app.protocol.opening import not_declared, placeholders
from app.protocol.study import Protocol
from tests.kit.protocols import protocol

WARMTH = {"key": "warmth", "target": "response", "type": "slider", "text": "How warm was your partner?"}
PARTNER = {"model": "m", "prompt": "Listen to [their name]."}
TALK: dict[str, Any] = {
    "questions": [WARMTH],
    "design": {"trials": "conversation"},
    "sources": {"warm": {"kind": "model"}, "diary": {"kind": "human"}},
    "conditions": {"partner": {"kind": "source", "levels": ["warm", "diary"]}},
    "conversation": {"partners": {"warm": PARTNER, "diary": {"replies": "none"}}},
}
LABEL = {"kind": "shown_label", "levels": ["none", "swapped"]}
DEBRIEF = {"flow": {"debrief": {"text": "Labels were swapped."}}}


def talk(**parts: Any) -> Protocol:  # noqa: ANN401 - any part
    return protocol(**{**TALK, **parts})


HELPER = {"model": "m", "prompt": "Suggest a sentence to [their name]."}
WRITE: dict[str, Any] = {
    **TALK,
    "design": {"trials": "draft"},
    "conversation": None,
    "draft": {"partners": {"warm": HELPER, "diary": {"replies": "none"}}},
}


def write(**parts: Any) -> Protocol:  # noqa: ANN401 - any part
    return protocol(**{**WRITE, **parts})


def test_each_item_is_one_trial_of_each_partner_without_responses() -> None:
    trials = planned_trials(talk(), [PlannedItem("a"), PlannedItem("b")])
    assert [(trial.item.key, trial.responses, trial.cell.text) for trial in trials] == [
        ("a", (), "partner=warm"),
        ("b", (), "partner=warm"),
        ("a", (), "partner=diary"),
        ("b", (), "partner=diary"),
    ]


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"conversation": None}, "conversation.partners must name whom raters write with"),
        ({"design": {"trials": "single"}}, "design.trials must be `conversation` if raters have conversations"),
        ({"design": {}}, "design.trials must be `conversation` if raters have conversations, found nothing"),
        (
            {"conversation": {"partners": {"warm": PARTNER, "peer": PARTNER}}},
            "conversation.partners must name sources (warm or diary), found peer",
        ),
        ({"conversation": {"partners": {"warm": PARTNER}}}, "a partner for each source, found none for diary"),
        ({"conditions": {}}, "must have a factor of kind source with all sources"),
        ({"conditions": {**TALK["conditions"], "way": {"kind": "layout"}}}, "must not be of kind layout"),
        (
            {"conditions": {**TALK["conditions"], "label": LABEL}, **DEBRIEF},
            "conversation.ethics must say who approved",
        ),
        (
            {"questions": [{"key": "best", "type": "choice", "target": "pair", "text": "Which?"}]},
            "must not be about several responses if raters have conversations",
        ),
        ({"design": {"trials": "conversation", "repeats": {"n": 1}}}, "design.repeats must not be set"),
        (
            {"questions": [{**WARMTH, "turns": "own"}]},
            "questions.1.turns must be all, unless the question is about each turn, found own, with target: response",
        ),
        (
            {
                "questions": [{**WARMTH, "target": "turn", "turns": "partner"}],
                "conversation": {"partners": {"warm": {"replies": "none"}, "diary": {"replies": "none"}}},
            },
            "questions.1.turns must be all or own, because nobody replies to raters (conversation.partners)",
        ),
        (
            {"conversation": {**TALK["conversation"], "min_messages": 9, "max_messages": 8}},
            "conversation.min_messages must be at most the number of messages that raters can write, found 9",
        ),
        (
            {"conversation": {**TALK["conversation"], "alert_words": ["suicid*"]}},
            "alert words must have a text that they show",
        ),
    ],
)
def test_inconsistent_study_is_refused(parts: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError) as error:
        talk(**parts)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"draft": None}, "draft.partners must name whom raters write with"),
        ({"design": {"trials": "single"}}, "design.trials must be `draft` if raters write drafts, found single"),
        ({"conversation": TALK["conversation"]}, "draft must not be set if raters have conversations"),
        ({"draft": {"partners": {"warm": HELPER}}}, "a partner for each source, found none for diary"),
        (
            {"conditions": {**TALK["conditions"], "way": {"kind": "layout"}}},
            "must not be of kind layout if raters write",
        ),
        ({"conditions": {**TALK["conditions"], "label": LABEL}, **DEBRIEF}, "draft.ethics must say who approved"),
        ({"design": {"trials": "draft", "repeats": {"n": 1}}}, "design.repeats must not be set if raters write drafts"),
        (
            {"draft": {**WRITE["draft"], "min_words": 9, "max_words": 8}},
            "draft.min_words must be at most draft.max_words",
        ),
        (
            {"draft": {**WRITE["draft"], "alert_words": ["suicid*"]}},
            "alert words must have a text that they show",
        ),
        ({"draft": {"partners": {"warm": {"model": "m"}}}}, "must have a prompt, which says what to suggest"),
    ],
)
def test_inconsistent_study_of_drafts_is_refused(parts: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError) as error:
        write(**parts)
    assert sentence in str(error.value)


def test_drafts_are_trials_without_responses_whose_help_must_be_declared() -> None:
    found = write()
    assert [trial.responses for trial in planned_trials(found, [PlannedItem("a")])] == [(), ()]
    assert (found.writing, found.hides_sources, protocol().writing) == (found.draft, False, None)
    assert not_declared(found)
    assert not not_declared(write(flow={"consent": {"version": "1", "text": "Sent.", "sends_to_model": True}}))
    assert placeholders(found) == {}


def test_each_kind_says_whom_raters_write_with_and_whether_they_see_pieces() -> None:
    whole = talk(conversation={**TALK["conversation"], "replies_shown": "whole"}).writing
    kinds = [one for one in (talk().writing, whole, write().writing) if one]
    assert [([*one.all_partners], one.shows_pieces) for one in kinds] == [
        (["warm", "diary"], True),
        (["warm", "diary"], False),
        (["warm", "diary"], False),
    ]


def test_swapped_labels_are_allowed_with_the_words_of_who_approved_them() -> None:
    conversation = {**TALK["conversation"], "ethics": "Ethics board, number 7."}
    conditions = {**TALK["conditions"], "label": LABEL}
    assert talk(conversation=conversation, conditions=conditions, **DEBRIEF).conversation


def test_study_with_one_partner_needs_no_factor() -> None:
    one = talk(sources={"warm": {"kind": "model"}}, conditions={}, conversation={"partners": {"warm": PARTNER}})
    assert [trial.cell.text for trial in planned_trials(one, [PlannedItem("a")])] == [""]


@pytest.mark.parametrize(
    ("consent", "is_declared"), [({}, False), ({"sends_to_model": True}, True), ({"sends_to_model": False}, False)]
)
def test_consent_form_must_declare_that_texts_go_to_a_model(consent: dict[str, bool], *, is_declared: bool) -> None:
    flow = {"consent": {"version": "1", "text": "A model replies.", **consent}}
    assert (not not_declared(talk(flow=flow))) == is_declared


def test_diaries_need_no_declaration() -> None:
    diary = {"partners": {"diary": {"replies": "none"}}}
    assert not not_declared(talk(sources={"diary": {"kind": "human"}}, conditions={}, conversation=diary))


ROLES = {"seeker": {"label": "Seeker", "task": "Tell."}, "supporter": {"label": "Supporter"}}
PERSON: dict[str, Any] = {"replies": "person", "roles": ROLES}


def dyads(person: dict[str, Any] = PERSON, **parts: Any) -> Protocol:  # noqa: ANN401 - any part
    usual = {"sources": {"peer": {"kind": "human"}}, "conditions": {}, "design": {"raters_per_trial": 2}}
    found = {**usual, "conversation": {"partners": {"peer": person}}, **parts}
    return talk(**{**found, "design": {"trials": "conversation", **found["design"]}})


def test_two_raters_have_two_roles_of_which_the_first_begins() -> None:
    conversation = dyads().conversation
    assert conversation
    partner = conversation.partners["peer"]
    assert (partner.is_person, partner.begins, partner.roles["seeker"].task) == (True, "seeker", "Tell.")
    model = talk().conversation
    assert model
    assert (model.partners["warm"].is_person, model.partners["warm"].begins) == (False, None)


@pytest.mark.parametrize(
    ("person", "sentence"),
    [
        ({"roles": {}}, "must have two roles, with other names than rater and partner, found none"),
        ({"roles": {"seeker": ROLES["seeker"]}}, "must have two roles, with other names"),
        ({"roles": {"rater": {"label": "A"}, "partner": {"label": "B"}}}, "with other names than rater and partner"),
        ({"roles": {"a": {"label": "Same"}, "b": {"label": "Same"}}}, "must have different labels, found Same"),
        ({"prompt": "Listen.", "opening": "Hello."}, "in place of a model's fields, found prompt, opening"),
        ({"replies": "none"}, "only a partner who is a person has roles, found seeker, supporter"),
        ({"wait_minutes": 0}, "greater than 0"),
    ],
)
def test_inconsistent_person_is_refused(person: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError) as error:
        dyads({**PERSON, **person})
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("design", "sentence"),
    [
        ({}, "design.raters_per_trial must be even, because raters write with each other, found 3"),
        ({"pools": {"a": {"raters_per_trial": 5}}}, "design.pools.a.raters_per_trial must be even"),
        ({"pools": {"a": {}}}, "design.raters_per_trial must be even"),
    ],
)
def test_nobody_is_left_without_a_partner_by_design(design: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError) as error:
        dyads(design=design)
    assert sentence in str(error.value)


def test_consent_form_must_declare_that_another_rater_reads_along() -> None:
    assert [words for words in not_declared(dyads()) if "write with each other" in words]
    assert not not_declared(dyads(flow={"consent": {"version": "1", "text": "Read.", "sends_to_rater": True}}))


def test_what_a_model_reads_is_not_for_raters() -> None:
    assert placeholders(talk()) == {}
    opening = {"partners": {"warm": {**PARTNER, "opening": "Hello [name]."}, "diary": {"replies": "none"}}}
    assert placeholders(talk(conversation=opening)) == {"[name]": "conversation.partners.warm.opening"}


def test_raters_of_one_text_are_not_told_of_responses_in_random_order() -> None:
    assert protocol().hides_sources
    assert not talk().hides_sources
    assert not protocol(design={"blind": False}).hides_sources
    assert not protocol(conditions={"label": {"kind": "shown_label", "levels": ["none", "true"]}}).hides_sources


def test_turns_of_one_writer_are_asked_about_where_raters_had_the_conversation() -> None:
    question = {**WARMTH, "target": "turn", "turns": "partner"}
    assert talk(questions=[question]).questions[0].turns == "partner"
    with pytest.raises(ValidationError, match="unless raters have the conversations that they are asked about"):
        write(questions=[question])
