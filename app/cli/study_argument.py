"""The STUDY argument: a slug means a stored study, a path with a separator means a study folder.

A bare name that could also mean a folder is not guessed: the command stops and shows how to name each.
"""

import os
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from app.cli.output import WRONG_CALL, fail

Study = Annotated[
    str,
    typer.Argument(
        metavar="STUDY",
        help="A stored study by its slug (my-study), or a study folder by a path with a separator (./my-study).",
        show_default=False,
    ),
]
Folder = Annotated[
    Path, typer.Argument(metavar="FOLDER", exists=True, file_okay=False, help="A study folder.", show_default=False)
]
Slug = Annotated[str, typer.Argument(metavar="SLUG", help="The slug of a stored study.", show_default=False)]
BareName = Annotated[
    bool | None,
    typer.Option(
        "--folder/--stored",
        help="How to read a name without a separator: as a study folder here (--folder) or as the slug of a stored "
        "study (--stored). Default: a slug.",
        show_default=False,
    ),
]

_SEPARATORS = tuple({"/", os.sep, os.altsep or os.sep})


def folder_or_slug(study: str, *, command: str, is_folder: bool | None = None) -> Path | str:
    """Return the path of a study folder, or the slug of a stored study.

    Args:
        study: the argument.
        command: the words before the argument, such as `analyze`, to show how to name a study.
        is_folder: the meaning of a bare name, from `--folder` or `--stored`.
    """
    path = Path(study)
    if is_path(study) or is_folder:
        return path if path.is_dir() else fail(f"There is no folder {study}.", WRONG_CALL)
    if is_folder is None and path.is_dir():
        _refuse_to_guess(study, command)
    return study


def is_path(study: str) -> bool:
    """Return whether a name can only be a path.

    >>> is_path("./ayers"), is_path(".."), is_path("ayers")
    (True, True, False)
    """
    return study in {".", ".."} or any(separator in study for separator in _SEPARATORS)


def _refuse_to_guess(study: str, command: str) -> NoReturn:
    """Fail for a bare name that is also a folder here."""
    from app.cli.store import store
    from app.studies.studies import get_study

    folder = f"the folder: attune {command} .{os.sep}{study}"
    with store() as engine, engine.connect() as db:
        is_stored = get_study(db, study) is not None
    if is_stored:
        fail(
            f"{study} is the slug of a stored study and also a folder here. Say which one you mean.\n"
            f"For the stored study: attune {command} {study} --stored\nFor {folder}",
            WRONG_CALL,
        )
    fail(f"{study} is a folder here, and no stored study has this slug. For {folder}", WRONG_CALL)
