"""Create a new study from a lead's upload: a study folder, or a template."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import Connection

from app.accounts.leads import revoke_sign_in_links
from app.analysis.data.study_folder import ITEM_COLUMNS, StudyFolder
from app.base.limits import Limits
from app.base.problem import InvalidInputError, Problem
from app.protocol.allocation.feasibility import Feasibility, needs_of
from app.protocol.allocation.trials import Candidate, PlannedItem
from app.studies.creation.templates import SlugError, files_of
from app.studies.creation.uploads import read_upload
from app.studies.folder.read import read_files
from app.studies.folder.study_templates import TemplateMissingError, list_templates
from app.studies.load import load_study


def read_uploaded_files(files: Mapping[str, Path], limits: Limits) -> StudyFolder:
    """The study in the files of a study folder, or in a zip of them.

    Raises:
        InvalidInputError: with every problem.
    """
    if not files:
        allowed = "the files of a study folder, or one zip of them"
        raise InvalidInputError([Problem("upload", None, None, "no file", allowed)])
    return read_upload({name: path.read_bytes() for name, path in files.items()}, limits=limits)


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


# What the design of a study folder needs, before it is loaded.


def feasibility_of_folder(folder: StudyFolder) -> Feasibility:
    """The number of raters that the folder's design needs, and why it is not feasible if it is not."""
    named: dict[str, set[str]] = {}
    persons = folder.raters[folder.raters["kind"] == "person"]
    for rater, pool in zip(persons["rater"], persons["pool"], strict=True):
        named.setdefault(pool or "", set()).add(rater)
    return needs_of(folder.protocol, planned_items(folder), named)


def planned_items(folder: StudyFolder) -> list[PlannedItem]:
    """The items of a folder as the plan needs them, in order."""
    responses: dict[str, list[Candidate]] = {item: [] for item in folder.items["item"]}
    table = folder.responses
    for place, (key, item, source) in enumerate(zip(table["response"], table["item"], table["source"], strict=True)):
        responses[item].append(Candidate(place, key, source))
    attributes = folder.items.drop(columns=[*ITEM_COLUMNS]).to_dict("records")
    kept = ({str(name): cell for name, cell in cells.items() if cell} for cells in attributes)
    return [
        PlannedItem(item, tuple(responses[item]), bool(note), attributes=own)
        for item, note, own in zip(folder.items["item"], folder.items["content_note"], kept, strict=True)
    ]
