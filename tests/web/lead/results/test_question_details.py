"""What a question's section holds folded away, from estimates to tables."""

from __future__ import annotations

from app.analysis.estimate import Estimate
from app.web.lead.results.question_details import each_rater, folds_of, pair_matrix, told_once, without_flagged

TWO = {"source": "model", "reference": "human"}


def _estimate(section: str, statistic: str, estimate: float | None, **more: object) -> Estimate:
    values: dict[str, object] = {"scope": {}, "question": "empathy", **more}
    return Estimate(section=section, statistic=statistic, estimate=estimate, **values)  # type: ignore[arg-type]  # fields


def test_a_headline_stands_beside_itself_without_the_flagged() -> None:
    whole = _estimate("comparison", "mean_difference", 0.5, scope=TWO)
    fewer = _estimate("rater", "mean_difference", 0.25, scope={**TWO, "flagged": "left_out"})
    table = without_flagged([fewer], [whole, fewer])
    assert table.rows == (("Mean difference", "model − human", "0.50", "0.25"),)


def test_each_rater_has_a_row_and_what_is_missing_is_a_dash() -> None:
    estimates = [
        _estimate("rater", "severity", 0.25, scope={"raters": ["a"]}),
        _estimate("rater", "longest_run", 7.0, scope={"raters": ["a"]}),
        _estimate("rater", "severity", None, scope={"raters": ["b"]}, reason="no_variation"),
    ]
    assert each_rater(estimates).rows == (("a", "0.25", "7"), ("b", "–", "–"))
    assert not list(told_once(estimates))


def test_the_matrix_of_pairs_is_symmetric_and_says_who_is_left_out() -> None:
    detail = {"raters": ["a", "b"], "cells": {("a", "b"): (0.5, 9)}, "n_raters": 5}
    table = pair_matrix(_estimate("disagreement", "pair_kappa_median", 0.5, detail=detail))
    assert table.header == ("Kappa (3 more raters not shown)", "a", "b")
    assert table.rows == (("a", "", "0.50"), ("b", "0.50", ""))


def test_parts_without_estimates_are_not_there_and_those_with_some_open_in_order() -> None:
    estimates = [
        _estimate(
            "judge",
            "judge_correlation",
            0.4,
            scope={"rater_kind": "model", "raters": ["gpt"]},
            ci_low=0.1,
            ci_high=0.6,
            ci_level=0.95,
        ),
        _estimate("subgroup", "interaction", 0.2, scope={**TWO, "condition": "label=true"}, p_value=0.04),
        _estimate("disagreement", "unit_disagreement", 1.5, scope={"subgroup": {"item": "i1"}}, note="3 ratings"),
    ]
    folds = folds_of(estimates)
    assert [fold.title for fold in folds] == ["By condition and subgroup", "Where raters disagree", "Model judges"]
    assert folds[0].tables[0][1].rows == (("model − human, label=true", "0.20\np = .040"),)
    assert folds[1].tables[0][1].rows == (("item: i1", "1.50", "3 ratings"),)
    assert folds[2].tables[0][1].rows[0][1] == "0.40\n0.10 to 0.60"
    assert not folds_of([])


def test_texts_have_a_row_for_each_covariate_and_what_is_not_measured_says_why_once() -> None:
    of = {"question": None}
    estimates = [
        _estimate("text", "text_mean", 80.0, scope={"source": "human", "covariate": "words"}, **of),
        _estimate(
            "text",
            "text_difference",
            20.0,
            scope={**TWO, "covariate": "words"},
            ci_low=5.0,
            ci_high=35.0,
            ci_level=0.95,
            **of,
        ),
        _estimate("text", "text_mean", 0.5, scope={"source": "human", "covariate": "score"}, **of),
        _estimate(
            "text", "text_mean", None, scope={"covariate": "flesch"}, reason="not_run", note="English only", **of
        ),
    ]
    (fold,) = folds_of(estimates)
    ((_, table),) = fold.tables
    assert table.header == ("Covariate", "human", "model − human")
    assert table.rows == (
        ("length in words", "80.00", "20.00\n5.00 to 35.00"),
        ("score", "0.50", "–"),
        ("readability (Flesch, higher is easier)", "English only", ""),
    )


def test_a_correlation_that_cannot_be_told_says_why_in_its_cell() -> None:
    scope = {"covariate": "score"}
    found = folds_of([_estimate("text", "correlation", None, scope=scope, reason="no_variation", note="It is flat.")])
    assert found[0].tables[0][1].rows == (("score", "It is flat."),)


def test_a_subgroup_that_is_not_computed_says_why() -> None:
    note = "left out above 20,000 ratings; run with --full"
    estimate = _estimate("subgroup", "interaction", None, scope={"subgroup": {"age": ""}}, reason="not_run", note=note)
    assert folds_of([estimate])[0].tables[0][1].rows[0][1] == note


def test_contrasts_have_a_table_for_each_kind_and_leave_out_kinds_without_an_estimate() -> None:
    factor = {"factor": "told", "level": "truth", "reference_level": "nothing", "source": "model"}
    estimates = [
        _estimate("contrast", "factor_effect", 0.3, scope=factor, ci_low=0.1, ci_high=0.5, note="Few raters."),
        _estimate("contrast", "pool_difference", -0.2, scope={"pool": "expert", "reference_pool": "crowd"}),
        _estimate("contrast", "turn_slope", None, reason="singular", note="The ratings cannot tell these apart."),
    ]
    (fold,) = folds_of(estimates)
    assert fold.title == "Contrasts"
    assert [words for words, _ in fold.tables] == ["Effect of the factor", "Difference between pools of raters"]
    assert fold.tables[0][1].rows == (("model, told: truth − nothing", "0.30\n0.10 to 0.50", "Few raters."),)
    assert fold.tables[1][1].rows == (("pool expert − crowd", "−0.20", ""),)


def test_answers_against_a_key_have_a_confusion_table() -> None:
    estimates = [
        _estimate("category", "f1_macro", 0.5),
        *(
            _estimate("category", "confusion_share", share, scope={"correct": right, "category": code})
            for right, code, share in (("joy", "joy", 0.75), ("joy", "fear", 0.25), ("fear", "fear", 1.0))
        ),
    ]
    (fold,) = folds_of(estimates)
    assert fold.title == "Answers against the key"
    table = fold.tables[1][1]
    assert table.header == ("Correct", "joy", "fear")
    assert table.rows == (("joy", "75.0%", "25.0%"), ("fear", "–", "100.0%"))


def test_judges_against_persons_stand_among_the_contrasts() -> None:
    scope = {"rater_kind": "model", "reference_rater_kind": "person"}
    (fold,) = folds_of([_estimate("contrast", "pool_difference", 0.5, scope=scope)])
    assert fold.tables[0][1].rows == (("model judges − persons", "0.50", ""),)
