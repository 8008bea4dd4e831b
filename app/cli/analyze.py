"""attune analyze: compute the estimates of a study on the command line."""

import json
from pathlib import Path
from typing import Annotated

import typer

from app.analysis import analyze as analyze_frames
from app.analysis.data.filter_options import filtered_protocol
from app.analysis.data.frames import Frames
from app.analysis.data.report_filters import ALL, Filters
from app.analysis.data.study_folder import frames_of
from app.analysis.findings.findings_document import findings_document
from app.analysis.report.recompute import again
from app.analysis.report.report_tables import report_json
from app.cli.filter_options import require_known, takes_filters
from app.cli.output import INPUT_ERROR, say
from app.cli.print_report import print_report
from app.cli.reading import read_study_folder, read_words
from app.cli.study_argument import BareName, Study, folder_or_slug
from app.protocol.study import Protocol


@takes_filters
def analyze(
    study: Study,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the estimates, as JSON.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write report.json, CSV files and charts to this folder.")
    ] = None,
    again: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="Recompute one record of report.json and compare the results.",
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Print all estimates, and fit mixed models above 20,000 ratings too.")
    ] = False,
    filters: Filters = ALL,
    is_folder: BareName = None,
) -> None:
    """Compute the estimates of a study. A study folder needs no database.

    Prints the primary contrasts and the main estimates of each question; all of them with --full, --json or --out.
    """
    frames, protocol = study_data(folder_or_slug(study, command="analyze", is_folder=is_folder))
    if again is not None:
        _again(frames, protocol, again)
        return
    require_known(frames, protocol, filters)
    report = analyze_frames(frames, protocol, full=full, filters=filters)
    protocol = filtered_protocol(protocol, filters)
    if out is not None:
        from app.results.documents.report_files import write_report

        written = write_report(report, protocol, out)
        say(f"{len(written)} files written to {out}.")
    if as_json:
        typer.echo(report_json(report, findings_document(report, protocol)), nl=False)
    elif out is None:
        print_report(report, protocol, full=full)


def study_data(study: Path | str) -> tuple[Frames, Protocol]:
    """Return the data of a study folder, or of the stored study with this slug, and its protocol."""
    if isinstance(study, Path):
        folder = read_study_folder(study)
        for note in folder.notes:
            say(f"Note: {note.sentence()}")
        return frames_of(folder), folder.protocol
    from app.cli.store import store, stored_study
    from app.results.reports.report_input import read_study

    with store() as engine, engine.connect() as db:
        return read_study(db, stored_study(db, study))


def _again(frames: Frames, protocol: Protocol, file: Path) -> None:
    """Recompute and print the record; if it differs, print the differences and exit with code 1."""
    try:
        record = json.loads(read_words(file))
        made = again(frames, protocol, record if isinstance(record, dict) else {})
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--again") from None
    if made.estimate is not None:
        typer.echo(json.dumps(made.estimate.as_record(), ensure_ascii=False, allow_nan=False))
    for line in made.differences or ("identical to the last digit",):
        say(line)
    if made.differences:
        raise typer.Exit(INPUT_ERROR)
