"""The table of the primary contrasts has the test statistic with its degrees of freedom, and an effect size."""

from dataclasses import replace
from typing import Any

import pytest

from app.analysis.document.numbered import Numbered
from app.analysis.document.primary_table import primary_table
from app.analysis.document.primary_table import test_statistic as statistic_of
from app.analysis.estimate import Estimate, Scope
from app.analysis.report.primary import PrimaryResult
from app.analysis.report.report import Report
from app.protocol.primary import PrimaryContrast
from tests.kit.frames import FIVE, protocol

SCOPE: Scope = {"source": "model", "reference": "human"}
# Two-sided p of t(29) = 2.045230 is .05 (any table of Student's t).
TESTED = Estimate("comparison", "empathy", SCOPE, "mean_difference", 0.5, 0.0, 1.0, 0.95, p_value=0.05, df=29.0)
TWO_WAY = replace(TESTED, procedure="two_way_cluster_t")


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({}, "t(29) = 2.05"),
        ({"estimate": -0.5}, "t(29) = −2.05"),
        ({"df": 13.59}, "t(13.59) = 2.15"),
        ({"statistic": "share_preferred", "estimate": 0.4}, "t(29) = −2.05"),
        ({"statistic": "t_paired", "procedure": "t_paired", "estimate": 2.2, "df": 194.0}, "t(194) = 2.20"),
        ({"statistic": "non_inferiority", "ci_level": 0.9}, ""),
        ({"p_value": None}, ""),
        ({"procedure": "lmm_satterthwaite"}, "t(29) = 2.05"),
        ({"procedure": "ancova_cr2_t"}, "t(29) = 2.05"),
        ({"procedure": "min_f_t"}, ""),
        ({"df": None, "procedure": "clmm_laplace"}, ""),
    ],
)
def test_statistic_follows_from_p_and_degrees_of_freedom(parts: dict[str, Any], words: str) -> None:
    assert statistic_of(replace(TWO_WAY, **parts)) == words


def test_effect_size_stands_beside_points_with_its_number() -> None:
    delta = Estimate("comparison", "empathy", SCOPE, "cliffs_delta", 0.21, 0.02, 0.38, 0.95)
    primary = (PrimaryResult(PrimaryContrast(question="empathy"), True, (TWO_WAY,)),)
    report = Report("small", "0" * 64, (), (TWO_WAY, delta), primary)
    labels = protocol(FIVE, sources={"human": {"kind": "human"}, "model": {"kind": "model"}}).labels
    table = primary_table(report, Numbered(labels))
    assert table is not None
    row = ("1", "Empathy", "Model − Human", "0.50 (0.00 to 1.00)", "t(29) = 2.05", ".050", "0.21 (0.02 to 0.38) [2]")
    assert table.rows == (row,)
    assert table.notes
    assert primary_table(replace(report, primary=()), Numbered(labels)) is None


@pytest.mark.parametrize(
    ("statistic", "of"),
    [
        ("cliffs_delta", "a rater rates the first higher than the second on the same item"),
        ("cliffs_delta_unpaired", "a rating of the first is higher than one of the second, by any raters"),
    ],
)
def test_note_says_which_ratings_the_effect_size_compares(statistic: str, of: str) -> None:
    """Within raters and items it can have the other sign than the difference of means, and the note spoke of all."""
    delta = Estimate("comparison", "empathy", SCOPE, statistic, -0.03, -0.1, 0.1, 0.95)
    primary = (PrimaryResult(PrimaryContrast(question="empathy"), True, (TWO_WAY,)),)
    table = primary_table(Report("small", "0" * 64, (), (TWO_WAY, delta), primary), Numbered(protocol(FIVE).labels))
    assert table is not None
    assert of in table.notes[-1]


def test_reason_for_no_interval_of_an_effect_size_is_a_footnote() -> None:
    delta = Estimate("comparison", "empathy", SCOPE, "cliffs_delta", 0.21, ci_reason="one_cluster")
    primary = (PrimaryResult(PrimaryContrast(question="empathy"), True, (TWO_WAY,)),)
    table = primary_table(Report("small", "0" * 64, (), (TWO_WAY, delta), primary), Numbered(protocol(FIVE).labels))
    assert table is not None
    assert table.rows[0][-1] == "0.21 [a] [2]"
    assert table.notes[0].startswith("a: no interval: ")


def test_what_estimates_leave_out_is_said_once_below_the_table() -> None:
    """Before, half of the items had no key, and the report did not say so."""
    left_out = "4 of 8 items have no correct answer and are left out."
    share = replace(TWO_WAY, statistic="pool_accuracy_difference", scope={"source": "model"}, note=left_out)
    without = replace(share, scope={"source": "human"}, ci_low=None, ci_high=None, ci_reason="one_cluster", note="Few.")
    first = PrimaryResult(PrimaryContrast(question="empathy"), True, (share, replace(share, estimate=0.4), without))
    labels = protocol(FIVE, sources={"human": {"kind": "human"}, "model": {"kind": "model"}}).labels
    table = primary_table(Report("small", "0" * 64, (), first.estimates, (first,)), Numbered(labels))
    assert table is not None
    assert table.notes.count(left_out) == 1
    assert "Few." not in table.notes


def test_slope_over_turns_has_no_effect_size_of_levels() -> None:
    delta = Estimate("comparison", "empathy", SCOPE, "cliffs_delta", 0.25, 0.02, 0.38, 0.95)
    slope = replace(TWO_WAY, section="contrast", statistic="turn_slope_difference", estimate=0.2)
    primary = (PrimaryResult(PrimaryContrast(question="empathy"), True, (slope,)),)
    labels = protocol(FIVE, sources={"human": {"kind": "human"}, "model": {"kind": "model"}}).labels
    table = primary_table(Report("small", "0" * 64, (), (slope, delta), primary), Numbered(labels))
    assert table is not None
    assert table.header[-1] == "p"
