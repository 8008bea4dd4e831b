"""Read a spreadsheet of texts: its items and responses, checked against the study's protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from sqlalchemy import Connection

from app.analysis.data.study_folder import StudyFolder
from app.base.files.cells import one_of
from app.base.files.spreadsheet import table_of
from app.base.files.table import Table
from app.base.limits import Limits
from app.base.problem import InvalidInputError, Problem
from app.base.problems import Problems
from app.protocol.study import Protocol
from app.studies.folder.designs import check_rankable, note_unpaired
from app.studies.folder.raters import named_in
from app.studies.folder.ratings.ratings import no_ratings
from app.studies.folder.texts import check_items, check_responses
from app.studies.imports.column_roles import guess_columns, without_second_header
from app.studies.imports.import_report import repaired_table
from app.studies.imports.name_matching import question_names, source_names
from app.studies.imports.patterns import guessed
from app.studies.imports.text_problems import Choices, settled
from app.studies.imports.turn_rows import with_joined_turns
from app.studies.imports.wide_table import Layout, one_row_per_item, second_responses, unequal_samples, unfold
from app.studies.load import known_keys

# Names of columns that are read as the texts of items even if the texts are short.
_SITUATIONS = ("text", "question", "post", "message", "situation", "prompt", "scenario")
# Of each column: name, role, examples; of responses source and kind; of sources the kinds by name.
Columns = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Texts:
    """A spreadsheet of texts with all that is needed to read it, in this process or in another one.

    Attributes:
        file: the spreadsheet, or the name under which `content` was uploaded.
        layout: the columns by their meaning; what it leaves open is guessed.
        columns: the lead's description of each column, in place of a layout.
        is_repaired: whether garbled texts in described columns are repaired.
        sheet: the place of the sheet in an Excel file.
        choices: what becomes of empty, repeated and revealing texts in described columns; None to leave all as it is.
        protocol: the study's; set by the import.
        yaml: the text of the protocol.
    """

    file: Path
    layout: Layout = field(default_factory=Layout)
    content: bytes | None = None
    columns: Columns | None = None
    is_repaired: bool = False
    sheet: int = 0
    choices: Choices | None = None
    protocol: Protocol | None = None
    yaml: str = ""

    def read(self, limits: Limits) -> StudyFolder:
        """The items and responses, as a study without raters.

        Raises:
            InvalidInputError: every problem of the spreadsheet.
        """
        protocol, problems = self.protocol, Problems(limits)
        if protocol is None:
            raise AssertionError("texts are read for a study")
        if self.columns is None:
            return read_texts(self.file, self.layout, protocol, self.yaml, problems)
        sheet = table_of(self.file, problems, self.content, self.sheet)
        problems.raise_if_any()
        sheet = with_joined_turns(without_second_header(sheet, problems), problems)
        if self.choices is not None:
            sheet = settled(sheet, self.columns, self.choices)
        table, layout = _described(sheet, self.columns, self.is_repaired)
        return texts_of_table(table, _of_study(layout, protocol), protocol, self.yaml, problems)


def read_texts(file: Path, layout: Layout, protocol: Protocol, yaml: str, problems: Problems) -> StudyFolder:
    """The spreadsheet's items and responses as a study without raters.

    Raises:
        InvalidInputError: every problem of the spreadsheet.
    """
    layout = _of_study(layout, protocol)
    _check_sources(layout, protocol, problems)
    problems.raise_if_any()
    sheet = without_second_header(table_of(file, problems), problems)
    problems.raise_if_any()
    check_has_rows(sheet)
    layout = _with_text(sheet, layout, problems)
    return texts_of_table(sheet, _without_answers(sheet, layout, protocol), protocol, yaml, problems)


def check_has_rows(sheet: Table) -> None:
    """Refuse a spreadsheet with nothing but the names of its columns.

    Raises:
        InvalidInputError: it has no rows.
    """
    if not len(sheet):
        found, allowed = "no rows below the column names", "one row per item, or one row per response"
        raise InvalidInputError([Problem(sheet.file, None, None, found, allowed)])


def _described(sheet: Table, columns: Columns, is_repaired: bool) -> tuple[Table, Layout]:  # noqa: FBT001
    """The table with one row per item, and the layout that the description of its columns says."""
    table, responses = wide_of(sheet, columns)
    parts = {part: column_of(columns, part) for part in ("item", "text", "profile", "content_note")}
    if is_repaired:
        table = repaired_table(table, [*(column for column in parts.values() if column), *responses.values()])
    return table, Layout(
        responses,
        item=parts["item"],
        text=parts["text"] or "text",
        profile=parts["profile"],
        content_note=parts["content_note"],
        attributes=[column["name"] for column in columns if column["role"] == "attribute"],
    )


def wide_of(table: Table, columns: Columns) -> tuple[Table, dict[str, str]]:
    """A table with one row per item, and the column of each source.

    Raises:
        InvalidInputError: two columns belong to the same source, or two responses to the same item and source.
    """
    text, source = column_of(columns, "text"), column_of(columns, "source")
    responses = [column for column in columns if column["role"] == "response"]
    if source and text and responses:
        before, item = set(table.columns), column_of(columns, "item")
        problems = second_responses(table, item=item or text, source=source, response=responses[0]["name"])
        problems += unequal_samples(table, item=item or text)
        if problems:
            raise InvalidInputError(problems)
        wide = one_row_per_item(table, item=item, text=text, source=source, response=responses[0]["name"])
        return wide, {name: name for name in wide.columns if name not in before}
    if column_of(columns, "rater") and text:
        table = _once(table, [name for name in (column_of(columns, "item"), text) if name], responses)
    keys = [str(column.get("source") or column["name"]) for column in responses]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        raise InvalidInputError([Problem(table.file, 1, None, f"{twice[0]} twice", "each source in one column")])
    return table, {key: column["name"] for key, column in zip(keys, responses, strict=True)}


def _once(table: Table, names: Sequence[str], responses: Columns) -> Table:
    """The rows of ratings without those whose texts, and item, an earlier row has: each row is of one rater."""
    columns = [*names, *(column["name"] for column in responses)]
    rows = pd.DataFrame({name: table.stripped(name) for name in columns})
    return table.only(~rows.duplicated().to_numpy())


def response_columns(file: Path, limits: Limits) -> dict[str, str]:
    """The sources that the columns of a spreadsheet are named after, and their columns.

    Raises:
        InvalidInputError: the file cannot be read, or two columns belong to the same source.
    """
    problems = Problems(limits)
    table = table_of(file, problems)
    problems.raise_if_any()
    responses = [asdict(guess) for guess in guess_columns(table) if guess.role == "response"]
    return wide_of(table, responses)[1]


def column_of(columns: Columns, role: str) -> str | None:
    return next((str(column["name"]) for column in columns if column["role"] == role), None)


def texts_of_table(sheet: Table, layout: Layout, protocol: Protocol, yaml: str, problems: Problems) -> StudyFolder:
    """The items and responses of a parsed table, as a study without raters.

    Raises:
        InvalidInputError: every problem of the table.
    """
    parts = unfold(sheet, layout, problems)
    if parts is None:
        problems.raise_if_any()
        raise AssertionError("a spreadsheet that cannot be read is a problem")
    items = check_items(parts[0], problems)
    responses = check_responses(parts[1], items, protocol, problems)
    if responses is not None:
        check_rankable(parts[0], responses, protocol, problems)
        note_unpaired(parts[0], responses, protocol, problems)
    problems.raise_if_any()
    if items is None or responses is None:
        raise AssertionError("a column that is missing is a problem")
    return StudyFolder(protocol, yaml, items, responses, named_in(None, problems), no_ratings(), tuple(problems.notes))


def _with_text(sheet: Table, layout: Layout, problems: Problems) -> Layout:
    """The layout; if it names no column of texts and there is no `text`, one is found by its content or name."""
    if layout.text != "text" or layout.turns is not None or "text" in sheet.columns:
        return layout
    taken = {*layout.named.values(), *layout.responses.values()}
    rest = Table(sheet.file, sheet.rows, {name: cells for name, cells in sheet.columns.items() if name not in taken})
    found = [guess.name for guess in guess_columns(rest) if guess.role == "text"]
    found += [name for name in rest.columns if name.casefold() in _SITUATIONS]
    if not found:
        return layout
    allowed = f"a column named text, or --text COLUMN; {found[0]} was read as the text of the items"
    problems.note(sheet.file, 1, "text", found[0], allowed)
    return replace(layout, text=found[0])


def _without_answers(sheet: Table, layout: Layout, protocol: Protocol) -> Layout:
    """The layout without columns that contain ratings, so that they do not become attributes of the items."""
    taken = {*layout.named.values(), *layout.responses.values()}
    found = guessed(sheet, taken, source_names(protocol), question_names(protocol), names_raters=False)
    return replace(layout, answers=[answers.column for answers in found])


def _of_study(layout: Layout, protocol: Protocol) -> Layout:
    """The layout with the study's own name of each source that is called by its label."""
    names = source_names(protocol)
    return replace(layout, responses={names.key(name) or name: column for name, column in layout.responses.items()})


def _check_sources(layout: Layout, protocol: Protocol, problems: Problems) -> None:
    """Report each unknown source once, where it is named, instead of for each row of its column."""
    known = list(protocol.sources)
    for source in layout.responses:
        if source not in protocol.sources:
            problems.add("--response", None, "source", source, one_of(known, "study.yaml", "a source"))


def check_new_keys(
    db: Connection, study_id: int, file: str, name: Literal["item", "response"], keys: pd.Series[str]
) -> None:
    """Make sure that the study has none of these items or responses yet.

    Raises:
        InvalidInputError: it has some.
    """
    problems = Problems()
    name_known(file, name, keys, known_keys(db, study_id, f"{name}s"), problems)
    problems.raise_if_any()


def name_known(file: str, name: str, keys: pd.Series[str], known: set[str], problems: Problems) -> None:
    """Add a problem for each of the keys that the study has."""
    for key in keys[keys.isin(known)]:
        problems.add(file, None, name, key, f"an ID that no {name} of the study has yet")
