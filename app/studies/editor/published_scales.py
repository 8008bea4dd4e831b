"""Published scales to insert whole: with their words where a licence allows it, otherwise with the words that a lead
has permission for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.base.words import counted
from app.studies.editor.nodes import Data
from app.studies.editor.question_keys import free_key, key_of
from app.studies.editor.scale_labels import read_lines
from app.studies.editor.scale_library import ScaleChoice, points_of
from app.studies.editor.sections import value_at, with_value


@dataclass(frozen=True, slots=True)
class Score:
    """A score of a scale: its name, the numbers of its statements from 1, and how they are combined."""

    label: str
    of: tuple[int, ...]
    score: Literal["mean", "sum"]


@dataclass(frozen=True, slots=True)
class PublishedScale:
    """A scale. `permission`: what its use needs, and where this is said. `items`: its words, if they may be passed on.

    `turned`: the numbers of the statements that are scored in reverse. `short`: the beginning of its keys.
    """

    short: str
    name: str
    measures: str
    about: Literal["response", "rater"]
    n: int
    parts: Mapping[str, Any]
    scores: tuple[Score, ...]
    citation: str
    permission: str
    url: str
    turned: tuple[int, ...] = ()
    items: tuple[str, ...] = ()

    @property
    def scale_words(self) -> str:
        """The answers, in words."""
        return ScaleChoice("", "", "", self.parts).words


def _points(first: int, *words: str) -> dict[str, Any]:
    return {"type": "rating", "scale": {str(value): text for value, text in enumerate(words, first)}}


def _all(n: int) -> tuple[int, ...]:
    return tuple(range(1, n + 1))


_ASK = "The words are not in Attune: ask {} for permission, then paste them."
_DISAGREE = ("Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree")

PUBLISHED = (
    PublishedScale(
        "pets",
        "Perceived Empathy of Technology Scale (PETS)",
        "How empathic a system seemed: emotional responsiveness, understanding and trust",
        "response",
        10,
        {"type": "slider", "min": 0, "max": 100, "min_words": "Strongly disagree", "max_words": "Strongly agree"},
        (
            Score("PETS: emotional responsiveness", (1, 2, 3, 4, 5, 6), "mean"),
            Score("PETS: understanding and trust", (7, 8, 9, 10), "mean"),
        ),
        "Schmidmaier, M., Rupp, J., Cvetanova, D., & Mayer, S. (2024). Perceived Empathy of Technology Scale (PETS): "
        "Measuring empathy of systems toward the user. CHI '24. https://doi.org/10.1145/3613904.3642035",
        "Free to use and to share under Creative Commons BY, as its authors say on its page; cite them.",
        "http://www.perceived-empathy-of-technology-scale.com",
        items=(
            "The system considered my mental state.",
            "The system seemed emotionally intelligent.",
            "The system expressed emotions.",
            "The system sympathized with me.",
            "The system showed interest in me.",
            "The system supported me in coping with an emotional situation.",
            "The system understood my goals.",
            "The system understood my needs.",
            "I trusted the system.",
            "The system understood my intentions.",
        ),
    ),
    PublishedScale(
        "epitome",
        "EPITOME: three mechanisms of empathy",
        "Emotional reactions, interpretations and explorations in a text",
        "response",
        3,
        _points(0, "None", "Weak", "Strong") | {"level": "ordinal"},
        (Score("EPITOME: all three mechanisms", _all(3), "sum"),),
        "Sharma, A., Miner, A. S., Atkins, D. C., & Althoff, T. (2020). A computational approach to understanding "
        "empathy expressed in text-based mental health support. EMNLP 2020, 5263–5276. "
        "https://doi.org/10.18653/v1/2020.emnlp-main.425",
        "Free: the paper is under CC BY 4.0, as all papers of the ACL since 2016. Attune words the questions after its "
        "definitions. Raters need its instructions: see the template EPITOME.",
        "https://aclanthology.org/faq/copyright/",
        items=(
            "How strongly does the response express warmth, concern or compassion?",
            "How strongly does the response show an understanding of what the person feels and experiences?",
            "How strongly does the response explore what the person has not said?",
        ),
    ),
    PublishedScale(
        "ses",
        "State Empathy Scale (SES)",
        "What a reader feels, understands and relates to while reading a message",
        "response",
        12,
        _points(0, "Not at all", "", "", "", "Completely"),
        (
            Score("SES: affective", (1, 2, 3, 4), "mean"),
            Score("SES: cognitive", (5, 6, 7, 8), "mean"),
            Score("SES: associative", (9, 10, 11, 12), "mean"),
            Score("SES: state empathy", _all(12), "mean"),
        ),
        "Shen, L. (2010). On a scale of state empathy during message processing. Western Journal of Communication, "
        "74(5), 504–524. https://doi.org/10.1080/10570314.2010.512278",
        "No licence found; the paper is not open access. " + _ASK.format("its author or Taylor & Francis"),
        "https://doi.org/10.1080/10570314.2010.512278",
    ),
    PublishedScale(
        "tes",
        "Therapist Empathy Scale (TES)",
        "Empathy of a therapist, rated by observers of a session",
        "response",
        9,
        _points(1, "Not at all", "", "", "", "", "", "Extensively"),
        (Score("TES: therapist empathy", _all(9), "mean"),),
        "Decker, S. E., Nich, C., Carroll, K. M., & Martino, S. (2014). Development of the Therapist Empathy Scale. "
        "Behavioural and Cognitive Psychotherapy, 42(3), 339–354. https://doi.org/10.1017/S1352465813000039",
        "No licence found. " + _ASK.format("its authors (Yale School of Medicine) or Cambridge University Press"),
        "https://doi.org/10.1017/S1352465813000039",
    ),
    PublishedScale(
        "care",
        "Consultation and Relational Empathy measure (CARE)",
        "Empathy in a consultation, as the patient perceived it",
        "response",
        10,
        _points(1, "Poor", "Fair", "Good", "Very good", "Excellent"),
        (Score("CARE: relational empathy", _all(10), "sum"),),
        "Mercer, S. W., Maxwell, M., Heaney, D., & Watt, G. C. M. (2004). The Consultation and Relational Empathy "
        "(CARE) measure. Family Practice, 21(6), 699–705. https://doi.org/10.1093/fampra/cmh621",
        "Free to use and to download from its site, under copyright of its author; no licence to pass the words on was "
        "found. Download it there, then paste the words.",
        "https://caremeasure.stir.ac.uk/",
    ),
    PublishedScale(
        "panas",
        "Positive and Negative Affect Schedule (PANAS)",
        "The mood of the rater",
        "rater",
        20,
        _points(1, "Very slightly or not at all", "A little", "Moderately", "Quite a bit", "Extremely"),
        (
            Score("PANAS: positive affect", (1, 3, 5, 9, 10, 12, 14, 16, 17, 19), "sum"),
            Score("PANAS: negative affect", (2, 4, 6, 7, 8, 11, 13, 15, 18, 20), "sum"),
        ),
        "Watson, D., Clark, L. A., & Tellegen, A. (1988). Development and validation of brief measures of positive and "
        "negative affect: The PANAS scales. Journal of Personality and Social Psychology, 54(6), 1063–1070. "
        "https://doi.org/10.1037/0022-3514.54.6.1063",
        "Copyright 1988 by the American Psychological Association. "
        + _ASK.format("the American Psychological Association or the authors"),
        "https://doi.org/10.1037/0022-3514.54.6.1063",
    ),
    PublishedScale(
        "teq",
        "Toronto Empathy Questionnaire (TEQ)",
        "Empathy of the rater as one emotional process",
        "rater",
        16,
        _points(0, "Never", "Rarely", "Sometimes", "Often", "Always"),
        (Score("TEQ: empathy", _all(16), "sum"),),
        "Spreng, R. N., McKinnon, M. C., Mar, R. A., & Levine, B. (2009). The Toronto Empathy Questionnaire. Journal "
        "of Personality Assessment, 91(1), 62–71. https://doi.org/10.1080/00223890802484381",
        "Copyright Taylor & Francis; the authors' manuscript can be read for free, without a licence to pass it on. "
        + _ASK.format("its authors"),
        "https://pmc.ncbi.nlm.nih.gov/articles/PMC2775495",
        turned=(2, 4, 7, 10, 11, 12, 14, 15),
    ),
    PublishedScale(
        "iri",
        "Interpersonal Reactivity Index (IRI)",
        "Perspective taking, fantasy, empathic concern and personal distress of the rater",
        "rater",
        28,
        _points(0, "Does not describe me well", "", "", "", "Describes me very well"),
        (
            Score("IRI: perspective taking", (3, 8, 11, 15, 21, 25, 28), "sum"),
            Score("IRI: fantasy", (1, 5, 7, 12, 16, 23, 26), "sum"),
            Score("IRI: empathic concern", (2, 4, 9, 14, 18, 20, 22), "sum"),
            Score("IRI: personal distress", (6, 10, 13, 17, 19, 24, 27), "sum"),
        ),
        "Davis, M. H. (1983). Measuring individual differences in empathy: Evidence for a multidimensional approach. "
        "Journal of Personality and Social Psychology, 44(1), 113–126. https://doi.org/10.1037/0022-3514.44.1.113",
        "No licence found. " + _ASK.format("its author (Eckerd College)"),
        "https://doi.org/10.1037/0022-3514.44.1.113",
        turned=(3, 4, 7, 12, 13, 14, 15, 18, 19),
    ),
    PublishedScale(
        "bes",
        "Basic Empathy Scale (BES)",
        "Affective and cognitive empathy of the rater",
        "rater",
        20,
        _points(1, *_DISAGREE),
        (
            Score("BES: affective empathy", (1, 2, 4, 5, 7, 8, 11, 13, 15, 17, 18), "sum"),
            Score("BES: cognitive empathy", (3, 6, 9, 10, 12, 14, 16, 19, 20), "sum"),
        ),
        "Jolliffe, D., & Farrington, D. P. (2006). Development and validation of the Basic Empathy Scale. Journal of "
        "Adolescence, 29(4), 589–611. https://doi.org/10.1016/j.adolescence.2005.08.010",
        "Published by Elsevier, all rights reserved. " + _ASK.format("its authors"),
        "https://doi.org/10.1016/j.adolescence.2005.08.010",
        turned=(1, 6, 7, 8, 13, 18, 19, 20),
    ),
)
BY_SHORT = {scale.short: scale for scale in PUBLISHED}


class ScaleWordsError(ValueError):
    """The pasted words do not make up the scale, or it is there already; the message says so."""


def with_published(data: Data, scale: PublishedScale, pasted: str, about: str) -> Data:
    """The data with all statements of a scale, in its order, and its scores.

    Raises:
        ScaleWordsError: see there.
    """
    words = [text for _, text in read_lines(pasted)] or list(scale.items)
    if len(words) != scale.n:
        found = "These are" if len(words) != 1 else "This is"
        begin = f"{found} {counted(len(words), 'statement')}. " if words else ""
        there = f"{scale.name} has {scale.n} statements."
        raise ScaleWordsError(f"{begin}{there} Paste all of them, one per line, in its order.")
    if doubled := next((text for text in words if [one.casefold() for one in words].count(text.casefold()) > 1), None):
        raise ScaleWordsError(f"“{doubled}” is there twice.")
    composites = value_at(data, "analysis.composites")
    composites = dict(composites) if isinstance(composites, dict) else {}
    labels = {str(one.get("label")) for one in composites.values() if isinstance(one, dict)}
    if labels & {score.label for score in scale.scores}:
        raise ScaleWordsError(f"{scale.name} is in this study already.")
    keys = []
    for number, text in enumerate(words, 1):
        key = free_key(data, f"{scale.short}_{number}")
        parts = {**scale.parts, "scale": points_of(scale.parts)} if "scale" in scale.parts else dict(scale.parts)
        new = {"key": key, "label": f"{scale.short.upper()} {number}", "target": about, "text": text, **parts}
        if number in scale.turned:
            new["reversed"] = True
        data = {**data, "questions": [*(data.get("questions") or ()), new]}
        keys.append(key)
    for score in scale.scores:
        name = free_key(data, key_of(score.label, scale.short))
        composite = {"label": score.label, "questions": [keys[number - 1] for number in score.of], "score": score.score}
        composites[name] = composite | {"citation": scale.citation}
        data = with_value(data, "analysis.composites", dict(composites))
    return data


def listed() -> Sequence[tuple[str, list[PublishedScale]]]:
    """The scales by what they are about, first those whose words are there."""
    groups = (("response", "About each response"), ("rater", "About the rater"))
    return [(words, [one for one in PUBLISHED if one.about == about]) for about, words in groups]
