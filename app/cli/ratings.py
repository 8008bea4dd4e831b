"""attune ratings ...: import ratings that were collected elsewhere."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from app.base.database.engine import transactions
from app.cli.options import column, spreadsheet
from app.cli.output import fail, say
from app.cli.reading import read_pairs, read_sheet, reading
from app.cli.store import no_such_study, store
from app.cli.study_argument import BareName, Study, folder_or_slug
from app.studies.imports.column_meanings import NewRaters, RatingLayout
from app.studies.imports.pipeline import InFolder, InStore, StudyChangedError, import_ratings
from app.studies.imports.read_ratings import Ratings, ReadRatings
from app.studies.studies import StudyMissingError

cli = typer.Typer(no_args_is_help=True)
SHOWN_COLUMNS = 3


class RaterKind(StrEnum):
    """The kinds of raters."""

    PERSON = "person"
    MODEL = "model"


RatingSheet = Annotated[Path, spreadsheet("The spreadsheet: .csv, .tsv, .xlsx, .jsonl, .json or .parquet.")]
AnswerColumns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=COLUMN",
        help="The column with the answers to one question. Repeat for each question. Use {rater}, {source} and {item} "
        'for the words that differ between columns, as in quality="Eval {rater} Quality ({source})". '
        "Default: the columns whose names contain the key or the label of a question.",
    ),
]
ValueColumn = Annotated[
    str | None,
    column(
        "The column with the answers to all questions. If each question has its own column, use {question} for the "
        "words that differ."
    ),
]
QuestionColumn = Annotated[str | None, column("The column that names the question of each answer.")]
ItemColumn = Annotated[
    str | None,
    column(
        "The column of item IDs, or of the texts of the items. Default: a column with a common name, otherwise the row "
        "number."
    ),
]
ResponseColumn = Annotated[str | None, column("The column of response IDs, or of the texts of the responses.")]
SourceColumn = Annotated[str | None, column("The column of sources, by key or label.")]
RaterColumn = Annotated[
    str | None,
    column(
        "The column of rater IDs. Use {source} and {question} for the words that differ between columns, as in "
        '"annotator_{source}".'
    ),
]
RaterId = Annotated[str | None, typer.Option(metavar="ID", help="The ID of the rater, if one rater gave all ratings.")]
NewRaterKind = Annotated[
    RaterKind | None,
    typer.Option(help="The kind of new raters: person, or model for model judges. Default: person."),
]
Pool = Annotated[str | None, typer.Option(metavar="POOL", help="The pool of new raters.")]
AddRaters = Annotated[
    bool,
    typer.Option(
        "--new-raters", help="Add raters who are not in the study yet. Not needed if the study has no raters."
    ),
]
Recode = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY:FOUND=VALUE",
        help="Treat a cell as another answer, as in preference:A=chatgpt or harm:0.0=no. Can be repeated.",
    ),
]
MissingWords = Annotated[
    list[str] | None, typer.Option(metavar="WORD", help="A cell that means no answer, such as NA. Can be repeated.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Check the file and show what it contains, without saving.")]


@cli.callback()
def ratings() -> None:
    """Import ratings that were collected elsewhere."""


@cli.command("import")
def import_(  # noqa: PLR0913, PLR0917 - each is an option
    study: Study,
    file: RatingSheet,
    question: AnswerColumns = None,
    value: ValueColumn = None,
    question_column: QuestionColumn = None,
    item: ItemColumn = None,
    response: ResponseColumn = None,
    source: SourceColumn = None,
    rater: RaterColumn = None,
    rater_id: RaterId = None,
    rater_kind: NewRaterKind = None,
    pool: Pool = None,
    new_raters: AddRaters = False,
    recode: Recode = None,
    missing: MissingWords = None,
    dry_run: DryRun = False,
    is_folder: BareName = None,
) -> None:
    """Import ratings that were collected elsewhere, from a spreadsheet with any column names.

    It may have one row per answer, per rater and response, per rater and item, or per item with columns for each rater.
    Labels are read like the values they stand for, and empty cells are skipped. If there is any error, nothing is
    saved. Raters are marked as imported.
    """
    layout = RatingLayout(
        item=item,
        response=response,
        source=source,
        rater=rater,
        question=question_column,
        value=value,
        questions=read_pairs(question or [], "--question", "KEY=COLUMN"),
        recoded=dict(_recoded(recode or [])),
        missing=tuple(missing or ()),
    )
    raters = _new_raters(rater, rater_id, rater_kind, pool, are_new=new_raters)
    into = folder_or_slug(study, command="ratings import", is_folder=is_folder)
    _say_read(_read(into, Ratings(file, layout, raters), is_dry_run=dry_run), into, is_dry_run=dry_run)


def _new_raters(
    column: str | None, rater_id: str | None, kind: RaterKind | None, pool: str | None, *, are_new: bool
) -> NewRaters:
    if column is not None and rater_id is not None:
        raise typer.BadParameter("Use either --rater or --rater-id, not both.", param_hint="--rater-id")
    return NewRaters(rater_id, kind.value if kind else None, pool, are_new)


def _say_read(read: ReadRatings, into: Path | str, *, is_dry_run: bool) -> None:
    for sentence in _told(read):
        say(sentence)
    say(f"{'Nothing was saved. The import would add' if is_dry_run else f'Imported into {into}:'} {_counted_in(read)}.")


def _read(found: Path | str, ratings: Ratings, *, is_dry_run: bool) -> ReadRatings:
    if isinstance(found, Path):
        with reading():
            return import_ratings(InFolder(found), ratings, read_sheet, is_dry_run=is_dry_run)
    with store() as engine, reading():
        try:
            return import_ratings(InStore(transactions(engine), found), ratings, read_sheet, is_dry_run=is_dry_run)
        except StudyMissingError:
            no_such_study(found)
        except StudyChangedError as error:
            fail(str(error))


def _told(read: ReadRatings) -> Iterator[str]:
    """Describe how each column was used, and what was corrected."""
    columns = read.columns
    named = {name: getattr(columns, name) for name in ("item", "response", "source", "rater", "question")}
    by_question: dict[str, list[str]] = {}
    if raters := [one.rater_column for one in columns.answers if one.rater_column]:
        named["rater"] = _shortened(list(dict.fromkeys(raters)))
    for answers in columns.answers:
        by_question.setdefault(answers.question or "value", []).append(answers.column)
    yield "Columns: " + "; ".join(
        [f"{name} from {column}" for name, column in named.items() if column]
        + [f"{name} from {_shortened(found)}" for name, found in by_question.items()]
    )
    for note in read.notes:
        yield f"Note: {note.sentence()}"


def _shortened(columns: list[str]) -> str:
    more = len(columns) - SHOWN_COLUMNS
    return ", ".join(columns[:SHOWN_COLUMNS]) + (f" and {more} more" if more > 0 else "")


def _counted_in(read: ReadRatings) -> str:
    n_ratings, n_raters = len(read.ratings), read.ratings["rater"].nunique()
    words = f"{n_ratings:,} rating{'' if n_ratings == 1 else 's'} by {n_raters:,} rater{'' if n_raters == 1 else 's'}"
    return f"{words}, {len(read.raters):,} of them new"


def _recoded(named: list[str]) -> Iterator[tuple[tuple[str, str], str]]:
    form = "KEY:FOUND=VALUE"
    for key, value in read_pairs(named, "--recode", form).items():
        question, sign, found = key.partition(":")
        if not sign or not question or not found:
            raise typer.BadParameter(f'Expected {form}; found "{key}={value}".', param_hint="--recode")
        yield (question.strip(), found.strip()), value
