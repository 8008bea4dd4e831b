"""The sentence that answers a question says what the verdicts say, in both languages."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from app.analysis import analyze
from app.analysis.data.report_filters import Filters
from app.analysis.estimate import Estimate, Verdict
from app.analysis.findings.answer_words import ENGLISH, GERMAN, Words
from app.analysis.findings.answers import KINDS, answers_of, in_short
from app.analysis.findings.findings_document import findings_document
from app.analysis.findings.main_contrasts import MainContrast
from app.analysis.report.primary import PrimaryResult
from app.analysis.report.report import Report
from app.analysis.report.report_tables import report_json
from app.analysis.statistic import statistics
from app.protocol.primary import PrimaryContrast
from tests.kit.frames import CHOICE, FIVE, frames, protocol

HARM = {**FIVE, "key": "harm", "text": "How harmful is it?", "reversed": True}
STUDY = protocol(FIVE, CHOICE, HARM)
NONE = Report("small", "", (), ())
LABELS = {"empathy": "Empathy", "preference": "Preference", "harm": "Harm"}


def contrast(
    source: str,
    value: float | None,
    verdict: Verdict | None,
    *,
    key: str = "empathy",
    statistic: str = "mean_difference",
    answer: str = "",
    **more: Any,  # noqa: ANN401 - fields of an estimate
) -> MainContrast:
    """A primary contrast with Counselor; `answer` is the statistic whose verdict it is, if it is another one."""
    fields: dict[str, Any] = {"p_value": 0.012, "p_adjusted": 0.024, "n_items": 30, "n_raters": 1036, **more}
    width = 0.1 if statistic == "share_preferred" else 0.35
    ends = (None, None, None) if value is None else (value - width, value + width, 0.95)
    scope: Any = {"source": source, "reference": "Counselor"}
    fields["verdict"] = verdict
    made = Estimate("comparison", key, scope, statistic, value, *ends, **fields)
    decided = Estimate("comparison", key, scope, answer, value, **fields) if answer else made
    return MainContrast(key, LABELS[key], "", made, None, None, is_reversed=key == "harm", primary=decided)


def said(*contrasts: MainContrast) -> tuple[str, str, str]:
    (answer,) = answers_of(contrasts, NONE, STUDY)
    return in_short([answer], STUDY)[0], answer.english, answer.german


def test_neither_of_two_sources_differs() -> None:
    short, english, german = said(contrast("GPT-4o", -0.14, "inconclusive"), contrast("Llama", -0.19, "inconclusive"))
    assert short == "Neither GPT-4o nor Llama differed clearly from Counselor on Empathy."
    assert english == (
        "Neither GPT-4o nor Llama differed clearly from Counselor on Empathy (GPT-4o −0.14, 95% CI −0.49 to 0.21, "
        "adjusted p = .024; Llama −0.19, 95% CI −0.54 to 0.16, adjusted p = .024; intervals not adjusted; scale 1–5; "
        "1,036 raters, 30 items)."
    )
    assert german == (
        "Weder GPT-4o noch Llama unterschied sich bei Empathy klar von Counselor (GPT-4o −0,14, 95-%-KI −0,49 bis "
        "0,21, adjustiert p = 0,024; Llama −0,19, 95-%-KI −0,54 bis 0,16, adjustiert p = 0,024; Intervalle nicht "
        "adjustiert; Skala 1–5; 1.036 beurteilende Personen, 30 Items)."
    )


@pytest.mark.parametrize(
    ("contrasts", "short"),
    [
        ([contrast("A", 0.8, "clear")], "A was rated higher than Counselor on Empathy."),
        (
            [contrast("A", -0.8, "clear"), contrast("B", -0.9, "clear")],
            "A and B were rated lower than Counselor on Empathy.",
        ),
        (
            [contrast("A", 0.8, "clear"), contrast("B", -0.9, "clear"), contrast("C", 0.1, "inconclusive")],
            (
                "A was rated higher than Counselor on Empathy; B was rated lower than Counselor on Empathy; "
                "C did not differ clearly from Counselor on Empathy."
            ),
        ),
        (
            [contrast(name, 0.1, "inconclusive") for name in "ABC"],
            "None of A, B and C differed clearly from Counselor on Empathy.",
        ),
        ([contrast("A", None, None)], "A cannot be compared with Counselor on Empathy yet."),
        # Too few raters: there is a difference of means, but no verdict on it.
        ([contrast("A", 0.8, None)], "A cannot be compared with Counselor on Empathy yet."),
        (
            [contrast("A", 0.7, "clear", key="preference", statistic="share_preferred")],
            "A was preferred over Counselor.",
        ),
        (
            [contrast("A", 0.3, "clear", key="preference", statistic="share_preferred")],
            "Counselor was preferred over A.",
        ),
        (
            [contrast("A", 0.1, "equivalent", answer="equivalence")],
            "A was equivalent to Counselor on Empathy.",
        ),
        (
            [contrast("A", -0.4, "not_shown", answer="non_inferiority")],
            "A was not shown to be non-inferior to Counselor on Empathy.",
        ),
        (
            [contrast("A", 0.2, "clear", statistic="category_difference")],
            "A was given Empathy more often than Counselor.",
        ),
    ],
)
def test_sentence_follows_the_verdicts(contrasts: list[MainContrast], short: str) -> None:
    assert said(*contrasts)[0] == short


def test_points_that_are_shared_out_are_given_and_not_rated() -> None:
    study = protocol({"key": "shares", "type": "allocation", "text": "Share the points."})
    contrasts = [replace(contrast(name, value, "clear"), key="shares") for name, value in (("A", 9.0), ("B", -9.0))]
    (answer,) = answers_of(contrasts, NONE, study)
    assert in_short([answer], study) == [
        "A was given more points than Counselor on Empathy; B was given fewer points than Counselor on Empathy."
    ]
    assert answer.german.startswith("Bei Empathy wurden A mehr Punkte gegeben als Counselor (")


def test_ties_count_as_half_where_they_are_possible() -> None:
    study = protocol(FIVE, {**CHOICE, "tie": True})
    one = contrast("A", 0.45, "inconclusive", key="preference", statistic="share_preferred", p_adjusted=None)
    (answer,) = answers_of([one], NONE, study)
    assert "(A 45.0% of choices, 95% CI 35.0% to 55.0%, p = .012; ties count as half; 1,036 raters" in answer.english
    assert "; Unentschieden zählen halb; " in answer.german


def test_preferences_of_several_choices_name_their_question() -> None:
    """A study of three choices said that a source was preferred, and not on which of them."""
    study = protocol(FIVE, CHOICE, {**CHOICE, "key": "harm", "label": "Harm"})
    found = [
        contrast(name, value, "clear", key=key, statistic="share_preferred")
        for name, value, key in (("A", 0.7, "preference"), ("A", 0.3, "harm"))
    ]
    answers = answers_of(found, NONE, study)
    assert [one.english.partition(" (")[0] for one in answers] == [
        "A was preferred over Counselor on Preference",
        "Counselor was preferred over A on Harm",
    ]
    assert answers[0].german.startswith("A wurde bei Preference gegenüber Counselor bevorzugt (")
    assert in_short(answers, study)[0] == "A was preferred over Counselor on Preference."


def test_numbers_of_choices_and_of_undesirable_scales() -> None:
    _, english, german = said(
        contrast("A", 0.7, "clear", key="preference", statistic="share_preferred", p_adjusted=None)
    )
    assert "(70.0% of choices, 95% CI 60.0% to 80.0%, p = .012; 1,036 raters, 30 items)" in english
    assert "(70,0\N{NO-BREAK SPACE}% der Wahlen, 95-%-KI 60,0\N{NO-BREAK SPACE}% bis 80,0\N{NO-BREAK SPACE}%" in german
    _, english, _ = said(contrast("A", 0.3, "clear", key="preference", statistic="share_preferred"))
    assert english.startswith("Counselor was preferred over A (A 30.0% of choices, 95% CI 20.0% to 40.0%, ")
    _, english, _ = said(contrast("A", 0.5, "clear", key="harm"))
    assert english.startswith("A was rated higher than Counselor on Harm (+0.50, 95% CI 0.15 to 0.85")
    assert "scale 1–5, high values are undesirable" in english


def test_ends_of_a_scale_below_zero_have_a_minus_sign() -> None:
    two_sided = protocol({**FIVE, "scale": {-2: "cold", -1: "", 0: "", 1: "", 2: "warm"}})
    (answer,) = answers_of([contrast("A", 0.5, "clear")], NONE, two_sided)
    assert "scale \u22122\N{EN DASH}2" in answer.english


def test_each_question_and_reference_has_its_own_answer_and_only_primary_ones_count() -> None:
    rated, chosen = (
        contrast("A", 0.8, "clear"),
        contrast("A", 0.7, "clear", key="preference", statistic="share_preferred"),
    )
    exploratory = MainContrast("harm", "Harm", "", rated.estimate, None, None)
    assert in_short(answers_of([rated, chosen, exploratory], NONE, STUDY), STUDY) == [
        "A was rated higher than Counselor on Empathy.",
        "A was preferred over Counselor.",
    ]
    assert answers_of([], NONE, STUDY) == []


def test_questions_with_the_same_answer_share_a_sentence_without_numbers() -> None:
    found = answers_of(
        [
            contrast("A", 0.8, "clear"),
            contrast("A", 0.5, "clear", key="harm"),
            contrast("B", -0.5, "clear", key="harm"),
        ],
        NONE,
        STUDY,
    )
    assert in_short([found[0], replace(found[1], findings=found[1].findings[:1])], STUDY) == [
        "A was rated higher than Counselor on Empathy and Harm."
    ]
    assert len(in_short(found, STUDY)) == 2


def test_answers_are_in_the_json_of_a_report() -> None:
    rows = [
        {"rater": rater, "item": item, "response": f"{item}:{source}", "question": "empathy", "value": value}
        for n, rater in enumerate("abcdef")
        for m, item in enumerate("uvwxyz")
        for source, value in (("human", 2 + (n + m) % 2), ("model", 4 + (n * m) % 2))
    ]
    study = protocol(FIVE)
    report = analyze(frames(study, rows), study)
    found = findings_document(report, study)
    answers = found["answers"]
    assert [one["question"] for one in answers] == ["empathy"]
    assert answers[0]["en"].startswith("Model was rated higher than Human on Empathy (+")
    assert answers[0]["de"].startswith("Model wurde bei Empathy höher bewertet als Human (+")
    assert json.loads(report_json(report, found))["answers"] == answers


SHOWN = protocol(
    {**FIVE, "label": "Empathy"},
    {**FIVE, "key": "mood", "text": "How are you?", "target": "rater"},
    sources={"person": {"kind": "human"}, "gpt": {"kind": "model", "label": "GPT"}},
    design={"pools": {"expert": {}, "crowd": {}}},
)
LEVELS = {"factor": "shown_label", "level": "AI", "reference_level": "Person"}
POOLS = {"pool": "Experts", "reference_pool": "Crowd"}
RATER_KINDS = {"rater_kind": "model", "reference_rater_kind": "person"}
SOURCES = {"source": "GPT", "reference": "Person"}


def other(
    test: str,
    scope: dict[str, Any],
    value: float | None,
    verdict: Verdict | None = None,
    **more: Any,  # noqa: ANN401 - fields of an estimate
) -> tuple[str, str]:
    """The two sentences for one primary estimate that is no difference of two sources in points."""
    ends = (None, None) if value is None else (value - 0.1, value + 0.1)
    about: Any = scope
    made = replace(Estimate("contrast", "empathy", about, test, value, *ends), verdict=verdict, **more)
    result = PrimaryResult(PrimaryContrast(question="empathy", test=test), is_declared=True, estimates=(made,))
    (answer,) = answers_of([], replace(NONE, primary=(result,), estimates=(made,)), SHOWN)
    return answer.english, answer.german


@pytest.mark.parametrize(
    ("test", "scope", "value", "verdict", "english"),
    [
        (
            *("factor_effect", LEVELS, -0.5, "clear"),
            "Ratings on Empathy were lower with “AI” than with “Person” (Shown label; −0.50, 95% CI −0.60 to −0.40; ",
        ),
        (
            *("factor_effect", {**LEVELS, "source": "GPT"}, 0.02, "inconclusive"),
            "Ratings on Empathy for GPT with “AI” did not differ clearly from those with “Person” (Shown label; ",
        ),
        (
            *("interaction", {**SOURCES, "shown_label": "AI"}, 0.5, "clear"),
            "The difference GPT minus Person on Empathy was higher with “AI” than otherwise (+0.50, ",
        ),
        (
            *("pool_difference", POOLS, 0.5, "clear"),
            "On the same responses, ratings by Experts were higher than those by Crowd on Empathy (+0.50, ",
        ),
        (
            *("pool_correlation", POOLS, 0.5, None),
            "Over the same responses, the mean ratings by Experts and by Crowd on Empathy correlated with r = 0.50 (",
        ),
        (
            *("pool_accuracy_difference", RATER_KINDS, -0.309, "clear"),
            "Answers by models on Empathy were correct less often than those by people (−30.9 percentage points, ",
        ),
        (
            *("pool_f1_difference", {"pool": "Experts", "reference_rater_kind": "model"}, 0.1, "inconclusive"),
            "Answers by Experts on Empathy did not clearly match the key better or less well than those by models (",
        ),
        (
            *("pool_category_difference", {**POOLS, "category": "sad"}, 0.1, "clear"),
            "On Empathy, “sad” was answered more often by Experts than by Crowd (+10.0 percentage points, ",
        ),
        (
            *("pool_preference_difference", {**RATER_KINDS, **SOURCES}, 0.2, "clear"),
            "GPT over Person was preferred more often by models than by people in Empathy (+20.0 percentage points, ",
        ),
        (
            *("pool_change_difference", {**RATER_KINDS, "before": "mood"}, 0.5, "clear"),
            "Empathy rose more, or fell less, for models than for people (+0.50, ",
        ),
        (
            *("accuracy_share", {"source": "GPT"}, 0.587, None),
            "58.7% of answers were correct on Empathy for GPT (95% CI 48.7% to 68.7%).",
        ),
        (
            *("change", {"before": "mood", "factor": "arm", "level": "guided"}, 0.5, "clear"),
            "With “guided”, Empathy was higher after than before (Arm; +0.50, ",
        ),
        (
            *("change_difference", {"before": "mood", **LEVELS}, 0.1, "inconclusive"),
            "At the same score before, Empathy with “AI” did not differ clearly afterwards from that with “Person” (",
        ),
        (
            *("turn_slope", {"source": "GPT"}, 0.2, "clear"),
            "Ratings of GPT on Empathy rose from turn to turn (+0.20 per turn, ",
        ),
        (
            *("covariate_slope_by_source", {"source": "GPT", "covariate": "age"}, 0.2, "clear"),
            "Ratings of GPT on Empathy were higher with higher age (+0.200, ",
        ),
        ("dprime", {}, 0.8, "clear", "Raters told models from people better than by chance (d′ = 0.80, "),
        (
            *("belief_effect", {"source": "GPT", "covariate": "belief"}, -0.3, "clear"),
            "GPT was rated lower on Empathy when raters believed that a model had written the response (−0.30, ",
        ),
        (
            *("odds_ratio_clmm", SOURCES, 2.1, "clear"),
            "GPT was rated higher than Person on Empathy (odds ratio 2.10, 95% CI 2.00 to 2.20).",
        ),
        (
            *("share_at_least_ratio", {**SOURCES, "cut": 4.0}, 2.1, "clear"),
            "GPT was rated 4 (quite) or more more often than Person on Empathy (ratio 2.10, ",
        ),
        (
            *("krippendorff_alpha_ordinal", {"pool": "Experts"}, 0.31, None),
            "Agreement on Empathy among raters of the pool Experts was Krippendorff's alpha = 0.31 (95% CI ",
        ),
        (
            *("odds_ratio_clmm", {**SOURCES, "pool": "Experts"}, 0.9, "inconclusive"),
            "GPT did not differ clearly from Person on Empathy among raters of the pool Experts (odds ratio 0.90, ",
        ),
        ("chi_square", SOURCES, 9.1, "clear", "The answers on Empathy were distributed differently for GPT than for "),
    ],
)
def test_other_primary_contrasts_are_answered(
    test: str, scope: dict[str, Any], value: float, verdict: Verdict | None, english: str
) -> None:
    said, german = other(test, scope, value, verdict)
    assert said.startswith(english), said
    assert german.endswith(").")
    assert "{" not in german + said


def test_what_cannot_be_estimated_says_why() -> None:
    english, german = other("factor_effect", LEVELS, None, reason="too_few")
    assert english.startswith(
        "Ratings on Empathy with “AI” cannot be compared with those with “Person” yet (Shown label; "
    )
    assert "too few items or raters to tell" in english
    assert "zu wenige Items oder Personen" in german
    assert other("accuracy_share", {}, None)[0] == "Empathy cannot be estimated yet."


def test_a_contrast_without_answers_says_so() -> None:
    result = PrimaryResult(PrimaryContrast(question="empathy", test="factor_effect", factor="x"), True, ())
    (answer,) = answers_of([], replace(NONE, primary=(result,)), SHOWN)
    assert answer.english == "There are no answers on Empathy yet for this comparison."
    assert answer.german == "Für diesen Vergleich gibt es bei Empathy noch keine Antworten."
    filtered = replace(NONE, primary=(result,), filters=Filters(sources=("model",)))
    (answer,) = answers_of([], filtered, SHOWN)
    assert answer.english == "With this filter, there are no answers on Empathy for this comparison."
    assert answer.german == "Mit diesem Filter gibt es für diesen Vergleich bei Empathy keine Antworten."


def test_many_sources_are_named_and_told_up_to_a_number() -> None:
    """Twenty-five sources were one sentence of 1,600 characters."""
    short, english, german = said(*(contrast(f"S{n}", 0.1, "inconclusive") for n in range(25)))
    assert short == "None of S0, S1, S2, S3, S4, S5 and 19 more differed clearly from Counselor on Empathy."
    assert "S5 +0.10" in english
    assert "S6 +0.10" not in english
    assert "; 19 more in the table; " in english
    assert "; 19 weitere in der Tabelle; " in german


def test_question_that_nobody_answered_says_so() -> None:
    _, english, german = said(contrast("A", None, None, reason="no_pairable_units", n_ratings=0))
    assert (
        english == "A cannot be compared with Counselor on Empathy yet (no ratings; scale 1–5; 1,036 raters, 30 items)."
    )
    assert "keine Bewertungen" in german


def test_labels_from_right_to_left_keep_the_order_of_the_sentence() -> None:
    """A browser took the direction of the whole sentence from its first letter, and numbers stood before labels."""
    short, english, _ = said(contrast("نموذج", 0.8, "clear"))
    assert short == "\u200e\u2068نموذج\u2069 was rated higher than Counselor on Empathy."
    assert english.startswith("\u200e\u2068نموذج\u2069 was rated higher than Counselor on Empathy (+0.80, ")


def test_answers_are_in_the_order_of_the_protocol() -> None:
    level = Estimate(
        "contrast", "harm", {"factor": "told", "level": "yes", "reference_level": "no"}, "factor_effect", 0.1
    )
    pair = contrast("GPT-4o", -0.14, "inconclusive")
    assert pair.primary is not None
    tests = (
        ("harm", "factor_effect", (level,)),
        ("empathy", "mean_difference", (pair.primary,)),
        ("harm", "change", ()),
    )
    primary = tuple(
        PrimaryResult(PrimaryContrast(question=key, test=test, factor="told"), True, found)
        for key, test, found in tests
    )
    found = answers_of([pair], replace(NONE, primary=primary), STUDY)
    assert [(one.question, len(one.findings)) for one in found] == [("harm", 1), ("empathy", 1), ("harm", 0)]


def test_every_test_and_outcome_has_words_in_both_languages() -> None:
    assert ENGLISH.said.keys() == GERMAN.said.keys()
    known = statistics()
    tests = {key: one.tests for key, one in known.items() if one.tests and not one.agreement}
    of_sources = {key for key, of in tests.items() if any("reference" in one.keys for one in of.values())}
    assert tests.keys() - of_sources - KINDS.keys() == {"span_alpha", "fleiss_kappa"}


@pytest.mark.parametrize("words", [ENGLISH, GERMAN])
def test_a_difference_that_is_not_clear_is_not_called_none(words: Words) -> None:
    said = [clause for key, clause in words.said.items() if key.endswith("inconclusive")]
    assert [clause for clause in said if re.search("about as|about the same|etwa gleich", clause)] == []
