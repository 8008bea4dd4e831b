"""Create a new study from a lead's upload: a study folder, or a template."""

import io
import lzma
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import Connection

from app.accounts.leads import revoke_sign_in_links
from app.analysis.data.study_folder import ITEM_COLUMNS, StudyFolder
from app.base.files.input_limits import MEBIBYTE, check_archive
from app.base.limits import ON_THIS_COMPUTER, Limits
from app.base.problem import InvalidInputError, Problem
from app.base.problems import Problems
from app.base.words import or_list
from app.protocol.allocation.feasibility import Feasibility, draw_up
from app.protocol.allocation.trials import Candidate, PlannedItem
from app.protocol.yaml.study_yaml import FILE
from app.studies.creation.templates import SlugError, files_of
from app.studies.folder.read import IMAGES, READ, WRITTEN_ONLY, read_files
from app.studies.folder.study_templates import TemplateMissingError, list_templates
from app.studies.load import load_study

# Files uploaded by a browser: the files of a folder, or one zip of them. Nothing is written to disk.


# zipfile raises RuntimeError for a password or an unknown compression, and the others for damaged archives.
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    RuntimeError,
    OSError,
    EOFError,
    ValueError,
)
_KNOWN = frozenset((*READ, *WRITTEN_ONLY))
_IMAGE_ENDINGS = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".heic", ".avif", ".tif", ".tiff", ".bmp")


def read_upload(files: dict[str, bytes], *, limits: Limits = ON_THIS_COMPUTER) -> StudyFolder:
    """Read the study from uploaded files: study.yaml, items.csv ... by name, or one zip file that contains them.

    Args:
        files: from the file name that the browser sent to the content.
        limits: size limits of the files.

    Raises:
        InvalidInputError: with every problem of every file.
    """
    problems = Problems(limits)
    name, data = next(iter(files.items()), ("", b""))
    if len(files) == 1 and zipfile.is_zipfile(io.BytesIO(data)):
        files = _unzipped(name, data, problems)
    elif len(files) == 1 and name.lower().endswith(".zip"):
        problems.add(name, None, None, "a file that is no zip, or a damaged one", "a zip file of a study folder")
        problems.raise_if_any()
    by_name: dict[str, bytes] = {}
    for path, data in files.items():
        part = _name_in_study(path)
        if part is None:
            problems.note(path, None, None, path, f"{or_list(READ, 20)}; the file was ignored")
        elif part in by_name:
            problems.add(part, None, None, "two files with this name", "the files of one study")
        by_name.setdefault(part or path, data)
    if sum(map(len, by_name.values())) > limits.unpacked_mb * MEBIBYTE:
        problems.add("upload", None, None, "an upload that is too large", f"at most {limits.unpacked_mb} MiB in total")
    problems.raise_if_any()
    return read_files(by_name, problems)


def _base_name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def _unzipped(name: str, data: bytes, problems: Problems) -> dict[str, bytes]:
    """Return the study's files in a zip, wherever study.yaml is in it."""
    files: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            top = _folder_of_study([member.filename for member in members])
            parts = [member for member in members if not member.is_dir() and _is_part(member.filename, top)]
            if check_archive(name, parts, problems.limits.unpacked_mb, problems):
                files = {member.filename: archive.read(member) for member in parts}
    except _UNREADABLE as error:
        problems.add(
            name,
            None,
            None,
            f"a zip file that cannot be read ({error})",
            "a zip file of a study folder, without a password",
        )
    problems.raise_if_any()
    return files


def _folder_of_study(names: list[str]) -> str:
    """Return the folder inside the zip that contains study.yaml, with its slash; the shortest if there are several."""
    found = [name.removesuffix(FILE) for name in names if _base_name(name) == FILE and not _is_shadow(name)]
    return min(found, key=len, default="")


def _name_in_study(path: str) -> str | None:
    """The name of an uploaded file in its study; None if it is no part of one. Browsers may leave out the folder.

    >>> _name_in_study("study/images/one.gif"), _name_in_study("one.PNG"), _name_in_study("study/items.csv")
    ('images/one.gif', 'images/one.PNG', 'items.csv')
    """
    folder, name = path.replace("\\", "/").split("/")[-2:-1], _base_name(path)
    if folder == [IMAGES] or (name not in _KNOWN and name.lower().endswith(_IMAGE_ENDINGS)):
        return f"{IMAGES}/{name}"
    return name if name in _KNOWN else None


def _is_part(name: str, top: str) -> bool:
    folder, _, base = name[len(top) :].rpartition("/")
    is_known = bool(base) if folder == IMAGES else not folder and base in _KNOWN
    return name.startswith(top) and is_known and not _is_shadow(name)


def _is_shadow(name: str) -> bool:
    """Return whether a file is metadata that macOS adds to a zip beside each file."""
    return name.startswith("__MACOSX/")


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
    return draw_up(folder.protocol, planned_items(folder), named).needs


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
