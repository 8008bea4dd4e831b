"""attune snapshot ...: results of a stored study that are kept under a name."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from app.analysis import analyze
from app.analysis.data.filter_options import filtered_protocol
from app.analysis.data.report_filters import ALL, Filters
from app.analysis.findings.findings_document import findings_document
from app.analysis.report.report_tables import report_json
from app.analysis.report.stored_report import StoredReportError
from app.base.database.engine import Begin, transactions
from app.cli.filter_options import require_known, takes_filters
from app.cli.options import Address
from app.cli.output import WRONG_CALL, fail, say
from app.cli.print_report import print_report
from app.cli.store import store, stored_study
from app.cli.study_argument import Slug
from app.rating.withdrawal.withdraw import count_deleted_raters
from app.results.documents.report_files import write_report
from app.results.reports.outcomes import LiveReport
from app.results.reports.report_input import fingerprint, read_study
from app.results.snapshots.snapshots import (
    MAX_NAME,
    NO_OPTIONS,
    DeletedAnswersError,
    NoSuchSnapshotError,
    Opened,
    OtherVersionError,
    open_snapshot,
    save_snapshot,
)
from app.results.snapshots.stored import list_snapshots
from app.studies.studies import StudyRow

cli = typer.Typer(no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="A name, such as: As submitted.", show_default=False)]
Token = Annotated[
    str,
    typer.Argument(metavar="TOKEN", help="The last part of the snapshot's address.", show_default=False),
]


@cli.callback()
def snapshots() -> None:
    """Save results under a name, and show them again with the same digits."""


@cli.command("save")
@takes_filters
def save(
    slug: Slug,
    name: Name,
    filters: Filters = ALL,
    address: Address = "",
) -> None:
    """Save the current results of a stored study under a name, and print the address to cite.

    A snapshot keeps every estimate with the filters, the version of the protocol and the data hash. Results of
    individual raters are not kept.
    """
    name = " ".join(name.split())
    if not 0 < len(name) <= MAX_NAME:
        raise typer.BadParameter(f"Give a name of up to {MAX_NAME} characters.", param_hint="NAME")
    with store() as engine:
        begin = transactions(engine)
        study = _study(begin, slug)
        made = _report(begin, study, filters)
        try:
            token = save_snapshot(begin, study, made, name, None)
        except OtherVersionError:
            fail("The study got a new version while the results were computed. Run the command again.")
        except DeletedAnswersError:
            fail(
                "Ratings were deleted while the results were computed, because a rater withdrew. Run the command again."
            )
    typer.echo(f"{address}/snapshots/{token}")
    say(f"Saved the results of {slug} as {name}, data hash {made.report.data_hash}.")


@cli.command("list")
def list_all(slug: Slug) -> None:
    """List the snapshots of a study, one per line: token, time of the last rating, name."""
    with store() as engine:
        begin = transactions(engine)
        study = _study(begin, slug)
        with begin() as db:
            for row in list_snapshots(db, study.id):
                typer.echo(f"{row.token}\t{row.read_at.astimezone(UTC):%Y-%m-%dT%H:%MZ}\t{row.name}")


@cli.command("show")
def show(
    slug: Slug,
    token: Token,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the estimates, as JSON.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write report.json, CSV files and charts to this folder.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Print all estimates.")] = False,
) -> None:
    """Show a snapshot with the same digits as when it was saved.

    Prints the primary contrasts and the main estimates of each question; all of them with --full, --json or --out.
    """
    with store() as engine:
        begin = transactions(engine)
        opened = _opened(begin, _study(begin, slug), token)
    made = opened.made
    if out is not None:
        say(f"{len(write_report(made.report, made.protocol, out))} files written to {out}.")
    if as_json:
        typer.echo(report_json(made.report, findings_document(made.report, made.protocol)), nl=False)
    elif out is None:
        say(_about(opened))
        print_report(made.report, made.protocol, full=full)


def _study(begin: Begin, slug: str) -> StudyRow:
    with begin() as db:
        return stored_study(db, slug)


def _report(begin: Begin, study: StudyRow, filters: Filters) -> LiveReport:
    """The report of the current answers, computed outside of any transaction."""
    read_at = datetime.now(UTC)
    with begin() as db:
        n_deleted = count_deleted_raters(db, study.id)
        frames, protocol = read_study(db, study)
    require_known(frames, protocol, filters)
    report = analyze(frames, protocol, filters=filters)
    name = fingerprint(frames, protocol, filters)
    return LiveReport(name, read_at, report, filtered_protocol(protocol, filters), NO_OPTIONS, n_deleted)


def _opened(begin: Begin, study: StudyRow, token: str) -> Opened:
    try:
        return open_snapshot(begin, study, token.rpartition("/")[2])
    except NoSuchSnapshotError:
        fail(f"{study.slug} has no snapshot {token}. To see all of them: attune snapshot list {study.slug}", WRONG_CALL)
    except StoredReportError:
        fail("This snapshot was saved by another version of Attune, and this version cannot read it.")


def _about(opened: Opened) -> str:
    row = opened.row
    deleted = " Some of its ratings have since been deleted because a rater withdrew." if opened.has_deleted else ""
    return (
        f"{row.name}: ratings up to {row.read_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC, protocol version "
        f"{row.protocol_version}, data hash {row.data_hash}.{deleted}"
    )
