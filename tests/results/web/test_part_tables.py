"""The tables of the sections, from estimates to rows, and notes on estimates that could not be computed."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, FileSystemLoader

from app.analysis.data.report_filters import ALL
from app.analysis.document.numbered import Reasons, value_cell
from app.analysis.estimate import Estimate
from app.analysis.model_code.scripts import NO_CODE
from app.analysis.report.labelled import labelled
from app.analysis.report.report import Report
from app.analysis.report.report_tables import records_csv
from app.base.words import is_number
from app.cli.print_report import estimates_table
from app.protocol.labels import Labels
from app.results.charts.primary import axis_of
from app.results.charts.table import Table
from app.results.pages.report_query import ReportQuery
from app.results.pages.sections.part_tables import IGNORES_CLUSTERS, MAX_ROWS, OF_FIRST, blocks_of
from app.results.pages.sections.part_view import part_context
from app.results.pages.sections.parts import part_of, parts_of
from app.results.pages.sections.text_details import texts
from tests.kit.frames import FIVE, protocol

TEMPLATES = Path(__file__).resolve().parents[3] / "templates"
TWO = {"source": "model", "reference": "human"}
P = {"p_value": 0.02, "p_adjusted": 0.04}


def _estimate(section: str, statistic: str, estimate: float | None, **more: object) -> Estimate:
    values: dict[str, object] = {"scope": {}, "question": "empathy", **more}
    return Estimate(section=section, statistic=statistic, estimate=estimate, **values)  # type: ignore[arg-type]  # fields


def test_table_row_holds_estimates_of_one_question_and_scope() -> None:
    estimates = [
        _estimate("comparison", "mean_difference", 0.5, scope=TWO, ci_low=0.25, ci_high=0.75, n_ratings=1200, **P),
        _estimate("comparison", "odds_ratio_clmm", 2.0, scope=TWO, n_ratings=1200),
    ]
    (block,) = blocks_of("comparison", estimates, Labels(questions={"empathy": "Warmth"}))
    assert block.table.header == (
        "Question",
        "Comparison or group",
        "Mean difference",
        "Odds ratio (ordinal mixed model)",
        "Adjusted p",
        "Ratings",
    )
    assert block.table.rows == (("Warmth", "model − human", "0.50\n0.25 to 0.75", "2.00", ".040", "1,200"),)


def test_p_and_ratings_are_those_of_the_first_estimate_of_a_row() -> None:
    """A difference that nothing showed had the p of a correlation beside it, and a group the ratings of all groups."""
    pools = {"pool": "crowd", "reference_pool": "expert"}
    estimates = [
        _estimate("contrast", "pool_difference", -0.13, scope=pools, p_value=0.55, n_ratings=90),
        _estimate("contrast", "pool_correlation", 0.8, scope=pools, p_value=0.001, p_adjusted=0.002, n_ratings=200),
    ]
    (block,) = blocks_of("subgroups", estimates, Labels())
    assert block.table.header[-2:] == ("p", "Ratings")
    assert block.table.rows[0][-2:] == (".550", "90")
    assert OF_FIRST in block.notes


def test_test_of_answers_as_independent_says_so_and_no_interval_is_spoken_of() -> None:
    method = "chi_square: ratings as independent"
    estimates = [_estimate("comparison", "chi_square", 9.0, scope=TWO, method=method, **P)]
    estimates.append(_estimate("contrast", "chi_square", 12.0, method=method, **P))
    (block,) = blocks_of("comparison", estimates, Labels())
    assert block.notes == (IGNORES_CLUSTERS,)
    assert part_of(_estimate("contrast", "t_paired", 1.0, scope={**TWO, "rater_kind": "model"})) == "judges"


def test_not_estimable_cell_is_a_dash_with_one_footnote() -> None:
    estimates = [
        _estimate("agreement", "krippendorff_alpha_ordinal", 0.5),
        _estimate("agreement", "krippendorff_alpha_ordinal", None, scope={"source": "a"}, note="no two ratings"),
        _estimate("agreement", "icc_a_1", None, note="not estimable: no two ratings"),
        _estimate("agreement", "icc_a_1", 0.25, scope={"source": "a"}),
    ]
    (block,) = blocks_of("agreement", estimates, Labels())
    assert [row[1:4] for row in block.table.rows] == [("all ratings", "0.50", "–"), ("a", "–", "0.25")]
    assert block.notes == ("– not estimable: no two ratings.",)


def test_number_with_a_lower_limit_only_is_said_everywhere() -> None:
    """On the page, in the report, on the command line, in CSV and JSON; with and without an estimate."""
    more = {"ci_low": 12.0, "ci_level": 0.95, "ci_reason": "no_upper_limit"}
    why = "The units do not differ beyond chance in these data."
    estimates = [
        _estimate("agreement", "krippendorff_alpha_ordinal", 0.1),
        _estimate("agreement", "raters_needed", 30.0, **more),
        _estimate("agreement", "raters_needed", None, scope={"source": "a"}, reason="no_variation", note=why, **more),
    ]
    (block,) = blocks_of("agreement", estimates, Labels())
    assert [row[3] for row in block.table.rows] == ["30\nfrom 12, no upper limit", "–\nfrom 12, no upper limit"]
    assert block.notes == (f"– not estimable: {why}",)
    reasons = Reasons()
    said = [value_cell(one, "95% CI", reasons) for one in estimates[1:]]
    assert said == ["30 (from 12, no upper limit)", "– (from 12, no upper limit) [a]"]
    cells = next(column for column in estimates_table(estimates).columns if column.header == "95% CI").cells
    assert [str(cell) for cell in cells] == ["", "from 12, no upper limit", "from 12, no upper limit"]
    for row in list(csv.DictReader(io.StringIO(records_csv(estimates))))[1:]:
        assert (row["ci_low"], row["ci_high"], row["ci_reason"]) == ("12.0", "", "no_upper_limit")
    for one in estimates[1:]:
        record = json.loads(json.dumps(one.as_record(), allow_nan=False))
        assert (record["ci_low"], record["ci_high"], record["ci_reason"]) == (12.0, None, "no_upper_limit")


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
    assert [row[:2] for row in block.table.rows] == [("Empathy", "0.50")]


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
    ((_, table, notes),) = texts(estimates)
    assert table.header == ("Covariate", "human", "model − human")
    assert table.rows == (
        ("Length in words", "80.00", "20.00\n5.00 to 35.00"),
        ("Score", "0.50", "–"),
    )
    assert notes == ("– Readability (Flesch, higher is easier): English only.",)


def test_small_share_of_words_is_a_percentage() -> None:
    of = {"question": None, "ci_low": 0.0002, "ci_high": 0.006}
    scope = {"source": "model", "covariate": "first_person_share"}
    ((_, table, _),) = texts([_estimate("text", "text_mean", 0.0041, scope=scope, **of)])
    assert table.rows == (("Share of first-person words", "0.4%\n< 0.1% to 0.6%"),)


def test_difference_of_shares_has_its_unit() -> None:
    """Beside 4.8% and 16.0% stood 11.2, which could be a ratio or a count."""
    scope = {**TWO, "covariate": "first_person_share"}
    ((_, table, notes),) = texts([_estimate("text", "text_difference", 0.112, scope=scope, question=None)])
    assert table.rows[0][1].startswith("11.2 pp")
    assert notes == ("pp: percentage points.",)


def test_pool_with_all_ratings_has_no_row_of_its_own() -> None:
    n = {"n_ratings": 150}
    estimates = [
        _estimate("dimension", "correlation", 0.5, scope={"covariate": "fluency"}, **n),
        _estimate("dimension", "correlation", 0.5, scope={"covariate": "fluency", "pool": "Expert"}, **n),
    ]
    (block,) = blocks_of("comparison", estimates, Labels())
    assert [row[1] for row in block.table.rows] == ["fluency"]


def test_judge_has_the_row_of_the_only_pool() -> None:
    estimates = [
        _estimate("judge", "alt_test_winning_rate", share, scope={"raters": ("gpt",), **pool}, n_ratings=150)
        for share, pool in ((0.0, {}), (1 / 3, {"pool": "Expert"}))
    ]
    (block,) = blocks_of("judges", estimates, Labels())
    assert [row[1:3] for row in block.table.rows] == [("gpt, pool Expert", "33.3%")]


def test_shares_of_ratings_and_of_item_means_are_columns_of_their_own() -> None:
    scope = {"source": "model", "cut": 4.0}
    estimates = [
        _estimate("comparison", "share_at_least", 0.82, scope=scope, unit="rating"),
        _estimate("comparison", "share_at_least", 0.785, scope=scope, unit="item_mean"),
    ]
    (block,) = blocks_of("comparison", estimates, Labels())
    assert block.table.header[2:4] == ("Of ratings", "Of item means")
    assert block.table.rows[0][2:4] == ("82.0%", "78.5%")


def test_label_of_the_question_names_the_code() -> None:
    labels = Labels(codes={"error": {"none": "No"}})
    scope = {**TWO, "category": "none"}
    estimate = _estimate("contrast", "category_difference", 0.063, scope=scope, question="error", category="none")
    (block,) = blocks_of("codes", [estimate], labels)
    assert block.table.rows == (("Error: No", "model − human", "6.3", "0"),)


def test_answers_with_key_have_confusion_table() -> None:
    estimates = [
        _estimate("category", "f1_macro", 0.5),
        *(
            _estimate("category", "confusion_share", share, scope={"correct": right, "category": code})
            for right, code, share in (("joy", "joy", 0.75), ("joy", "fear", 0.25), ("fear", "fear", 1.0))
        ),
    ]
    scores, confusion = blocks_of("codes", estimates, Labels())
    assert scores.table.header[1] == "F1"
    assert confusion.table.header == ("Correct", "joy", "fear")
    assert confusion.table.rows == (("joy", "75.0%", "25.0%"), ("fear", "–", "100.0%"))


def test_contrast_without_own_section_gets_a_table() -> None:
    scope = {"factor": "told", "level": "truth", "reference_level": "nothing"}
    (block,) = blocks_of("subgroups", [_estimate("contrast", "turn_slope", 0.5, scope=scope)], Labels())
    assert block.caption == "Points per turn"


def test_effect_of_an_attribute_on_choices_is_in_percentage_points_and_on_ratings_in_points() -> None:
    """The answer said -25.2 percentage points, and the table -0.25 beside effects in points of a scale."""
    scope = {"attribute": "tone", "level": "warm", "reference_level": "cool"}
    effect = {"scope": scope, "ci_low": -0.47, "ci_high": -0.03}
    estimates = [_estimate("contrast", "amce", -0.25, unit=unit, **effect) for unit in ("rating", "choice")]
    rated, chosen = blocks_of("subgroups", estimates, Labels())
    assert (rated.caption, rated.table.rows[0][2]) == ("Average marginal component effect", "−0.25\n−0.47 to −0.03")
    assert chosen.caption == "Average marginal component effect (percentage points)"
    assert chosen.table.rows[0][2] == "−25.0\n−47.0 to −3.0"
    assert [axis.title for one in estimates if (axis := axis_of(one))] == ["Points of the scale", "Percentage points"]


def test_biases_and_moves_of_judges_have_a_column_for_each_unit() -> None:
    """Points of a scale and shares stood in one column, as 0.25 and 0.25, or as 0.25 and 25.0, without a unit."""
    judge = {"rater_kind": "model", "raters": ["m"]}
    coded = {**judge, "category": "joy"}
    estimates = [
        _estimate("judge", "length_bias", 0.25, scope=judge, unit="rating"),
        _estimate("judge", "length_bias", 0.25, scope=judge, unit="choice", question="better"),
        _estimate("judge", "self_preference", 0.25, scope=coded, unit="rating", question="emotion"),
        _estimate("judge", "drift", 0.25, scope=judge, unit="rating"),
        _estimate("judge", "drift_of_share", 0.25, scope=judge, unit="choice", question="better"),
    ]
    blocks = blocks_of("judges", estimates, Labels())
    found = {
        (row[0], name): cell
        for block in blocks
        for row in block.table.rows
        for name, cell in zip(block.table.header, row, strict=True)
        if name.endswith("points") and cell != "–"
    }
    assert found == {
        ("Empathy", "Length, points"): "0.25",
        ("Better", "Length, percentage points"): "25.0",
        ("Emotion", "Self-preference, percentage points"): "25.0",
        ("Empathy", "Later minus first, points"): "0.25",
        ("Better", "Later minus first, percentage points"): "25.0",
    }


def test_tests_of_pairs_have_degrees_of_freedom_and_the_pairs_with_the_reference() -> None:
    others = {"source": "other", "reference": "model"}
    paired = (
        _estimate("comparison", "t_paired", 2.5, scope=TWO, df=39.0),
        _estimate("contrast", "t_paired", -4.15, scope=others, df=39.0),
    )
    (block,) = blocks_of("comparison", paired, Labels())
    assert [row[1:3] for row in block.table.rows] == [
        ("model − human", "t(39)\u00a0=\u00a02.50"),
        ("other − model", "t(39)\u00a0=\u00a0−4.15"),
    ]


def test_what_raters_were_told_does_not_look_like_a_factor_of_that_name() -> None:
    levels = {"level": "model", "reference_level": "human"}
    estimates = [
        _estimate("contrast", "factor_effect", 0.5, scope={"factor": "Shown label", **levels}),
        _estimate("contrast", "factor_effect", 0.5, scope={"factor": "shown_label", **levels}),
    ]
    (block,) = blocks_of("conditions", estimates, Labels())
    assert [row[1] for row in block.table.rows] == ["Shown label: model − human", "shown as model − human"]


def test_share_at_equal_length_is_not_that_adjusted_for_side() -> None:
    of_pair = {"section": "choice", "question": "preference"}
    estimates = [
        _estimate(**of_pair, statistic="share_preferred", estimate=0.8, scope=TWO, unit="choice"),
        *(
            _estimate(**of_pair, statistic="share_preferred_at_equal", estimate=share, scope={**TWO, "covariate": name})
            for name, share in (("side", 0.75), ("length", 0.6))
        ),
    ]
    (block,) = blocks_of("preference", estimates, Labels())
    assert block.table.header[2:5] == ("Share preferred", "Adjusted for length", "Adjusted for side")
    assert block.table.rows[0][2:5] == ("80.0%", "60.0%", "75.0%")


def test_text_measures_of_many_sources_fit_beside_each_other() -> None:
    sources = [f"s{n}" for n in range(5)]
    means = [_estimate("text", "text_mean", 1.0, scope={"covariate": "words", "source": one}) for one in sources]
    gaps = [
        _estimate("text", "text_difference", 0.5, scope={"covariate": "words", "source": one, "reference": "s0"})
        for one in sources[1:]
    ]
    of_all, of_pairs = texts([*means, *gaps])
    assert of_all[1].header == ("Covariate", *sources)
    assert of_pairs[0] == "Differences between sources in these measures"
    assert len(of_pairs[1].header) == 5
    ((_, table, _),) = texts([*means, *gaps[:1]])
    assert len(table.header) == 7
    many = [_estimate("text", "text_mean", 1.0, scope={"covariate": "words", "source": f"s{n}"}) for n in range(9)]
    ((_, table, _),) = texts(many)
    assert table.header == ("Covariate", "Comparison or group", "Estimate")
    assert [row[1] for row in table.rows] == [f"s{n}" for n in range(9)]


def test_interval_of_few_raters_is_warned_of_below_its_table() -> None:
    few = "With 4 raters, this interval is slightly too narrow."
    ends = {"ci_low": 0.25, "ci_high": 0.75, "n_ratings": 120, "interval_warnings": (few,)}
    of = {"attribute": "reasoning", "level": "yes", "reference_level": "no"}
    (block,) = blocks_of("subgroups", [_estimate("contrast", "attribute_effect", 0.5, scope=of, **ends)], Labels())
    assert block.notes == ("Attribute of sources: with 4 raters, this interval is slightly too narrow.",)


@pytest.mark.parametrize(
    ("section", "statistic", "scope", "has_reason"),
    [
        ("contrast", "factor_effect", {"factor": "told", "level": "ai", "reference_level": "person"}, True),
        ("contrast", "turn_slope_difference", {**TWO, "turn": 1}, True),
        ("comparison", "mean_difference", TWO, False),
    ],
)
def test_pages_of_contrasts_without_code_say_why(
    section: str, statistic: str, scope: dict[str, Any], *, has_reason: bool
) -> None:
    study = protocol(FIVE)
    recipe = dict.fromkeys(("filter", "seed", "formula", "answers", "software", "data"), "")
    found = (_estimate(section, statistic, 0.5, scope=scope, role="primary", n_ratings=12, recipe=recipe),)
    report = Report("small", "", (), found)
    (part,) = (one for one in parts_of(found, study).values() if one.key != "estimates")
    context = part_context(part, report, labelled(report, study.labels), study, ReportQuery(ALL, "", ""))
    assert (context["no_code"] == NO_CODE) is has_reason


def test_sections_speak_of_associations_and_sources_only_where_there_are_some() -> None:
    study = protocol(FIVE)
    texts = [_estimate("text", "text_mean", 1.0, scope={"covariate": "words", "source": "human"})]
    related = [_estimate("text", "correlation", 0.2, scope={"covariate": "words"})]
    assert "associations" not in parts_of(texts, study)["text"].about
    assert "associations" in parts_of([*texts, *related], study)["text"].about
    disputed = [_estimate("disagreement", "unit_disagreement", 1.0, scope={"subgroup": {"item": "i0"}})]
    differing = [_estimate("disagreement", "item_difference", 1.0, scope={**TWO, "subgroup": {"item": "i0"}})]
    assert "sources" not in parts_of(disputed, study)["items"].about
    assert "sources" in parts_of([*disputed, *differing], study)["items"].about


def test_imported_scores_are_named_where_there_are_some() -> None:
    measured = _estimate("text", "text_mean", 1.0, scope={"covariate": "words", "source": "human"})
    imported = _estimate("text", "text_mean", 1.0, scope={"covariate": "warmth_score", "source": "human"})
    assert texts([measured])[0][0] == "Measures of the texts"
    assert texts([measured, imported])[0][0] == "Measures of the texts, and imported scores"


@pytest.mark.parametrize(("n_columns", "are_cards"), [(4, False), (5, True)])
def test_tables_wider_than_a_phone_are_cards_without_dashes(*, n_columns: int, are_cards: bool) -> None:
    """Tables of five and six columns went on beyond the edge, and cards listed what does not apply to them."""
    templates = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
    templates.tests["numeric"] = is_number
    table = Table(tuple("abcde"[:n_columns]), (("x", *["1.00\n0.50 to 1.50"] * (n_columns - 2), "–"),))
    drawn = str(templates.get_template("results/pages/results_tables.html").module.table_of(table, "Caption"))  # type: ignore[attr-defined]
    assert ('class="estimates cards"' in drawn) is are_cards
    assert drawn.count('class="number none"') == 1
    # On a card the interval is in parentheses behind the estimate.
    assert drawn.count('>1.00\n<span class="interval">0.50 to 1.50</span></td>') == n_columns - 2
