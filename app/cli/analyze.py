"""attune analyze: the estimates of a study, without the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.output import say

if TYPE_CHECKING:
    from app.analysis.report.report import Report
    from app.design.protocol.study import Protocol


def analyze(
    study: Annotated[str, typer.Argument(help="The name of a study in the store, or a study folder.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print every estimate as JSON and nothing else.")] = False,
    out: Annotated[Path | None, typer.Option(help="A folder for report.json, the CSV files and the charts.")] = None,
    again: Annotated[Path | None, typer.Option(help="A record of report.json: compute that estimate again.")] = None,
    full: Annotated[bool, typer.Option("--full", help="Mixed models too, above 20,000 ratings.")] = False,
) -> None:
    """The estimates of a study or of a study folder; a folder needs no database."""
    from app.actions.results.report import write_report
    from app.analysis.report.report_tables import report_json

    if again is not None:
        _again(Path(study), again)
        return
    report, protocol = _of_folder(Path(study), full=full) if Path(study).is_dir() else _of_store(study, full=full)
    if out is not None:
        written = write_report(report, protocol, out)
        say(f"{len(written)} files in {out}")
    if as_json:
        typer.echo(report_json(report), nl=False)
    elif out is None:
        from app.cli.print_report import print_report

        print_report(report, protocol)


def _again(path: Path, file: Path) -> None:
    """The record as it comes out now on standard output; what differs is said, and the exit code is then 1."""
    import json

    from app.actions.results.report import estimate_again
    from app.exchange.folder.read import read_folder

    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        made = estimate_again(read_folder(path), record if isinstance(record, dict) else {})
    except (OSError, ValueError) as error:
        raise typer.BadParameter(str(error), param_hint="--again") from None
    if made.estimate is not None:
        typer.echo(json.dumps(made.estimate.as_record(), ensure_ascii=False, allow_nan=False))
    for line in made.differences or ("the same to the last digit",):
        say(line)
    if made.differences:
        raise typer.Exit(1)


def _of_folder(path: Path, *, full: bool) -> tuple[Report, Protocol]:
    from app.actions.results.report import report_of_folder
    from app.exchange.folder.read import read_folder

    folder = read_folder(path)
    for note in folder.notes:
        say(note.sentence())
    return report_of_folder(folder, full=full), folder.protocol


def _of_store(slug: str, *, full: bool) -> tuple[Report, Protocol]:
    from app.actions.results.report import report_of_study
    from app.cli.store import store
    from app.storage.studies.studies import get_study

    unknown = typer.BadParameter(f"there is neither a folder nor a study {slug}", param_hint="STUDY")
    if "/" in slug or "\\" in slug or "." in slug:
        raise unknown
    with store() as engine, engine.connect() as db:
        study = get_study(db, slug)
        if study is None:
            raise unknown
        return report_of_study(db, study, full=full)
