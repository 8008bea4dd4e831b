"""What changed between two versions, in words."""

import pytest

from app.protocol.study import Protocol
from app.studies.editor.changes import ShownChange, changes, kept_together
from tests.kit.builder import protocol_of

BASE = """
title: Study
questions:
- {key: warmth, text: Warm?, scale: {1: cold, 2: warm}}
- {key: choice, type: choice, tie: true}
design: {trials_per_rater: 8}
flow:
  consent: {text: Please agree.}
"""


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("Warm?", "How warm?", [("Question Warmth: Text", "Warm?", "How warm?")]),
        ("2: warm", "2: very warm", [("Question Warmth: Scale, 2", "warm", "very warm")]),
        ("tie: true", "tie: false", [("Question Choice: Offer “About the same”", "yes", "no")]),
        (", tie: true", "", [("Question Choice: Offer “About the same”", "yes", "")]),
        ("trials_per_rater: 8", "trials_per_rater: 10", [("Trials: Trials per rater", "8", "10")]),
        ("Please agree.", "Agree.", [("Consent and eligibility: Consent, Text", "Please agree.", "Agree.")]),
        ("title: Study", "title: 8", [("Title and instructions: Title", "Study", "8")]),
        (
            "- {key: choice, type: choice, tie: true}",
            "",
            [("Question Choice", "Choice between two responses. Offer “About the same”: yes", "")],
        ),
        (
            "- {key: warmth",
            "- {key: calm, text: Calm?, target: response, scale: {1: no, 2: yes}}\n- {key: warmth",
            [("Question Calm", "", "Calm? Rating on a scale, about each response: 1 no, 2 yes.")],
        ),
        (
            "flow:",
            "analysis: {primary: [warmth], composites: {both: {questions: [warmth, choice]}}}\nflow:",
            [
                ("Analysis: What the study asks", "", "Warm?"),
                ("Analysis: Scores from several questions", "", "Both: Questions: Warmth, Choice"),
            ],
        ),
        (
            "flow:",
            "checks: {attention: [{key: look, text: Choose yes., codes: {1: yes, 2: no}, correct: 1}]}\nflow:",
            [("Checks: Attention checks, Look", "", "Choose yes. yes, no. Right answer: yes")],
        ),
        (
            "flow:",
            "completion: {otherwise: {no_consent: {code: C1}}}\nflow:",
            [("Recruitment: Other endings", "", "No consent: Code: C1")],
        ),
        ("# ", "", None),
        ("title: Study", "title: [", None),
    ],
)
def test_change_is_named_as_on_its_page(old: str, new: str, found: list[tuple[str, str, str]] | None) -> None:
    wanted = None if found is None else [ShownChange(*one) for one in found]
    assert changes(BASE, BASE.replace(old, new)) == wanted


def test_moved_question_is_only_another_order() -> None:
    lines = BASE.splitlines()
    moved = "\n".join([*lines[:3], lines[4], lines[3], *lines[5:]])
    assert changes(BASE, moved) == [ShownChange("Questions: Order", "Warmth, Choice", "Choice, Warmth")]


def test_order_of_sources_is_a_change_and_that_of_settings_is_layout() -> None:
    before = "sources: {person: {kind: human}, gpt: {kind: model}}"
    assert changes(before, "sources: {gpt: {kind: model}, person: {kind: human}}") == [
        ShownChange("Sources: Order", "Person, GPT", "GPT, Person")
    ]
    assert changes(before, "sources: {person: {kind: human}, gpt: { kind: model } }") is None
    assert changes("design: {seed: 1, links: open}", "design: {links: open, seed: 1}") is None
    scores = "analysis: {cut: {warm: 1, calm: 2}, composites: {one: {questions: [warm]}, two: {questions: [calm]}}}"
    moved = "analysis: {cut: {calm: 2, warm: 1}, composites: {two: {questions: [calm]}, one: {questions: [warm]}}}"
    assert changes(scores, moved) == [
        ShownChange("Analysis: Scores from several questions: Order", "One, Two", "Two, One")
    ]


def test_order_of_many_entries_is_shown_where_it_differs() -> None:
    keys = [f"q{n}" for n in range(1, 30)]
    moved = [*keys[:4], keys[5], keys[4], *keys[6:]]
    before, after = ("questions:\n" + "".join(f"- {{key: {key}, text: T}}\n" for key in one) for one in (keys, moved))
    assert changes(before, after) == [
        ShownChange("Questions: Order", "…, Q4, Q5, Q6, Q7, …", "…, Q4, Q6, Q5, Q7, …"),
    ]


def test_entries_of_one_name_are_compared_by_place() -> None:
    twice = BASE.replace("key: choice", "key: warmth")
    assert changes(twice, twice.replace("Warm?", "How warm?")) is not None


NAMED = """
sources: {a: {kind: model, label: GPT-4o}}
questions:
- {key: q1, label: Warmth, text: Warm?}
- {key: q2, label: Calm, text: Calm?}
"""


def test_question_is_named_by_its_label_and_a_new_label_as_on_its_page() -> None:
    assert changes(NAMED, NAMED.replace("label: Warmth", "label: Kindness")) == [
        ShownChange("Question Warmth: Short name", "Warmth", "Kindness")
    ]
    assert changes(NAMED.replace("label: Calm, ", ""), NAMED) == [ShownChange("Question Q2: Short name", "", "Calm")]
    assert changes(NAMED, NAMED.replace("label: GPT-4o", "label: GPT-5")) == [
        ShownChange("Sources: GPT-4o, Name", "GPT-4o", "GPT-5")
    ]


def test_other_names_and_wordings_say_what_they_mean_for_the_results() -> None:
    old = Protocol.model_validate(
        protocol_of(conditions={"told": {"kind": "instruction", "levels": {"a": "Read.", "b": "Feel."}}})
    )
    data = protocol_of(conditions={"told": {"kind": "instruction", "levels": {"a": "Read.", "b": "Feel."}}})
    choice, rating = data["questions"]
    data |= {
        "sources": {"person": {"kind": "human", "label": "Therapist"}, "model": {"kind": "model", "label": "GPT-5"}},
        "questions": [choice | {"label": "Liking"}, rating | {"label": "Warmth", "text": "How warm is it?"}],
    }
    data["conditions"]["told"] |= {"label": "Task", "level_labels": {"b": "Feelings"}}
    new = Protocol.model_validate(data)
    sentences = kept_together(old, new, answered={"empathy"}, used={"model"})
    assert [sentence.split(" from then on")[0].split(";")[0] for sentence in sentences] == [
        "“Empathy” is called “Warmth”",
        "“Model” is called “GPT-5”",
        "“Told” is called “Task”",
        "“b” is called “Feelings”",
        "The wording of “Warmth” changes. Answers to both versions count together",
    ]
    assert kept_together(old, old, answered={"empathy"}, used={"model"}) == []
    data["questions"] = [choice, rating | {"scale": {n: f"point {n}" for n in rating["scale"]}}]
    said = kept_together(old, Protocol.model_validate(data), answered={"empathy"}, used=())
    assert said[-1].startswith("The answers or the help of “Empathy” change.")


def test_words_that_differ_are_marked_unless_most_of_them_do() -> None:
    (old, new) = ShownChange("Instructions", "Read each reply with care.", "Read each response with care.").pieces
    assert [[one.text for one in side if one.is_changed] for side in (old, new)] == [[" reply"], [" response"]]
    (_, new) = ShownChange("Name", "Model A", "GPT-4o").pieces
    assert [(one.text, one.is_changed) for one in new] == [("GPT-4o", False)]
