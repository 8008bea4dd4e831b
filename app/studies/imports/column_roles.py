"""The roles of a spreadsheet's columns, guessed from their names and contents; the lead can correct them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from app.base.files.table import Column, Table
from app.base.problems import Problems, shown
from app.base.words import number
from app.studies.imports.source_kinds import kind_of
from app.studies.imports.tool_exports import answers_of_tool

Role = Literal[
    "attribute",
    "ignore",
    "item",
    "text",
    "response",
    "source",
    "profile",
    "content_note",
    "rating",
    "rater",
    "question",
]
ROLES: tuple[Role, ...] = get_args(Role)
# Columns with a longer mean length contain texts to read, not names or numbers.
_LONG = 60
_FEW = 12
# Many names in a column are sources if each of them is there so many times.
_MIN_REPEATED = 3
_ID = re.compile(
    r"(^|[\s_])(id|key|item|nr|no|number|nummer)[.:]?$|^#$|ID$|^(conversation|dialog(ue)?|gespräch|thread)$",
    re.IGNORECASE,
)
# A few rows of a sheet may be there twice, with their IDs.
_MOST_DISTINCT = 0.9
_RATING = re.compile(
    r"\b(eval|evaluator|rating|score|likert|rater|preference|annotator|bewertung|beurteilung|urteil)", re.IGNORECASE
)
# Who rates, in English and German.
WHO = (
    r"(?:rater|annotator|evaluator|coder|judge|juror|reviewer|assessor|labell?er|[kc]odierer|beurteiler|bewerter"
    r"|gutachter)(?:[*:_/]?in)?"
)
_BY = r"(?:rated|coded|annotated|judged|evaluated|bewertet|beurteilt|[kc]odiert|annotiert)[\s_]*(?:by|von|durch)"
_RATERS = re.compile(
    rf"^(?:id[\s_.-]*)?(?:{WHO}|{_BY}|participant|(?:crowd)?worker|respondent|prolific|teilnehmer(?:[*:_/]?in)?"
    r"|proband(?:[*:_/]?in)?|versuchsperson|vpn?)(?:[\s_.-]*(?:id|pid|key|name|no|nr|nummer|number|code|kürzel))?\.?$",
    re.IGNORECASE,
)
# The name of one rater; a column of numbers below it has this rater's ratings.
_ONE_RATER = re.compile(
    rf"^(?i:{WHO})[\s_.#-]*(?!(?i:age|id|key|kind|name)$)"
    r"(\d+|[A-Z]\w*|\b[a-z])$|^R[\s_.#-]?\d+$"
)
_RESPONSE = re.compile(r"response|reply|answer|completion|output", re.IGNORECASE)
# Also in German, whose names of columns stay the names of sources.
_ANSWER = re.compile(rf"{_RESPONSE.pattern}|antwort|reaktion", re.IGNORECASE)
_SITUATION = re.compile(
    r"^(patient |user )?(question|situation|prompt|post|message|scenario|vignette|query|input|dialogue|context"
    r"|frage|nachricht|beitrag|anfrage|szenario|dialog|kontext)$",
    re.IGNORECASE,
)
# A column of so many words per cell has texts, if its name says so too.
_MIN_WORDS = 4
# So many are enough if no cell is there twice: names of points, such as *strongly agree*, are shorter.
_SENTENCE = 3
# Names of so many characters and words may be the texts of the first item.
_LONG_NAME, _MANY_WORDS = 40, 6
# A second row of names has so few characters above so many columns of long texts.
_SHORT, _MIN_TEXTS = 25, 2
_SOURCE = re.compile(r"^(source|model|author|system|written by|group|quelle|modell|autor(in)?|gruppe)$", re.IGNORECASE)
_NOTE = re.compile(r"content.?(note|warning)|trigger", re.IGNORECASE)
_EXAMPLES, _EXAMPLE_LENGTH = 3, 120


@dataclass(frozen=True, slots=True)
class ColumnGuess:
    """One column.

    For columns of responses, `source` and `kind` describe who wrote them. For columns of ratings, `rater` and
    `question` say who gave them and what was asked; None before that is guessed.
    """

    name: str
    role: Role
    examples: tuple[str, ...]
    source: str = ""
    kind: str = ""
    rater: str | None = None
    question: str | None = None


def guess_columns(table: Table) -> list[ColumnGuess]:
    """Return every column with its most likely role; at most one column is the situation and one the item ID."""
    n_sources = max((len({*cells} - {""}) for name, cells in table.columns.items() if _SOURCE.search(name)), default=1)
    guesses = [_guess(name, cells, n_sources) for name, cells in table.columns.items()]
    has_source = any(guess.role == "source" for guess in guesses)
    if has_source:
        # One row per response: an item's ID appears in several rows.
        guesses = [
            replace(guess, role="item") if guess.role == "attribute" and is_id_name(guess.name) else guess
            for guess in guesses
        ]
    guesses = _only_first(_only_first(guesses, "item"), "rater")
    long = [guess for guess in guesses if guess.role == "text"]
    if not long:
        return guesses
    situation = next((guess for guess in long if not _ANSWER.search(guess.name)), long[0])
    return [
        guess if guess.role != "text" or guess is situation else _response(guess, in_rows=has_source)
        for guess in guesses
    ]


def _guess(name: str, cells: Column, n_sources: int) -> ColumnGuess:
    filled = [cell.strip() for cell in cells if cell.strip()]
    mean = int(np.mean([len(cell) for cell in filled])) if filled else 0
    examples = tuple(cell[:_EXAMPLE_LENGTH] for cell in filled[:_EXAMPLES])
    return ColumnGuess(name, _role(name, filled, mean, n_sources), examples)


def _role(name: str, filled: Sequence[str], mean: int, n_sources: int) -> Role:  # noqa: PLR0911 - one line per role
    n_distinct = len(set(filled))
    if not filled:
        return "ignore"
    if _NOTE.search(name):
        return "content_note"
    if name.casefold() == "profile":
        return "profile"
    are_numbers = all(number(cell) is not None for cell in filled)
    is_answer = _ANSWER.search(name) and not _RATING.search(name) and n_distinct > _FEW and not are_numbers
    if mean >= _LONG or is_answer or _is_named_text(name, filled, n_sources):
        return "text"
    if _RATERS.match(name.strip()) and n_distinct < len(filled):
        return "rater"
    if is_id_name(name) and n_distinct >= _MOST_DISTINCT * len(filled):
        return "item"
    if len(filled) == 1 and _has_words(filled, _SENTENCE):
        return "text"  # nothing else tells, and texts are what a sheet is for
    if (_RATING.search(name) and n_distinct <= _FEW) or (is_one_rater(name) and are_numbers):
        return "rating"
    is_repeated = n_distinct <= max(_FEW, len(filled) // _MIN_REPEATED)
    return "source" if _SOURCE.search(name) and is_repeated else "attribute"


def is_id_name(name: str) -> bool:
    """Whether the name of a column is that of IDs of items.

    >>> [name for name in ("Nr.", "post_id", "topic") if is_id_name(name)]
    ['Nr.', 'post_id']
    """
    return _ID.search(name) is not None


def _has_words(filled: Sequence[str], n: int) -> bool:
    """Whether cells have at least this many words on average."""
    return sum(len(cell.split()) for cell in filled) >= n * len(filled)


def is_one_rater(name: str) -> bool:
    """Whether the name of a column is that of one rater, and no more.

    >>> [name for name in ("Rater A", "coder_2", "R1", "Rater ID", "Rating") if is_one_rater(name)]
    ['Rater A', 'coder_2', 'R1']
    """
    return _ONE_RATER.match(name.strip()) is not None


def _is_named_text(name: str, filled: Sequence[str], n_sources: int) -> bool:
    """Whether a column of short texts is one of situations or responses: its name says so, and few cells are equal.

    A situation may be there once for each source.
    """
    if _RATING.search(name) or not (_ANSWER.search(name) or _SITUATION.search(name)):
        return False
    n_distinct = len({*filled})
    min_words = _SENTENCE if n_distinct == len(filled) else _MIN_WORDS
    return _has_words(filled, min_words) and 2 * n_sources * n_distinct > len(filled)


# What Qualtrics writes for answers of a preview, in words and as a number.
_PREVIEWS = ("Survey Preview", "1")


def without_second_header(table: Table, problems: Problems) -> Table:
    """The table without a first row that names the columns again, such as labels below the names; with a note.

    It has a word or two where the rows below have long texts, and a number nowhere. A file of Qualtrics has two such
    rows in any case, and previews of the survey, which are no answers. Exports of annotation tools have no such
    row, but records of several answers: of these the table has a row for each annotator.
    """
    if (answers := answers_of_tool(table, problems)) is not None:
        return answers
    if _is_of_qualtrics(table):
        return _answers_of_qualtrics(table, problems)
    if len(table) <= _MIN_REPEATED:
        return table
    top = [str(cells[0]).strip() for cells in table.columns.values()]
    lengths = [np.array([len(cell.strip()) for cell in cells]) for cells in table.columns.values()]
    long = [of_column for of_column in lengths if of_column[1:].mean() >= _LONG]
    is_short = all(0 < of_column[0] < _SHORT and 4 * of_column[0] < np.median(of_column[1:]) for of_column in long)
    if (
        len(long) < _MIN_TEXTS
        or not is_short
        or any(len(cell) >= _LONG_NAME or number(cell) is not None for cell in top)
    ):
        return table
    found = f"a second row of column names ({shown(', '.join(cell for cell in top if cell))})"
    problems.note(table.file, int(table.rows[0]), None, found, "one row of column names; the second row was left out")
    return table.only(np.arange(len(table)) > 0)


def _is_of_qualtrics(table: Table) -> bool:
    """Whether the third row of the file has the IDs by which Qualtrics reads its own files."""
    return len(table) > 1 and any(str(cells[1]).lstrip().startswith('{"ImportId"') for cells in table.columns.values())


def _answers_of_qualtrics(table: Table, problems: Problems) -> Table:
    """The rows below the three header rows, without previews."""
    status = table.columns.get("Status", np.full(len(table), "", dtype=object))
    is_preview = np.isin([str(cell).strip() for cell in status], _PREVIEWS)
    is_preview[:2] = False
    if is_preview.any():
        found = f"{is_preview.sum()} previews of the survey"
        problems.note(table.file, int(table.rows[is_preview][0]), "Status", found, "answers; previews were left out")
    return table.only((np.arange(len(table)) > 1) & ~is_preview)


def note_texts_as_names(table: Table, columns: Iterable[str], problems: Problems) -> None:
    """Note if the names of columns with texts read like texts: then the file has no names, and an item is lost."""
    for name in columns:
        cells = [len(cell) for cell in table.column(name) if cell.strip()]
        is_long = len(name) >= _LONG_NAME and len(name.split()) >= _MANY_WORDS
        if is_long and cells and len(name) >= np.mean(cells) / 3:
            allowed = "column names; if the file has none, its first item is read as their names. Add a row of names"
            problems.note(table.file, 1, None, f"column names that read like texts ({shown(name)})", allowed)
            return


def note_repeated_ids(table: Table, columns: Sequence[Mapping[str, Any]], problems: Problems) -> None:
    """Note if several rows have the same ID although each row is an item: such IDs name no items."""
    if any(column["role"] in {"source", "rater"} for column in columns):
        return
    named = next((column for column in columns if column["role"] == "item"), None)
    maybe = (column for column in columns if column["role"] == "attribute" and is_id_name(column["name"]))
    for column in maybe if named is None else [named]:
        name = column["name"]
        ids = [cell for cell in table.stripped(name) if cell]
        several = [cell for cell, n in Counter(ids).items() if n > 1]
        if several and 2 * len({*ids}) > len(ids):
            found = f"several rows have the same ID in “{name}”, such as {shown(several[0])}"
            usual = "so it was read as an attribute, and items are numbered by their rows"
            act = "correct the file, or choose “Leave out” above the column to number items by their rows"
            problems.note(table.file, None, name, found, f"each ID once; {usual if named is None else act}")
            return


def _response(guess: ColumnGuess, *, in_rows: bool) -> ColumnGuess:
    if in_rows:
        return replace(guess, role="response")
    return replace(guess, role="response", source=source_key(guess.name), kind=kind_of(guess.name))


def _only_first(guesses: Sequence[ColumnGuess], role: Role) -> list[ColumnGuess]:
    first = next((guess for guess in guesses if guess.role == role), None)
    return [
        replace(guess, role="attribute") if guess.role == role and guess is not first else guess for guess in guesses
    ]


def source_key(name: str) -> str:
    """Return the source that a column is named after, as its name writes it.

    >>> source_key("Physician Response"), source_key("response"), source_key("GPT-4o reply")
    ('Physician', 'response', 'GPT-4o')
    >>> source_key("Antwort Beraterin"), source_key("model_a_response")
    ('Antwort Beraterin', 'model_a')
    """
    return " ".join(_RESPONSE.sub("", name).split()).strip(" _-:()") or name
