"""The balance table of a sample without known probabilities: what is compared, and what it says."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from app.analysis import analyze
from app.analysis.findings.sample_balance import ASSUMED, balance_sentences
from app.analysis.report.report import Report
from app.results.pages.sections.part_tables import blocks_of
from app.stats.comparison.balance import balance
from tests.analysis.sections.judges.test_together import JUDGE, N_ITEMS, N_RATED, SOURCES, judged, rows_of
from tests.kit.frames import CHOICE, FIVE, find, frames, only, protocol

PARTS = ("_judged",)
RATED = np.arange(N_ITEMS) < N_RATED
TOPICS = np.where(np.arange(N_ITEMS) % 3 == 0, "work", "home")
STUDY = protocol(FIVE, CHOICE)


def _report(n_rated: int = N_RATED, sample: pd.DataFrame | None = None) -> Report:
    found = frames(STUDY, rows_of(n_rated), raters=[{"rater": "judge", "kind": "model"}])
    place = found.items["item"].str[1:].astype(int)
    years = np.where(RATED, 30, 50) + np.arange(N_ITEMS) % 4
    items = found.items.assign(topic=TOPICS[place], years=years[place].astype(str))
    return analyze(replace(found, items=items, sample=sample), STUDY)


@pytest.fixture(scope="module")
def report() -> Report:
    return _report()


def test_attributes_and_the_judges_values_are_compared(report: Report) -> None:
    years = only(report, "sample_balance", scope={"attribute": "years"})
    expected = balance(np.where(RATED, 30.0, 50.0) + np.arange(N_ITEMS) % 4, RATED).difference
    assert years.estimate == pytest.approx(expected.estimate)
    assert (years.n_items, years.n_ratings, years.unit) == (N_ITEMS, 0, "item")
    assert only(report, "sample_mean", scope={"attribute": "years"}).estimate == pytest.approx(31.3)
    topic = only(report, "sample_share", scope={"attribute": "topic", "level": "work"})
    assert topic.estimate == pytest.approx((TOPICS[RATED] == "work").mean())
    rest = only(report, "sample_mean_of_rest", scope=JUDGE, question="empathy")
    values = [judged(i, source) for i in range(N_RATED, N_ITEMS) for source in SOURCES]
    assert rest.estimate == pytest.approx(np.mean(values))
    assert find(report, "sample_share", question="preference")


def test_what_judges_say_about_themselves_is_about_no_item() -> None:
    """The whole report ended with an error."""
    study = protocol(FIVE, CHOICE, {**FIVE, "key": "mood", "target": "rater"})
    own = {"rater": "judge", "item": None, "question": "mood", "value": 4}
    report = analyze(frames(study, [*rows_of(N_RATED), own], raters=[{"rater": "judge", "kind": "model"}]), study)
    assert find(report, "sample_mean", question="empathy")
    assert not find(report, "sample_mean", question="mood")


def test_length_of_the_responses_is_compared() -> None:
    """It was asked for by a name that no measure of the texts has, so it never was in the table."""
    found = frames(STUDY, rows_of(), raters=[{"rater": "judge", "kind": "model"}])
    place = found.responses["item"].str[1:].astype(int)
    texts = ["word " * (20 if RATED[i] else 4 + i % 3) for i in place]
    report = analyze(replace(found, responses=found.responses.assign(text=texts)), STUDY)
    length = only(report, "sample_balance", scope={"covariate": "characters"})
    assert length.estimate is not None
    assert length.estimate > 1
    assert only(report, "sample_mean", scope={"covariate": "characters"}).estimate == pytest.approx(100)


def test_sentences_say_what_is_assumed_and_what_speaks_against_it(report: Report) -> None:
    assumed, clear = balance_sentences(report.of("judge"), STUDY.labels)
    assert assumed == ASSUMED
    assert "differ clearly from the rest (about one in 20 does by chance): years." in clear
    without = [one for one in report.of("judge") if one.scope.get("attribute") != "years"]
    assert "None of the" in balance_sentences(without, STUDY.labels)[1]
    one = next(one for one in without if one.statistic == "sample_balance")
    assert balance_sentences([one], STUDY.labels)[1] == "The one value compared does not speak against it."
    (block,) = (one for one in blocks_of("judges", report.of("judge"), STUDY.labels) if "random sample" in one.caption)
    assert block.table.header[-1] == "Standardized difference"


def test_nothing_is_compared_with_known_probabilities_or_if_people_rated_everything() -> None:
    known = pd.DataFrame({"item": [f"i{i}" for i in range(N_ITEMS)], "probability": 0.5, "stage": 1, "is_out": ~RATED})
    for found in (_report(sample=known), _report(N_ITEMS), _report(0)):
        assert not find(found, "sample_balance")
        assert balance_sentences(found.of("judge"), STUDY.labels) == ()
