"""Whose words a text has: worked out by hand, word by word."""

import random
import time

import pytest

from app.protocol.authorship import Earlier, authors_of, is_kept, share_of_model, tokens_of


def model(text: str) -> Earlier:
    return Earlier("model", text)


def rater(text: str) -> Earlier:
    return Earlier("rater", text)


@pytest.mark.parametrize(
    ("earlier", "text"),
    [
        # Nobody helped, or nothing of it was used.
        ([], "i am here"),
        ([model("That must be hard for you.")], "i am here for you"),
        # A suggestion taken as it is, before and after the rater's own words.
        ([model("That must be hard.")], "THAT MUST BE HARD"),
        ([model("That must be hard.")], "hello anna THAT MUST BE HARD call me"),
        # One word of it changed: the words beside it are in no run of three any more, unless there are three.
        ([model("that must be so hard for you")], "THAT MUST BE very HARD FOR YOU"),
        # Typed again with other punctuation, or in another place.
        ([model("I'm sorry to hear; that must be hard")], "THAT MUST BE HARD I'M SORRY TO HEAR"),
        # Runs of two words are everybody's.
        ([model("I am sorry")], "i am tired"),
        # A rewrite repeats the rater's words: they stay the rater's, and the words around them are the model's.
        (
            [rater("my dog died yesterday"), model("Oh no. My dog died yesterday, and it hurts so much.")],
            "OH NO my dog died yesterday AND IT HURTS SO MUCH",
        ),
        # A later suggestion repeats an earlier one, which the rater has in the text.
        (
            [
                rater(""),
                model("that must be hard"),
                rater("that must be hard"),
                model("that must be hard, how are you"),
            ],
            "THAT MUST BE HARD HOW ARE YOU",
        ),
        # The rater wrote it before the model suggested it.
        ([rater("how are you now"), model("How are you now?")], "how are you now"),
        # A suggestion used twice is the model's twice.
        ([model("that must be hard")], "THAT MUST BE HARD and THAT MUST BE HARD"),
        # Texts shorter than a run are a run of their own.
        ([model("Oh no, Anna.")], "OH NO"),
        ([model("Oh no, Anna.")], "OH"),
        ([model("")], "oh no"),
    ],
)
def test_words_in_capitals_are_the_models(earlier: list[Earlier], text: str) -> None:
    words = text.split()
    assert authors_of(earlier, tokens_of(text)) == [word.isupper() for word in words]
    assert share_of_model(earlier, text) == pytest.approx(sum(word.isupper() for word in words) / len(words))


def test_text_without_words_has_no_share() -> None:
    assert share_of_model([model("Hello there Anna")], " … !") is None


def test_scripts_without_spaces_are_compared_by_character() -> None:
    assert share_of_model([model("听到这个消息我很难过")], "你好我很难过") == pytest.approx(4 / 6)


def test_arabic_and_german_words_are_tokens() -> None:
    assert tokens_of("لا بأس، أنا هنا") == ["لا", "بأس", "أنا", "هنا"]
    assert tokens_of("Grüße, Straße!") == tokens_of("GRÜSSE STRASSE")


@pytest.mark.parametrize(
    ("suggestion", "text", "found"),
    [("I am sorry.", "well, i am sorry", True), ("I am sorry.", "I am so sorry", False), ("I am sorry", "", False)],
)
def test_suggestion_is_kept_only_unchanged(suggestion: str, text: str, *, found: bool) -> None:
    assert is_kept(suggestion, text) == found


def test_long_texts_take_no_time() -> None:
    """A text of 50,000 characters after a hundred suggestions."""
    rng = random.Random(1)  # noqa: S311 - words
    words = [rng.choice(["so", "hard", "you", "dog", "day", "night"]) for _ in range(10_000)]
    earlier = [model(" ".join(rng.choices(words, k=300))) for _ in range(100)]
    begun = time.process_time()
    share = share_of_model(earlier, " ".join(words))
    assert share is not None
    assert share > 0.9
    assert time.process_time() - begun < 2
