"""What a text of methods says about a study: guesses with their sentences, their fields, and how they are applied."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from app.base.problems import Problems
from app.base.words import counted, readable
from app.protocol.primary import TESTS
from app.protocol.yaml.study_yaml import FILE, read_protocol
from app.studies.editor.check_form import with_new_check
from app.studies.editor.controls import Option
from app.studies.editor.named_choices import questions_about
from app.studies.editor.nodes import Data
from app.studies.editor.problem_words import problem_words
from app.studies.editor.published_scales import BY_SHORT, ScaleWordsError, with_published
from app.studies.editor.question_keys import free_key, key_of
from app.studies.editor.question_list import NO_TEXT
from app.studies.editor.scale_labels import read_lines
from app.studies.editor.sections import value_at, with_value

Shape = Literal["line", "prose", "number", "choice"]
MAX_POINTS, MAX_CHECKS, MAX_RATERS = 101, 10, 1000


class GuessError(ValueError):
    """The guess cannot be used as it is; the message says why."""


class ThereAlreadyError(GuessError):
    """The study says this already."""

    def __init__(self, words: str) -> None:
        """`words`: what is there."""
        super().__init__(f"{words} is in the study already.")


@dataclass(frozen=True, slots=True)
class GuessField:
    """One thing that can be changed in a guess."""

    name: str
    label: str
    shape: Shape = "line"
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class GuessKind:
    """A kind of guess: its title, its fields, and the data of a study with it.

    `names` is the field that says what it is about: two guesses with the same one are the same guess.
    """

    title: str
    fields: tuple[GuessField, ...]
    apply: Callable[[Data, Mapping[str, str]], Data]
    names: str = ""


@dataclass(frozen=True, slots=True)
class Guess:
    """A guess and the sentence that it comes from. `by`: what read it. `problem`: why it could not be used."""

    kind: str
    sentence: str
    values: Mapping[str, str] = field(default_factory=dict)
    by: str = "rules"
    problem: str = ""

    @property
    def about(self) -> tuple[str, str]:
        """What makes it the same guess as another one."""
        return self.kind, " ".join(self.values.get(KINDS[self.kind].names, "").casefold().split())


def _named(entries: Mapping[str, Any], words: str) -> str | None:
    """The key of the entry with this label or key."""
    same = words.casefold()
    for key, entry in entries.items():
        label = str(entry.get("label") or "") if isinstance(entry, dict) else ""
        if same in {key.casefold(), label.casefold(), key.replace("_", " ").casefold()}:
            return key
    return None


def _sources(data: Data) -> dict[str, Any]:
    found = data.get("sources")
    return dict(found) if isinstance(found, dict) else {}


def _source(data: Data, values: Mapping[str, str]) -> Data:
    name, sources = _said(values, "name", "Name the source."), _sources(data)
    if _named(sources, name):
        raise ThereAlreadyError(name)
    key, number = key_of(name, "source"), 2
    while key in sources:
        key, number = f"{key_of(name, 'source')}_{number}", number + 1
    return {**data, "sources": {**sources, key: {"kind": values.get("kind") or "model", "label": name}}}


def _new_question(data: Data, new: Data) -> Data:
    same = {str(one.get(part) or "").casefold() for one in questions_about(data) for part in ("label", "text")} - {""}
    if {str(new["label"]).casefold(), str(new["text"]).casefold()} & same:
        raise ThereAlreadyError(str(new["label"]))
    key = free_key(data, key_of(str(new["label"]), "question"))
    return {**data, "questions": [*_written(data), {"key": key, **new}]}


def _written(data: Data) -> list[Any]:
    """The questions without the one that a blank draft begins with, which is there to be replaced."""
    return [one for one in data.get("questions") or () if not isinstance(one, dict) or one.get("text") != NO_TEXT]


def _wording(values: Mapping[str, str]) -> Data:
    label = _said(values, "label", "Give the question a short name.")[:80]
    return {"label": label, "text": values.get("text") or f"[Question about {label.lower()}]"}


def _rating(data: Data, values: Mapping[str, str]) -> Data:
    lines = read_lines(values.get("labels", ""))
    numbers = [number or str(place) for place, (number, _) in enumerate(lines, 1)]
    is_mixed = any(number is None and re.match(r"-?\d+\s*=", words) for number, words in lines)
    if not 1 < len(lines) <= MAX_POINTS or is_mixed:
        raise GuessError("Write the points of the scale, one per line, such as “1 = not at all”: at least two.")
    scale = {number: words for number, (_, words) in zip(numbers, lines, strict=True)}
    return _new_question(data, {"target": "response", "type": "rating", **_wording(values), "scale": scale})


def _slider(data: Data, values: Mapping[str, str]) -> Data:
    low, high = _number(values, "min", -(10**6)), _number(values, "max", -(10**6))
    if low >= high:
        raise GuessError("The highest number must be above the lowest.")
    words = {name: values[name] for name in ("min_words", "max_words") if values.get(name)}
    new = {"target": "response", "type": "slider", **_wording(values), "min": low, "max": high, **words}
    return _new_question(data, new)


def _choice(data: Data, values: Mapping[str, str]) -> Data:
    text = values.get("text") or "[Which response is better?]"
    new = {"target": "pair", "type": "choice", "label": "Choice", "text": text, "tie": values.get("tie") == "yes"}
    return _new_question(data, new)


def _in_design(name: str) -> Callable[[Data, Mapping[str, str]], Data]:
    return lambda data, values: with_value(data, f"design.{name}", _number(values, "n", 1, MAX_RATERS))


def _layout(data: Data, values: Mapping[str, str]) -> Data:
    return with_value(data, "design.trials", _said(values, "trials", "Choose what one page shows."))


def _attention(data: Data, values: Mapping[str, str]) -> Data:
    there = len(value_at(data, "checks.attention") or ())
    for _ in range(_number(values, "n", 1, MAX_CHECKS) - there):
        data = with_new_check(data, "checks.attention")
    return data


def _published(data: Data, values: Mapping[str, str]) -> Data:
    scale = BY_SHORT.get(values.get("scale", ""))
    if scale is None:
        raise GuessError("Choose a scale.")
    try:
        return with_published({**data, "questions": _written(data)}, scale, values.get("words", ""), scale.about)
    except ScaleWordsError as error:
        raise GuessError(f"{error} {scale.permission}") from None


def _composite(data: Data, values: Mapping[str, str]) -> Data:
    label = _said(values, "label", "Give the score a name.")
    entries = {str(one.get("key")): one for one in questions_about(data)}
    keys = []
    for line in values.get("questions", "").splitlines():
        if not line.strip():
            continue
        key = _named(entries, line.strip())
        if key is None:
            raise GuessError(f"There is no question {line.strip()} yet. Accept it first, or take it out here.")
        keys.append(key)
    composites = value_at(data, "analysis.composites")
    there = dict(composites) if isinstance(composites, dict) else {}
    if _named(there, label):
        raise ThereAlreadyError(label)
    if len(keys) < 2:  # noqa: PLR2004 - a score of one question is the question
        raise GuessError("Write at least two questions, one per line.")
    made = {"questions": keys, "label": label}
    return with_value(data, "analysis.composites", {**there, free_key(data, key_of(label, "score")): made})


def _contrast(data: Data, values: Mapping[str, str]) -> Data:
    entries = {str(one.get("key")): one for one in questions_about(data)}
    composites = value_at(data, "analysis.composites")
    entries |= dict(composites) if isinstance(composites, dict) else {}
    found: Data = {}
    for name, there, what in (
        ("question", entries, "question"),
        ("source", _sources(data), "source"),
        ("reference", _sources(data), "source"),
    ):
        words = values.get(name, "").strip()
        if not words and name != "question":
            continue
        key = _named(there, words)
        if key is None:
            raise GuessError(f"There is no {what} {words} yet. Accept it first, or write the name of another one.")
        found[name] = key
    if found.get("source") and found.get("source") == found.get("reference"):
        raise GuessError("A source cannot be compared with itself.")
    if values.get("test"):
        found["test"] = values["test"]
    primary = value_at(data, "analysis.primary")
    there_now = list(primary) if isinstance(primary, list) else []
    if found in there_now or (set(found) == {"question"} and found["question"] in there_now):
        raise ThereAlreadyError("This contrast")
    return with_value(data, "analysis.primary", [*there_now, found])


def _prose(path: str) -> Callable[[Data, Mapping[str, str]], Data]:
    def apply(data: Data, values: Mapping[str, str]) -> Data:
        text, there = _said(values, "text", "Write what the study should say."), str(value_at(data, path) or "")
        return data if text in there else with_value(data, path, f"{there}\n{text}".strip())

    return apply


def _hypothesis(data: Data, values: Mapping[str, str]) -> Data:
    path = "preregistration.hypotheses"
    text, there = _said(values, "text", "Write the hypothesis."), list(value_at(data, path) or ())
    return data if text in there else with_value(data, path, [*there, text])


def _said(values: Mapping[str, str], name: str, otherwise: str) -> str:
    words = values.get(name, "").strip()
    if not words:
        raise GuessError(otherwise)
    return words


def _number(values: Mapping[str, str], name: str, least: int, most: int = 10**6) -> int:
    text = values.get(name, "").strip()
    number = int(text) if text.removeprefix("-").isdecimal() and text.isascii() else None
    if number is None or not least <= number <= most:
        raise GuessError(f"Write a whole number from {least} to {most:,}.")
    return number


_KINDS_OF_SOURCE = (
    Option("human", "People"),
    Option("model", "A language model"),
    Option("human+model", "People with a model"),
)
_TRIALS = (
    Option("single", "One response"),
    Option("pairs", "Two responses side by side"),
    Option("set", "All responses to an item"),
    Option("dialogue", "A whole dialogue"),
)
_WORDS = (GuessField("label", "Short name"), GuessField("text", "Question as raters read it", "prose"))
_N = (GuessField("n", "Number", "number"),)
_TEXT = (GuessField("text", "Text", "prose"),)
TEST_WORDS = {
    "t_paired": "Paired t test",
    "t_unpaired": "Unpaired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "mann_whitney": "Mann-Whitney U test",
    "mean_difference_lmm": "Linear mixed model",
    "odds_ratio_clmm": "Ordinal mixed model",
    "chi_square": "Chi-square test",
    "equivalence": "Equivalence test",
    "non_inferiority": "Non-inferiority test",
}
assert set(TEST_WORDS) <= set(TESTS)  # noqa: S101 - a test that the protocol no longer has
# In the order in which they are applied: later ones name what earlier ones add.
KINDS: dict[str, GuessKind] = {
    "source": GuessKind(
        "Source of responses",
        (GuessField("name", "Name"), GuessField("kind", "Written by", "choice", _KINDS_OF_SOURCE)),
        _source,
        "name",
    ),
    "layout": GuessKind("What one page shows", (GuessField("trials", "One page shows", "choice", _TRIALS),), _layout),
    "rating": GuessKind(
        "Question on a scale", (*_WORDS, GuessField("labels", "Points, one per line", "prose")), _rating, "label"
    ),
    "slider": GuessKind(
        "Question with a slider",
        (
            *_WORDS,
            GuessField("min", "Lowest number", "number"),
            GuessField("max", "Highest number", "number"),
            GuessField("min_words", "Words at the low end"),
            GuessField("max_words", "Words at the high end"),
        ),
        _slider,
        "label",
    ),
    "choice": GuessKind(
        "Choice between two responses",
        (
            GuessField("text", "Question as raters read it", "prose"),
            GuessField("tie", "Offer “About the same”", "choice", (Option("no", "No"), Option("yes", "Yes"))),
        ),
        _choice,
    ),
    "published": GuessKind(
        "Published scale",
        (
            GuessField(
                "scale", "Scale", "choice", tuple(Option(short, scale.name) for short, scale in BY_SHORT.items())
            ),
            GuessField("words", "Its statements, one per line, if you have permission", "prose"),
        ),
        _published,
        "scale",
    ),
    "composite": GuessKind(
        "Score of several questions",
        (GuessField("label", "Name of the score"), GuessField("questions", "Questions, one per line", "prose")),
        _composite,
    ),
    "raters_per_trial": GuessKind("Raters per trial", _N, _in_design("raters_per_trial")),
    "trials_per_rater": GuessKind("Trials per rater", _N, _in_design("trials_per_rater")),
    "attention": GuessKind("Attention checks", _N, _attention),
    "contrast": GuessKind(
        "Primary contrast",
        (
            GuessField("question", "Question or score"),
            GuessField("source", "Source"),
            GuessField("reference", "Compared with"),
            GuessField(
                "test",
                "Test",
                "choice",
                (Option("", "The default test"), *(Option(*pair) for pair in TEST_WORDS.items())),
            ),
        ),
        _contrast,
        "source",
    ),
    "hypothesis": GuessKind("Hypothesis", _TEXT, _hypothesis, "text"),
    "sample_size": GuessKind("Reason for the sample size", _TEXT, _prose("preregistration.sample_size"), "text"),
    "stopping_rule": GuessKind("Stopping rule", _TEXT, _prose("preregistration.stopping_rule"), "text"),
    "exclusion": GuessKind("Exclusions", _TEXT, _prose("preregistration.exclusions"), "text"),
}


def with_guess(data: Data, guess: Guess) -> Data:
    """The data of a study with an accepted guess.

    Raises:
        GuessError: it has a value that is not allowed, or would make the study invalid where it is valid now.
    """
    kind = KINDS[guess.kind]
    for one in kind.fields:
        if one.options and guess.values.get(one.name, "") not in {option.value for option in one.options}:
            raise GuessError(f"Choose: {one.label}.")
    made = kind.apply(data, guess.values)
    before = {problem.column for problem in _problems(data)}
    if new := [problem for problem in _problems(made) if problem.column not in before]:
        raise GuessError(problem_words(new[0], made))
    return made


def is_there(data: Data, guess: Guess) -> bool:
    """Whether the study says already what a guess says."""
    try:
        return KINDS[guess.kind].apply(data, guess.values) == data
    except ThereAlreadyError:
        return True
    except GuessError:
        return False


def _problems(data: Data) -> Sequence[Any]:
    problems = Problems()
    read_protocol(json.dumps(data, default=str), problems)
    return problems.list_of(FILE)


def in_order(guesses: Sequence[Guess]) -> list[Guess]:
    """The guesses in the order in which they are shown and applied; of two about the same, the first."""
    once: dict[tuple[str, str], Guess] = {}
    for guess in guesses:
        once.setdefault(guess.about, guess)
    order = list(KINDS)
    return sorted(once.values(), key=lambda guess: order.index(guess.kind))


def names_in(data: Data, guesses: Sequence[Guess]) -> dict[str, list[str]]:
    """What a contrast can name: the sources and the questions and scores of the study, and those that are guessed."""
    composites = value_at(data, "analysis.composites")
    entries = {str(one.get("key")): one for one in questions_about(data)}
    entries |= dict(composites) if isinstance(composites, dict) else {}
    named = {"sources": _sources(data), "questions": entries}
    guessed = {
        "sources": [guess.values["name"] for guess in guesses if guess.kind == "source"],
        "questions": [guess.values["label"] for guess in guesses if guess.kind in {"rating", "slider", "composite"}],
    }
    return {
        what: list(dict.fromkeys([*map(_label_of, there.items()), *guessed[what]])) for what, there in named.items()
    }


def _label_of(entry: tuple[str, Any]) -> str:
    key, about = entry
    return str(about.get("label") or readable(key)) if isinstance(about, dict) else readable(key)


def title_of(guess: Guess) -> str:
    """The guess in a few words, for the list of what was added.

    >>> title_of(Guess("choice", "", {"text": "Which is warmer?", "tie": "no"}))
    'Choice between two responses: Which is warmer?'
    >>> title_of(Guess("choice", "", {"text": "", "tie": "no"}))
    'Choice between two responses'
    """
    words = guess.values.get(KINDS[guess.kind].names) or next(iter(guess.values.values()), "")
    if guess.kind == "attention":
        return counted(int(words), "attention check")
    words = BY_SHORT[words].name if guess.kind == "published" else words
    return f"{KINDS[guess.kind].title}: {words}" if words else KINDS[guess.kind].title
