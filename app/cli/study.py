"""attune study ...: a study from folder to figures."""

from __future__ import annotations

import typer

cli = typer.Typer(no_args_is_help=True, help="Load, check, open, close and export studies.")


@cli.callback()
def study() -> None:
    """Load, check, open, close and export studies."""
