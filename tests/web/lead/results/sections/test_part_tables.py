"""The tables of the sections, from estimates to rows, and notes on estimates that could not be computed."""

from __future__ import annotations

from app.analysis.estimate import Estimate
from app.design.protocol.parts.labels import Labels
from app.web.lead.results.sections.part_tables import MAX_ROWS, blocks_of
from app.web.lead.results.sections.text_details import texts

TWO = {"source": "model", "reference": "human"}


def _estimate(section: str, statistic: str, estimate: float | None, **more: object) -> Estimate:
    values: dict[str, object] = {"scope": {}, "question": "empathy", **more}
    return Estimate(section=section, statistic=statistic, estimate=estimate, **values)  # type: ignore[arg-type]  # fields


def test_table_row_holds_estimates_of_one_question_and_scope() -> None:
    estimates = [
        _estimate("comparison", "mean_difference", 0.5, scope=TWO, ci_low=0.25, ci_high=0.75, n_ratings=1200),
        _estimate("comparison", "odds_ratio_clmm", 2.0, scope=TWO, p_adjusted=0.04, n_ratings=1200),
    ]
    (block,) = blocks_of("comparison", estimates, Labels(questions={"empathy": "Warmth"}))
    assert block.table.header == (
        "Question",
        "Of",
        "Mean difference",
        "Odds ratio (ordinal mixed model)",
        "Adjusted p",
        "Ratings",
    )
    assert block.table.rows == (("Warmth", "model − human", "0.50\n0.25 to 0.75", "2.00", ".040", "1,200"),)


def test_not_estimable_cell_is_a_dash_with_one_footnote() -> None:
    estimates = [
        _estimate("agreement", "krippendorff_alpha_ordinal", 0.5),
        _estimate("agreement", "krippendorff_alpha_ordinal", None, scope={"source": "a"}, note="no two ratings"),
        _estimate("agreement", "icc_a_1", None, note="no two ratings"),
        _estimate("agreement", "icc_a_1", 0.25, scope={"source": "a"}),
    ]
    (block,) = blocks_of("agreement", estimates, Labels())
    assert [row[1:4] for row in block.table.rows] == [("all ratings", "0.50", "–"), ("a", "–", "0.25")]
    assert block.notes == ("– not estimable: no two ratings.",)


def test_missing_table_is_explained_in_a_sentence() -> None:
    note = "left out above 20,000 ratings; run with --full"
    estimate = _estimate("subgroup", "interaction", None, scope={"subgroup": {"age": ""}}, reason="not_run", note=note)
    (block,) = blocks_of("subgroups", [estimate], Labels())
    assert not block.table.rows
    assert note in block.notes[0]


def test_long_table_is_truncated_with_remainder_expandable() -> None:
    many = [
        _estimate("contrast", "turn_slope", 0.5, scope={"source": f"s{n}"}, n_ratings=n) for n in range(MAX_ROWS + 2)
    ]
    (block,) = blocks_of("turns", many, Labels())
    assert len(block.table.rows) == MAX_ROWS
    assert block.more is not None
    assert len(block.more.rows) == 2


def test_pool_containing_every_rater_is_not_repeated() -> None:
    estimates = [
        _estimate("agreement", "krippendorff_alpha_ordinal", 0.5, n_ratings=9),
        _estimate("agreement", "krippendorff_alpha_ordinal", 0.5, scope={"pool": "expert"}, n_ratings=9),
    ]
    (block,) = blocks_of("agreement", estimates, Labels())
    assert [row[1] for row in block.table.rows] == ["all ratings"]


def test_text_table_has_one_row_per_covariate() -> None:
    of = {"question": None}
    estimates = [
        _estimate("text", "text_mean", 80.0, scope={"source": "human", "covariate": "words"}, **of),
        _estimate("text", "text_difference", 20.0, scope={**TWO, "covariate": "words"}, ci_low=5.0, ci_high=35.0, **of),
        _estimate("text", "text_mean", 0.5, scope={"source": "human", "covariate": "score"}, **of),
        _estimate(
            "text", "text_mean", None, scope={"covariate": "flesch"}, reason="not_run", note="English only", **of
        ),
    ]
    ((_, table),) = texts(estimates)
    assert table.header == ("Covariate", "human", "model − human")
    assert table.rows == (
        ("length in words", "80.00", "20.00\n5.00 to 35.00"),
        ("score", "0.50", "–"),
        ("readability (Flesch, higher is easier)", "English only", ""),
    )


def test_answers_with_key_have_confusion_table() -> None:
    estimates = [
        _estimate("category", "f1_macro", 0.5),
        *(
            _estimate("category", "confusion_share", share, scope={"correct": right, "category": code})
            for right, code, share in (("joy", "joy", 0.75), ("joy", "fear", 0.25), ("fear", "fear", 1.0))
        ),
    ]
    scores, confusion = blocks_of("codes", estimates, Labels())
    assert scores.table.header[2] == "F1"
    assert confusion.table.header == ("Correct", "joy", "fear")
    assert confusion.table.rows == (("joy", "75.0%", "25.0%"), ("fear", "–", "100.0%"))


def test_contrast_without_own_section_gets_a_table() -> None:
    scope = {"factor": "told", "level": "truth", "reference_level": "nothing"}
    (block,) = blocks_of("subgroups", [_estimate("contrast", "turn_slope", 0.5, scope=scope)], Labels())
    assert block.caption == "Points per turn"
