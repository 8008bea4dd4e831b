"""Primary contrasts: which ones can be declared, how others are reported, and the default without declarations."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.protocol.primary import PARTS, TESTS, PrimaryContrast
from app.protocol.primary_default import by_importance, default_contrast, primary_contrasts
from tests.kit.protocols import AGE, MOOD, SOURCES, SURE, WARM, WHO, protocol

BETTER = {"key": "better", "type": "choice", "target": "pair", "text": "Which?"}
ORDER = {"key": "order", "type": "ranking", "target": "set", "text": "Rank them."}
WHY = {"key": "why", "type": "text", "target": "response", "text": "Why?"}
MARKS = {"key": "marks", "type": "highlight", "target": "response", "text": "Mark it."}
KEYED = {**WHO, "key": "keyed", "correct": "ai"}
NOW = {**WARM, "key": "now", "target": "turn"}
OF_ITEM = {**WARM, "key": "sad", "target": "item"}
LATER = {**MOOD, "key": "later"}
ALL = [WARM, WHO, SURE, MOOD, LATER, AGE, BETTER, WHY, MARKS, {**MARKS, "key": "keyed_marks", "correct_column": "k"}]
ALL += [KEYED, NOW]
OF_RATERS = "pool_difference, pool_change_difference, change, change_difference, n_factors"
PROFILE = {"p": {"kind": "profile"}}
POOLS: dict[str, Any] = {"pools": {"crowd": {}, "expert": {}}}
ONE = {"person": {"kind": "human"}}


def wrong(contrast: object, **parts: Any) -> str:  # noqa: ANN401 - any value in study.yaml
    with pytest.raises(ValidationError) as error:
        protocol(**{"questions": ALL, **parts, "analysis": {**parts.get("analysis", {}), "primary": [contrast]}})
    return str(error.value)


@pytest.mark.parametrize(
    ("contrast", "words"),
    [
        ("nothing", "analysis.primary.1.question must be a question or a composite ("),
        ("why", "analysis.primary.1.question must be a question that can be compared, found why"),
        ("adult", "test must be one of pool_accuracy_difference, pool_category_difference, found nothing"),
        (
            "mood",
            f"analysis.primary.1.test must be one of {OF_RATERS}, found nothing",
        ),
        (
            {"question": "mood", "test": "mean_difference"},
            f"one of {OF_RATERS} for mood, found mean_diff",
        ),
        ({"question": "mood", "test": "change"}, "must be the `after` score of one of analysis.changes, found mood"),
        ({"question": "marks", "test": "span_f1"}, "must be a question with correct or correct_column, found marks"),
        (
            {"question": "better", "attribute": "a"},
            "analysis.primary.1.attribute must be one of analysis.conjoint, found a",
        ),
        ({"question": "now", "test": "empathic_accuracy"}, "the one that perceivers answer in analysis.empathic_acc"),
        ({"question": "warm", "test": "share_preferred"}, "for warm, found share_preferred"),
        ({"question": "warm", "published": "share_preferred"}, "analysis.primary.1.published must be one of "),
        ({"question": "warm", "published": "factor_effect"}, "analysis.primary.1.published must be one of "),
        ({"question": "warm", "published": "mean_difference"}, "analysis.primary.1.published must be one of "),
        ({"question": "warm", "test": "factor_effect"}, "analysis.primary.1.factor must be set for the test"),
        ({"question": "warm", "code": "ai"}, "for warm, found category_difference"),
        ({"question": "warm", "turn": 1}, "Extra inputs are not permitted"),
        (
            {"question": "warm", "test": "t_paired", "margin": 1},
            "must name source, reference, pool for the test t_paired, found margin",
        ),
        ({"question": "warm", "test": "equivalence"}, "analysis.primary.1.margin must be the largest difference"),
        ({"question": "warm", "test": "share_at_least_ratio"}, "needs a value for the question in analysis.cut"),
        ({"question": "warm", "test": "turn_slope"}, "needs a question with the target turn, found response"),
        ({"question": "warm", "source": "gpt"}, "analysis.primary.1.source must be one of person, model, found gpt"),
        ({"question": "warm", "source": "model", "reference": "model"}, "a source other than model, found the same"),
        (
            {"question": "warm", "source": "person"},
            "a source other than person, the reference, unless another reference",
        ),
        ({"question": "warm", "factor": "label"}, "analysis.primary.1.factor must be one of shown_label, found label"),
        (
            {"question": "warm", "pool": "crowd", "reference_pool": "x"},
            "primary.1.pool must be one of none, found crowd",
        ),
        (
            {"question": "warm", "pool": "crowd", "rater_kind": "model", "reference_rater_kind": "person"},
            "analysis.primary.1.rater_kind must not be set beside pool, found model",
        ),
        (
            {"question": "warm", "rater_kind": "model", "reference_rater_kind": "model"},
            "analysis.primary.1.reference_rater_kind must be the other kind of raters, found model",
        ),
        (
            {"question": "warm", "test": "pool_difference", "rater_kind": "model"},
            "analysis.primary.1.reference_rater_kind must be set, or reference_pool, beside rater_kind, found nothing",
        ),
        (
            {"question": "warm", "reference_rater_kind": "model"},
            "analysis.primary.1.rater_kind must be set, or pool, beside reference_rater_kind, found nothing",
        ),
        (
            {"question": "who", "test": "pool_f1_difference", "rater_kind": "model", "reference_rater_kind": "person"},
            "with correct or correct_column, found who",
        ),
        (
            {"question": "mood", "test": "pool_change_difference"},
            "must be the `after` score of one of analysis.changes, found mood",
        ),
        ({"question": "warm", "attribute": "age"}, "analysis.primary.1.attribute must be one of none, found age"),
        (
            {"question": "warm", "covariate": "age"},
            "analysis.primary.1.covariate must be one of mood, later, found age",
        ),
        ({"question": "who", "code": "robot"}, "analysis.primary.1.code must be one of human, ai, found robot"),
        ({"question": "warm", "test": "n_factors"}, "must be a composite with `factors`, found warm"),
        (
            {"question": "words", "test": "text_difference", "pool": "x"},
            "must name source, reference for the test text",
        ),
        (
            {"question": "words", "test": "text_difference", "source": "gpt"},
            "source must be one of person, model, found",
        ),
        (
            {"question": "words", "test": "text_difference", "source": "person"},
            "a source other than person, the reference, unless another reference",
        ),
        (
            {"question": "word_share.care", "test": "text_difference"},
            "analysis.primary.1.question must be one of none, found word_share.care",
        ),
        (
            {"question": "words", "test": "text_difference", "published": "t_paired"},
            "analysis.primary.1.published must be one of none, found t_paired",
        ),
        ({"question": "who", "test": "accuracy_share"}, "with correct or correct_column, found who"),
        ({"question": "who", "test": "dprime"}, "needs analysis.believed_source, found none"),
        (
            {"question": "warm", "test": "mean_difference_responders"},
            "needs analysis.responder and a question with the target response, found none",
        ),
    ],
)
def test_unsuitable_primary_contrast_names_its_place(contrast: object, words: str) -> None:
    assert words in wrong(contrast)


def test_texts_are_compared_between_two_sources_and_are_no_question() -> None:
    contrast = {"question": "words", "test": "text_difference"}
    assert "text_difference needs two sources, found 1" in wrong(contrast, sources=ONE)
    study = protocol(questions=ALL, analysis={"primary": [contrast, {**contrast, "question": "classifier"}]})
    assert [one.question for one in primary_contrasts(study)] == ["words", "classifier"]
    assert not {"words", "classifier"} & {*by_importance(study)}
    looks = {"monitoring": {"looks": [0.5, 1], "n_ratings": 10}}
    assert "monitoring.looks must be for a contrast of ratings" in wrong(contrast, **looks)


def test_margin_is_declared_once() -> None:
    words = wrong({"question": "warm", "test": "equivalence", "margin": 1}, analysis={"margin": {"warm": 0.5}})
    assert "analysis.primary.1.margin must equal the margin of warm, 0.5, found 1" in words


def test_level_must_belong_to_factor() -> None:
    assert "level must be one of hidden, shown, found x" in wrong(
        {"question": "warm", "factor": "p", "level": "x"}, conditions=PROFILE
    )


def test_primary_contrasts_must_differ() -> None:
    with pytest.raises(
        ValidationError, match=r"analysis\.primary\.2 must differ from all other contrasts, found the same as"
    ):
        protocol(analysis={"primary": ["warm", {"question": "warm"}]})


@pytest.mark.parametrize(
    ("contrast", "test"),
    [
        ("warm", "mean_difference"),
        ("better", "share_preferred"),
        ("now", "turn_slope_difference"),
        ("who", "category_difference"),
        ("keyed", "accuracy_share"),
        ({"question": "keyed", "code": "ai"}, "category_difference"),
        ({"question": "warm", "factor": "p", "level": "shown"}, "factor_effect"),
        ({"question": "warm", "factor": "shown_label", "level": "true"}, "factor_effect"),
        ({"question": "warm", "test": "interaction", "factor": "p"}, "interaction"),
        ({"question": "warm", "attribute": "family"}, "attribute_effect"),
        ({"question": "warm", "covariate": "age"}, "covariate_slope"),
        ({"question": "warm", "covariate": "mood", "source": "model"}, "covariate_slope"),
        ({"question": "warm", "pool": "expert", "reference_pool": "crowd"}, "pool_difference"),
        ({"question": "warm", "rater_kind": "model", "reference_pool": "crowd"}, "pool_difference"),
        ({"question": "mood", "rater_kind": "model", "reference_rater_kind": "person"}, "pool_difference"),
        ({"question": "who", "rater_kind": "model", "reference_rater_kind": "person"}, "pool_category_difference"),
        ({"question": "keyed_marks", "pool": "expert", "reference_pool": "crowd"}, "pool_span_f1_difference"),
        ({"question": "better", "pool": "expert", "reference_pool": "crowd"}, "pool_preference_difference"),
        ({"question": "warm", "test": "equivalence", "margin": 0.5}, "equivalence"),
        ("both", "mean_difference"),
        ("marks", "span_alpha"),
        ("keyed_marks", "span_f1"),
        ("later", "change"),
        ({"question": "later", "factor": "p"}, "change_difference"),
        ({"question": "better", "attribute": "warm"}, "amce"),
        ({"question": "warm", "attribute": "warm"}, "amce"),
        ({"question": "now", "test": "empathic_accuracy"}, "empathic_accuracy"),
    ],
)
def test_contrast_without_test_gets_default_test(contrast: object, test: str) -> None:
    declared = {
        "primary": [contrast],
        "composites": {"both": ["warm", "sure"]},
        "changes": [{"before": "mood", "after": "later"}],
        "conjoint": ["warm"],
        "covariates": ["age"],
        "empathic_accuracy": {"felt": "now"},
    }
    sources = {**SOURCES, "other": {"kind": "model", "family": "B"}}
    study = protocol(questions=ALL, analysis=declared, conditions=PROFILE, design=POOLS, sources=sources)
    (found,) = primary_contrasts(study)
    assert found.test == test


def test_margin_may_be_set_on_contrast_or_question() -> None:
    contrast = {"question": "warm", "test": "equivalence", "margin": 0.5}
    assert protocol(analysis={"primary": ["sure", contrast]}).analysis.margin_of("warm") == 0.5
    study = protocol(analysis={"primary": [{"question": "warm", "test": "equivalence"}], "margin": {"warm": 0.25}})
    assert (study.analysis.margin_of("warm"), study.analysis.margin_of("sure")) == (0.25, None)


@pytest.mark.parametrize(
    ("parts", "key", "test"),
    [
        ({"questions": [MOOD, WHY, WARM, WHO]}, "warm", "mean_difference"),
        ({"questions": [MOOD, KEYED, WARM]}, "keyed", "accuracy_share"),
        ({"questions": [WARM], "sources": ONE, "conditions": PROFILE}, "warm", "factor_effect"),
        ({"questions": [WARM], "sources": ONE, "design": POOLS}, "warm", "pool_difference"),
        ({"questions": [WARM], "sources": ONE}, "warm", "krippendorff_alpha"),
        ({"questions": [OF_ITEM]}, "sad", "krippendorff_alpha"),
        (
            {"questions": [ORDER], "sources": {**SOURCES, "other": {"kind": "model"}}},
            "order",
            "share_preferred",
        ),
    ],
)
def test_first_comparable_question_is_default_primary_contrast(parts: dict[str, Any], key: str, test: str) -> None:
    (found,) = primary_contrasts(protocol(**parts))
    assert (found.question, found.test) == (key, test)


def test_study_about_raters_has_no_primary_contrast() -> None:
    assert primary_contrasts(protocol(questions=[MOOD, AGE])) == ()


def test_rater_and_text_questions_have_no_default_contrast() -> None:
    study = protocol(questions=ALL)
    assert [default_contrast(study, key) for key in ("mood", "why", "adult", "no_such")] == [None] * 4
    assert default_contrast(protocol(questions=[MOOD], sources=ONE), "mood") is None


def test_every_test_parameter_is_a_contrast_field() -> None:
    assert {part for test in TESTS.values() for part in (*test.needs, *test.may)} == set(PARTS)
    assert protocol(questions=[SURE]).questions[0].measure == "scale"


def test_contrast_has_the_test_of_its_publication_or_none() -> None:
    contrast = PrimaryContrast(question="empathy", test="mean_difference", published="t_unpaired")
    assert contrast.as_published == contrast.with_test("t_unpaired")
    assert contrast.with_test("t_unpaired").test == "t_unpaired"
    assert PrimaryContrast(question="empathy", test="mean_difference").as_published is None
