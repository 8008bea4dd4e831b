"""Names that one part of a protocol refers to are defined in another."""

import re
from typing import Any

import pytest
from pydantic import ValidationError

from tests.kit.protocols import DEBRIEF, LABEL, SOURCES, SURE, WARM, WHO, protocol

BELIEF = {"question": "who", "means": {"human": ["person"], "ai": ["model"]}, "confidence": "sure"}
BETTER = {"key": "better", "type": "choice", "target": "pair", "text": "Which?"}
ARENA: dict[str, Any] = {"questions": [WARM, BETTER], "sources": {**SOURCES, "other": {"kind": "model"}}}
ADAPTIVE: dict[str, Any] = {"adaptive": "better", "trials_per_rater": 4}


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"questions": [WARM, WARM]}, "found warm more than once"),
        (
            {"questions": [{**WARM, "condition": "label=false"}], "conditions": {"label": LABEL}, "flow": DEBRIEF},
            "questions must name conditions of the study as factor=level, found label=false",
        ),
        (
            {
                "sources": {**SOURCES, "model": {"kind": "model", "guided": True}},
                "attributes": {"guided": {"reference_level": "no"}},
            },
            "attributes.guided.reference_level must be the guided of a source (True), found no",
        ),
        (
            {"design": {"links": "personal"}, "recruitment": {"platform": "prolific"}},
            "recruitment.platform must not be set with design.links: personal, which admits nobody from elsewhere",
        ),
        ({"analysis": {"reference": "nobody"}}, "one of the sources (person or model), found nobody"),
        ({"analysis": {"cut": {"warm": 99}}}, "analysis.cut.warm must be from "),
        ({"analysis": {"cut": {"who": 1}}}, "analysis.cut must name rating questions (warm, sure or mood), found who"),
        ({"analysis": {"composites": {"both": ["warm", "who"]}}}, "found who"),
        ({"analysis": {"believed_source": {**BELIEF, "question": "warm"}}}, "a category question, found warm"),
        (
            {"analysis": {"believed_source": {**BELIEF, "means": {"robot": ["model"]}}}},
            "codes of the question (human or ai), found robot",
        ),
        (
            {"analysis": {"believed_source": {**BELIEF, "means": {"ai": ["gpt"]}}}},
            "must name sources (person or model), found gpt",
        ),
        ({"analysis": {"believed_source": {**BELIEF, "confidence": "who"}}}, "a rating question, found who"),
        ({"conditions": {"a": {"kind": "profile"}, "b": {"kind": "profile"}}}, "found profile more than once"),
        (
            {"conditions": {"wrote": {"kind": "source", "levels": ["person", "nobody"]}}},
            "must name sources (person or model), found nobody",
        ),
        (
            {"conditions": {"label": {**LABEL, "swaps": {"person": "x"}}}, "flow": DEBRIEF},
            "must name sources (person or model), found x",
        ),
        ({"conditions": {"label": LABEL}}, "flow.debrief must tell raters the true source"),
        (
            {"conditions": {"label": LABEL}, "flow": DEBRIEF, "sources": {**SOURCES, "both": {"kind": "human+model"}}},
            "name the source whose label each gets, found none for both",
        ),
        (
            {"conditions": {"label": LABEL}, "flow": DEBRIEF, "sources": {"person": {"kind": "human"}}},
            "found none for person",
        ),
        ({**ARENA, "design": {**ADAPTIVE, "adaptive": "warm"}}, "choose a response of a pair (better), found warm"),
        ({**ARENA, "sources": SOURCES, "design": ADAPTIVE}, "at least 3 sources, found 2"),
        ({**ARENA, "design": {**ADAPTIVE, "trials": "set"}}, "needs trials of pairs, found set"),
        ({**ARENA, "design": {"adaptive": "better"}}, "needs design.trials_per_rater, found nothing"),
        (
            {**ARENA, "design": ADAPTIVE, "conditions": {"p": {"kind": "profile", "assign": "within"}}},
            "needs conditions that vary between raters, found p",
        ),
        (
            {
                "conditions": {
                    "told": {"kind": "instruction", "levels": {str(n): "x" for n in range(51)}},
                    "label": {"kind": "shown_label"},
                },
                "flow": DEBRIEF,
            },
            "at most 200 cells, found 204",
        ),
    ],
)
def test_undefined_reference_is_rejected_with_message(parts: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(words)):
        protocol(**parts)


def test_consistent_protocol_is_accepted() -> None:
    study = protocol(
        conditions={"label": LABEL},
        flow=DEBRIEF,
        analysis={"believed_source": BELIEF},
        questions=[WARM, WHO, SURE, {**WARM, "key": "x", "condition": "label=true"}],
    )
    assert study.analysis.believed_source
    assert study.analysis.believed_source.means["ai"] == ("model",)


def test_adaptive_design_with_three_sources_is_valid() -> None:
    assert protocol(**ARENA, design=ADAPTIVE).design.adaptive == "better"


def test_words_are_marked_in_texts_as_written_only() -> None:
    mark = {"key": "mark", "type": "highlight", "target": "item", "text": "Mark the words."}
    assert protocol(render="markdown", questions=[mark, WARM]).render == "markdown"
    with pytest.raises(ValidationError, match=r"questions\.1 must not mark words in responses that are shown with"):
        protocol(render="markdown", questions=[{**mark, "target": "response"}])


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"design": {"trials": "single"}}, "design.trials must be `set` if responses are ranked, found single"),
        (
            {"design": {"adaptive": "better", "trials_per_rater": 2}},
            "design.adaptive must not be set if responses are ranked",
        ),
        (
            {"conditions": {"how": {"kind": "layout", "levels": ["single", "side_by_side"]}}},
            "conditions.how must not be of kind layout",
        ),
        ({"design": {"listed": [["x", "y"]]}}, "design.listed must name at least three responses per trial"),
    ],
)
def test_ranking_requires_set_of_three(parts: dict[str, Any], words: str) -> None:
    ranking = {"key": "order", "type": "ranking", "text": "Rank."}
    choice = {"key": "better", "type": "choice", "text": "Which?"}
    sources = {f"model-{n}": {"kind": "model"} for n in range(6)}
    with pytest.raises(ValueError, match=re.escape(words)):
        protocol(questions=[ranking, choice], sources=sources, **parts)


def test_ranking_allows_conditions_with_sets_of_three() -> None:
    ranking = {"key": "order", "type": "ranking", "text": "Rank."}
    told = {"kind": "instruction", "levels": {"plain": "Read.", "warm": "Imagine."}}
    sources = {f"model-{n}": {"kind": "model"} for n in range(3)}
    study = protocol(
        questions=[ranking], sources=sources, conditions={"told": told}, design={"listed": [["x", "y", "z"]]}
    )
    assert study.order_questions
