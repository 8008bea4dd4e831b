"""Arguments and options of the commands that read a spreadsheet."""

from __future__ import annotations

from typing import Any

import typer


def column(words: str) -> Any:  # noqa: ANN401 - what typer.Option returns
    """An option that names a column of the spreadsheet."""
    return typer.Option(metavar="COLUMN", help=words)


def spreadsheet(words: str) -> Any:  # noqa: ANN401 - what typer.Argument returns
    """The argument that names the spreadsheet, which must exist."""
    return typer.Argument(metavar="FILE", exists=True, dir_okay=False, show_default=False, help=words)
