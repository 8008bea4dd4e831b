"""A draft without texts and with one question to write: what a pasted methods section is read into."""

from __future__ import annotations

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


def blank_study(slug: str) -> StudyFolder:
    """A new draft with the consent form and the trials of *Rate one response at a time*, and nothing else of it."""
    yaml = draft_yaml(_GOAL, slug, TITLE, {})
    tree = read_yaml(FILE, yaml, Problems())
    if tree is None:
        raise AssertionError("a draft can be read")
    kept = {name: value for name, value in tree.data.items() if name not in _OF_TEMPLATE}
    data = with_new({**kept, "questions": []}, "rating", "response")
    return read_files({FILE: edited_yaml(yaml, data).encode(), **_TABLES})
