"""attune study ...: a study from folder to figures."""

from __future__ import annotations

import typer

from app.cli import templates

cli = typer.Typer(no_args_is_help=True, help="Load, check, open, close and export studies.")


@cli.callback()
def study() -> None:
    """Load, check, open, close and export studies."""


cli.command("templates")(templates.templates)
cli.command("new")(templates.new)
