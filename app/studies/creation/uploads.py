"""Files uploaded by a browser: the files of a folder, or one zip of them. Nothing is written to disk."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib

from app.analysis.data.study_folder import StudyFolder
from app.base.files.input_limits import MEBIBYTE, check_archive
from app.base.files.records import Progress, quiet
from app.base.limits import ON_THIS_COMPUTER, Limits
from app.base.problems import Problems
from app.base.words import or_list
from app.protocol.yaml.study_yaml import FILE
from app.studies.folder.read import READ, WRITTEN_ONLY, read_files

# zipfile raises RuntimeError for a password, and the others for damaged or unusual archives.
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    RuntimeError,
    NotImplementedError,
    OSError,
    EOFError,
    ValueError,
)
_KNOWN = frozenset((*READ, *WRITTEN_ONLY))


def read_upload(
    files: dict[str, bytes], *, limits: Limits = ON_THIS_COMPUTER, progress: Progress = quiet
) -> StudyFolder:
    """Read the study from uploaded files: study.yaml, items.csv ... by name, or one zip file that contains them.

    Args:
        files: from the file name that the browser sent to the content.
        limits: size limits of the files.
        progress: called with a step, how much of it is done, and the total.

    Raises:
        InvalidInputError: with every problem of every file.
    """
    problems = Problems(limits)
    if len(files) == 1 and zipfile.is_zipfile(io.BytesIO(next(iter(files.values())))):
        name, data = next(iter(files.items()))
        files = _unzipped(name, data, problems)
    by_name: dict[str, bytes] = {}
    for path, data in files.items():
        name = _base_name(path)
        if name not in _KNOWN:
            problems.note(path, None, None, path, f"{or_list(READ, 20)}; the file was ignored")
        elif name in by_name:
            problems.add(name, None, None, "two files with this name", "the files of one study")
        by_name.setdefault(name, data)
    if sum(map(len, by_name.values())) > limits.unpacked_mb * MEBIBYTE:
        problems.add("upload", None, None, "an upload that is too large", f"at most {limits.unpacked_mb} MiB in total")
    problems.raise_if_any()
    return read_files(by_name, problems, progress)


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


def _is_part(name: str, top: str) -> bool:
    return name.startswith(top) and _base_name(name) in _KNOWN and "/" not in name[len(top) :] and not _is_shadow(name)


def _is_shadow(name: str) -> bool:
    """Return whether a file is metadata that macOS adds to a zip beside each file."""
    return name.startswith("__MACOSX/")
