"""A model that was asked with several prompts: what it concludes over all, and how far the prompts differ."""

import numpy as np
import pytest

from app.analysis import analyze
from app.analysis.estimate import Scope
from app.analysis.findings.judge_conclusions import changes_sentence, conclusions_by_judge
from app.analysis.findings.main_contrasts import main_contrasts
from app.analysis.report.labelled import labelled
from app.analysis.report.report import Report
from tests.kit.frames import CHOICE, FIVE, Row, find, frames, only, protocol

PARTS = ("_judged", "_agreed", "_compared", "_choices")
STUDY = protocol(
    FIVE,
    CHOICE,
    sources={"human": {"kind": "human"}, "model": {"kind": "model"}},
    analysis={"reference": "human"},
)
N_ITEMS = 12
# What each prompt adds to the ratings of the model's responses, in points.
PROMPTS = {"plain": 1.0, "strict": 0.0, "warm": 2.0}


def rated(prompts: dict[str, str]) -> Report:
    """People see no difference; the judge adds to the model's responses what its prompt says."""
    rng = np.random.default_rng(5)
    rows: list[Row] = []
    for n in range(N_ITEMS):
        item = f"i{n}"
        for name in ("r1", "r2", "r3"):
            for source in ("human", "model"):
                value = int(rng.integers(1, 6))
                rows.append(
                    {"rater": name, "item": item, "response": f"{item}:{source}", "question": "empathy", "value": value}
                )
        for judge in prompts:
            human = int(rng.integers(1, 4))
            own = human + int(PROMPTS.get(judge.split("-")[0], 0))
            for source, value in (("human", human), ("model", own)):
                rows.append(
                    {
                        "rater": judge,
                        "item": item,
                        "response": f"{item}:{source}",
                        "question": "empathy",
                        "value": value,
                    }
                )
            chosen = "model" if judge.startswith("warm") or n % 2 else "human"
            rows.append({"rater": judge, "item": item, "question": "preference", "value": chosen})
    data = frames(STUDY, rows, raters=[{"rater": name, "kind": "model"} for name in prompts])
    data.raters["model"] = ["m" if name in prompts else None for name in data.raters["rater"]]
    data.raters["prompt"] = [prompts.get(name) for name in data.raters["rater"]]
    return analyze(data, STUDY)


GRID: Scope = {"rater_kind": "model", "raters": ["plain", "strict", "warm"], "source": "model", "reference": "human"}


@pytest.fixture(scope="module")
def report() -> Report:
    return rated({"plain": "plain", "strict": "strict", "warm": "warm"})


def test_all_prompts_together_say_what_they_say_on_average(report: Report) -> None:
    difference = only(report, "prompts_mean_difference", scope=GRID)
    assert difference.estimate == pytest.approx(1.0)
    spread = only(report, "prompts_sd", scope=GRID)
    assert spread.estimate == pytest.approx(1.0)
    one = only(report, "judge_mean_difference", scope={**GRID, "raters": ["plain"]})
    assert one.estimate == pytest.approx(1.0)
    # Each prompt says the same of every item, and so has no interval; prompts differ by a point.
    assert one.ci_low is None
    assert (difference.ci_low or 1.0) < 0
    assert (difference.ci_high or 0.0) > 2
    assert difference.inference == "items_and_prompts"
    share = only(report, "prompts_share_preferred", scope=GRID)
    assert share.estimate == pytest.approx((0.5 + 0.5 + 1.0) / 3)
    assert (only(report, "prompts_sd_of_share", scope=GRID).estimate or 0.0) > 0


def test_a_conclusion_is_also_that_of_all_prompts(report: Report) -> None:
    shown = labelled(report, STUDY.labels)
    found = [*conclusions_by_judge(shown, main_contrasts(shown, STUDY))]
    row = next(one for one in found if one.judges[0].effect.startswith("+"))
    assert [one.judge for one in row.judges] == ["plain", "strict", "warm", "all prompts (plain, strict and warm)"]
    assert not row.judges[-1].changes
    assert "all prompts (plain, strict and warm) changes 0 of" in changes_sentence([row])


def test_profiles_with_one_prompt_count_as_their_mean_and_one_prompt_is_no_grid() -> None:
    judges = {"plain-a": "plain", "plain-b": "plain", "warm": "warm"}
    found = rated(judges)
    difference = only(found, "prompts_mean_difference", scope={**GRID, "raters": list(judges)})
    assert difference.estimate == pytest.approx(1.5)
    for names in ({"plain": "plain", "strict": "plain"}, {"plain": "", "strict": ""}):
        assert find(rated(names), "prompts_mean_difference") == []
