import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.stats.text_measures import (
    MEASURES,
    advice_share,
    flesch,
    lix,
    measured,
    question_share,
    sentences,
    sentiment,
    word_share,
)
from app.stats.text_words import first_person_share, words

KIND = "I'm so sorry. That sounds hard! Have you tried talking to a friend?"


def test_words_are_letters_and_digits_in_any_script() -> None:
    assert len(words(KIND)) == 13
    assert words("Größe, हिन्दी") == ["Größe", "हनद"]
    assert words("end.Next 1,000.5x dogs'") == ["end", "Next", "1,000.5x", "dogs"]
    assert words("can't… e-mail") == ["can't", "e", "mail"]


def test_sentences_end_at_punctuation_or_line_breaks() -> None:
    assert len(sentences(KIND)) == 3
    assert sentences("So?\r\n…\r(Yes.) No") == ["So?", "(Yes.)", "No"]
    assert sentences("One line\nAnother 3.5 mg") == ["One line", "Another 3.5 mg"]
    assert sentences("你好。我很难过！") == ["你好。", "我很难过！"]


def test_flesch_score_matches_formula() -> None:
    """Six words of one syllable in one sentence: 206.835 - 1.015 * 6 - 84.6 (Flesch 1948)."""
    assert flesch("The cat sat on the mat.") == pytest.approx(116.145)
    assert flesch("Beautiful.") == pytest.approx(206.835 - 1.015 - 84.6 * 3)
    assert flesch("Blorfitude.") == pytest.approx(206.835 - 1.015 - 84.6 * 4)
    assert flesch("Hm.") == pytest.approx(206.835 - 1.015 - 84.6)


def test_lix_counts_words_longer_than_six_letters() -> None:
    """Björnsson (1968): six words per sentence, one in six long."""
    assert lix("The elephant sat on the mat.") == pytest.approx(6 + 100 / 6)


def test_sentiment_matches_vader() -> None:
    """Example from Hutto and Gilbert's package: "VADER is smart, handsome, and funny!" has .8439."""
    assert sentiment("VADER is smart, handsome, and funny!") == pytest.approx(0.8439)
    assert sentiment("Great! Horrible!") == pytest.approx((0.6588 - 0.5848) / 2, abs=1e-4)


def test_question_first_person_and_advice_shares_are_counted() -> None:
    assert question_share(KIND) == pytest.approx(1 / 3)
    assert first_person_share("I’m here, my friend.") == pytest.approx(2 / 4)
    assert advice_share(KIND) == pytest.approx(1 / 3)
    assert advice_share("I hear you. That hurts.") == 0


def test_emoji_and_marks_are_counted() -> None:
    """A family of three, joined by U+200D, and a thumb with a skin tone are one emoji each (UTS 51)."""
    text = "So sorry 😢 👍🏽👨\u200d👩\u200d👧! That's hard… Really?!"
    count = {name: MEASURES[name].of(text) for name in ("emoji", "exclamation_marks", "punctuation")}
    assert count == {"emoji": 3, "exclamation_marks": 2, "punctuation": 4}
    assert MEASURES["exclamation_marks"].of("加油！") == 1
    assert [measure.of("No marks") for measure in map(MEASURES.get, count) if measure] == [0, 0, 0]


def test_words_of_a_list_are_counted_whole_or_by_their_beginning() -> None:
    care = word_share(["kind*", "Care", "don’t"])
    assert care("Kindness, CARE! Careless? Don't.") == pytest.approx(3 / 4)
    assert care("Unkind words.") == 0
    assert word_share(["größe"])("Größe") == 1


def test_text_without_words_has_no_measure() -> None:
    np.testing.assert_array_equal(
        measured(["", None, "…", "Yes."], {"words": MEASURES["words"]})["words"], [np.nan, np.nan, np.nan, 1]
    )


@given(st.text(max_size=60), st.sampled_from(sorted(MEASURES)))
@settings(max_examples=100, deadline=None)
def test_measure_is_finite_for_any_text_with_words(text: str, name: str) -> None:
    value = measured([text], {name: MEASURES[name]})[name][0]
    assert np.isfinite(value) or not words(text)


@pytest.mark.parametrize(
    ("language", "left_out"),
    [
        ("en-GB", set()),
        ("de", {"flesch", "sentiment", "first_person_share", "advice_share"}),
        ("zh-Hans", {"words", "lix", "flesch", "sentiment", "first_person_share", "advice_share"}),
    ],
)
def test_measures_unavailable_in_a_language_are_explained(language: str, left_out: set[str]) -> None:
    assert {name for name, measure in MEASURES.items() if language in measure.why_not(language)} == left_out
