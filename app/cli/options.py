"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, Any

import typer

from app.settings import settings

# The server's address in the links that commands print.

_THIS_MACHINE = "http://127.0.0.1:8000"


def _given_or_public(address: str) -> str:
    return (address or settings().public_url or _THIS_MACHINE).rstrip("/")


Address = Annotated[
    str,
    typer.Option(
        "--address",
        metavar="URL",
        help=f"The server's address, used in links. Default: ATTUNE_PUBLIC_URL, otherwise {_THIS_MACHINE}.",
        show_default=False,
        callback=_given_or_public,
    ),
]
NewFolder = Annotated[
    Path,
    typer.Option(
        "--out", metavar="FOLDER", help="The folder to create; if it exists, it must be empty.", show_default=False
    ),
]


# Arguments and options of the commands that read a spreadsheet.


def column(words: str) -> Any:  # noqa: ANN401 - what typer.Option returns
    """An option that names a column of the spreadsheet."""
    return typer.Option(metavar="COLUMN", help=words)


def spreadsheet(words: str) -> Any:  # noqa: ANN401 - what typer.Argument returns
    """The argument that names the spreadsheet, which must exist."""
    return typer.Argument(metavar="FILE", exists=True, dir_okay=False, show_default=False, help=words)
