"""The input for a plan, and studies that cannot be planned."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from app.actions.results.planning import Asked, PlanError, make_plan, write_plan
from tests.analysis.builders import CHOICE, FIVE, frames, protocol

if TYPE_CHECKING:
    from pathlib import Path

QUICK = 3


def test_what_is_not_asked_is_the_studys_own() -> None:
    """The defaults without items: forty items, three raters per trial, and three raters or multiples of them."""
    found = make_plan(protocol(FIVE), [], Asked(n_simulations=QUICK))
    sizes = list(dict.fromkeys((row.n_items, row.n_raters, row.raters_per_trial) for row in found.rows))
    assert sizes == [(40, 3, 3), (40, 6, 3), (40, 12, 3)]


def test_every_size_is_crossed_with_every_other() -> None:
    asked = Asked(n_items=[8, 9], n_raters=[6], raters_per_trial=[2, 3], n_simulations=QUICK)
    found = make_plan(protocol(FIVE), [], asked)
    sizes = list(dict.fromkeys((row.n_items, row.n_raters, row.raters_per_trial) for row in found.rows))
    assert sizes == [(8, 6, 2), (8, 6, 3), (9, 6, 2), (9, 6, 3)]


def test_a_study_of_choices_alone_needs_no_scale() -> None:
    found = make_plan(protocol(CHOICE), [], Asked(n_items=[8], n_raters=[5], n_simulations=QUICK))
    assert found.rows[-1].statistic == "share_preferred"


@pytest.mark.parametrize(
    ("question", "asked", "words"),
    [
        ({**FIVE, "target": "item"}, Asked(), "Planning needs a question about responses"),
        (FIVE, Asked(question="warmth"), "These do: empathy"),
        ({**FIVE, "target": "item"}, Asked(question="empathy"), "These do: none"),
        (FIVE, Asked(pilot=(frames(protocol(FIVE), []), protocol(FIVE))), "too few ratings"),
        (FIVE, Asked(pilot=(frames(protocol(CHOICE), []), protocol(CHOICE))), "too few ratings"),
    ],
)
def test_what_cannot_be_planned_is_said(question: dict[str, object], asked: Asked, words: str) -> None:
    with pytest.raises(PlanError, match=words):
        make_plan(protocol(question), [], asked)


def test_a_study_whose_trials_nobody_can_rate_has_no_plan() -> None:
    with pytest.raises(PlanError, match="no trial shows one"):
        make_plan(protocol(FIVE, sources={}), [], Asked(n_raters=[5], n_simulations=QUICK))


def test_files_are_the_plan_its_table_and_its_charts(tmp_path: Path) -> None:
    found = make_plan(protocol(FIVE), [], Asked(n_items=[8], n_raters=[5, 6], n_simulations=QUICK))
    written = write_plan(found, tmp_path)
    assert [path.relative_to(tmp_path).as_posix() for path in written] == [
        "plan.json",
        "plan.csv",
        "charts/plan-1-width.vl.json",
        "charts/plan-2-width.vl.json",
        "charts/plan-2-power.vl.json",
    ]
    assert json.loads(written[2].read_text())["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
