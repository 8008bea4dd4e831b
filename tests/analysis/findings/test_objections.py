"""Each rule objects where its threshold is crossed and nowhere else, and says the number of this study."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from app.analysis.document.bibliography import REFERENCES
from app.analysis.estimate import Estimate
from app.analysis.findings.agreement_summary import AgreementRow
from app.analysis.findings.main_contrasts import MainContrast
from app.analysis.findings.objections import MAX_OBJECTIONS, RULES, Objection, objections_of
from app.analysis.report.primary import PrimaryResult
from app.analysis.report.report import RaterGroup, Report, Sample
from app.protocol.primary import PrimaryContrast
from tests.kit.frames import CHOICE, FIVE, protocol

STUDY = protocol(FIVE, CHOICE, analysis={"primary": ["empathy"]})
TOLD = protocol(
    FIVE,
    conditions={"told": {"kind": "instruction", "levels": {"yes": "Yes.", "no": "No."}}},
    analysis={"primary": ["empathy"]},
)
PAIR: Any = {"source": "Model", "reference": "Human"}
CLEAR = Estimate("comparison", "empathy", PAIR, "mean_difference", 0.5, 0.1, 0.9, 0.95, verdict="clear", p_value=0.01)
CLEAR = replace(CLEAR, n_items=30)
OPEN = replace(CLEAR, ci_low=-0.1, verdict="inconclusive", p_value=0.2)
DAY = date(2026, 5, 1)
SAMPLE = Sample(30, {}, (RaterGroup("person", None, 20),), 0, 0, {}, {}, 0, DAY, DAY)
SOUND = Report("small", "", (), (CLEAR,), sample=SAMPLE)


def words_of(source: str, mean: float) -> Estimate:
    return Estimate("text", None, {"source": source, "covariate": "words"}, "text_mean", mean)


def objections(
    report: Report = SOUND,
    shown: Estimate = CLEAR,
    *,
    at_equal: Estimate | None = None,
    unflagged: Estimate | None = None,
    alpha: Estimate | None = None,
    study: Any = STUDY,  # noqa: ANN401 - a protocol
) -> tuple[Objection, ...]:
    contrast = MainContrast("empathy", "Empathy", "", shown, at_equal, unflagged, primary=shown)
    result = PrimaryResult(PrimaryContrast(question="empathy"), is_declared=True, estimates=(shown,))
    rows = [AgreementRow("empathy", "Empathy", alpha, {})]
    return objections_of(replace(report, primary=(result,)), study, [contrast], rows)


def with_more(*estimates: Estimate, **sample: Any) -> Report:  # noqa: ANN401 - fields of a sample
    return replace(SOUND, estimates=(*SOUND.estimates, *estimates), sample=replace(SAMPLE, **sample))


def test_a_sound_study_gets_no_objection() -> None:
    assert objections(at_equal=CLEAR, unflagged=CLEAR) == ()
    assert objections(with_more(words_of("Model", 60), words_of("Human", 50))) == ()
    assert objections(replace(SOUND, sample=Sample(0, {}, (), 0, 0, {}, {}, 0, None, None)), OPEN) == ()


def test_few_items_are_no_objection_to_what_raters_say_about_themselves() -> None:
    about_raters = replace(CLEAR, n_items=0)
    assert objections(with_more(n_items=1), about_raters) == ()
    assert [one.key for one in objections(with_more(n_items=1))] == ["few_items"]


FLAGGED = Estimate("rater", None, {}, "flagged_share", 0.15, n_units=20)
UNKNOWN = replace(OPEN, estimate=None, ci_low=None, ci_high=None, verdict=None, reason="too_few")
DPRIME = Estimate("belief", "author", {}, "dprime", 0.8, 0.4, 1.2, 0.95, verdict="clear")
ALPHA = Estimate("agreement", "empathy", {}, "krippendorff_alpha_ordinal", 0.7, 0.31, 0.8, 0.95)
LEFT = Estimate("choice", "preference", {}, "first_side_share", 0.6, 0.55, 0.65, 0.95)


@pytest.mark.parametrize(
    ("key", "given", "says"),
    [
        (
            "length",
            {"at_equal": OPEN},
            "is no longer clear when adjusted for length: 0.50 (95% CI −0.10 to 0.90).",
        ),
        (
            "length",
            {"report": with_more(words_of("Model", 110), words_of("Human", 50)), "at_equal": UNKNOWN},
            "Responses of Model and Human differ in length by a factor of 2.2, and these data do not allow",
        ),
        (
            "length",
            # nobody tried to adjust it, so it was wrong that the data do not allow it
            {"report": with_more(words_of("Model", 110), words_of("Human", 50))},
            "Responses of Model and Human differ in length by a factor of 2.2.",
        ),
        ("flagged_decide", {"unflagged": OPEN}, "on Empathy is no longer clear without flagged raters: 0.50 ("),
        ("no_evidence", {"shown": OPEN}, "on Empathy is inconclusive, which is no evidence that there is none: 0.50 ("),
        ("few_raters", {"report": with_more(raters=(RaterGroup("person", None, 4),))}, "4 raters took part, too few"),
        (
            "interval_of_few",
            {"shown": replace(CLEAR, interval_warnings=("One arm has only 2 raters, so the interval is wide.",))},
            "0.50 (95% CI 0.10 to 0.90): one arm has only 2 raters, so the interval is wide.",
        ),
        ("few_items", {"report": with_more(n_items=9)}, "The results rest on 9 items, too few"),
        (
            "detected",
            {"report": with_more(DPRIME)},
            "Raters told models from people, d′ = 0.80 (95% CI 0.40 to",
        ),
        ("undeclared", {"study": protocol(FIVE)}, "No primary contrast was declared"),
        (
            "attrition",
            {"report": with_more(missing={"told=yes": (12, 100), "told=no": (5, 100)}), "study": TOLD},
            "Missing answers differ between arms: 12.0% with Told: yes and 5.0% with Told: no.",
        ),
        ("flagged", {"report": with_more(FLAGGED)}, "3 of 20 raters (15.0%) are flagged."),
        (
            "agreement",
            {"alpha": ALPHA},
            # only its lower limit is below
            "Agreement on Empathy is Krippendorff's alpha = 0.70 (95% CI 0.31 to 0.80), and may be below 0.667.",
        ),
        (
            "agreement",
            {"alpha": replace(ALPHA, estimate=0.5)},
            "Agreement on Empathy is Krippendorff's alpha = 0.50 (95% CI 0.31 to 0.80), below 0.667.",
        ),
        (
            "side",
            {"report": with_more(LEFT)},
            "raters chose the left side in 60.0% (95% CI 55.0% to 65.0%) of",
        ),
    ],
)
def test_each_rule_says_its_number(key: str, given: dict[str, Any], says: str) -> None:
    if key == "undeclared":
        given = {**given, "report": with_more(replace(CLEAR, role="exploratory"))}
    (found,) = objections(**given)
    assert (found.key, says in found.says) == (key, True), found.says


def test_missing_answers_by_pool_have_the_labels_of_the_pools() -> None:
    study = protocol(FIVE, design={"pools": {"crowd": {"label": "Crowd workers"}, "experts": {}}})
    report = with_more(missing={"crowd": (12, 100), "experts": (5, 100), "": (90, 100)})
    (found,) = objections(report, study=study)
    assert found.says == "Missing answers differ between arms: 12.0% in Crowd workers and 5.0% in Experts."


def test_below_the_thresholds_nothing_is_said() -> None:
    quiet = with_more(
        replace(FLAGGED, estimate=0.05),
        replace(DPRIME, verdict="inconclusive"),
        replace(LEFT, ci_low=0.49),
        missing={"told=yes": (9, 100), "told=no": (5, 100)},
    )
    assert objections(quiet, alpha=replace(ALPHA, ci_low=0.7)) == ()
    # the customary minimum of alpha is none of Kendall's W
    assert objections(quiet, alpha=replace(ALPHA, statistic="kendall_w_within_items")) == ()
    margin = protocol(FIVE, analysis={"primary": ["empathy"], "margin": {"empathy": 0.3}})
    assert objections(shown=OPEN, study=margin) == ()


def test_inconclusive_primary_that_compares_no_sources_is_no_evidence() -> None:
    scope: Any = {"factor": "told", "level": "AI", "reference_level": "person"}
    level = Estimate("contrast", "empathy", scope, "factor_effect", 0.2, -0.1, 0.5, 0.95, verdict="inconclusive")
    result = PrimaryResult(PrimaryContrast(question="empathy", test="factor_effect", factor="told"), True, (level,))
    (found,) = objections_of(replace(SOUND, primary=(result,)), STUDY, [], [])
    assert found.key == "no_evidence"
    assert found.says.endswith(
        "on Empathy (told: AI − person) is inconclusive, which is no evidence that there is none: 0.20 (95% "
        "CI −0.10 to 0.50)."
    )
    tested = replace(level, statistic="chi_square", ci_low=None, ci_high=None, estimate=3.1, p_value=0.2, df=2)
    (of_test,) = objections_of(replace(SOUND, primary=(replace(result, estimates=(tested,)),)), STUDY, [], [])
    assert of_test.says.endswith(", p = .200.")
    adjusted = replace(result, estimates=(replace(tested, p_adjusted=0.6),))
    (of_family,) = objections_of(replace(SOUND, primary=(adjusted,)), STUDY, [], [])
    assert of_family.says.endswith(", adjusted p = .600.")


def test_at_most_five_are_shown_and_the_heaviest_come_first() -> None:
    worst = with_more(FLAGGED, DPRIME, LEFT, n_items=4, raters=(RaterGroup("person", None, 3),))
    found = objections(worst, at_equal=OPEN, unflagged=OPEN, alpha=ALPHA)
    assert [one.key for one in found] == ["length", "flagged_decide", "few_raters", "detected", "few_items"]
    assert len(found) == MAX_OBJECTIONS


def test_every_rule_has_a_key_of_its_own_and_a_publication() -> None:
    assert len({rule.key for rule in RULES}) == len(RULES)
    assert {rule.cites for rule in RULES} <= REFERENCES.keys()
