"""attune study templates | new: begin a study from a published design."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.output import fail, say


def templates() -> None:
    """List the designs that a study can begin with."""
    from rich.console import Console
    from rich.table import Table

    from app.actions.studies.templates import list_templates

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("template", no_wrap=True)
    table.add_column("what it is for", ratio=3)
    table.add_column("design after", ratio=2)
    for template in list_templates():
        table.add_row(template.name, template.purpose, template.source)
    Console().print(table)
    say("Begin with: attune study new TEMPLATE")


def new(
    template: Annotated[str, typer.Argument(help="One of those that `attune study templates` lists.")],
    out: Annotated[Path | None, typer.Option(help="The folder to write. Default: the slug, here.")] = None,
    slug: Annotated[str | None, typer.Option(help="The study's name in addresses. Default: the template's.")] = None,
    title: Annotated[str | None, typer.Option(help="The study's title. Default: the slug in words.")] = None,
) -> None:
    """Write an editable study folder from a template. Never overwrites."""
    from app.actions.studies.templates import (
        SlugError,
        TemplateMissingError,
        list_templates,
        new_study,
    )
    from app.design.problem import FolderExistsError

    slug = slug or template
    try:
        folder = new_study(template, Path(out or slug), slug, title or slug.replace("-", " ").capitalize())
    except TemplateMissingError as error:
        names = ", ".join(known.name for known in list_templates())
        raise typer.BadParameter(f"{error} There are: {names}", param_hint="TEMPLATE") from error
    except SlugError as error:
        raise typer.BadParameter(str(error), param_hint="--slug") from error
    except FolderExistsError as error:
        fail(str(error))
    typer.echo(folder)
    say(f"Edit study.yaml and the CSV files in {folder}, then: attune study check {folder}")
