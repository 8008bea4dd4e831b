"""The input for a plan, and studies that cannot be planned."""

import json
from pathlib import Path

import pytest

from app.results.planning.make_plan import Asked, PlanError, make_plan, write_plan
from tests.kit.frames import CHOICE, FIVE, frames, protocol

QUICK = 3


def test_plan_defaults_come_from_study() -> None:
    """The defaults without items: forty items, three raters per trial, and three raters or multiples of them."""
    found = make_plan(protocol(FIVE), [], Asked(n_simulations=QUICK))
    sizes = list(dict.fromkeys((row.n_items, row.n_raters, row.raters_per_trial) for row in found.rows))
    assert sizes == [(40, 3, 3), (40, 6, 3), (40, 12, 3)]


def test_plan_crosses_all_sizes() -> None:
    asked = Asked(n_items=[8, 9], n_raters=[6], raters_per_trial=[2, 3], n_simulations=QUICK)
    found = make_plan(protocol(FIVE), [], asked)
    sizes = list(dict.fromkeys((row.n_items, row.n_raters, row.raters_per_trial) for row in found.rows))
    assert sizes == [(8, 6, 2), (8, 6, 3), (9, 6, 2), (9, 6, 3)]


def test_choice_only_study_can_be_planned() -> None:
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
def test_unplannable_study_gives_a_reason(question: dict[str, object], asked: Asked, words: str) -> None:
    with pytest.raises(PlanError, match=words):
        make_plan(protocol(question), [], asked)


def test_study_without_possible_trials_cannot_be_planned() -> None:
    with pytest.raises(PlanError, match="no trial shows one"):
        make_plan(protocol(FIVE, sources={}), [], Asked(n_raters=[5], n_simulations=QUICK))


def test_plan_files_are_plan_table_and_charts(tmp_path: Path) -> None:
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
