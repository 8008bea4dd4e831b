"""attune report: a study's report for a paper."""

from pathlib import Path
from typing import Annotated

import typer

from app.analysis import analyze as analyze_frames
from app.analysis.data.filter_options import filtered_protocol
from app.analysis.data.report_filters import ALL, Filters
from app.analysis.document.registration import RegistrationError
from app.analysis.document.report_context import ReportContext
from app.base.files.new_folder import new_folder
from app.base.numbers import STYLES, NumberStyle
from app.cli.analyze import study_data
from app.cli.filter_options import require_known, takes_filters
from app.cli.options import NewFolder
from app.cli.output import fail, say
from app.cli.store import store, stored_study
from app.cli.study_argument import BareName, Study, folder_or_slug
from app.protocol.study import Protocol
from app.results.documents.document_formats import FORMATS, Format, ReportJob
from app.results.documents.report_context import REGISTRATION, report_context_of, report_context_of_folder
from app.results.documents.report_files import report_files

Formats = Annotated[
    list[str] | None,
    typer.Option("--format", metavar="FORMAT", help=f"One of {', '.join(FORMATS)}; can be repeated. Default: all."),
]
Numbers = Annotated[
    str,
    typer.Option(
        "--numbers", metavar="STYLE", help=f"How numbers are printed: one of {', '.join(STYLES)}.", show_default=True
    ),
]


@takes_filters
def report(
    study: Study,
    out: NewFolder,
    format_: Formats = None,
    full: Annotated[bool, typer.Option("--full", help="Fit mixed models above 20,000 ratings too.")] = False,
    numbers: Numbers = "plain",
    filters: Filters = ALL,
    is_folder: BareName = None,
) -> None:
    """Write the report of a study for a paper: methods, results, limits, and the way to compute each number again.

    As HTML, PDF, Word, Markdown and LaTeX, with charts, references and all estimates. A study folder needs no database.
    """
    formats, style = chosen_formats(format_), chosen_style(numbers)
    which = folder_or_slug(study, command="report", is_folder=is_folder)
    with new_folder(out) as half:
        frames, protocol = study_data(which)
        require_known(frames, protocol, filters)
        found = analyze_frames(frames, protocol, full=full, filters=filters)
        shown = filtered_protocol(protocol, filters)
        files = report_files(ReportJob(found, shown, _circumstances(which, protocol), formats, style))
        write_files(half, files)
    say(f"{len(files)} files written to {out}.")


def _circumstances(study: Path | str, protocol: Protocol) -> ReportContext:
    if isinstance(study, Path):
        try:
            return report_context_of_folder(study, protocol)
        except RegistrationError as error:
            fail(f"{study / REGISTRATION}: {error}")
    with store() as engine, engine.connect() as db:
        return report_context_of(db, stored_study(db, study))


def chosen_formats(names: list[str] | None) -> tuple[Format, ...]:
    """The formats that were named, else all."""
    if other := [name for name in names or () if name not in FORMATS]:
        raise typer.BadParameter(f"Expected one of {', '.join(FORMATS)}; found {other[0]}.", param_hint="--format")
    return tuple(one for one in FORMATS if not names or one in names)


def chosen_style(name: str) -> NumberStyle:
    """The style of numbers that was named."""
    for style in STYLES:
        if style == name:
            return style
    raise typer.BadParameter(f"Expected one of {', '.join(STYLES)}; found {name}.", param_hint="--numbers")


def write_files(out: Path, files: dict[str, bytes]) -> None:
    """Write the files by their paths."""
    for path, content in files.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_bytes(content)
