"""Associations of texts and imported scores with ratings."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from app.analysis import analyze, analyze_primary
from app.analysis.data import covariates as response_covariates
from app.analysis.document.design_words import contrast_lines
from app.analysis.estimate import Estimate, Scope
from app.analysis.findings.answers import Answer, answers_of
from app.analysis.findings.main_contrasts import main_contrasts
from app.analysis.findings.summary import study_question
from app.analysis.report.labelled import labelled
from app.analysis.wording.formatting import COVARIATES, covariate_text, generalizes_text, kind_of, scope_text
from app.protocol.primary import TEXT_MEASURES
from app.protocol.study import Protocol
from app.stats.text_measures import MEASURES
from tests.kit.frames import FIVE, Row, find, first, frames, only, protocol

PARTS = ("_texts",)
KIND, COLD = "I am so sorry. That sounds hard! Have you tried talking to a friend?", "You should see a doctor."
BOTH = {"source": "model", "reference": "human"}


def _responses(n_items: int, **columns: Any) -> list[Row]:  # noqa: ANN401 - any column
    """Return texts of increasing length, the model's longer; further columns by item and source."""
    return [
        {
            "response": f"i{i}:{source}",
            "item": f"i{i}",
            "source": source,
            "text": " ".join([KIND if source == "model" else COLD] * (1 + i % 3)),
            **{name: of(i, source) for name, of in columns.items()},
        }
        for i in range(n_items)
        for source in ("human", "model")
    ]


def _ratings(n_items: int, n_raters: int = 4) -> list[Row]:
    rng = np.random.default_rng(8)
    return [
        {"rater": f"r{r}", "item": f"i{i}", "response": f"i{i}:{s}", "question": "empathy", "value": rng.integers(1, 6)}
        for i in range(n_items)
        for s in ("human", "model")
        for r in range(n_raters)
    ]


def _means(rows: list[Row]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(row["response"], []).append(row["value"])
    return {name: float(np.mean(values)) for name, values in found.items()}


def test_text_measures_have_means_and_paired_difference() -> None:
    study, responses = protocol(FIVE), _responses(6)
    report = analyze(frames(study, _ratings(6), responses=responses), study)
    words = [[len(row["text"].split()) for row in responses if row["source"] == s] for s in ("human", "model")]
    mean = only(report, "text_mean", scope={"source": "model", "covariate": "words"})
    assert (mean.estimate, mean.question, mean.n_units) == (float(np.mean(words[1])), None, 6)
    assert mean.method.startswith("item_cluster_t")
    gap = only(report, "text_difference", scope={**BOTH, "covariate": "words"})
    paired = stats.ttest_rel(words[1], words[0]).confidence_interval()
    assert (gap.ci_low, gap.ci_high) == pytest.approx((paired.low, paired.high))


def test_interval_of_a_share_of_words_stays_between_0_and_1() -> None:
    study, responses = protocol(FIVE), _responses(3)
    responses[1]["text"] = "That sounds hard."
    report = analyze(frames(study, _ratings(3), responses=responses), study)
    advice = only(report, "text_mean", scope={"source": "model", "covariate": "advice_share"})
    assert advice.ci_low is not None
    assert advice.ci_high is not None
    assert 0 < advice.ci_low < advice.ci_high < 1


def test_imported_score_is_correlated_with_mean_rating() -> None:
    rng = np.random.default_rng(3)
    given = {(i, s): rng.normal() for i in range(9) for s in ("human", "model")}
    study, rows = protocol(FIVE), _ratings(9)
    responses = _responses(9, classifier=lambda i, s: str(given[i, s]))
    report = analyze(frames(study, rows, responses=responses), study)
    means = _means(rows)
    for scope, sources in (({}, ("human", "model")), ({"source": "model"}, ("model",))):
        rated = [means[f"i{i}:{s}"] for i in range(9) for s in sources]
        scored = [float(given[i, s]) for i in range(9) for s in sources]
        for statistic, known in (("correlation", stats.pearsonr), ("rank_correlation", stats.spearmanr)):
            estimate = only(report, statistic, section="text", scope={**scope, "covariate": "classifier"})
            assert estimate.estimate == pytest.approx(known(rated, scored).statistic)
            assert (estimate.n_units, estimate.n_raters, estimate.unit) == (9 * len(sources), 4, "response")
            assert estimate.ci_low is not None


def test_words_of_a_list_are_a_covariate_and_differ_between_sources() -> None:
    """Moral foundations, for example: the share of words in a list that the study declares."""
    study, rows, responses = protocol(FIVE, analysis={"word_lists": {"care": ["gentl*", "care"]}}), _ratings(6), []
    share = {}
    for n, response in enumerate(_responses(6, **{"word_share.care": lambda i, _: str(i)})):
        n_kind = 4 - n % 3 if response["source"] == "model" else int(n == 0)
        responses.append({**response, "text": " ".join(["gently"] * n_kind + ["word"] * (8 - n_kind)) + " 🙂" * n_kind})
        share[response["response"]] = n_kind / 8
    report = analyze(frames(study, rows, responses=responses), study)
    gap = np.mean([share[f"i{i}:model"] - share[f"i{i}:human"] for i in range(6)])
    of_list: Scope = {"covariate": "word_share.care"}
    found = only(report, "text_difference", scope={**BOTH, **of_list})
    assert found.estimate == pytest.approx(gap)
    assert kind_of(found) == "share_points"
    assert found.ci_low is not None
    assert only(report, "text_difference", scope={**BOTH, "covariate": "emoji"}).estimate == pytest.approx(8 * gap)
    rare = only(report, "text_mean", scope={"source": "human", "covariate": "emoji"})
    assert rare.ci_low is not None
    assert 0 < rare.ci_low < (rare.estimate or 0)
    assert "possible range" in rare.method
    means = _means(rows)
    known = stats.pearsonr([means[name] for name in share], [*share.values()]).statistic
    assert only(report, "correlation", section="text", scope=of_list).estimate == pytest.approx(known)
    assert covariate_text("word_share.care") == "share of words in the list care"
    # an imported column with the name of a measure keeps its own
    assert find(report, "correlation", section="text", scope={"covariate": "word_share.care (imported)"})


def test_equal_length_difference_matches_least_squares() -> None:
    from statsmodels.regression.linear_model import OLS

    study, rows, responses = protocol(FIVE), _ratings(6), _responses(6)
    report = analyze(frames(study, rows, responses=responses), study)
    size = {row["response"]: np.log2(len(row["text"])) for row in responses}
    x = [(1.0, size[row["response"]], float(row["response"].endswith("model"))) for row in rows]
    fit = OLS([float(row["value"]) for row in rows], np.array(x)).fit()
    scope = {**BOTH, "covariate": "length"}
    gap = only(report, "mean_difference_at_equal", scope=scope)
    assert gap.estimate == pytest.approx(fit.params[2])
    assert gap.method.startswith("two_way_cluster_t")
    assert "cannot tell whether length" in gap.note
    assert only(report, "covariate_slope", scope=scope).estimate == pytest.approx(fit.params[1])


def test_english_only_measure_is_not_run_in_other_languages() -> None:
    study = protocol(FIVE, language="de")
    report = analyze(frames(study, _ratings(4), responses=_responses(4)), study)
    left_out = only(report, "text_mean", scope={"covariate": "sentiment"})
    assert (left_out.estimate, left_out.reason) == (None, "not_run")
    assert left_out.note == "measured in English only; the study's language is de"
    assert first(report, "text_mean", scope={"source": "human", "covariate": "lix"}).estimate is not None


def test_text_measures_of_many_texts_require_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_covariates, "MAX_TEXTS", 3)
    study = protocol(FIVE)
    small = frames(study, _ratings(2), responses=_responses(2, score=lambda i, s: str(i + len(s))))
    assert {estimate.reason for estimate in find(analyze(small, study), "text_mean") if estimate.estimate is None} == {
        "not_run"
    }
    assert find(analyze(small, study), "correlation", scope={"covariate": "score"})
    assert find(analyze(small, study, full=True), "text_mean", scope={"source": "human", "covariate": "words"})


def test_non_numeric_columns_are_not_covariates() -> None:
    study = protocol(FIVE, analysis={"responder": "writer"})
    columns = {
        "writer": lambda i, _: str(i),
        "style": lambda i, _: "warm" if i else "cold",
        "same": lambda *_: "1",
        "part": lambda i, _: str(i) if i else None,
        "words": lambda i, s: str(i * len(s)),
    }
    report = analyze(frames(study, _ratings(5), responses=_responses(5, **columns)), study)
    names = {estimate.scope["covariate"] for estimate in report.of("text")}
    assert names & {"writer", "style", "same"} == set()
    assert {"part", "words", "words (imported)"} <= names
    assert only(report, "correlation", section="text", scope={"covariate": "part"}).n_units == 8


def test_item_question_is_not_associated_with_texts() -> None:
    study = protocol(FIVE, {**FIVE, "key": "clear", "target": "item"})
    rows = [{"rater": f"r{r}", "item": f"i{i}", "question": "clear", "value": r + i} for r in (1, 2) for i in (1, 2)]
    report = analyze(frames(study, rows, responses=_responses(3)), study)
    assert {estimate.question for estimate in report.of("text")} == {None}


def test_every_text_measure_has_a_label() -> None:
    assert set(MEASURES) < set(COVARIATES)
    assert len(set(COVARIATES.values())) == len(COVARIATES)
    scope: Scope = {"source": "model", "reference": "human", "covariate": "lix"}
    assert scope_text(scope) == "model − human, readability (LIX, higher is harder)"
    assert covariate_text("bleu") == "bleu"


OF_MARKS: dict[str, Any] = {"question": "exclamation_marks", "test": "text_difference"}


def _answered(*contrasts: Any, **analysis: Any) -> tuple[list[Estimate], list[Answer], Protocol]:  # noqa: ANN401 - parts of study.yaml
    study = protocol(FIVE, analysis={**analysis, "primary": [*contrasts]})
    report = analyze_primary(frames(study, _ratings(8), responses=_responses(8)), study)
    told = labelled(report, study.labels)
    return list(report.primary_estimates), answers_of(main_contrasts(told, study), told, study), study


def test_measure_of_texts_is_a_primary_contrast_with_sentence_and_adjusted_p() -> None:
    (marks, rated), answers, study = _answered(OF_MARKS, "empathy")
    gaps = [1 + i % 3 for i in range(8)]
    known = stats.ttest_1samp(gaps, 0)
    assert (marks.estimate, marks.p_value) == pytest.approx((np.mean(gaps), known.pvalue))
    assert generalizes_text([marks]) == "for new items"
    assert (marks.n_items, marks.n_ratings) == (8, 0)
    assert marks.p_adjusted == pytest.approx(2 * known.pvalue)
    assert rated.p_adjusted == pytest.approx(rated.p_value)
    assert (marks.role, marks.verdict) == ("primary", "clear")
    assert answers[0].english.startswith(
        "The texts of Model had a higher number of exclamation marks than those of Human (+1.88, 95% CI "
    )
    assert answers[0].german.startswith("Die Texte von Model hatten höhere Werte bei number of exclamation marks als ")
    assert contrast_lines(study)[0] == "Number of exclamation marks: Difference between texts"


def test_the_whole_report_has_the_same_primary_contrast_of_texts() -> None:
    study = protocol(FIVE, analysis={"primary": [{**OF_MARKS, "source": "human", "reference": "model"}]})
    data = frames(study, _ratings(8), responses=_responses(8))
    report, first_answer = analyze(data, study), analyze_primary(data, study)
    assert report.primary[0].estimates == first_answer.primary[0].estimates
    assert report.primary[0].estimates[0].estimate == pytest.approx(-1.875)
    asked = study_question(study, [], labelled(report, study.labels).primary)
    assert asked == "How do the texts of the sources differ in number of exclamation marks?"


def test_share_of_listed_words_is_told_in_percentage_points() -> None:
    _, (answer,), _ = _answered({**OF_MARKS, "question": "word_share.care"}, word_lists={"care": ["sorry"]})
    assert "+7.1 percentage points" in answer.english
    assert "texts of Model cannot be compared with those of Human" in answer.english


def test_unknown_measure_says_which_are_known() -> None:
    (found,), (answer,), _ = _answered({**OF_MARKS, "question": "classifer"})
    why = "responses.csv has no column classifer of numbers, and no text has this measure; known are characters, "
    assert why in found.note
    assert why in answer.english
    assert "lassen sich bei Classifer noch nicht mit denen von Human vergleichen" in answer.german


def test_contrasts_name_the_measures_that_there_are() -> None:
    assert {*TEXT_MEASURES} == {*MEASURES}
