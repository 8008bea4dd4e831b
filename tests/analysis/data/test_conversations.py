"""Conversations of raters: each is an item of its own, so that intervals generalize to new raters."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr, t, ttest_1samp, ttest_ind

from app.analysis import analyze
from app.analysis.data.encoded_study import codes_of
from app.analysis.data.frames import Frames, with_own_texts
from app.analysis.document.report_context import ReportContext
from app.analysis.document.study_report import study_report
from app.analysis.findings.answers import answers_of
from app.analysis.findings.main_contrasts import main_contrasts
from app.analysis.report.labelled import labelled
from app.protocol.study import Protocol
from tests.kit.frames import Row, frames

STUDY = Protocol.model_validate(
    {
        "attune": 1,
        "slug": "talks",
        "title": "Talks",
        "sources": {"warm": {"kind": "model"}, "diary": {"kind": "human"}},
        "conditions": {"partner": {"kind": "source", "levels": ["warm", "diary"]}},
        "design": {"trials": "conversation"},
        "conversation": {"partners": {"warm": {"model": "m"}, "diary": {"replies": "none"}}},
        "questions": [
            {"key": "warmth", "type": "slider", "target": "response", "text": "How warm?", "min": 0, "max": 10},
            {"key": "liked", "type": "slider", "target": "item", "text": "How was it?", "min": 0, "max": 10},
        ],
        "analysis": {
            "primary": [{"question": "warmth", "source": "warm", "reference": "diary", "test": "mean_difference"}]
        },
    }
)
VALUES = {"warm": (7, 9, 4, 8, 6), "diary": (3, 5, 6, 2, 4)}


def about_a_task(rows: list[Row], responses: list[dict[str, str]]) -> Frames:
    """Ratings of what raters wrote about the same task."""
    made = frames(STUDY, rows)
    items = pd.DataFrame({"item": ["task"], "topic": ["work"]})
    return type(made)(items, pd.DataFrame(responses), made.raters, made.ratings)


def talks() -> Frames:
    """Ten raters, each with a conversation about the same task."""
    rows: list[Row] = []
    responses = []
    for source, values in VALUES.items():
        for number, value in enumerate(values):
            rater, key = f"{source}-{number}", f"c-{source}-{number}"
            responses.append({"response": key, "item": "task", "source": source, "written_by": rater, "text": "Hi"})
            common = {"rater": rater, "item": "task", "condition": f"partner={source}"}
            rows.append({**common, "response": key, "question": "warmth", "value": value})
            rows.append({**common, "question": "liked", "value": value})
    return about_a_task(rows, responses)


def test_each_conversation_is_an_item_with_the_attributes_of_its_task() -> None:
    changed = with_own_texts(talks())
    assert set(changed.items["item"]) == set(changed.responses["response"])
    assert set(changed.items["topic"]) == {"work"}
    assert changed.ratings["item"].notna().all()
    of = changed.ratings[changed.ratings["question"] == "liked"].set_index("rater")["item"]
    assert of["warm-3"] == "c-warm-3"


def test_difference_between_partners_has_the_interval_of_raters() -> None:
    (primary,) = analyze(talks(), STUDY).primary
    (found,) = primary.estimates
    assert found.estimate == pytest.approx(2.8)
    # Raters and conversations are the same clusters: the variance is that of Welch's t test.
    error = sum(np.var(values, ddof=1) / len(values) for values in VALUES.values()) ** 0.5
    assert found.ci_low == pytest.approx(2.8 - t.ppf(0.975, 8) * error)
    assert (found.n_items, found.n_raters) == (10, 10)


def test_results_count_conversations_where_raters_have_them() -> None:
    report = analyze(talks(), STUDY)
    document = str(study_report(report, STUDY, [], ReportContext("2026-11-28"))[0])
    for words in (
        "10 raters, 10 conversations",
        "Each estimate is from 10 ratings, 10 conversations, 10 raters.",
        "The intervals hold for new conversations and new raters.",
        "Ratings cover 10 conversations.",
        "Intervals generalize to new conversations and raters",
        "'Conversations', 'Raters', 'Ratings'",
    ):
        assert words in document, words
    assert not re.search(r"\d items|new items and", document)
    named = labelled(report, STUDY.labels)
    (answer,) = answers_of(main_contrasts(named, STUDY), named, STUDY)
    assert "10 beurteilende Personen, 10 Gespräche" in answer.german


def test_study_without_conversations_yet_is_unchanged() -> None:
    empty = talks()
    none = type(empty)(empty.items, empty.responses.head(0), empty.raters, empty.ratings.head(0))
    assert with_own_texts(none) is none


PAIRS = {"warm": ((7, 7.5), (9, 8), (4, 4.5), (8, 8.5), (6, 5)), "diary": ((3, 4), (5, 4.5), (6, 7), (2, 2.5), (4, 3))}


def dyads() -> Frames:
    """Ten pairs of raters who wrote with each other, and who each rated what they wrote."""
    rows: list[Row] = []
    responses = []
    for source, pairs in PAIRS.items():
        for number, values in enumerate(pairs):
            raters, key = [f"{source}-{number}-{role}" for role in "ab"], f"c-{source}-{number}"
            writers = dict(zip(("written_by", "written_with"), raters, strict=True))
            responses.append({"response": key, "item": "task", "source": source, "text": "Hi", **writers})
            for rater, value in zip(raters, values, strict=True):
                common = {"rater": rater, "item": "task", "condition": f"partner={source}", "value": value}
                rows.append({**common, "response": key, "question": "warmth"})
                rows.append({**common, "question": "liked"})
    return about_a_task(rows, responses)


def test_what_two_raters_wrote_is_one_item_of_both() -> None:
    changed = with_own_texts(dyads())
    of = changed.ratings[changed.ratings["question"] == "liked"].set_index("rater")["item"]
    assert of["warm-3-a"] == of["warm-3-b"] == "c-warm-3"
    assert changed.ratings["item"].nunique() == 10


def test_interval_of_raters_who_wrote_with_each_other_has_pairs_as_units() -> None:
    report = analyze(dyads(), STUDY)
    (found,) = report.primary[0].estimates
    means = {source: [np.mean(pair) for pair in pairs] for source, pairs in PAIRS.items()}
    difference = np.mean(means["warm"]) - np.mean(means["diary"])
    # All raters of a pair are in one cluster: the variance is that of Welch's t test of the means of the pairs.
    error = sum(np.var(values, ddof=1) / len(values) for values in means.values()) ** 0.5
    assert found.estimate == pytest.approx(difference)
    assert found.ci_low == pytest.approx(difference - t.ppf(0.975, 8) * error)
    assert (found.n_items, found.n_raters) == (10, 20)
    assert any("10 pairs of raters wrote with each other." in note for note in report.notes)


MOOD = Protocol.model_validate(
    STUDY.model_dump()
    | {
        "questions": [
            *STUDY.model_dump()["questions"],
            *(
                {"key": key, "type": "slider", "target": "rater", "text": "How are you?", "min": 0, "max": 10}
                for key in ("before", "after")
            ),
        ],
        "design": {"trials": "conversation", "pools": {"old": {}, "new": {}}},
        "analysis": {
            "changes": [{"before": "before", "after": "after"}],
            "primary": [{"question": "after", "test": "change_difference", "factor": "partner"}],
        },
    }
)


def moods() -> Frames:
    """The same pairs, asked about themselves before and after: 4 before, and after it what they rated."""
    made = dyads()
    rated = made.ratings[made.ratings["question"] == "warmth"].drop(columns=["item", "response"])
    after = rated.assign(question="after", item=None, response=None)
    pools = made.raters["rater"].str.startswith("warm").map({True: "new", False: "old"})
    return replace(
        made,
        raters=made.raters.assign(pool=pools),
        ratings=pd.concat([made.ratings, after, after.assign(question="before", number=4.0)], ignore_index=True)[
            made.ratings.columns
        ],
    )


def test_before_and_after_of_raters_who_wrote_with_each_other_has_pairs_as_units() -> None:
    """As independent raters, both arms of ten raters gave 18 degrees of freedom."""
    report = analyze(moods(), MOOD)
    means = {source: np.mean(pairs, axis=1) for source, pairs in PAIRS.items()}
    known = ttest_ind(means["diary"], means["warm"], equal_var=False)
    by_arm = next(one for one in report.estimates if one.statistic == "change_difference")
    error = abs((means["diary"].mean() - means["warm"].mean()) / known.statistic)
    difference = means["diary"].mean() - means["warm"].mean()
    assert by_arm.estimate == pytest.approx(difference)
    assert by_arm.ci_high == pytest.approx(difference + t.ppf(0.975, 8) * error)
    assert (by_arm.n_units, by_arm.n_raters) == (20, 20)
    whole = next(one for one in report.estimates if one.statistic == "change" and "factor" not in one.scope)
    assert whole.p_value == pytest.approx(ttest_1samp(np.concatenate([*means.values()]) - 4, 0).pvalue)
    of_pools = next(one for one in report.estimates if one.statistic == "pool_change_difference")
    assert of_pools.estimate == pytest.approx(difference)
    assert of_pools.ci_low == pytest.approx(difference - t.ppf(0.975, 8) * error, rel=0.01)
    note = "10 pairs of raters wrote with each other. Their answers and changes are clustered by pair; "
    assert f"{note}attrition and Cronbach's alpha take them as independent." in report.notes


def test_raters_who_wrote_with_one_rater_after_another_are_one_cluster() -> None:
    made = dyads()
    chain = made.responses.head(3).assign(written_by=["a", "b", "d"], written_with=["b", "c", np.nan])
    raters = pd.DataFrame({"rater": list("dcbae"), "kind": "person", "pool": "all"})
    codes = codes_of(replace(made, responses=chain, raters=raters, ratings=made.ratings.head(0)), STUDY)
    assert codes.raters.cluster.tolist() == [0, 1, 1, 1, 4]


FEELINGS = Protocol.model_validate(
    STUDY.model_dump()
    | {
        "sources": {"warm": {"kind": "human"}, "diary": {"kind": "human"}},
        "questions": [
            {"key": key, "type": "slider", "target": "turn", "turns": turns, "text": "?", "min": 0, "max": 100}
            for key, turns in (("felt", "own"), ("inferred", "partner"))
        ],
        "analysis": {
            "empathic_accuracy": {"felt": "felt", "perceived": "inferred"},
            "primary": [{"question": "inferred", "test": "empathic_accuracy"}],
        },
    }
)


def feelings() -> Frames:
    """The same pairs: each rater wrote every second of twelve turns, and infers about what the other felt in theirs."""
    rng = np.random.default_rng(1)
    made = dyads()
    rows: list[Row] = []
    for one in made.responses.itertuples():
        for turn in range(1, 13):
            felt = float(rng.integers(20, 80))
            by, other = (one.written_by, one.written_with) if turn % 2 else (one.written_with, one.written_by)
            common = {"item": "task", "response": one.response, "turn": turn, "condition": f"partner={one.source}"}
            rows.append({**common, "rater": by, "question": "felt", "value": felt})
            rows.append(
                {**common, "rater": other, "question": "inferred", "value": felt + float(rng.integers(-20, 21))}
            )
    answered = frames(FEELINGS, rows)
    return replace(made, raters=answered.raters, ratings=answered.ratings)


def test_empathic_accuracy_of_two_who_wrote_with_each_other_has_their_own_answers_as_key() -> None:
    report = analyze(feelings(), FEELINGS)
    (found,) = report.primary[0].estimates
    ratings = feelings().ratings.pivot_table("number", ["response", "turn"], "question").reset_index()
    z = [
        np.arctanh(pearsonr(part["felt"].astype(float), part["inferred"].astype(float)).statistic)
        for _, part in ratings.groupby(["response", ratings["turn"] % 2])
    ]
    known = ttest_1samp(np.reshape(z, (10, 2)).mean(axis=1), 0)
    assert found.estimate == pytest.approx(np.tanh(np.mean(z)))
    assert found.p_value == pytest.approx(known.pvalue)
    assert (found.n_items, found.n_raters, found.n_units) == (10, 20, 20)
    ends = known.confidence_interval()
    assert (found.ci_low, found.ci_high) == pytest.approx((np.tanh(ends.low), np.tanh(ends.high)))


def test_answers_of_one_writer_each_have_means_by_turn_and_no_agreement() -> None:
    report = analyze(feelings(), FEELINGS)
    means = [one for one in report.estimates if one.statistic == "mean" and "turn" in one.scope]
    assert {(one.question, one.n_ratings, one.n_raters) for one in means} == {("felt", 5, 5), ("inferred", 5, 5)}
    agreed = [one for one in report.estimates if one.statistic.startswith("krippendorff_alpha")]
    assert agreed
    assert {(one.estimate, one.reason) for one in agreed} == {(None, "no_pairable_units")}


def test_note_on_pairs_is_only_for_studies_that_have_them() -> None:
    assert not any("wrote with each other" in note for note in analyze(talks(), STUDY).notes)
