"""Create a new study from a lead's upload: a study folder, or a spreadsheet with one row per item."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from ruamel.yaml import YAML
from sqlalchemy import Connection

from app.accounts.leads import revoke_sign_in_links
from app.analysis.data.study_folder import StudyFolder
from app.base.limits import Limits
from app.base.problem import InvalidInputError, Problem
from app.base.problems import Problems
from app.protocol.allocation.feasibility import Feasibility, feasibility
from app.protocol.allocation.trials import Candidate, PlannedItem, planned_trials, special_trials
from app.protocol.yaml.study_yaml import read_protocol
from app.studies.creation.new_study import Sheet
from app.studies.creation.templates import SlugError, files_of
from app.studies.creation.uploads import read_upload
from app.studies.folder.read import read_files
from app.studies.folder.study_templates import TemplateMissingError, list_templates, template_folder
from app.studies.imports.read_texts import read_texts
from app.studies.imports.wide_table import Layout
from app.studies.load import load_study

# Default questions of a new study: a forced choice, followed by the four dimensions of this template.
QUESTIONS_OF = "four-dimensions"
PREFERENCE = {
    "key": "preference",
    "target": "pair",
    "type": "choice",
    "tie": True,
    "text": "If you were this person, which response would you rather have received?",
}


def read_uploaded_files(files: Mapping[str, Path], limits: Limits) -> StudyFolder:
    """The study in the files of a study folder, or in a zip of them.

    Raises:
        InvalidInputError: with every problem.
    """
    if not files:
        allowed = "the files of a study folder, or one zip of them"
        raise InvalidInputError([Problem("upload", None, None, "no file", allowed)])
    return read_upload({name: path.read_bytes() for name, path in files.items()}, limits=limits)


def read_sheet(sheet: Sheet, limits: Limits) -> StudyFolder:
    """Create a study from a spreadsheet with one row per item, with the default questions.

    Raises:
        InvalidInputError: with every problem.
    """
    problems = Problems(limits)
    yaml = _yaml(_document(sheet))
    protocol = read_protocol(yaml, problems)
    _check_columns(sheet, problems)
    problems.raise_if_any()
    if protocol is None or sheet.file is None:
        raise AssertionError("a protocol that cannot be read is a problem, and so is a missing file")
    columns = {column.source: column.column for column in sheet.columns}
    layout = Layout(columns, item=sheet.item or None, text=sheet.text)
    return read_texts(sheet.file, layout, protocol, yaml, problems)


def read_template(name: str, title: str, slug: str) -> StudyFolder:
    """A published design with its example items and responses, under a new slug and title.

    Raises:
        InvalidInputError: the template does not exist, or slug or title are missing.
    """
    try:
        files = files_of(name, slug, title)
    except TemplateMissingError as error:
        names = ", ".join(template.name for template in list_templates())
        raise InvalidInputError([Problem("the form", None, "template", name, f"one of {names}")]) from error
    except SlugError as error:
        allowed = "Lowercase letters, digits and hyphens between them, up to 64"
        raise InvalidInputError([Problem("the form", None, "slug", slug, allowed)]) from error
    return read_files(files)


def store_study(db: Connection, folder: StudyFolder, lead_id: int) -> str:
    """Store a study completely or not at all, and end the sign-in links of its lead.

    An owner of all other studies of the lead may have made one, and does not own this study.

    Returns:
        The study's slug.

    Raises:
        InvalidInputError: another study has this slug; nothing was stored.
    """
    with db.begin_nested():
        load_study(db, folder, lead_id)
    revoke_sign_in_links(db, lead_id)
    return folder.protocol.slug


def _check_columns(sheet: Sheet, problems: Problems) -> None:
    if sheet.file is None:
        problems.add("upload", None, None, "no file", "a spreadsheet: .csv, .xlsx, .jsonl, .json or .parquet")
    if not sheet.columns:
        problems.add("the form", None, "source", "none", "at least one source, with the column of its responses")
    names = [column.source for column in sheet.columns]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        problems.add("the form", None, "source", name, "each source once")


def _document(sheet: Sheet) -> dict[str, Any]:
    """The content of study.yaml: pairs if there are several sources, otherwise single responses without a choice."""
    has_pairs = len(sheet.columns) > 1
    scales = _default_questions()
    return {
        "attune": 1,
        "slug": sheet.slug,
        "title": sheet.title,
        "sources": {column.source: {"kind": column.kind} for column in sheet.columns},
        "questions": [PREFERENCE, *scales] if has_pairs else scales,
        "design": {
            **({"trials": "pairs", "pairs": "reference"} if has_pairs else {"trials": "single"}),
            "raters_per_trial": 3,
            "trials_per_rater": 12,
            "blind": True,
        },
        "analysis": {"cut": {question["key"]: 4 for question in scales}},
    }


def _default_questions() -> list[dict[str, Any]]:
    protocol = YAML(typ="safe").load((template_folder(QUESTIONS_OF) / "study.yaml").read_text("utf-8"))
    questions: list[dict[str, Any]] = protocol["questions"]
    return questions


def _yaml(document: dict[str, Any]) -> str:
    text = io.StringIO()
    writer = YAML()
    writer.width = 100
    writer.dump(document, text)
    return text.getvalue()


# What the design of a study folder needs, before it is loaded.


def feasibility_of_folder(folder: StudyFolder) -> Feasibility:
    """The number of raters that the folder's design needs, and why it is not feasible if it is not."""
    named: dict[str, set[str]] = {}
    persons = folder.raters[folder.raters["kind"] == "person"]
    for rater, pool in zip(persons["rater"], persons["pool"], strict=True):
        named.setdefault(pool or "", set()).add(rater)
    items = planned_items(folder)
    special = special_trials(folder.protocol, items)
    return feasibility(folder.protocol, planned_trials(folder.protocol, items), named, special.problems)


def planned_items(folder: StudyFolder) -> list[PlannedItem]:
    """The items of a folder as the plan needs them, in order."""
    responses: dict[str, list[Candidate]] = {item: [] for item in folder.items["item"]}
    table = folder.responses
    for place, (key, item, source) in enumerate(zip(table["response"], table["item"], table["source"], strict=True)):
        responses[item].append(Candidate(place, key, source))
    columns = zip(
        folder.items["item"], *(_column(folder.items, name) for name in ("rater", "pool", "content_note")), strict=True
    )
    return [
        PlannedItem(item, tuple(responses[item]), rater or None, pool or None, bool(note))
        for item, rater, pool, note in columns
    ]


def _column(items: pd.DataFrame, name: str) -> list[str | None]:
    return list(items[name]) if name in items.columns else [None] * len(items)
