"""The study's question in the summary follows its primary contrasts, whatever they compare."""

from typing import Any

import pytest

from app.analysis import analyze
from app.analysis.findings.main_contrasts import main_contrasts
from app.analysis.findings.summary import study_question
from app.analysis.report.labelled import labelled
from app.analysis.report.primary import PrimaryResult
from app.analysis.report.sentences import change_text
from app.protocol.primary_default import primary_contrasts
from app.protocol.study import Protocol
from app.studies.folder.read import read_folder
from app.studies.folder.study_templates import template_folder
from tests.kit.frames import FIVE, frames, protocol

WARMTH = {**FIVE, "key": "warmth"}
COMMON = {
    "dialogue-trajectory": "How does Model compare with Person turn by turn on Understood and supported so far?",
    "theory-of-mind": "How do the answers of models and people compare on Belief and Emotion? How does Belief differ "
    "by Version of the story of the items?",
    "recipient": "How do the ratings of Recipients and Crowd compare on Understood? Is Model preferred over Person? "
    "How do the answers of models and people compare on Preference?",
    "rater-scales": "How is Empathy related to Empathic concern? How do the answers of models and people compare on "
    "Perspective taking, Empathic concern and Share given?",
    "ab-tie": "Are Human reference and Commonsense model preferred over Baseline model on Coherence, "
    "Empathy and Informativeness?",
    "ayers-pair": "Is Chatbot preferred over Physician, and how does it compare on Quality of information and "
    "Empathy or bedside manner?",
    "ranking": "Are Model, short replies and Model, long replies preferred over Person?",
    "responder-level": "How does Model compare with Psychotherapist on Empathy?",
    "emotion-cause": "How do the answers of models and people compare on Words that say the cause? How far do raters "
    "agree on Words that say the cause?",
    "empathic-accuracy": "How do the answers of models and people compare on Feeling at this moment? How accurate are "
    "the ratings of Feeling at this moment?",
    "before-after": "How does the change in Mood differ by Source of the responses? How does Model compare with "
    "Person on Comforting?",
    "conjoint": "How does Preference differ by Accuracy and Warmth?",
    "label-experiment": "How do Empathy and Feeling heard differ by Shown label?",
}


def _question(study: Protocol) -> str:
    """The question before there are estimates."""
    return study_question(
        study, [], [PrimaryResult(one, is_declared=True, estimates=()) for one in primary_contrasts(study)]
    )


@pytest.mark.parametrize("name", COMMON)
def test_question_of_template_before_there_are_estimates(name: str) -> None:
    assert _question(read_folder(template_folder(name)).protocol) == COMMON[name]


@pytest.mark.parametrize(
    ("test", "question"),
    [
        ({"test": "krippendorff_alpha"}, "How far do raters agree on Empathy?"),
        ({"test": "turn_slope"}, "How does Empathy develop turn by turn?"),
        ({"test": "belief_effect"}, "What do raters believe about who wrote a response?"),
    ],
)
def test_question_of_declared_test(test: dict[str, Any], question: str) -> None:
    own = {**FIVE, "target": "turn"} if test["test"] == "turn_slope" else FIVE
    study = protocol(own).model_copy(deep=True)
    primary = type(study.analysis).model_validate({"primary": [{"question": "empathy", **test}]}).primary
    declared = study.model_copy(update={"analysis": study.analysis.model_copy(update={"primary": primary})})
    assert _question(declared) == question


@pytest.mark.parametrize(("declared", "questions"), [(["warmth"], "Warmth"), ([], "Empathy")])
def test_sources_of_estimates_are_named(declared: list[str], questions: str) -> None:
    study = protocol(FIVE, WARMTH, analysis={"primary": declared} if declared else {})
    rows = [
        {"rater": rater, "item": f"i{n}", "response": f"i{n}:{source}", "question": key, "value": 1 + (n + k * n) % 3}
        for key in ("empathy", "warmth")
        for k, rater in enumerate("abcd")
        for n in range(6)
        for source in ("human", "model")
    ]
    report = labelled(analyze(frames(study, rows), study), study.labels)
    assert (
        study_question(study, main_contrasts(report, study), report.primary)
        == f"How does Model compare with Human on {questions}?"
    )


def test_every_primary_contrast_is_in_the_question() -> None:
    changes = [{"before": "calm_before", "after": "calm_after"}]
    calm = [{**FIVE, "key": f"calm_{when}", "target": "rater", "label": f"Calm {when}"} for when in ("before", "after")]
    primary = ["empathy", {"question": "calm_after", "test": "change"}]
    study = protocol(FIVE, *calm, analysis={"changes": changes, "primary": primary})
    assert _question(study) == "How does Model compare with Human on Empathy? How does Calm change?"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [("Mood before", "Mood after", "Mood"), ("Before: mood", "After: mood", "mood"), ("Then", "Now", "Now")],
)
def test_what_changes_is_named_by_what_both_labels_share(before: str, after: str, words: str) -> None:
    two = [
        {**FIVE, "key": key, "target": "rater", "label": label} for key, label in (("before", before), ("after", after))
    ]
    study = protocol(FIVE, *two, analysis={"changes": [{"before": "before", "after": "after"}]})
    assert (change_text("after", study), change_text("empathy", study)) == (words, "Empathy")
