"""Scales to choose from: common ones, those of this study's questions, and those of the lead's other studies."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, text

from app.base.words import counted
from app.studies.editor.controls import named_of
from app.studies.editor.nodes import Data, Named, Scalar

_SCALE = Named(Scalar(), is_scale=True)
# The fields of a question that make up its scale.
_PARTS = ("type", "scale", "min", "max", "step", "min_words", "max_words", "definitions")
# Fields of the old type that the new one may not have.
_OF_TYPE = ("orientation", "labels_shown", "level")
_N_STUDIES = 20
_PAIR = 2


@dataclass(frozen=True, slots=True)
class ScaleChoice:
    """A scale to choose. `parts` are the fields of a question with it."""

    key: str
    group: str
    title: str
    parts: Mapping[str, Any]

    @property
    def words(self) -> str:
        """Its words, first to last."""
        if self.parts["type"] == "slider":
            ends = (
                (self.parts.get("min_words") or self.parts.get("min", 0)),
                (self.parts.get("max_words") or self.parts.get("max", 100)),
            )
            return " – ".join(map(str, ends))
        points = points_of(self.parts)
        first, *_, last = words = [text or value for value, text in points.items()]
        return ", ".join(words) if any([*points.values()][1:-1]) or len(points) <= _PAIR else f"{first} – {last}"


def points_of(question: Mapping[str, Any]) -> dict[str, str]:
    """The points of a rating question, from value to words."""
    return {value: str(words or "") for value, words in named_of(_SCALE, question.get("scale")).items()}


def _rating(key: str, title: str, *words: str) -> ScaleChoice:
    scale = {str(place): word for place, word in enumerate(words, 1)}
    return ScaleChoice(key, "Common scales", title, {"type": "rating", "scale": scale})


LIBRARY = (
    _rating(
        "agreement-5",
        "Agreement, 5 points",
        "Strongly disagree",
        "Disagree",
        "Neither agree nor disagree",
        "Agree",
        "Strongly agree",
    ),
    _rating(
        "agreement-7",
        "Agreement, 7 points",
        "Strongly disagree",
        "Disagree",
        "Somewhat disagree",
        "Neither agree nor disagree",
        "Somewhat agree",
        "Agree",
        "Strongly agree",
    ),
    _rating("extent-5", "Extent, 5 points", "Not at all", "Slightly", "Moderately", "Very", "Extremely"),
    _rating("frequency-5", "Frequency, 5 points", "Never", "Rarely", "Sometimes", "Often", "Always"),
    _rating("quality-5", "Quality, 5 points", "Very poor", "Poor", "Acceptable", "Good", "Very good"),
    _rating(
        "likelihood-5",
        "Likelihood, 5 points",
        "Very unlikely",
        "Unlikely",
        "Neither likely nor unlikely",
        "Likely",
        "Very likely",
    ),
    _rating("differential-7", "Two opposites, 7 points", "Cold", "", "", "", "", "", "Warm"),
    ScaleChoice(
        "slider-100",
        "Common scales",
        "Slider, 0 to 100",
        {"type": "slider", "min": 0, "max": 100, "min_words": "Not at all", "max_words": "Very much"},
    ),
)
_OTHERS = text("""
    SELECT p.document -> 'questions' AS questions FROM studies s
    JOIN study_members m ON m.study_id = s.id AND m.lead_id = :lead
    JOIN protocols p ON p.study_id = s.id AND p.version = s.protocol_version
    WHERE s.id <> :study ORDER BY s.id DESC LIMIT :most
""")


def scale_choices(db: Connection, study_id: int, lead_id: int, data: Data, number: int | None) -> list[ScaleChoice]:
    """The scales to choose from for the question with this number, from 1; None for a question at the end."""
    found = data.get("questions")
    questions = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    before = questions if number is None else questions[: number - 1]
    previous = next((one for one in reversed(before) if has_scale(one)), None)
    choices: list[ScaleChoice] = []
    if previous:
        choices.append(ScaleChoice("previous", "This study", "As in the question before", scale_parts(previous)))
    choices += _own("here", "This study", questions)
    rows = db.execute(_OTHERS, {"study": study_id, "lead": lead_id, "most": _N_STUDIES})
    choices += _own("mine", "My other studies", [question for row in rows for question in row.questions])
    seen: list[str] = []
    known = {one.words for one in LIBRARY}
    for choice in choices:
        if choice.key == "previous" or choice.words not in {*seen, *known}:
            seen.append(choice.words)
        else:
            seen.append("")
    return [*(choice for choice, words in zip(choices, seen, strict=True) if words), *LIBRARY]


def _own(name: str, group: str, questions: list[Data]) -> Iterator[ScaleChoice]:
    for question in questions:
        if has_scale(question):
            choice = ScaleChoice("", group, "", scale_parts(question))
            n = "Slider" if question["type"] == "slider" else counted(len(points_of(question)), "point")
            yield ScaleChoice(f"{name}:{choice.words}", group, n, choice.parts)


def has_scale(question: Mapping[str, Any]) -> bool:
    """Whether a question is answered on a scale that can be used for another one."""
    return question.get("type") == "slider" or (question.get("type") == "rating" and len(points_of(question)) > 1)


def scale_parts(question: Mapping[str, Any]) -> Data:
    """The fields of a question that make up its scale."""
    parts = {name: question[name] for name in _PARTS if question.get(name) is not None}
    return parts | ({"scale": points_of(question)} if question.get("type") == "rating" else {})


def with_scale(question: Data, parts: Mapping[str, Any]) -> Data:
    """The question with another scale; what only the old type has goes."""
    dropped = {*_PARTS, *(_OF_TYPE if question.get("type") != parts["type"] else ())}
    kept = {name: value for name, value in question.items() if name not in dropped - {"type"}}
    return {**kept, **parts}
