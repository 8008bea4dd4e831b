"""The questions that a second study begins with: of a template, a published scale, or another study of its lead."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from app.accounts.roles import ROLES, Right, may
from app.base.files.yaml_tree import read_yaml
from app.base.problem import InvalidInputError, Problem
from app.base.problems import Problems
from app.protocol.questions.registry import SCALED
from app.protocol.yaml.study_yaml import FILE
from app.studies.creation.goals import Goal
from app.studies.editor.nodes import Data
from app.studies.editor.published_scales import PUBLISHED, PublishedScale, ScaleWordsError, with_published
from app.studies.editor.question_list import with_new
from app.studies.protocols import get_protocol_text
from app.studies.studies import get_study

FORM = "the form"
# How the form names a scale or a study, beside the names of templates.
SCALE, STUDY = "scale:", "study:"
# One rating whose words are still to be written, for texts that no template is about.
OWN = "own"
# The published scales that can be asked about a text.
SCALES = {f"{SCALE}{one.short}": one for one in PUBLISHED if one.about == "response"}
# What can be asked of one text per page; only conversations have turns.
_TARGETS = ("response", "item", "turn")
_STUDIES = text("""
    SELECT s.slug, p.title FROM studies s
    JOIN protocols p ON p.study_id = s.id AND p.version = s.protocol_version
    JOIN study_members m ON m.study_id = s.id AND m.lead_id = :lead AND m.role = ANY(:roles)
    WHERE s.id <> :study
      AND EXISTS (SELECT FROM questions q WHERE q.study_id = s.id AND q.target IN ('response', 'item', 'turn'))
    ORDER BY s.created_at DESC, s.slug
""")


class OfStudy(NamedTuple):
    """A study whose questions can be asked again."""

    slug: str
    title: str

    @property
    def name(self) -> str:
        """What the form calls it."""
        return f"{STUDY}{self.slug}"


class FirstQuestions(NamedTuple):
    """What a second study begins with: a template, and in place of its questions those of a scale or a study."""

    goal: Goal
    scale: PublishedScale | None = None
    words: str = ""
    other: Data | None = None


def list_studies_with_questions(db: Connection, study_id: int, lead_id: int) -> list[OfStudy]:
    """The other studies of a lead that ask about texts."""
    roles = [role for role in ROLES if may(role, Right.READ)]
    return [OfStudy(*row) for row in db.execute(_STUDIES, {"study": study_id, "lead": lead_id, "roles": roles})]


def first_questions(
    db: Connection, goals: Sequence[Goal], name: str, words: str, lead_id: int | None
) -> FirstQuestions:
    """What a name of the form stands for; default: the last of the templates.

    Args:
        db: the transaction.
        goals: the templates that fit.
        name: a template's, `own`, or that of a scale or a study.
        words: the statements of a scale, if they are not in Attune.
        lead_id: who asks; None on the command line, where every study can be named.

    Raises:
        InvalidInputError: there is no such template, scale or study.
    """
    by_name = {goal.template: goal for goal in goals}
    last = [*by_name.values()][-1]
    if name == OWN:
        return FirstQuestions(last, other=with_new({}, "rating", "response"))
    if name in SCALES:
        return FirstQuestions(last, SCALES[name], words)
    if name.startswith(STUDY):
        found = get_study(db, name.removeprefix(STUDY), lead_id)
        if found and (lead_id is None or may(found.role, Right.READ)):
            tree = read_yaml(FILE, get_protocol_text(db, found.id, found.protocol_version).yaml, Problems())
            return FirstQuestions(last, other=tree.data if tree else {})
    elif (goal := by_name.get(name) if name else last) is not None:
        return FirstQuestions(goal)
    allowed = f"one of {', '.join([*by_name, OWN, *SCALES])}, or {STUDY} and the short name of a study of yours"
    raise InvalidInputError([Problem(FORM, None, "questions", name, allowed)])


def with_first_questions(data: Data, first: FirstQuestions) -> Data:
    """The data of a draft with the questions that it begins with.

    Raises:
        InvalidInputError: the words of the scale are missing, or the other study asks nothing about such texts.
    """
    if first.scale:
        try:
            made = with_published(_without_questions(data), first.scale, first.words, "response")
        except ScaleWordsError as error:
            raise InvalidInputError([Problem(FORM, None, "words", str(error), "")]) from None
        return _with_primary(data, made, [*made["analysis"]["composites"]][-1:])
    if first.other is None:
        return data
    targets = _TARGETS if first.goal.is_dialogue else _TARGETS[:-1]
    asked = [_alone(one) for one in first.other.get("questions") or () if _is_for_others(one, targets)]
    if not asked:
        raise InvalidInputError([Problem(FORM, None, "questions", "a study that asks nothing about a text", "another")])
    keys = {one["key"] for one in asked}
    analysis = first.other.get("analysis") or {}
    composites = {
        key: one for key, one in (analysis.get("composites") or {}).items() if keys.issuperset(one.get("questions", ()))
    }
    made = _without_questions(data)
    made["questions"] = [*asked, *(one for one in made["questions"] if one["key"] not in keys)]
    made["analysis"] = {**made["analysis"], **({"composites": composites} if composites else {})}
    named = [one["question"] if isinstance(one, Mapping) else one for one in analysis.get("primary") or ()]
    scored = [one["key"] for one in asked if one.get("type") in SCALED]
    primary = [key for key in dict.fromkeys(named) if key in {*keys, *composites}]
    return _with_primary(data, made, primary or [*composites, *scored][:1])


def _is_for_others(question: Mapping[str, Any], targets: Sequence[str]) -> bool:
    """Whether somebody who did not write the texts can be asked: not about their own turns, or the partner's."""
    return question.get("target") in targets and question.get("turns", "all") == "all"


def _alone(question: Mapping[str, Any]) -> Data:
    """A question without the condition of its study in which it is asked."""
    return {name: value for name, value in question.items() if name != "condition"}


def _without_questions(data: Data) -> Data:
    """The data without what a template asks about texts, and its analysis of that."""
    kept = {name: value for name, value in data["analysis"].items() if name not in {"primary", "composites"}}
    about_raters = [one for one in data["questions"] if one.get("target") == "rater"]
    return {**data, "questions": about_raters, "analysis": kept}


def _with_primary(before: Data, data: Data, keys: Sequence[str]) -> Data:
    """The data with these primary contrasts, if the draft has sources to compare."""
    is_compared = bool(before["analysis"].get("primary")) and bool(keys)
    return {**data, "analysis": {**data["analysis"], **({"primary": [*keys]} if is_compared else {})}}
