"""Drafts with no question of a template: one with a question to write, and one with the questions that were rated."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.analysis.data.study_folder import StudyFolder
from app.base.files.yaml_tree import read_yaml
from app.base.problems import Problems
from app.protocol.yaml.edited_yaml import edited_yaml
from app.protocol.yaml.study_yaml import FILE
from app.studies.creation.goals import GOALS, draft_yaml
from app.studies.editor.question_list import with_new
from app.studies.folder.read import read_files

TITLE = "Study from a methods section"
_TABLES = {"items.csv": b"item,text\n", "responses.csv": b"item,source,text\n"}
_GOAL = next(goal for goal in GOALS if goal.template == "four-dimensions")
# What belongs to the questions of the template.
_OF_TEMPLATE = ("template", "about_texts", "analysis")
_COMPARED = ("rating", "slider", "choice", "category")


def blank_study(slug: str) -> StudyFolder:
    """A new draft with the consent form and the trials of *Rate one response at a time*, and nothing else of it."""
    yaml, data = _blank(slug, TITLE, {})
    return read_files({FILE: edited_yaml(yaml, with_new(data, "rating", "response")).encode(), **_TABLES})


def rated_yaml(
    slug: str, title: str, sources: Mapping[str, Mapping[str, str]], rated: Sequence[Mapping[str, Any]]
) -> str:
    """The study.yaml of a new draft with exactly the questions that were rated, and the comparison of the sources.

    Args:
        slug: of the draft.
        title: of the draft.
        sources: with their kinds; the first of people is the reference, without one the first.
        rated: the rated questions, as `RatedQuestion` has them.
    """
    yaml, data = _blank(slug, title, sources)
    questions = [one["question"] for one in rated]
    design = {**data["design"], "raters_per_trial": max((one["n_raters"] for one in rated), default=1) or 1}
    if any(one["target"] == "pair" for one in questions):
        design |= {"trials": "pairs"} | ({"pairs": "reference"} if len(sources) > _PAIR else {})
    analysis = {}
    if len(sources) > 1:
        human = next((key for key, source in sources.items() if source["kind"] == "human"), next(iter(sources)))
        compared = [one for one in questions if one["target"] in {"response", "pair"} and one["type"] in _COMPARED]
        analysis = {"reference": human, "primary": [one["key"] for one in compared]}
    whole = {**data, "questions": questions, "design": design}
    return edited_yaml(yaml, {**whole, "analysis": analysis} if analysis else whole)


_PAIR = 2


def _blank(slug: str, title: str, sources: Mapping[str, Mapping[str, str]]) -> tuple[str, dict[str, Any]]:
    yaml = draft_yaml(_GOAL, slug, title, sources)
    tree = read_yaml(FILE, yaml, Problems())
    if tree is None:
        raise AssertionError("a draft can be read")
    return yaml, {**{name: value for name, value in tree.data.items() if name not in _OF_TEMPLATE}, "questions": []}
