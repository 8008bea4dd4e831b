"""attune study templates | new: start a study from a published design."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from app.cli.output import say
from app.studies.creation.templates import SlugError, new_study
from app.studies.folder.study_templates import TemplateMissingError, list_templates


def templates() -> None:
    """List the study templates: published designs to start from."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("template", no_wrap=True)
    table.add_column("purpose", ratio=3)
    table.add_column("published design", ratio=2)
    for template in list_templates():
        table.add_row(template.name, template.purpose, template.source)
    Console().print(table)
    say("To start from a template: attune study new TEMPLATE --slug SLUG")


def new(
    template: Annotated[
        str,
        typer.Argument(
            metavar="TEMPLATE", help="The name of a template. To list them: attune study templates.", show_default=False
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="The folder to create. Default: a folder with the name of the slug, in the current folder.",
        ),
    ] = None,
    slug: Annotated[
        str | None,
        typer.Option(metavar="SLUG", help="The slug of the study, used in links. Default: the name of the template."),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TITLE", help="The title of the study. Default: the slug as words.")
    ] = None,
) -> None:
    """Create a study folder from a template, to edit. Nothing is ever overwritten."""
    slug = slug or template
    try:
        folder = new_study(template, Path(out or slug), slug, title or slug.replace("-", " ").capitalize())
    except TemplateMissingError as error:
        names = ", ".join(known.name for known in list_templates())
        raise typer.BadParameter(f"{error} Templates: {names}", param_hint="TEMPLATE") from error
    except SlugError as error:
        raise typer.BadParameter(str(error), param_hint="--slug") from error
    typer.echo(folder)
    say(f"Edit study.yaml and the CSV files in {folder}, then run: attune study check {folder}")
