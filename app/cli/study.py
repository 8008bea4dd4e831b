"""attune study ...: manage stored studies and study folders."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy import Connection

from app.accounts.leads import get_lead, list_leads
from app.analysis.data.study_folder import StudyFolder
from app.base.database.engine import transactions
from app.base.files.spreadsheet import table_of
from app.base.language.language import note_on
from app.base.limits import ON_THIS_COMPUTER
from app.base.problem import BlindedError
from app.base.problems import Problems
from app.base.words import counted
from app.cli import templates
from app.cli.model_options import listed_servers
from app.cli.options import Address, NewFolder, spreadsheet
from app.cli.output import WRONG_CALL, fail, progress, say
from app.cli.reading import read_study_folder, reading
from app.cli.store import no_such_study, store, stored_study
from app.cli.study_argument import Folder, Slug
from app.llm.live.claims import missing_models
from app.protocol.allocation.human_sample import draw_words
from app.rating.arrival.arrivals import get_own_arrival_study
from app.rating.arrival.invitations import InviteError, invite_raters
from app.rating.checklist import get_opening
from app.rating.life_cycle import OpeningError, change_status, grow_sample
from app.rating.prolific.demographics import demographics_of, store_demographics
from app.rating.second_study.second_study import make_second_study
from app.results.downloads.whole_study import write_study_folder
from app.results.making.task import RefusedError
from app.results.planning.human_sample import get_human_sample
from app.results.planning.residual_sizes import sizes_now
from app.studies.audit import record_act
from app.studies.creation.read_new_study import feasibility_of_folder, planned_items
from app.studies.load import load_study
from app.studies.opening_checklist import Opening
from app.studies.opening_checks import UnfilledError
from app.studies.protocols import get_protocol
from app.studies.rater_links import rater_links
from app.studies.studies import GivenStatus, list_studies

cli = typer.Typer(no_args_is_help=True)

Lead = Annotated[
    str | None,
    typer.Option(
        "--lead",
        metavar="EMAIL",
        help="The e-mail address of the study's lead. Can be left out if there is only one lead.",
    ),
]
AsWritten = Annotated[
    list[str] | None,
    typer.Option(
        "--as-written",
        metavar="PLACEHOLDER",
        help="Words in square brackets that raters should read as they are written, such as [sic]. Can be repeated.",
    ),
]
Spreadsheet = Annotated[
    bool,
    typer.Option(
        "--spreadsheet", help="Make the files safe to open in Excel: add a byte order mark and disable formulas."
    ),
]


@cli.callback()
def study() -> None:
    """Create, check, load, open, close and export studies."""


cli.command("templates")(templates.templates)
cli.command("new")(templates.new)


@cli.command("check")
def check(folder: Folder) -> None:
    """Check a study folder, and list every error with its file, row and column."""
    found = _read(folder)
    _say_checks(Opening(found.protocol, found.yaml, feasibility_of_folder(found)))
    if again := draw_words(found.protocol, planned_items(found)):
        say(again)
    say(f"No errors found: {_contents(found)}. To load the study: attune study load {folder}")


@cli.command("load")
def load(folder: Folder, lead: Lead = None) -> None:
    """Store a study folder as a study, or nothing if it has errors. Loading the same folder again changes nothing."""
    found = _read(folder)
    with store() as engine, engine.begin() as db, progress() as show:
        load_study(db, found, _lead_for(db, lead), progress=show)
    slug = found.protocol.slug
    say(f"Loaded the study {slug}: {_contents(found)}. To open it to raters: attune study open {slug}")


@cli.command("list")
def list_all() -> None:
    """List all stored studies, one per line: slug, status, title."""
    with store() as engine, engine.connect() as db:
        for row in list_studies(db):
            typer.echo(f"{row.slug}\t{row.status}\t{row.title}")


@cli.command("export")
def export(slug: Slug, out: NewFolder, spreadsheet: Spreadsheet = False) -> None:
    """Export a stored study with its ratings and estimates to a study folder. Analyzing it gives the same estimates."""
    with store() as engine, progress() as show:
        with engine.connect() as db:
            study = stored_study(db, slug)
        write_study_folder(transactions(engine), study, out, spreadsheet=spreadsheet, progress=show)
    say(f"Exported the study {slug} to {out}.")


@cli.command("open")
def open_(slug: Slug, as_written: AsWritten = None, address: Address = "") -> None:
    """Open a study to raters, and print their links, one per line: platform, tab, link.

    Items that were added since it was last opened are included. A study whose texts still have placeholders in square
    brackets is not opened.
    """
    with store() as engine, engine.connect() as db:
        study = stored_study(db, slug)
        if missing := missing_models(get_protocol(db, study.id, study.protocol_version), listed_servers()):
            fail(" ".join(missing))
        if study.opened_at is None:
            _say_checks(get_opening(db, study, as_written or ()))
    _change(slug, "open", f"The study {slug} is open.", as_written or ())
    with store() as engine, engine.connect() as db:
        study = stored_study(db, slug)
        protocol = get_protocol(db, study.id, study.protocol_version)
    is_personal = protocol.design.links == "personal"
    links = [] if is_personal else rater_links(address, study.rater_token, platform=protocol.recruitment.platform)
    for link in links:
        typer.echo(f"{link.words}\t{link.address}")
    if not links:
        say(f"Raters need personal links. To create them: attune study invite {slug}")
    if note := note_on(protocol.language):
        say(f"Note: {note}")


@cli.command("sample")
def sample(
    slug: Slug,
    add: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Add about N items where judges and people are likely to disagree."),
    ] = None,
) -> None:
    """Say which part of the items people rate, if it is a sample, or let the sample grow.

    Raters get added items at once. The probability of every item stays known, and is exported in items.csv.
    """
    with store() as engine, engine.begin() as db:
        study = stored_study(db, slug)
        found = get_human_sample(db, study)
        try:
            if add is not None and not found.problem:
                added = grow_sample(db, slug, sizes_now(db, study), add, stage=found.stage)
                record_act(db, None, study, "human sample grown", items=added, stage=found.stage + 1)
                found = get_human_sample(db, study)
        except (RefusedError, OpeningError, BlindedError) as error:
            fail(str(error))
    if found.by_stage:
        say(f"People rate {found.n_drawn:,} of {counted(found.n_items, 'item')}. {found.again}".strip())
    if found.n_planned and not found.problem:
        say(f"The design says {found.n_planned:,} more: attune study sample {slug} --add {found.n_planned}")
    for stage, n in found.by_stage.items():
        typer.echo(f"stage {stage}\t{counted(n, 'item')}")
    if found.problem and add is not None:
        fail(found.problem)


@cli.command("invite")
def invite(
    slug: Slug,
    raters: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RATER]...", help="IDs of raters. Default: all raters in raters.csv who have no link yet."
        ),
    ] = None,
    pool: Annotated[
        str | None,
        typer.Option("--pool", metavar="POOL", help="The pool of new raters, who are not in raters.csv."),
    ] = None,
    address: Address = "",
) -> None:
    """Create personal links, one per line: rater, tab, link. They are shown only once, and replace earlier links."""
    with store() as engine, engine.begin() as db:
        door = get_own_arrival_study(db, slug) or no_such_study(slug)
        link = f"{address}/s/{stored_study(db, slug).rater_token}"
        try:
            links = invite_raters(db, door, raters or (), pool)
        except InviteError as error:
            fail(str(error), WRONG_CALL)
    for rater, token in links:
        typer.echo(f"{rater}\t{link}?invite={token}")
    if not links:
        say("All raters in raters.csv already have a link.")


@cli.command("demographics")
def demographics(
    slug: Slug,
    file: Annotated[Path, spreadsheet("The demographic data that Prolific exports for the study, as CSV.")],
) -> None:
    """Store what Prolific's export says about raters as their attributes, such as age and sex, to split results by.

    Raters are found by their participant IDs, which are not stored again. Expired and revoked data are left out.
    """
    with reading():
        found = demographics_of(table_of(file, Problems(ON_THIS_COMPUTER)))
    with store() as engine, engine.begin() as db:
        say(store_demographics(db, stored_study(db, slug).id, found).sentences)


@cli.command("second")
def second(
    slug: Slug,
    title: Annotated[
        str, typer.Option("--title", metavar="TITLE", help="The title of the new study.", show_default=False)
    ] = "",
    questions: Annotated[
        str,
        typer.Option(
            "--questions",
            metavar="NAME",
            help="What it asks first: a template, a published scale such as scale:pets, or study:SLUG for those of "
            "another study. Default: for conversations perceived-empathy, for other texts four-dimensions.",
            show_default=False,
        ),
    ] = "",
    lead: Lead = None,
) -> None:
    """Make a draft in which others rate what raters wrote, once each text is reviewed on the page Second study."""
    with store() as engine, engine.begin() as db, reading():
        study = stored_study(db, slug)
        named = title.strip() or f"Ratings of {study.title}"
        made = make_second_study(db, study, _lead_for(db, lead), questions, named, lead=None)
    say(f"Made the draft {made.slug} with {counted(made.n_texts, 'text')}. Edit it before you open it to raters.")


@cli.command("pause")
def pause(slug: Slug) -> None:
    """Pause a study: no one new can start, raters who have started can finish."""
    _change(slug, "paused", f"The study {slug} is paused. No one new can start; raters who have started can finish.")


@cli.command("close")
def close(slug: Slug) -> None:
    """Close a study to all raters. Its ratings are kept."""
    _change(slug, "closed", f"The study {slug} is closed.")


def _lead_for(db: Connection, email: str | None) -> int | None:
    """The ID of the lead of a new study: the named one, otherwise the only one; None if there are no leads yet."""
    if email is not None:
        lead = get_lead(db, email) or fail(f"There is no lead {email}. To add one: attune lead add {email}", WRONG_CALL)
        return lead.id
    leads = list_leads(db)
    if len(leads) > 1:
        fail(f"There are {len(leads)} leads. Name the lead of this study with --lead EMAIL.", WRONG_CALL)
    return leads[0].id if leads else None


def _change(slug: str, status: GivenStatus, words: str, as_written: Sequence[str] = ()) -> None:
    with store() as engine, engine.begin() as db:
        try:
            change_status(db, stored_study(db, slug), status, as_written)
        except UnfilledError as error:
            fail(f"{error} To confirm one: --as-written PLACEHOLDER")
        except OpeningError as error:
            fail(str(error))
    say(words)


def _say_checks(opening: Opening) -> None:
    """The lines of the checklist that are not as they should be."""
    words = {"stop": "Warning", "look": "Note"}
    for check in opening.checklist():
        if check.state in words:
            say(f"{words[check.state]}: {check.sentence()}")


def _read(folder: Path) -> StudyFolder:

    with progress() as show:
        found = read_study_folder(folder, show)
    for note in found.notes:
        say(note.sentence())
    return found


def _contents(folder: StudyFolder) -> str:
    parts = (
        ("item", folder.items),
        ("response", folder.responses),
        ("rater", folder.raters),
        ("answer", folder.ratings),
    )
    return ", ".join(f"{len(table):,} {word}{'' if len(table) == 1 else 's'}" for word, table in parts)
