"""The methods say who took part, who left, which answers are missing, and what the protocol declares."""

from dataclasses import replace
from typing import Any

import pytest

from app.analysis import analyze
from app.analysis.data.flow import Flow
from app.analysis.document.design_words import (
    composite_sentences,
    contrast_words,
    decision_sentences,
    design_sentences,
    inference_sentences,
    sample_size_sentence,
)
from app.analysis.document.methods import methods_section, missing_sentences, rater_sentences
from app.analysis.document.report_context import ReportContext
from app.analysis.report.report import NO_SAMPLE, RaterGroup, Report
from app.base.documents.blocks import Bullets, Paragraph
from app.protocol.primary import PrimaryContrast
from tests.analysis.report.test_primary import rows
from tests.kit.frames import CHOICE, FIVE, frames, protocol

POOLS = {"crowd": {}, "experts": {"raters_per_trial": 2, "label": "Clinical experts"}}


def said(*groups: RaterGroup, n_simulated: int = 0) -> str:
    sample = replace(NO_SAMPLE, raters=groups, n_simulated=n_simulated)
    return " ".join(rater_sentences(sample, protocol(FIVE, design={"pools": POOLS})))


def test_raters_are_named_by_kind_and_pool() -> None:
    crowd, experts = RaterGroup("person", "crowd", 30), RaterGroup("person", "experts", 6)
    assert said(RaterGroup("person", None, 12), n_simulated=12) == "Twelve raters took part (all simulated)."
    assert (
        said(RaterGroup("person", None, 1), RaterGroup("model", None, 2)) == "One rater and two model judges took part."
    )
    expected = "Thirty-six raters took part (33 simulated): 30 of the pool Crowd and 6 of the pool Clinical experts."
    assert said(crowd, experts, n_simulated=33) == expected
    assert said(RaterGroup("person", None, 1200)) == "A total of 1,200 raters took part."


def test_missing_answers_are_told_by_arm() -> None:
    told = {"told": {"kind": "instruction", "label": "Instruction", "levels": {"a": "A", "b": "B"}}}
    study = protocol(FIVE, conditions=told)
    sample = replace(NO_SAMPLE, missing={"told=a": (1, 60), "told=b": (5, 40)})
    text = " ".join(missing_sentences(sample, study, 3))
    for words in ("skipped 3 trials", "6 of 100 answers (6.0%)", "a 1 of 60, b 5 of 40"):
        assert words in text
    complete = [*missing_sentences(replace(NO_SAMPLE, missing={"": (0, 60)}), study, None)]
    assert complete == ["No answer is missing in the trials rated."]


def test_one_trial_per_rater_is_one_trial() -> None:
    text = " ".join(design_sentences(protocol(FIVE, design={"trials_per_rater": 1})))
    assert "3 raters per trial and at most 1 trial per rater." in text


def test_each_pool_is_named_with_its_raters_per_trial() -> None:
    text = " ".join(design_sentences(protocol(FIVE, design={"trials_per_rater": 8, "pools": POOLS})))
    assert "Raters of the pool Crowd rate all items: 3 raters per trial and at most 8 trials per rater." in text
    assert "Raters of the pool Clinical experts rate all items: 2 raters per trial" in text


ASKED = "The design asks for 3 raters per trial."


def _design_of(**sample: Any) -> str:  # noqa: ANN401 - fields of `Sample`
    known = {
        "n_items": 2,
        "n_responses": {"human": 2, "model": 2},
        "raters": (RaterGroup("person", None, 4),),
        **sample,
    }
    report = Report("small", "", (), (), sample=replace(NO_SAMPLE, **known))
    (said,) = methods_section(report, protocol(FIVE), (), ReportContext("")).parts[0].blocks
    assert isinstance(said, Paragraph)
    return said.text


def test_default_number_of_raters_is_stated_of_ratings_in_attune_only() -> None:
    arrived = Flow({}, ())
    assert ASKED in _design_of(flow=arrived)
    assert ASKED in _design_of(flow=arrived, n_imported=3)
    assert ASKED not in _design_of(flow=arrived, n_imported=4)
    assert ASKED not in _design_of()


def test_items_of_which_some_have_one_response_are_shown_with_one() -> None:
    assert "Each page shows two responses to the same item." in _design_of()
    assert "Each page shows one response to an item." in _design_of(n_responses={"human": 2, "model": 1})


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        ({"share": 0.3}, "People rate a random sample of 30% of the items; model judges rate all items"),
        (
            {"share": 0.125, "stratify": ["topic", "kind"]},
            "People rate a random sample of 12.5% of the items, drawn within each Topic and Kind; model judges",
        ),
        (
            {"share": 0.2, "grows_to": 0.45},
            "Later, more items are drawn, up to 45% of all, those where judges and people are likely to disagree more",
        ),
    ],
)
def test_sample_that_people_rate_is_stated(sample: dict[str, Any], words: str) -> None:
    assert words in " ".join(design_sentences(protocol(design={"human_sample": sample})))


def test_items_drawn_in_each_stage_are_counted() -> None:
    planned = " ".join(design_sentences(protocol(design={"human_sample": {"share": 0.2, "grows_to": 0.45}})))
    assert "more often, each with a known probability (Zrnic and Candès, 2024)." in planned
    assert "drawn" not in _design_of()
    assert "Of 30 items, 12 were drawn at random for people. " in f"{_design_of(n_drawn={1: 12}, n_drawn_from=30)} "
    grown = _design_of(n_drawn={1: 1200, 2: 6, 3: 1}, n_drawn_from=3000)
    words = (
        "Of 3,000 items, 1,200 were drawn at random for people, then 6 in stage 2 and 1 in stage 3, more often those "
        "where judges and people were likely to disagree (Zrnic and Candès, 2024). Each item counts by its probability."
    )
    assert words in grown


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({}, "one of the two responses (no ties)"),
        ({"tie": True}, "one of the two responses or about the same"),
        ({"tie": True, "neither": True}, "one of the two responses, about the same or neither"),
        ({"strength": True}, "(no ties); strength of preference: 1 slightly, 2 clearly, 3 strongly"),
    ],
)
def test_outcomes_of_a_choice_are_listed(parts: dict[str, Any], words: str) -> None:
    (question,) = protocol({**CHOICE, "tie": False, **parts}).choice_questions
    assert question.in_words().endswith(words)


def test_composites_are_listed_with_their_questions() -> None:
    cold = {**FIVE, "key": "cold", "reversed": True}
    study = protocol(FIVE, cold, analysis={"composites": {"warmth": ["empathy", "cold"]}})
    expected = "Warmth is the mean of 2 questions: Empathy and Cold, with Cold reverse-scored."
    assert [*composite_sentences(study)] == [expected]


def test_cut_off_values_of_the_same_scales_share_a_sentence() -> None:
    questions = [{**FIVE, "key": key} for key in ("warmth", "tact", "fit")]
    every = protocol(*questions, analysis={"cut": dict.fromkeys(("warmth", "tact", "fit"), 4)})
    assert "Ratings of 4 or 5 counted as high on all three scales." in [*decision_sentences(every)]
    two = protocol(*questions, analysis={"cut": {"warmth": 4, "tact": 5}})
    assert [*decision_sentences(two)][1:] == [
        "Ratings of 4 or 5 counted as high on Warmth.",
        "Ratings of 5 counted as high on Tact.",
    ]


def test_sample_size_and_sidedness_are_stated() -> None:
    assert sample_size_sentence(protocol(FIVE)) == "No justification of the sample size was given."
    planned = protocol(FIVE, design={"max_raters": 90}, preregistration={"sample_size": "Power of .9 for 0.3 points."})
    assert sample_size_sentence(planned) == "At most 90 raters were to be admitted. Power of .9 for 0.3 points."
    assert "one-sided" not in " ".join(inference_sentences(protocol(FIVE)))
    assert "one-sided at .05" in " ".join(inference_sentences(protocol(FIVE, analysis={"margin": {"empathy": 0.3}})))


def test_a_contrast_within_one_source_has_no_reference() -> None:
    study = protocol(FIVE, analysis={"reference": "human"})

    def said(**parts: str) -> str:
        return contrast_words(PrimaryContrast(question="empathy", **parts), study)

    within = said(test="item_attribute_effect", attribute="mood", source="human")
    assert within.endswith(" (source: Human; attribute: Mood)")
    coded = {"key": "acts", "target": "response", "type": "category", "text": "?", "codes": {"advises": "Gives advice"}}
    contrast = PrimaryContrast(question="acts", test="category_difference", code="advises")
    assert contrast_words(contrast, protocol(coded)).endswith(" (code: Gives advice)")
    assert said(test="t_paired", source="model").endswith(" (source: Model; reference: Human)")


def test_a_contrast_with_an_interval_only_is_not_said_to_be_tested() -> None:
    def said(test: str) -> str:
        study = protocol(FIVE, analysis={"primary": [{"question": "empathy", "test": test}], "cut": {"empathy": 4}})
        report = analyze(frames(study, rows(keys=("empathy",))), study)
        lines = methods_section(report, study, (), ReportContext("")).parts[-1].blocks[1]
        assert isinstance(lines, Bullets)
        return lines.lines[0]

    assert said("krippendorff_alpha").endswith("alpha. No test: jackknife intervals over units and raters, df = 15.")
    assert said("mean_difference").endswith("Human. t test with two-way clustering by items and raters, df = 5.")
    assert said("icc_a_1") == "Empathy: ICC(A,1): agreement of one rating."
