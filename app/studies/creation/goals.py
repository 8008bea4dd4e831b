"""What a lead wants to ask about the texts of a spreadsheet, and the draft that each choice begins with."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.base.files.yaml_tree import read_yaml
from app.base.problems import Problems
from app.protocol.yaml.edited_yaml import edited_yaml
from app.protocol.yaml.study_yaml import FILE
from app.studies.creation.templates import files_of

RATER_TITLE = "Reading and rating texts"
INSTRUCTIONS = (
    "[Say here what raters read and judge, in your own words.]\n\n"
    "Read everything on the page before you answer. You will not be told who wrote a response."
)
# Paragraphs of a consent form that say what a template's own study is about.
_CONSENT = {
    "Purpose.": "[What the study is about, and who conducts it.]",
    "What you will do.": "[What raters read and answer, and how long it takes.]",
    "Risks and benefits.": "[Whether the texts may be distressing, and what raters get.]",
}
# Words of a template's questions that are only those of its own field.
_OF_FIELD = " or bedside manner"
_PAIR = 2
_COMMENT = re.compile(r"^ *#.*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Goal:
    """A question about texts: its template, and how many sources it takes; `maximum` None for any number.

    `has_ratings`: the sheet has the ratings, and with them the questions; the template is only a picture then.
    """

    template: str
    title: str
    takes: str
    minimum: int
    maximum: int | None = None
    is_dialogue: bool = False
    has_ratings: bool = False

    @property
    def name(self) -> str:
        """What the form calls the goal."""
        return "ratings" if self.has_ratings else self.template

    def misfit(self, n_sources: int, rated: Sequence[Mapping[str, Any]] = ()) -> str:
        """Why the sheet does not fit; empty if it does."""
        if self.has_ratings and not all(one["n_raters"] for one in rated):
            return "Enter the rater of each column of ratings above, or choose the column that names the raters."
        n = "no source" if not n_sources else "1 source" if n_sources == 1 else f"{n_sources} sources"
        is_within = self.minimum <= n_sources <= (self.maximum or n_sources)
        return "" if is_within else f"This sheet has {n}."


GOALS = (
    Goal("ranking", "Rank three or more responses", "Three to ten sources", 3, 10),
    Goal(
        "ayers-pair",
        "Compare two responses side by side",
        "Two sources or more; each is shown beside the person's responses",
        2,
    ),
    Goal("four-dimensions", "Rate one response at a time", "One source or more", 1),
    Goal(
        "perceived-empathy", "Rate whole conversations", "One source or more, dialogues of turns", 1, is_dialogue=True
    ),
)
COLLECTED = Goal(
    "four-dimensions", "Ratings already collected", "The questions and ratings of this sheet", 1, has_ratings=True
)


def goals_for(n_sources: int, *, has_turns: bool, has_ratings: bool) -> list[Goal]:
    """The goals, those that fit the sheet first; ratings already collected come before all others."""

    def rank(goal: Goal) -> tuple[bool, bool, bool]:
        is_closest = goal.template == {1: "four-dimensions", 2: "ayers-pair"}.get(n_sources, "ranking")
        return bool(goal.misfit(n_sources)), goal.is_dialogue != has_turns, not is_closest

    return [*([COLLECTED] if has_ratings else []), *sorted(GOALS, key=rank)]


def missing_texts(columns: Sequence[Mapping[str, Any]]) -> str:
    """What a sheet lacks to be rated, and what to choose above its columns; empty if a column holds responses."""
    roles = {column["role"] for column in columns}
    source = next((column["name"] for column in columns if column["role"] == "source"), None)
    if "response" in roles:
        return ""
    if "rating" in roles and "text" not in roles:
        return (
            "This sheet has ratings, but no texts. Add columns with the situations and the responses that were rated."
        )
    if source is not None:
        said = f"“{source}” says who wrote the response of each row, but no column holds the responses."
        return f"{said} Choose “Responses of a source” above the column that does."
    if "text" in roles:
        said = "No column holds responses, so there is nothing to rate yet."
        return f"{said} Choose “Responses of a source” above each column with the responses of one person or model."
    said = "No column holds texts: each was taken for numbers, names or IDs. Choose “Situation” above the column that"
    return f"{said} raters read first, and “Responses of a source” above each column of responses."


def draft_yaml(
    goal: Goal, slug: str, title: str, sources: Mapping[str, Mapping[str, str]], reference: str | None = None
) -> str:
    """The study.yaml of a new draft: a template's questions with these sources, and no words about its own texts.

    `reference`: the source that the others are compared with; default: the first of people.
    """
    yaml = _COMMENT.sub("", files_of(goal.template, slug, title)[FILE].decode("utf-8"))
    tree = read_yaml(FILE, yaml, Problems())
    if tree is None:
        raise AssertionError("a template can be read")
    data = tree.data
    consent = data["flow"]["consent"]
    changed = {
        "rater_title": RATER_TITLE,
        "instructions": INSTRUCTIONS,
        "sources": dict(sources),
        "questions": [_without_field(question) for question in data["questions"]],
        "flow": {**data["flow"], "consent": {**consent, "text": _own_consent(consent["text"])}},
        "analysis": _analysis(data["analysis"], sources, reference),
    }
    if data["design"]["trials"] == "pairs" and len(sources) > _PAIR and "reference" in changed["analysis"]:
        changed["design"] = {**data["design"], "pairs": "reference"}
    return edited_yaml(yaml, {**data, **changed})


def _without_field(question: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: words.replace(_OF_FIELD, "") if name in {"text", "label"} else words for name, words in question.items()
    }


def _own_consent(text: str) -> str:
    return "\n\n".join(_own_paragraph(paragraph) for paragraph in text.split("\n\n"))


def _own_paragraph(paragraph: str) -> str:
    for heading, words in _CONSENT.items():
        if paragraph.startswith(f"**{heading}**"):
            return f"**{heading}** {words}"
    return paragraph


def _analysis(
    analysis: Mapping[str, Any], sources: Mapping[str, Mapping[str, str]], reference: str | None
) -> dict[str, Any]:
    """A template's analysis without its reference and the tests of its paper; people are the new reference."""
    human = reference or next((key for key, source in sources.items() if source["kind"] == "human"), None)
    kept = {name: value for name, value in analysis.items() if name not in {"reference", "primary"}}
    if human is None or len(sources) == 1:
        return kept
    primary = (one["question"] if isinstance(one, dict) else one for one in analysis.get("primary", ()))
    return {"reference": human, **kept, "primary": [*dict.fromkeys(primary)]}
