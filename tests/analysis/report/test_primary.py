"""Primary contrasts come first, as sentences, adjusted as one family; other estimates are marked and counted."""

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest

from app.analysis import analyze
from app.analysis.document.report_context import ReportContext
from app.analysis.document.study_report import study_report
from app.analysis.estimate import Estimate, Scope, without
from app.analysis.findings.answer_words import ENGLISH
from app.analysis.findings.main_contrasts import interval_words, main_contrasts
from app.analysis.findings.summary import summary_of
from app.analysis.report.brief import brief
from app.analysis.report.explored import explored
from app.analysis.report.labelled import labelled
from app.analysis.report.notes import NAME_ONE, NOTHING_PRIMARY
from app.analysis.report.primary import places_of
from app.analysis.report.report import Report
from app.analysis.report.report_tables import records_csv, report_json
from app.analysis.report.sentences import level_text, published_line
from app.analysis.report.sentences import test_of as name_of_test
from app.analysis.report.verdicts import verdict_sentence
from app.analysis.wording.formatting import outcome_text
from app.base.documents.blocks import DataTable
from app.protocol.primary import PrimaryContrast
from app.protocol.study import Protocol
from app.results.charts.forest import forest_table
from app.results.pages.sections.part_tables import blocks_of
from tests.kit.frames import CHOICE, FIVE, Row, find, first, frames, protocol
from tests.kit.told import told

CLEAR = {**FIVE, "key": "clear", "label": "Clarity"}


def one_paragraph(report: Report, study: Protocol) -> str:
    """Return all answers as lines of text."""
    return "\n".join(one.said for contrast in told(report, study) for one in contrast)


def rows(n_items: int = 8, n_raters: int = 6, keys: tuple[str, ...] = ("empathy", "clear")) -> list[Row]:
    """Return ratings in which the model is a point above the person, with deterministic variation."""
    return [
        {
            "rater": f"r{rater}",
            "item": f"i{item}",
            "response": f"i{item}:{source}",
            "question": key,
            "value": 2
            + ((item * 3 + rater * 5 + len(key) + 4 * (source == "model")) % 7 + 3 * (source == "model")) // 3,
        }
        for key in keys
        for rater in range(n_raters)
        for item in range(n_items)
        for source in ("human", "model")
    ]


def made(primary: list[Any], *questions: dict[str, Any], answers: list[Row] | None = None) -> tuple[Report, Protocol]:
    study = protocol(*(questions or (FIVE, CLEAR)), analysis={"primary": primary, "cut": {"empathy": 2.75}})
    return analyze(frames(study, rows() if answers is None else answers), study), study


@pytest.fixture(scope="module")
def report() -> tuple[Report, Protocol]:
    return made(["clear", {"question": "empathy", "test": "t_paired"}])


def test_primary_contrasts_lead_in_declared_order(
    report: tuple[Report, Protocol],
) -> None:
    found, study = report
    assert [result.contrast.question for result in found.primary] == ["clear", "empathy"]
    assert [estimate.statistic for estimate in found.primary_estimates] == ["mean_difference", "t_paired"]
    assert [outcome_text(one.contrast, study.labels) for one in found.primary] == ["Clarity", "Empathy"]


def test_holm_adjusts_only_primary_contrasts(
    report: tuple[Report, Protocol],
) -> None:
    primary = report[0].primary_estimates
    low, high = sorted(primary, key=lambda estimate: estimate.p_value or 0)
    assert low.p_adjusted == pytest.approx(min(2 * (low.p_value or 0), 1))
    assert high.p_adjusted == pytest.approx(max(high.p_value or 0, low.p_adjusted or 0))
    others = [estimate for estimate in report[0].estimates if estimate.role == "exploratory"]
    assert primary[0] not in others
    assert {estimate.role for estimate in primary} == {"primary"}


def test_notes_count_other_tests_of_primary_comparisons_apart_from_exploratory_ones() -> None:
    study = protocol(FIVE, CLEAR, analysis={"primary": ["empathy"]})
    report = analyze(frames(study, rows()), study)
    tests = [one for one in report.estimates if one.role == "exploratory" and one.p_value is not None]
    same, others = ([one for one in tests if (one.question == "empathy") == is_same] for is_same in (True, False))
    n_compared = len({(one.measured, str(without(one.scope, "cut"))) for one in others})
    assert n_compared < len(others) / 2
    said = " ".join(report.notes)
    assert f"{len(same)} tests repeat the primary comparisons by other methods and are no further findings." in said
    assert f"{n_compared} other comparison" in said
    assert {one.role for one in report.of("agreement")} == {"descriptive"}


def _tested(statistic: str, p: float, question: str, method: str = "") -> Estimate:
    scope: Scope = {"source": "model", "reference": "human"}
    return Estimate("comparison", question, scope, statistic, 0.3, p_value=p, method=method, role="exploratory")


def test_each_comparison_counts_once_however_many_methods_tell_it() -> None:
    """Fifteen methods of one comparison of a study without an effect were fifteen findings, eleven "adjusted"."""
    methods = ("mean_difference", "odds_ratio_clmm", "t_paired", "wilcoxon", "share_difference")
    tests = [_tested(one, 0.04, "warm") for one in methods]
    tests += [_tested("mean_difference", 0.2 + 0.02 * n, f"other-{n}") for n in range(19)]
    (one,) = explored(tests[:1]).sentences
    assert one == "1 other comparison has p < .05 in its first test. It only suggests a hypothesis."
    (said,) = explored(tests).sentences
    assert said == (
        "20 other comparisons, each by its first test: 1 with p < .05, by chance about 1; 0 after adjustment "
        "(Benjamini-Hochberg). They only suggest hypotheses."
    )


def test_interaction_with_a_group_is_a_comparison_beside_the_difference_there() -> None:
    """It was not counted, although that the difference is another one in a group is what a reader concludes."""
    scope: Scope = {"subgroup": {"topic": "work"}, "source": "model", "reference": "human"}
    there, apart = (
        replace(_tested(name, p, "warm"), section="subgroup", scope=scope)
        for name, p in (("mean_difference", 0.3), ("interaction", 0.001))
    )
    assert explored([there, apart]).first == (there, apart)


def test_tests_of_answers_as_independent_and_of_margins_are_no_findings() -> None:
    independent = "chi_square: ratings as independent"
    tests = [
        _tested("chi_square", 0.001, "warm", independent),
        _tested("mean_difference", 0.3, "warm"),
        _tested("equivalence", 0.001, "warm"),
        _tested("chi_square", 0.001, "clear", independent),
    ]
    counted, left = explored(tests).sentences
    assert counted == "1 other comparison has p ≥ .05 in its first test."
    assert left == (
        "Not counted: 1 comparison that was only tested as if answers were independent, which finds differences too "
        "often."
    )


def test_a_declared_pair_without_the_reference_is_adjusted_for_length_too() -> None:
    """It was said that the data do not allow it, and it was never tried."""
    sources = {name: {"kind": "model"} for name in ("human", "plain", "guided")}
    contrast = {"question": "empathy", "source": "guided", "reference": "plain"}
    study = protocol(FIVE, sources=sources, analysis={"reference": "human", "primary": [contrast]})
    texts = [
        {"response": f"i{i}:{name}", "item": f"i{i}", "source": name, "text": "word " * (4 + (3 * i + 2 * n) % 7)}
        for i in range(8)
        for n, name in enumerate(sources)
    ]
    found = [
        {
            "rater": f"r{r}",
            "item": f"i{i}",
            "response": f"i{i}:{name}",
            "question": "empathy",
            "value": 1 + (r + i * n) % 5,
        }
        for r in range(6)
        for i in range(8)
        for n, name in enumerate(sources)
    ]
    report = analyze(frames(study, found, responses=texts), study)
    (one,) = (one for one in report.of("text", "empathy") if one.scope.get("reference") == "plain")
    assert (one.statistic, one.scope["source"]) == ("mean_difference_at_equal", "guided")
    assert one.estimate is not None


def test_a_difference_in_levels_does_not_repeat_one_in_slopes() -> None:
    primary = [{"question": "empathy", "test": "turn_slope_difference"}]
    study = protocol({**FIVE, "target": "turn"}, analysis={"primary": primary})
    given = [{**row, "turn": turn} for row in rows(keys=("empathy",)) for turn in (1, 2, 3)]
    report = analyze(frames(study, given), study)
    assert find(report, "mean_difference")
    assert not any("repeat" in note for note in report.notes)
    assert any(" other comparison" in note for note in report.notes)


def test_primary_sentence_has_effect_interval_test_and_counts(report: tuple[Report, Protocol]) -> None:
    found, study = report
    gap = first(found, "mean_difference", question="clear").estimate or 0
    (clear,), (empathy,) = told(found, study)
    assert f"Model was rated higher than Human on Clarity (+{gap:.2f}, 95% CI " in clear.said
    assert "; scale 1\N{EN DASH}5; 6 raters, 8 items)." in clear.said
    assert clear.holds == "for new items and new raters"
    assert (clear.test, empathy.test) == (
        "t test with two-way clustering by items and raters",
        "paired t test on item means",
    )


def test_brief_report_lists_primary_estimates_first(report: tuple[Report, Protocol]) -> None:
    found, study = report
    short = brief(found, study)
    assert len(short.estimates) < 30 < len(found.estimates)
    assert [estimate.role for estimate in short.estimates[:2]] == ["primary", "primary"]
    assert {estimate.question for estimate in short.estimates} == {"empathy", "clear"}
    assert {estimate.statistic for estimate in short.estimates} == {
        "mean_difference",
        "t_paired",
        "mean",
        "krippendorff_alpha_ordinal",
    }


def test_report_names_default_primary_contrast() -> None:
    study = protocol(FIVE, CLEAR)
    found = analyze(frames(study, rows(4, 3)), study)
    assert [result.is_declared for result in found.primary] == [False]
    note = next(note for note in found.notes if "names no primary contrast" in note)
    assert note.endswith(f"Empathy. {NAME_ONE}")


def test_study_without_any_contrast_says_what_to_add() -> None:
    study = protocol({**FIVE, "key": "mood", "target": "rater"})
    answers = [{"rater": f"r{n}", "item": None, "question": "mood", "value": 1 + n % 5} for n in range(6)]
    found = analyze(frames(study, answers), study)
    assert (found.primary, found.notes[0]) == ((), NOTHING_PRIMARY)


def test_primary_contrast_without_ratings_says_so() -> None:
    found, study = made([{"question": "empathy", "test": "pool_difference"}], answers=rows(2, 2, ("clear",)))
    assert told(found, study) == [[]]
    assert [one.english for one in summary_of(found, study).answers] == [
        "There are no answers on Empathy yet for this comparison."
    ]
    none, same = made(["empathy"], answers=rows(2, 2, ("clear",)))
    assert "Model cannot be compared with Human on Empathy yet (no ratings" in one_paragraph(none, same)


@pytest.mark.parametrize(("adjusted", "said"), [(0.092, "(p = .046, adjusted p = .092; "), (None, "(p = .046; ")])
def test_published_test_has_the_p_values_of_the_tables(adjusted: float | None, said: str) -> None:
    found, study = made([{"question": "empathy", "published": "t_unpaired"}])

    def as_reported(one: Estimate) -> Estimate:
        is_published = one.statistic == "t_unpaired" and one.question == "empathy"
        return replace(one, p_value=0.046, p_adjusted=adjusted, verdict="inconclusive") if is_published else one

    reported = replace(found, estimates=tuple(map(as_reported, found.estimates)))
    assert said in published_line(reported, study)


def test_what_primary_results_hold_for_is_said_only_if_they_have_intervals() -> None:
    found, study = made([{"question": "empathy", "published": "t_unpaired"}], answers=rows(8, 1))
    line = published_line(found, study)
    assert "; primary result: no interval: one side has only one item or one rater)." in line
    assert "Primary results are" not in line


SENTENCES: list[tuple[dict[str, Any], str, str]] = [
    ({"test": "odds_ratio_clmm"}, "(odds ratio ", "cumulative link mixed model"),
    (
        {"test": "prob_superiority"},
        "(probability of superiority ",
        "t test with two-way clustering by items and raters",
    ),
    ({"test": "mean_difference_lmm"}, "Model was rated higher than Human on Empathy (+", "linear mixed model, Satter"),
    ({"test": "percent_change"}, "Model was rated ", ""),
    (
        {"test": "wilcoxon"},
        "Model was rated higher than Human on Empathy (+",
        "Wilcoxon signed-rank test on item means",
    ),
    ({"test": "mann_whitney"}, "rank-biserial r = ", "Mann-Whitney test"),
    (
        {"test": "chi_square"},
        "differently for Model than for Human (\u03c7\u00b2(3, N = 96) = 33.00, ",
        "chi-",
    ),
    ({"test": "share_at_least_ratio"}, "rated 2.75 or more more often than Human on Empathy (ratio ", ""),
    ({"test": "t_unpaired"}, "Model was rated higher than Human on Empathy (+", "unpaired t test on item means"),
    (
        {"test": "equivalence", "margin": 3},
        "Model was equivalent to Human on Empathy (",
        "equivalence test (two",
    ),
    ({"test": "non_inferiority"}, "margin 3; ", "non-inferiority test (one-sided t test)"),
    ({"test": "krippendorff_alpha"}, "Agreement on Empathy was Krippendorff's alpha = ", ""),
    ({"test": "icc_a_1", "source": "model"}, "Agreement on Empathy for Model was ", ""),
]


def test_every_primary_test_has_a_sentence() -> None:
    contrasts = [{"question": "empathy", **contrast} for contrast, *_ in SENTENCES]
    found, study = made(contrasts, FIVE, answers=rows(keys=("empathy",)))
    for (contrast, words, test), of_contrast in zip(SENTENCES, told(found, study), strict=True):
        (one,) = of_contrast
        assert words in one.said, contrast
        assert one.test.startswith(test), contrast
        assert "None" not in one.said


def test_difference_beyond_margin_is_not_equivalent() -> None:
    contrast = {"question": "empathy", "test": "equivalence", "margin": 0.25}
    found, study = made([contrast], FIVE, answers=rows(keys=("empathy",)))
    said = one_paragraph(found, study)
    assert "Model was not shown to be equivalent to Human on Empathy (" in said
    assert "; margin 0.25; " in said


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("equivalence", "equivalence test (two one-sided t tests)"),
        ("non_inferiority", "non-inferiority test (one-sided t test)"),
    ],
)
def test_p_value_for_a_margin_is_named_as_that_of_its_test(test: str, words: str) -> None:
    contrast = {"question": "empathy", "test": test, "margin": 0.25}
    found, study = made([contrast], FIVE, answers=rows(keys=("empathy",)))
    ((one,),) = told(found, study)
    assert one.test == words


def test_unclear_difference_is_reported_as_not_clear() -> None:
    even = [{**row, "value": 3 + (hash_of(row) % 3 - 1)} for row in rows(4, 4, ("empathy",))]
    found, study = made(["empathy"], FIVE, answers=even)
    ((one,),) = told(found, study)
    assert one.said.startswith("Model did not differ clearly from Human on Empathy (")
    assert verdict_sentence(one.estimate) == "Inconclusive: the 95% CI includes zero."


def hash_of(row: Row) -> int:
    return int(row["rater"][1:]) * 7 + int(row["item"][1:]) * 5 + 2 * int(row["response"][-1] == "l")


def test_choice_sentence_names_sources_in_the_declared_order() -> None:
    answers = [
        {"rater": f"r{r}", "item": f"i{i}", "question": "preference", "value": "human" if (r + i) % 4 == 0 else "model"}
        for r in range(4)
        for i in range(6)
    ]
    contrast = {"question": "preference", "source": "human", "reference": "model"}
    found, study = made([contrast], FIVE, CHOICE, answers=answers)
    assert one_paragraph(found, study).startswith("Model was preferred over Human (Human 25.0% of choices, 95% CI ")
    assert len(find(found, "share_preferred", role="primary")) == 1


def test_primary_estimates_are_labelled(report: tuple[Report, Protocol]) -> None:
    found, study = report
    (estimate,) = labelled(found, study.labels).primary[0].estimates
    assert estimate.scope == {"source": "Model", "reference": "Human"}


@pytest.mark.parametrize("test", ["t_paired", "t_unpaired", "mean_difference_lmm", "mean_difference"])
def test_rows_of_a_primary_contrast_have_the_interval_of_its_sentence(test: str) -> None:
    found, study = made([{"question": "empathy", "test": test}], FIVE, answers=rows(keys=("empathy",)))
    ((one,),) = told(found, study)
    shown = labelled(found, study.labels)
    (contrast,) = main_contrasts(shown, study)
    said = f"{interval_words(contrast.estimate)}"
    assert level_text(one.shown) == said
    assert said in one.said
    words = said.removeprefix("95% CI ")
    document, _ = study_report(found, study, [], ReportContext("2026-11-23"))
    tables = [block for block in document.blocks if isinstance(block, DataTable)]
    # A primary contrast is in the table of these, and not repeated in that of its topic.
    (primary,) = (table.rows[0] for table in tables if table.caption.startswith("Primary contrasts:"))
    below = [row[4] for table in tables for row in table.rows if row[2] == "Mean difference"]
    is_of_difference = test in {"mean_difference", "mean_difference_lmm"}
    assert ([primary[3]] if is_of_difference else below)[0].endswith(f"({words})")
    assert not (is_of_difference and below)
    (block, *_) = blocks_of("comparison", shown.of("comparison"), study.labels)
    assert words in block.table.rows[0][2]
    said_below = [note for note in block.notes if note.startswith("Intervals of the primary contrasts")]
    assert bool(said_below) == (test in {"t_paired", "t_unpaired"})
    assert words in forest_table(shown.of("comparison", "empathy")).rows[0]
    records = [one for one in json.loads(report_json(found, {}))["estimates"] if one["statistic"] == "mean_difference"]
    assert (records[0]["ci_low"], records[0]["ci_high"]) == (contrast.estimate.ci_low, contrast.estimate.ci_high)
    line = next(
        one
        for one in csv.DictReader(io.StringIO(records_csv(found.estimates)))
        if one["statistic"] == "mean_difference"
    )
    assert float(line["ci_low"]) == contrast.estimate.ci_low


def test_interaction_of_a_factor_is_not_that_of_a_whole_cell() -> None:
    found, study = made([{"question": "empathy"}])
    one = first(found, "mean_difference", question="empathy")
    scopes = ["label=true", "label=true; tone=warm", "tone=warm"]
    estimates = [
        replace(one, statistic="interaction", scope={"source": "model", "reference": "human", "condition": scope})
        for scope in scopes
    ]
    contrast = PrimaryContrast(question="empathy", source="model", test="interaction", factor="label")
    assert places_of(contrast, estimates, study) == [0]


def test_every_procedure_that_gives_a_primary_p_value_is_a_named_test() -> None:
    sources = {f"m{n}": {"kind": "model", "thinks": str(n % 2)} for n in range(4)}
    study = protocol(FIVE, sources=sources, analysis={"primary": [{"question": "empathy", "attribute": "thinks"}]})
    answers = [
        {
            "rater": f"r{k}",
            "item": f"i{i}",
            "response": f"i{i}:{source}",
            "question": "empathy",
            "value": 1 + (i + k * n) % 5,
        }
        for i in range(6)
        for k in range(5)
        for row in [{"rater": f"r{k}", "item": f"i{i}"}]
        for n, source in enumerate(sources)
    ]
    (result,) = analyze(frames(study, answers), study).primary
    (one,) = result.estimates
    assert one.p_value is not None
    assert name_of_test(one)
    assert name_of_test(replace(one, procedure="three_way_cluster_t")).endswith("items, raters and sources")


def test_separation_in_answers_is_no_side_that_always_wins() -> None:
    assert ENGLISH.reasons["separation"] == "no finite value exists"
