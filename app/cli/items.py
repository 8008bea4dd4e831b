"""attune items ...: import items and responses from a spreadsheet."""

from dataclasses import replace as set_fields
from pathlib import Path
from typing import Annotated

import typer

from app.analysis.data.study_folder import StudyFolder
from app.base.database.engine import transactions
from app.base.words import counted, or_list
from app.cli.options import column, spreadsheet
from app.cli.output import fail, say
from app.cli.reading import read_pairs, read_sheet, reading
from app.cli.store import no_such_study, store
from app.cli.study_argument import BareName, Study, folder_or_slug
from app.studies.imports.pipeline import InFolder, InStore, Place, TextsInTheWayError, import_texts
from app.studies.imports.read_texts import Texts, response_columns
from app.studies.imports.source_kinds import KINDS, Kind, kind_of
from app.studies.imports.wide_table import Layout
from app.studies.studies import StudyMissingError

cli = typer.Typer(no_args_is_help=True)


ItemSheet = Annotated[
    Path, spreadsheet("The spreadsheet, one row per item: .csv, .tsv, .xlsx, .jsonl, .json or .parquet.")
]
ResponseColumns = Annotated[
    list[str] | None,
    typer.Option(metavar="SOURCE=COLUMN", help="The column with the responses of one source. Repeat for each source."),
]
ItemColumn = Annotated[
    str | None, column("The column of item IDs. Default: the column item, otherwise the row number.")
]
TextColumn = Annotated[
    str, column("The column with the text of the item. Default: `text`, otherwise found by content or name.")
]
TurnsColumn = Annotated[str | None, column("The column with a dialogue as JSON, instead of a text.")]
ProfileColumn = Annotated[str | None, column("The column with a profile of the person in the item.")]
NoteColumn = Annotated[str | None, column("The column with a content note that raters see before the item.")]
AttributeColumns = Annotated[
    list[str] | None,
    column("A column to keep as an attribute. Default: all other columns except those with ratings."),
]
NoAttributes = Annotated[bool, typer.Option("--no-attributes", help="Do not keep other columns as attributes.")]
Out = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="Write to this folder. Default: the study folder itself.")
]
Replace = Annotated[
    bool, typer.Option("--replace", help="Replace the items and responses that the folder already has.")
]


NewSources = Annotated[
    bool,
    typer.Option(
        "--new-sources",
        help="Add the sources that study.yaml lacks to it, with their kinds (human, model, human+model) by their "
        "names. Without --response, the columns that look like responses are imported, each as a source.",
    ),
]
SourceKinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="SOURCES=KIND",
        help="The kind of new sources, as in B=model or 'gpt-*=model'. Can be repeated.",
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Check the file, and store nothing.")]


@cli.callback()
def items() -> None:
    """Import items and responses from a spreadsheet."""


@cli.command("import")
def import_(  # noqa: PLR0913, PLR0917 - each is an option
    study: Study,
    file: ItemSheet,
    response: ResponseColumns = None,
    item: ItemColumn = None,
    text: TextColumn = "text",
    turns: TurnsColumn = None,
    profile: ProfileColumn = None,
    content_note: NoteColumn = None,
    attribute: AttributeColumns = None,
    no_attributes: NoAttributes = False,
    out: Out = None,
    replace: Replace = False,
    new_sources: NewSources = False,
    kind: SourceKinds = None,
    is_dry_run: DryRun = False,
    is_folder: BareName = None,
) -> None:
    """Import items and responses from a spreadsheet with one row per item and any column names."""
    said = _kinds(kind or [])
    if said and not new_sources:
        raise typer.BadParameter("--kind is for --new-sources.", param_hint="--kind")
    layout = Layout(
        responses=read_pairs(response or [], "--response", "SOURCE=COLUMN"),
        item=item,
        text=text,
        turns=turns,
        profile=profile,
        content_note=content_note,
        attributes=[] if no_attributes else attribute or None,
    )
    if attribute and no_attributes:
        raise typer.BadParameter("Use either --attribute or --no-attributes, not both.", param_hint="--no-attributes")
    found = folder_or_slug(study, command="items import", is_folder=is_folder)
    if isinstance(found, Path):
        where = str(out or found)
        if new_sources and not layout.responses:
            with reading():
                layout = set_fields(layout, responses=read_sheet(response_columns, file))
        kinds = {name: kind_of(name, said) for name in layout.responses} if new_sources else {}
        try:
            added = _import(InFolder(found, out, replace, kinds), Texts(file, layout), is_dry_run=is_dry_run)
        except TextsInTheWayError as error:
            fail(f"{error} To replace these files, add --replace.")
    elif out is not None or replace or new_sources:
        raise typer.BadParameter(
            "--out, --replace and --new-sources can be used only with a study folder.", param_hint="STUDY"
        )
    else:
        where = found
        with store() as engine:
            try:
                added = _import(InStore(transactions(engine), found), Texts(file, layout), is_dry_run=is_dry_run)
            except StudyMissingError:
                no_such_study(found)
    for note in added.notes:
        say(f"Note: {note.sentence()}")
    if new_sources:
        kinds_of = ((name, source.kind) for name, source in added.protocol.sources.items())
        say(f"Sources: {', '.join(f'{name} ({kind})' for name, kind in kinds_of)}. To change a kind: --kind.")
    done = "Nothing was stored. This would be imported into" if is_dry_run else "Imported into"
    say(f"{done} {where}: {counted(len(added.items), 'item')}, {counted(len(added.responses), 'response')}.")


def _kinds(named: list[str]) -> list[tuple[str, Kind]]:
    found: list[tuple[str, Kind]] = []
    for pair in named:
        pattern, _, word = pair.rpartition("=")
        kind = next((one for one in KINDS if one == word), None)
        if not pattern or kind is None:
            raise typer.BadParameter(
                f'Expected SOURCES=KIND with a kind of {or_list(KINDS)}; found "{pair}".', param_hint="--kind"
            )
        found.append((pattern.strip(), kind))
    return found


def _import(place: Place, texts: Texts, *, is_dry_run: bool) -> StudyFolder:
    with reading():
        return import_texts(place, texts, read_sheet, is_dry_run=is_dry_run)
