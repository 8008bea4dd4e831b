"""The body of a report: means side by side, composites with their consistency; nothing is shown twice."""

import re
from dataclasses import replace
from functools import cache
from typing import Any

from app.analysis import analyze
from app.analysis.document.body_tables import means_tables
from app.analysis.document.numbered import Numbered, Reasons, value_cell
from app.analysis.document.primary_table import primary_table
from app.analysis.document.report_context import ReportContext
from app.analysis.document.study_report import study_report
from app.analysis.estimate import Estimate
from app.analysis.report.primary import PrimaryResult
from app.analysis.report.report import Report
from app.base.documents.blocks import DataTable, Document, Section
from tests.kit.frames import FIVE, frames, protocol

KEYS = ("empathy", "warmth", "fit")


@cache
def document() -> Document:
    questions = [{**FIVE, "key": key} for key in KEYS]
    study = protocol(*questions, analysis={"primary": ["care"], "composites": {"care": [*KEYS]}})
    given = [
        {
            "rater": f"r{r}",
            "item": f"i{i}",
            "response": f"i{i}:{source}",
            "question": key,
            "value": (i * (n + 1) + r * i + (k * r) % 2) % 5 + 1,
        }
        for k, key in enumerate(KEYS)
        for r in range(4)
        for i in range(5)
        for n, source in enumerate(study.sources)
    ]
    return study_report(analyze(frames(study, given), study), study, [], ReportContext("2026-11-27"))[0]


def section(title: str) -> Section:
    return next(one for one in document().sections if one.title == title)


def tables(title: str) -> dict[str, DataTable]:
    found = section(title)
    blocks = [*found.blocks, *(block for part in found.parts for block in part.blocks)]
    return {re.split("[:,]", block.caption)[0]: block for block in blocks if isinstance(block, DataTable)}


def test_composites_have_their_items_alpha_and_omega() -> None:
    ((name, items, alpha, omega),) = tables("Methods")["Composites"].rows
    assert (name, items) == ("Care", "mean of 3 questions: Empathy, Warmth and Fit.")
    for cell in (alpha, omega):
        assert cell[0].isdigit()
        assert cell.endswith("]")


def test_primary_table_names_a_composite_with_its_consistency() -> None:
    notes = tables("Summary")["Primary contrasts"].notes
    assert sum(note.startswith("Care is a composite, Cronbach's alpha = ") for note in notes) == 1


def test_primary_table_names_what_is_no_difference_of_means() -> None:
    study = protocol({**FIVE, "target": "turn"}, analysis={"primary": [{"question": "empathy", "test": "turn_slope"}]})
    slope = Estimate("contrast", "empathy", {"source": "model"}, "turn_slope", 0.12, -0.8, 1.06, 0.95, unit="rating")
    result = PrimaryResult(study.analysis.primary[0], is_declared=True, estimates=(slope,))
    table = primary_table(Report("small", "", (), (slope,), primary=(result,)), Numbered(study.labels))
    assert table is not None
    assert table.rows[0][2] == "Points per turn: Model"


def test_caption_of_a_table_stands_alone() -> None:
    first, means = tables("Summary")["Primary contrasts"], tables("Results")["Means by question and source"]
    n = " ratings, 5 items, 4 raters."
    assert first.caption == f"Primary contrasts: estimates with 95% CIs and tests. Each estimate is from 40{n}"
    assert means.caption.startswith("Means by question and source, with 95% CIs. Each estimate is from 20")


def test_means_of_all_sources_are_side_by_side_in_the_body() -> None:
    table = tables("Results")["Means by question and source"]
    assert table.header == ("Question", "Human", "Model")
    assert [row[0] for row in table.rows] == ["Empathy", "Warmth", "Fit", "Care"]


def test_summary_has_the_primary_table_and_the_appendix_starts_a_page() -> None:
    assert [*tables("Summary")] == ["Primary contrasts"]
    assert [one.title for one in document().sections if one.starts_page] == ["Appendix"]
    assert document().sections[-1].title == "Appendix"


def test_no_estimate_is_in_two_tables() -> None:
    numbered = [
        row[0]
        for block in document().blocks
        if isinstance(block, DataTable)
        if block.header[0] == "No." and block.caption != "Recipe for each number"
        for row in block.rows
    ]
    assert len(numbered) == len(set(numbered))
    means = " ".join(cell for row in tables("Results")["Means by question and source"].rows for cell in row[1:])
    assert not [number for number in numbered if f"[{number}]" in means]


def test_why_an_interval_is_missing_is_a_footnote() -> None:
    reasons = Reasons()
    mean = Estimate("comparison", "care", {}, "mean", 3.8, ci_reason="one_cluster")
    assert value_cell(mean, "95% CI", reasons) == "3.80 [a]"
    assert reasons.notes == ("a: no interval: there is only one item or one rater.",)


def test_groups_that_are_compared_have_their_own_means() -> None:
    pools: Any = {"pools": {"crowd": {}, "expert": {"label": "Experts"}}}
    test = {"question": "empathy", "test": "pool_difference", "pool": "expert", "reference_pool": "crowd"}
    told: Any = {"kind": "instruction", "levels": {"person": "A", "ai": "B"}, "level_labels": {"ai": "An AI"}}
    about = {"conditions": {"told": {**told, "assign": "between"}}}
    primary = [test, {"question": "empathy", "factor": "told"}]
    study = protocol(FIVE, design=pools, analysis={"primary": primary}, **about)
    contrasts = tuple(PrimaryResult(one, is_declared=True, estimates=()) for one in study.analysis.primary)
    scopes: list[Any] = [{}, {"pool": "expert"}, {"pool": "crowd"}, {"condition": "told=ai"}, {"condition": "a=1; b=2"}]
    means = tuple(
        Estimate("distribution", "empathy", scope | {"source": source}, "mean", 1.0 + at, unit="rating")
        for at, scope in enumerate(scopes)
        for source in study.sources
    )
    (table,) = means_tables(Report("small", "", (), means, primary=contrasts), study, Numbered(study.labels))
    first = [(row[0], row[1].split()[0]) for row in table.rows]
    assert first == [
        ("Empathy", "1.00"),
        ("Empathy, Experts", "2.00"),
        ("Empathy, Crowd", "3.00"),
        ("Empathy, An AI", "4.00"),
    ]


def test_columns_are_as_wide_as_their_cells_need() -> None:
    one = Estimate("comparison", "care", {}, "mean_difference", 0.4, 0.1, 0.7, p_value=0.01)
    plain, adjusted = (
        Numbered(protocol().labels).table("All", [replace(one, p_adjusted=p)]).shares for p in (None, 0.02)
    )
    assert plain[5] < adjusted[5]
    assert plain[3] >= adjusted[3]


def test_an_interval_without_information_is_not_shown() -> None:
    reasons = Reasons()
    share = Estimate("choice", "preference", {}, "share_preferred", 0.889, 0.059, 0.999, 0.95)
    assert value_cell(share, "95% CI", reasons) == "88.9% [a]"
    assert reasons.notes == ("a: no interval: too few items or raters to tell.",)


def test_a_published_interval_of_the_same_share_is_named() -> None:
    share = Estimate("choice", "preference", {}, "share_preferred", 0.8, 0.6, 0.9, 0.95, procedure="two_way_cluster_t")
    rows = Numbered(protocol().labels).table("Shares", [share, replace(share, procedure="wilson_cc")]).rows
    assert [row[2] for row in rows] == [
        "Share preferred",
        "Share preferred, Wilson interval with continuity correction",
    ]
