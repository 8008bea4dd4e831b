"""What the rules find in the methods of published studies, and what they refuse to read."""

import time

import pytest

from app.studies.methods.guesses import Guess
from app.studies.methods.methods_text import MAX_CHARACTERS, MethodsError, sentences_of
from app.studies.methods.rules import read_methods
from tests.studies.methods import paraphrases

ONE_TO_FIVE = "1 = not at all\n2\n3\n4\n5 = very much"


def found(text: str, kind: str, name: str) -> list[str]:
    return [guess.values[name] for guess in read_methods(text).guesses if guess.kind == kind]


def guesses(text: str, kind: str) -> list[Guess]:
    return [guess for guess in read_methods(text).guesses if guess.kind == kind]


def test_ayers_2023_is_a_blinded_pair_with_two_ratings_and_a_choice() -> None:
    text = paraphrases.AYERS_2023
    assert found(text, "source", "name") == ["ChatGPT", "Physician"]
    assert found(text, "layout", "trials") == ["pairs"]
    assert found(text, "choice", "tie") == ["no"]
    assert found(text, "rating", "label") == ["Quality of the information", "Empathy or bedside manner"]
    assert found(text, "rating", "labels")[0].splitlines()[0] == "1 = very poor"
    assert found(text, "raters_per_trial", "n") == ["3"]
    (contrast,) = guesses(text, "contrast")
    assert contrast.values == {
        "question": "Empathy or bedside manner",
        "source": "ChatGPT",
        "reference": "Physician",
        "test": "t_unpaired",
    }
    assert "Raters are not told who wrote a response unless you choose so" in dict(read_methods(text).said)


def test_welivita_2024_compares_four_models_with_people_on_three_points() -> None:
    text = paraphrases.WELIVITA_2024
    assert found(text, "source", "name") == ["GPT-4", "Llama 2", "Gemini", "Mixtral", "Human"]
    assert found(text, "rating", "labels") == ["1 = Bad\n2 = Okay\n3 = Good"]
    assert found(text, "trials_per_rater", "n") == ["10"]
    assert found(text, "published", "scale") == ["teq"]
    assert found(text, "contrast", "source") == ["GPT-4", "Llama 2", "Gemini", "Mixtral"]
    assert found(text, "layout", "trials") == ["single"]
    assert "how many raters rate each response" in read_methods(text).missing


def test_rashkin_2019_rates_three_dimensions_and_says_not_who_wrote_what() -> None:
    text = paraphrases.RASHKIN_2019
    assert found(text, "rating", "label") == ["Empathy", "Relevance", "Fluency"]
    assert set(found(text, "rating", "labels")) == {ONE_TO_FIVE}
    assert found(text, "choice", "tie") == ["yes"]
    assert "who wrote the responses" in read_methods(text).missing


def test_sharma_2020_has_three_mechanisms_from_0_to_2_by_two_annotators() -> None:
    text = paraphrases.SHARMA_2020
    assert found(text, "rating", "label") == ["Emotional reactions", "Interpretations", "Explorations"]
    assert set(found(text, "rating", "labels")) == {"0 = none\n1\n2 = strong"}
    assert found(text, "raters_per_trial", "n") == ["2"]
    assert "Cohen's kappa is in every report" in dict(read_methods(text).said)


def test_zhan_2024_has_a_scale_for_each_question_of_one_sentence() -> None:
    text = paraphrases.ZHAN_2024
    assert found(text, "rating", "label") == ["Alignment", "Empathy"]
    assert [labels.splitlines()[-1] for labels in found(text, "rating", "labels")] == [
        "10 = fully aligned",
        "5 = extremely",
    ]
    assert found(text, "attention", "n") == ["2"]
    assert found(text, "raters_per_trial", "n") == ["2"]
    assert "Krippendorff's alpha is in every report" in dict(read_methods(text).said)


def test_kumar_2025_averages_six_items_of_whole_conversations() -> None:
    text = paraphrases.KUMAR_2025
    (score,) = guesses(text, "composite")
    assert score.values["label"] == "Empathic communication"
    assert len(score.values["questions"].splitlines()) == 6
    assert found(text, "layout", "trials") == ["dialogue"]
    assert found(text, "contrast", "test") == ["mean_difference_lmm"]
    assert found(text, "contrast", "question") == ["Empathic communication"]


def test_a_quoted_item_with_its_scale_is_a_question_and_what_raters_were_told_is_none() -> None:
    base = "Forty situations were answered by ChatGPT (GPT-4) and Claude 3, and we compared them. "
    item = (
        "Each reply was rated on the item “I felt understood by the responder.” from 1 (not at all) to 5 (very much)."
    )
    assert found(base + item, "rating", "text") == ["I felt understood by the responder."]
    assert found(base + item, "source", "name") == ["ChatGPT", "Claude 3"]
    told = "Raters were told “Imagine that you wrote the post” and rated each response for empathy on a 5-point scale."
    assert found(base + told, "rating", "text") == [""]
    ends = "Raters scored each reply from 1 (“not at all warm or kind”) to 5 (“very much warm and kind”)."
    assert "Not at all warm or kind" not in found(base + ends, "rating", "label")


def test_sabour_2022_compares_systems_by_a_choice_with_ties() -> None:
    text = paraphrases.SABOUR_2022
    assert found(text, "source", "name") == ["CEM", "BlenderBot", "Human"]
    assert found(text, "choice", "tie") == ["yes"]
    assert found(text, "raters_per_trial", "n") == ["3"]


def test_preregistration_gives_wording_numbers_and_its_own_sentences() -> None:
    text = paraphrases.PREREGISTRATION
    (asked,) = guesses(text, "rating")
    assert asked.values["text"] == "How empathetic is this response?"
    assert asked.values["labels"].splitlines()[-1] == "7 = extremely"
    assert [found(text, kind, "n") for kind in ("raters_per_trial", "trials_per_rater", "attention")] == [
        ["8"],
        ["12"],
        ["2"],
    ]
    assert found(text, "contrast", "test") == ["t_paired"]
    for kind in ("hypothesis", "sample_size", "stopping_rule", "exclusion"):
        assert len(guesses(text, kind)) == 1


@pytest.mark.parametrize("name", [name for name in dir(paraphrases) if name[-4:].isdecimal()])
def test_every_guess_has_its_sentence_in_the_text(name: str) -> None:
    text = getattr(paraphrases, name)
    words = " ".join(text.split())
    assert all(guess.sentence in words for guess in read_methods(text).guesses)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There is no text yet."),
        ("\n\t 12 345", "There is no text yet."),
        ("Each response was rated.", "This text is too short"),
        (paraphrases.GERMAN, "This text is in German."),
        (paraphrases.CHEMISTRY, "Nothing was guessed."),
        (paraphrases.PAIN, "Nothing was guessed."),
        ("word " * 130_000, "This text has about 217 pages."),
        ("漢字 " * 40, "does not look like English"),
    ],
)
def test_a_text_that_is_not_such_methods_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(MethodsError) as refused:
        read_methods(text)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    "part",
    [
        "Raters rated each response for empathy, ",
        "rated the quality and ",
        "1 = a, ",
        "each and every response was rated by ",
        "(a (b ",
    ],
)
def test_a_text_of_the_greatest_length_is_read_in_time(part: str) -> None:
    text = ("We compared GPT-4 with human responses on each of the items. " + part * MAX_CHARACTERS)[:MAX_CHARACTERS]
    sentences = (part * (1_400 // len(part)) + ". ") * 100
    started = time.perf_counter()
    for one in (text, sentences[:MAX_CHARACTERS]):
        try:
            read_methods(one)
        except MethodsError:
            continue
    assert time.perf_counter() - started < 20


def test_sentences_keep_abbreviations_and_decimals() -> None:
    text = "We used a scale (e.g. Likert) as in Smith et al. 2020. The mean was 3.5 points. It was high."
    assert sentences_of(text) == [
        "We used a scale (e.g. Likert) as in Smith et al. 2020.",
        "The mean was 3.5 points.",
        "It was high.",
    ]
