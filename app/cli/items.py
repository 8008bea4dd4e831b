"""attune items ...: items and responses from a spreadsheet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.output import fail, say
from app.cli.store import store

if TYPE_CHECKING:
    from app.analysis.data.study_folder import StudyFolder
    from app.exchange.tabular.unfold import Layout

cli = typer.Typer(no_args_is_help=True, help="Items and responses from a spreadsheet.")


@cli.callback()
def items() -> None:
    """Items and responses from a spreadsheet."""


@cli.command("import")
def import_(  # noqa: PLR0913, PLR0917 - each is an option
    study: Annotated[str, typer.Argument(help="A study in the store, or a folder with a study.yaml.")],
    file: Annotated[Path, typer.Argument(help="One row an item: .csv, .xlsx or .jsonl.")],
    response: Annotated[
        list[str] | None, typer.Option(metavar="SOURCE=COLUMN", help="Whose responses a column holds; once a source.")
    ] = None,
    item: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The item's id. Default: item, or the row.")
    ] = None,
    text: Annotated[str, typer.Option(metavar="COLUMN", help="What is read.")] = "text",
    turns: Annotated[str | None, typer.Option(metavar="COLUMN", help="A dialogue as JSON, in place of a text.")] = None,
    profile: Annotated[str | None, typer.Option(metavar="COLUMN", help="Who the person of the item is.")] = None,
    content_note: Annotated[str | None, typer.Option(metavar="COLUMN", help="What readers are told before.")] = None,
    attribute: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Keep this column; default: every other one.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write to this folder; default: the study's own.")] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="The folder's items and responses may be replaced.")
    ] = False,
) -> None:
    """One row an item, any column names; columns that are not named become attributes of the item."""
    from app.exchange.tabular.unfold import Layout

    layout = Layout(
        responses=_sources(response or []),
        item=item,
        text=text,
        turns=turns,
        profile=profile,
        content_note=content_note,
        attributes=attribute or None,
    )
    folder = Path(study)
    if folder.is_dir():
        added, where = _into_folder(folder, file, layout, out or folder, replace=replace), str(out or folder)
    elif out is not None:
        raise typer.BadParameter(f"{study} is no folder with a study.yaml to go beside the items.", param_hint="STUDY")
    else:
        added, where = _into_store(study, file, layout), study
    for note in added.notes:
        say(f"Note: {note.sentence()}")
    say(f"{len(added.items):,} items and {len(added.responses):,} responses are in {where} now.")


def _sources(named: list[str]) -> dict[str, str]:
    sources: dict[str, str] = {}
    for pair in named:
        source, sign, column = pair.partition("=")
        if not sign or not source.strip() or not column or source.strip() in sources:
            raise typer.BadParameter(f'"{pair}" is not SOURCE=COLUMN, each source once', param_hint="--response")
        sources[source.strip()] = column
    return sources


def _into_folder(folder: Path, file: Path, layout: Layout, out: Path, *, replace: bool) -> StudyFolder:
    from app.actions.studies.items import TextsInTheWayError, import_into_folder

    try:
        return import_into_folder(folder, file, layout, out, replace=replace)
    except TextsInTheWayError as error:
        fail(f"{error} With --replace they go.")


def _into_store(slug: str, file: Path, layout: Layout) -> StudyFolder:
    from app.actions.studies.items import import_into_store
    from app.actions.studies.life_cycle import StudyMissingError

    with store() as engine, engine.begin() as db:
        try:
            return import_into_store(db, slug, file, layout)
        except StudyMissingError as error:
            fail(str(error))
