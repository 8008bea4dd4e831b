"""attune compare-prompts: two prompts and their texts, word by word and side by side."""

import shutil
from collections.abc import Iterator
from itertools import zip_longest
from textwrap import wrap
from typing import Annotated

import typer
from sqlalchemy import Connection

from app.base.problems import printable
from app.base.word_difference import Piece
from app.cli.output import fail
from app.cli.store import store, stored_study
from app.cli.study_argument import Slug
from app.llm.runs.runs import RunRow, get_run
from app.llm.writers.compared_runs import Compared, compared_prompts, compared_texts
from app.studies.studies import StudyRow

_GAP = "  |  "
Run = Annotated[str, typer.Argument(metavar="RUN", help="The name of a run of attune respond.", show_default=False)]


def compare_prompts(
    study: Slug,
    old: Run,
    new: Run,
    width: Annotated[int | None, typer.Option(min=40, help="Columns to print. Default: the terminal's.")] = None,
) -> None:
    """Compare two prompts: the prompt files and the texts of both runs, side by side.

    Words that appear on only one side are in square brackets.
    """
    columns = (width or shutil.get_terminal_size((120, 24)).columns) - len(_GAP)
    with store() as engine, engine.connect() as db:
        row = stored_study(db, study)
        runs = _run(db, row, old), _run(db, row, new)
        compared = [compared_prompts(*runs), *compared_texts(db, *runs)]
    for one in compared:
        words = "word differs" if one.n_changed == 1 else "words differ"
        typer.echo(f"{printable(one.name)} ({one.n_changed:,} {words})")
        for line in _side_by_side(one, columns // 2):
            typer.echo(line)
        typer.echo("")


def _run(db: Connection, study: StudyRow, name: str) -> RunRow:
    return get_run(db, study.id, "respond", name) or fail(f"The study {study.slug} has no run {name}.")


def _side_by_side(compared: Compared, width: int) -> Iterator[str]:
    left, right = (_lines(pieces, width) for pieces in (compared.old, compared.new))
    for one, other in zip_longest(left, right, fillvalue=""):
        yield f"{one:<{width}}{_GAP}{other}".rstrip()


def _lines(pieces: tuple[Piece, ...], width: int) -> list[str]:
    marked = "".join(_marked(piece) for piece in pieces)
    return [line for part in marked.splitlines() for line in wrap(printable(part), width) or [""]]


def _marked(piece: Piece) -> str:
    if not piece.is_changed or not piece.text.strip():
        return piece.text
    words = piece.text.lstrip()
    return f"{piece.text[: len(piece.text) - len(words)]}[{words}]"
