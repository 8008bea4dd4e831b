"""Means and counts: of questions about raters for new raters, and of fine scales in steps that people can read."""

import numpy as np
import pytest
from scipy import stats

from app.analysis import analyze
from app.analysis.wording.formatting import generalizes_text
from tests.kit.frames import FIVE, find, frames, only, protocol

MOOD = {**FIVE, "key": "mood", "target": "rater"}
KIND = {"key": "kind", "type": "category", "target": "rater", "text": "?", "codes": ["joy", "fear"]}
MOODS = [2, 4, 3, 5, 2, 3]
ONE_RATER = "An interval for new raters needs two of them."


def test_means_of_questions_about_raters_are_for_new_raters() -> None:
    study = protocol(MOOD, KIND, FIVE)
    kinds = ["joy"] * 4 + ["fear"] * 2
    rows = [
        {"rater": f"r{n}", "question": key, "value": value}
        for n, (mood, kind) in enumerate(zip(MOODS, kinds, strict=True))
        for key, value in (("mood", mood), ("kind", kind))
    ]
    report = analyze(frames(study, rows), study)
    mean, share = only(report, "mean", question="mood"), find(report, "code_share")[0]
    low, high = stats.t.interval(0.95, len(MOODS) - 1, np.mean(MOODS), stats.sem(MOODS))
    assert (mean.ci_low, mean.ci_high) == pytest.approx((low, high))
    assert (mean.inference, mean.method, mean.note) == ("raters", "cluster_t_units", "")
    assert share.inference == "raters"
    assert share.ci_low is not None
    assert generalizes_text([mean, share]) == "for new raters"


def test_a_split_by_answers_about_raters_has_intervals_for_new_raters() -> None:
    study = protocol(MOOD, {**MOOD, "key": "later"}, FIVE)
    rows = [
        {"rater": f"r{n}", "question": key, "value": value}
        for n, mood in enumerate(2 * MOODS)
        for key, value in (("mood", mood), ("later", 1 + n % 5))
    ]
    report = analyze(frames(study, rows), study)
    parts = find(report, "mean", section="subgroup", question="later")
    assert {part.scope["subgroup"]["mood"]: part.inference for part in parts[:2]} == {"2": "raters", "3": "raters"}


def test_one_rater_is_the_reason_of_no_interval() -> None:
    study = protocol(MOOD, FIVE)
    report = analyze(frames(study, [{"rater": "r0", "question": "mood", "value": 4}]), study)
    mean = only(report, "mean", question="mood")
    assert (mean.ci_reason, mean.note) == ("one_cluster", ONE_RATER)


def test_steps_of_a_score_have_no_rounding_errors() -> None:
    """The score of five questions with 3, 3, 3, 4 and 4 is 3.4: it begins the step from 3.4."""
    keys = [f"mood{n}" for n in range(5)]
    study = protocol(
        *({**MOOD, "key": key} for key in keys), FIVE, analysis={"composites": {"all": {"questions": keys}}}
    )
    rows = [
        {"rater": f"r{r}", "question": key, "value": value}
        for r in range(2)
        for key, value in zip(keys, (3, 3, 3, 4, 4), strict=True)
    ]
    note = only(analyze(frames(study, rows), study), "median", question="all").note
    assert note.endswith("2.6 to 3: 0, 3 to 3.4: 0, 3.4 to 3.8: 2, 3.8 to 4.2: 0, 4.2 to 4.6: 0, 4.6 to 5: 0")
