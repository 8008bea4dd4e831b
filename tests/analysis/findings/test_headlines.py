from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.analysis import analyze
from app.analysis.findings.headlines import agreement, alpha_reading, comparisons
from tests.analysis.builders import CHOICE, FIVE, frames, protocol

if TYPE_CHECKING:
    from app.analysis.findings.headlines import Headline
    from tests.analysis.builders import Row


def _rated(values: dict[str, list[int]], raters: str = "ab") -> list[Row]:
    """Return ratings in which each rater gives the listed values of a source to the items in order."""
    return [
        {"rater": rater, "item": f"i{n}", "response": f"i{n}:{source}", "question": "empathy", "value": value}
        for rater in raters
        for source, of_items in values.items()
        for n, value in enumerate(of_items)
    ]


def _comparison(rows: list[Row], question: dict[str, object] = FIVE) -> Headline:
    study = protocol(question)
    return next(comparisons(analyze(frames(study, rows), study), study.questions[0]))


def _agreement(rows: list[Row]) -> Headline:
    study = protocol(FIVE)
    return next(agreement(analyze(frames(study, rows), study), study.questions[0]))


def test_higher_rated_source_is_reported_with_scale() -> None:
    found = _comparison(_rated({"human": [1, 2, 1, 2, 3], "model": [3, 4, 4, 4, 5]}, raters="abcdef"))
    assert found.claim == "model is rated 2.20 points higher than human, on a scale from 1 to 5."
    assert "60 ratings, 5 items, 6 raters." in found.basis
    assert "for new items and new raters" in found.basis
    assert found.reading == ""


def test_lower_rated_source_is_reported_as_lower() -> None:
    assert "0.50 points lower" in _comparison(_rated({"human": [3, 4], "model": [3, 3]})).claim


def test_interval_including_zero_is_reported() -> None:
    found = _comparison(_rated({"human": [1, 5, 2, 4], "model": [5, 1, 4, 3]}, raters="abcdef"))
    assert found.reading == "Inconclusive: the 95% CI includes zero."


def test_interval_of_the_whole_scale_is_said_in_words() -> None:
    found = _comparison(_rated({"human": [1, 5, 2, 4], "model": [5, 1, 4, 3]}))
    assert found.basis.startswith("No interval: too few items or raters.")
    assert found.reading == "There are too few items or raters to tell whether there is a difference."


def test_zero_difference_is_reported_as_same() -> None:
    assert "rated the same" in _comparison(_rated({"human": [1, 4, 2], "model": [2, 1, 4]})).claim


def test_reversed_question_notes_undesirable_high_values() -> None:
    found = _comparison(_rated({"human": [1, 2], "model": [3, 5]}), {**FIVE, "reversed": True})
    assert found.reading.startswith("High values are undesirable on this scale.")


def test_preference_headline_names_share_and_ties() -> None:
    rows = [
        {"rater": r, "item": f"i{n}", "question": "preference", "value": v}
        for r in "abc"
        for n, v in enumerate(["model", "model", "human", "model"])
    ]
    found = _comparison(rows, CHOICE)
    assert found.claim == "model was preferred over human in 75.0% of choices."
    assert "Ties" not in found.basis  # ties are not possible
    allowed = _comparison(
        [*rows, {"rater": "a", "item": "i9", "question": "preference", "value": "tie"}], {**CHOICE, "tie": True}
    )
    assert allowed.basis.startswith("Ties count as half.")
    assert "12 choices, 4 items, 3 raters." in found.basis


def test_reason_ends_with_one_full_stop() -> None:
    found = _comparison(_rated({"human": [1, 2]}))
    assert found.claim == "model against human: The source has no ratings."


def test_agreement_with_one_rating_per_response_is_not_estimable() -> None:
    found = _agreement(_rated({"human": [1, 2], "model": [3, 4]}, raters="a"))
    assert found.claim == "Agreement is not estimable: one rating per response."


def test_pooled_alpha_is_reported_with_alpha_per_source() -> None:
    found = _agreement(_rated({"human": [1, 2, 3, 1, 2], "model": [3, 4, 5, 3, 4]}))
    assert found.claim == "Krippendorff's alpha 1.00 over all sources; within sources human 1.00, model 1.00."
    assert found.reading == "Without an interval the customary limits 0.80 and 0.667 cannot be checked."


def test_alpha_within_sources_needs_five_units() -> None:
    found = _agreement(_rated({"human": [1, 2, 3], "model": [3, 4, 5]}))
    assert found.claim == "Krippendorff's alpha 1.00 over all sources; too few units for alpha within each source."


@pytest.mark.parametrize(
    ("alpha", "lower", "words"),
    [
        (0.9, 0.81, "can be relied on"),
        (0.9, 0.7, "tentative"),
        (0.9, 0.6, "single ratings are unreliable"),
        (0.4, -0.1, "no better than chance"),
        (-0.2, -0.5, "no more than by chance"),
    ],
)
def test_alpha_thresholds_use_lower_interval_limit(alpha: float, lower: float, words: str) -> None:
    assert words in alpha_reading(alpha, lower)


def test_low_alpha_is_explained_without_a_claim_about_other_studies() -> None:
    rows = _rated({"human": [1, 5, 2, 3, 2], "model": [2, 4, 4, 1, 3]}, raters="a")
    rows += _rated({"human": [3, 3, 4, 1, 3], "model": [5, 1, 4, 2, 1]}, raters="b")
    found = _agreement(rows)
    assert found.reading == "Raters agree no more than by chance."
    assert "; within sources human " in found.claim


def test_sources_never_shown_together_have_no_headline() -> None:
    study = protocol(CHOICE, sources={name: {"kind": "model"} for name in "xyz"}, analysis={"reference": "x"})
    rows = [
        {
            "rater": f"r{n}",
            "item": f"i{n % 3}",
            "question": "preference",
            "value": "xy"[n % 2],
            "left_response": f"i{n % 3}:x",
            "right_response": f"i{n % 3}:y",
        }
        for n in range(8)
    ]
    found = comparisons(analyze(frames(study, rows), study), study.questions[0])
    assert [headline.claim for headline in found] == ["y was preferred over x in 50.0% of choices."]


def _differing(raters: str) -> list[Row]:
    """Return ratings in which each rater differs by one point on a different item."""
    rows = _rated({"human": [1, 2, 1, 2, 3, 2], "model": [3, 4, 4, 4, 4, 3]}, raters)
    for n in range(len(raters)):
        rows[13 * n]["value"] = int(str(rows[13 * n]["value"])) + 1
    return rows


def test_agreement_headline_names_new_raters_when_covered() -> None:
    """The interval's method name begins differently from that of a comparison; the page used to say new items only."""
    assert "for new items and new raters" in _agreement(_differing("abcdef")).basis


def test_two_raters_limit_agreement_to_these_raters() -> None:
    assert "for new items rated by these raters" in _agreement(_differing("ab")).basis
