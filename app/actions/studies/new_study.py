"""A new study from what a lead uploads: a study folder, or a spreadsheet of one row an item."""

from __future__ import annotations

import io
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.design.problem import InvalidInputError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from app.analysis.data.study_folder import StudyFolder

# The four dimensions of this template, and a forced choice before them, are what a study asks until its lead says else.
QUESTIONS_OF = "four-dimensions"
PREFERENCE = {
    "key": "preference",
    "target": "pair",
    "type": "choice",
    "tie": True,
    "text": "If you were this person, which response would you rather have received?",
}


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """Whose responses a column of the spreadsheet holds."""

    source: str
    kind: str
    column: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A spreadsheet and what its lead says of it; `item` is empty where the items are to be numbered."""

    name: str
    content: bytes
    title: str
    slug: str
    text: str
    item: str
    columns: Sequence[SourceColumn]


def store_upload(db: Connection, files: Mapping[str, bytes], lead_id: int) -> str:
    """Check the files of a study folder, or one zip of them, and store the study.

    Returns:
        The study's slug.

    Raises:
        InvalidInputError: with every problem; nothing was stored.
    """
    from app.exchange import read_upload

    if not files:
        raise InvalidInputError(
            [Problem("upload", None, None, "no file", "the files of a study folder, or one zip of them")]
        )
    return _store(db, read_upload(dict(files)), lead_id)


def store_sheet(db: Connection, sheet: Sheet, lead_id: int) -> str:
    """Check a spreadsheet of one row an item, and store a study of it with the default questions.

    Returns:
        The study's slug.

    Raises:
        InvalidInputError: with every problem; nothing was stored.
    """
    from app.actions.studies.items import read_texts
    from app.exchange.problems import Problems
    from app.exchange.protocol.study_yaml import read_protocol
    from app.exchange.tabular.unfold import Layout

    problems = Problems()
    yaml = _yaml(_document(sheet))
    protocol = read_protocol(yaml, problems)
    _check_columns(sheet, problems)
    problems.raise_if_any()
    if protocol is None:
        raise AssertionError("a protocol that cannot be read is a problem")
    layout = Layout(
        {column.source: column.column for column in sheet.columns}, item=sheet.item or None, text=sheet.text
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / (re.sub(r"[^\w.-]", "_", Path(sheet.name).name)[-100:] or "sheet.csv")
        path.write_bytes(sheet.content)
        study = read_texts(path, layout, protocol, yaml, problems)
    return _store(db, study, lead_id)


def store_template(db: Connection, name: str, title: str, slug: str, lead_id: int) -> str:
    """Store a published design with its example items and responses, under a slug and a title of the lead's.

    Returns:
        The study's slug.

    Raises:
        InvalidInputError: no such template, no slug, no title, or a study is called so already; nothing was stored.
    """
    from app.actions.studies.templates import SlugError, TemplateMissingError, files_of, list_templates
    from app.exchange import read_files

    try:
        files = files_of(name, slug, title)
    except TemplateMissingError as error:
        names = ", ".join(template.name for template in list_templates())
        raise InvalidInputError([Problem("the form", None, "template", name, f"one of {names}")]) from error
    except SlugError as error:
        allowed = "small letters, digits and hyphens between them, up to 64"
        raise InvalidInputError([Problem("the form", None, "slug", slug, allowed)]) from error
    return _store(db, read_files(files), lead_id)


def _store(db: Connection, folder: StudyFolder, lead_id: int) -> str:
    from app.storage.studies.load import load_study

    with db.begin_nested():
        load_study(db, folder, lead_id)
    return folder.protocol.slug


def _check_columns(sheet: Sheet, problems: Any) -> None:  # noqa: ANN401 - its module is heavy to import
    if not sheet.content:
        problems.add("upload", None, None, "no file", "a spreadsheet: .csv, .xlsx or .jsonl")
    if not sheet.columns:
        problems.add("the form", None, "source", "none", "at least one source, with the column of its responses")
    names = [column.source for column in sheet.columns]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        problems.add("the form", None, "source", name, "each source once")


def _document(sheet: Sheet) -> dict[str, Any]:
    """study.yaml: pairs where there are two sources or more, else one response at a time and no choice."""
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
    from ruamel.yaml import YAML

    from app.actions.studies.templates import template_folder

    protocol = YAML(typ="safe").load((template_folder(QUESTIONS_OF) / "study.yaml").read_text("utf-8"))
    questions: list[dict[str, Any]] = protocol["questions"]
    return questions


def _yaml(document: dict[str, Any]) -> str:
    from ruamel.yaml import YAML

    text = io.StringIO()
    writer = YAML()
    writer.width = 100
    writer.dump(document, text)
    return text.getvalue()
