"""attune reproduce: compute a published study again."""

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from app.base.files.new_folder import new_folder
from app.cli.output import fail, say
from app.results.reproduction.reproduce import PACKS, Reproduced, WrongDataError
from app.results.reproduction.reproduce import reproduce as compute


def reproduce(
    pack: Annotated[str, typer.Argument(metavar="PACK", help=f"One of {', '.join(PACKS)}.", show_default=False)],
    data: Annotated[
        Path,
        typer.Option(
            "--data", metavar="PATH", exists=True, help="The published data, a file or a folder.", show_default=False
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FOLDER", help="Keep the study folder here; if the folder exists, it must be empty."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the comparison as JSON.")] = False,
) -> None:
    """Compute a published study again, and compare each printed number.

    Exit code 1 if a number differs by more than its tolerance. Attune contains no data: pass the file that the authors
    published.
    """
    if pack not in PACKS:
        raise typer.BadParameter(f"Expected one of {', '.join(PACKS)}; found {pack}.", param_hint="PACK")
    chosen = PACKS[pack]
    with new_folder(out) if out else TemporaryDirectory() as folder:
        try:
            found = compute(chosen, data, Path(folder))
        except WrongDataError as error:
            fail(str(error))
    typer.echo(_json(found) if as_json else f"{chosen.citation}\n\n{_table(found)}")
    n_other = sum(not one.is_within for one in found)
    say(f"{len(found) - n_other} of {len(found)} numbers are reproduced within their tolerance.")
    if n_other:
        raise typer.Exit(1)


def _table(found: Sequence[Reproduced]) -> str:
    rows = [("result", "published", "reproduced", "difference", "tolerance", "printed in")]
    for one in found:
        known = one.published
        ours = ("not estimable", "") if one.value is None else (f"{one.value:.4f}", f"{one.difference:+.4f}")
        rows.append((known.words, f"{known.value:g}", *ours, f"{known.tolerance:g}", known.where))
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _json(found: Sequence[Reproduced]) -> str:
    return json.dumps(
        [
            {
                "result": one.published.words,
                "published": one.published.value,
                "reproduced": one.value,
                "difference": one.difference,
                "tolerance": one.published.tolerance,
                "is_within": one.is_within,
                "printed_in": one.published.where,
            }
            for one in found
        ],
        indent=2,
        ensure_ascii=False,
    )
