"""Import a study's texts from a spreadsheet: first a report on its contents, then replacement of the study's texts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from app.accounts.leads import Lead
from app.analysis.data.study_folder import StudyFolder
from app.base.database.engine import Begin
from app.base.files.spreadsheet import sheet_names, table_of
from app.base.files.table import Column, Table
from app.base.limits import Limits
from app.base.problem import InvalidInputError, Problem
from app.base.problems import Problems
from app.protocol.study import Protocol
from app.protocol.yaml.edited_yaml import edited_yaml
from app.protocol.yaml.study_yaml import FILE, read_protocol
from app.studies.audit import record_act
from app.studies.creation.upload_process import UploadReader
from app.studies.editor.protocol_edits import Change, Edit, get_draft, save_change
from app.studies.editor.question_keys import with_entry_renamed
from app.studies.imports.column_roles import (
    guess_columns,
    note_repeated_ids,
    note_texts_as_names,
    without_second_header,
)
from app.studies.imports.import_report import import_report
from app.studies.imports.missing_codes import ReadAs
from app.studies.imports.name_matching import source_names
from app.studies.imports.pipeline import import_texts
from app.studies.imports.rating_roles import with_rating_parts, with_ratings
from app.studies.imports.rating_scales import rated_questions
from app.studies.imports.read_texts import Columns, Texts, check_has_rows, column_of, wide_of
from app.studies.imports.source_kinds import kind_of
from app.studies.imports.text_problems import MAX_LISTED, Choices, settled, text_problems
from app.studies.imports.text_uploads import (
    TextsFixedError,
    check_replaceable,
    forget_texts,
    get_content,
    get_upload,
    record_columns,
    record_upload,
    record_use,
)
from app.studies.imports.turn_rows import with_joined_turns
from app.studies.imports.wide_table import has_turns
from app.studies.load import store_texts
from app.studies.studies import StudyRow

NO_SITUATION = "No column holds the situation. Choose “Situation” for one of the columns below."


@dataclass(frozen=True, slots=True)
class TextSheet:
    """A spreadsheet with the description of its columns; None to guess them.

    `scales`: the lowest and the highest value of the rated questions whose scale the lead has said, by their names.
    `read_as`: what the lead has said of values that may be no answers, by the name of the question and the value.
    """

    file_name: str
    content: bytes
    columns: Columns | None = None
    is_repaired: bool = True
    sheet: int = 0
    choices: Choices | None = None
    scales: Mapping[str, Sequence[str]] = field(default_factory=dict)
    read_as: Mapping[str, Mapping[str, ReadAs]] = field(default_factory=dict)


def look_at_sheet(sheet: TextSheet, limits: Limits) -> tuple[Columns, dict[str, Any]]:
    """The description of the columns, and the report on their texts.

    Raises:
        InvalidInputError: the file cannot be read.
    """
    problems = Problems(limits)
    table = table_of(Path(sheet.file_name), problems, sheet.content, sheet.sheet)
    problems.raise_if_any()
    table = with_joined_turns(without_second_header(table, problems), problems)
    check_has_rows(table)
    columns = sheet.columns or [asdict(guess) for guess in with_ratings(table, guess_columns(table))]
    decided = [] if sheet.choices is None else text_problems(table, columns)
    head = {"head": [[str(cell)[:_MAX_SHOWN] for cell in row] for row in zip(*_first_cells(table), strict=True)]}
    n_rows = len(table)
    table = table if sheet.choices is None else settled(table, columns, sheet.choices)
    wide, responses = wide_of(table, columns)
    columns = [_with_kinds(column, responses if wide is not table else ()) for column in columns]
    columns = with_rating_parts(columns, list(responses))
    rated = rated_questions(table, columns, list(responses), sheet.scales, sheet.read_as)
    situation = column_of(columns, "text")
    texts = [column["name"] for column in columns if column["role"] in {"text", "response"}]
    note_texts_as_names(table, texts, problems)
    note_repeated_ids(table, columns, problems)
    groups = {**({"Situations": situation} if situation else {}), **responses}
    report = asdict(import_report(wide, groups))
    dialogues = any(has_turns(str(cell)) for name in responses.values() for cell in wide.column(name))
    sizes = {"n_rows": n_rows, "n_items": len(wide), "sources": list(responses), "has_turns": dialogues, **head}
    sizes |= {"n_problems": len(decided), "problems": [asdict(one) for one in decided[:MAX_LISTED]]}
    report |= {**sizes, "choices": sheet.choices, "sheet": sheet.sheet, "sheets": sheet_names(sheet.content)}
    report |= {"rated": [asdict(one) for one in rated], "scales": dict(sheet.scales), "read_as": dict(sheet.read_as)}
    report |= {"notes": [_in_words(note) for note in problems.notes]}
    return columns, report


def keep_sheet(begin: Begin, reader: UploadReader, study: StudyRow, file_name: str, content: bytes) -> None:
    """Inspect a spreadsheet and store it for the study; the study itself does not change yet.

    Raises:
        InvalidInputError: the file cannot be read; the spreadsheet stored before is kept.
    """
    columns, report = reader.read(look_at_sheet, TextSheet(file_name, content))
    with begin() as db:
        draft = get_draft(db, study)
        named = _like_the_study(columns, draft.protocol)
    columns, report = reader.read(look_at_sheet, TextSheet(file_name, content, named))
    with begin() as db:
        record_upload(db, study.id, file_name, content, columns, report)


def keep_columns(begin: Begin, reader: UploadReader, study: StudyRow, columns: Columns, *, is_repaired: bool) -> None:
    """Store the lead's description of the columns, and the report that results from it."""
    with begin() as db:
        sheet = _sheet(db, study, columns)
    columns, report = reader.read(look_at_sheet, sheet)
    with begin() as db:
        record_columns(db, study.id, columns, report, is_repaired=is_repaired)


def use_sheet(begin: Begin, reader: UploadReader, study: StudyRow, lead: Lead) -> None:
    """Replace the study's texts with those of the spreadsheet, and the protocol's sources with its sources.

    Raises:
        InvalidInputError: problems of the spreadsheet, or of the protocol with these sources. Nothing was changed.
        TextsFixedError: the study has answers or was opened.
    """
    with begin() as db:
        check_replaceable(db, study)
        upload = get_upload(db, study.id)
        if upload is None:
            raise TextsFixedError("Choose a spreadsheet first.")
        if column_of(upload.columns, "text") is None:
            raise InvalidInputError([Problem(upload.file_name, 1, None, "", NO_SITUATION)])
        sheet = _sheet(db, study, upload.columns, is_repaired=upload.is_repaired)
        draft = get_draft(db, study)
    names = source_names(draft.protocol) if draft.protocol else None
    keys = [(names and names.key(name)) or name for name in upload.report["sources"]]
    sources = sources_of(upload.columns, keys, draft.data.get("sources"))
    texts = texts_of(sheet)
    import_texts(InDraft(begin, study, lead, draft, sources), texts, reader.read)


def texts_of(sheet: TextSheet) -> Texts:
    """What the pipeline imports of a described spreadsheet."""
    return Texts(
        Path(sheet.file_name),
        content=sheet.content,
        columns=sheet.columns,
        is_repaired=sheet.is_repaired,
        sheet=sheet.sheet,
        choices=sheet.choices,
    )


@dataclass(frozen=True, slots=True)
class InDraft:
    """A draft whose texts, and whose sources, are replaced."""

    begin: Begin
    study: StudyRow
    lead: Lead
    draft: Edit
    sources: dict[str, Any]

    def protocol(self) -> tuple[Protocol, str, list[Problem]]:
        """The draft's protocol with the sources of the texts."""
        problems = Problems()
        yaml = edited_yaml(self.draft.yaml, with_sources(self.draft.data, self.sources))
        protocol = read_protocol(yaml, problems)
        if protocol is None:
            raise InvalidInputError(problems.list_of(FILE))
        return protocol, yaml, []

    def add_texts(self, file: Path, texts: StudyFolder) -> None:
        """Store the texts in place of the study's, and their sources in the draft."""
        with self.begin() as db:
            check_replaceable(db, self.study)
            forget_texts(db, self.study.id)
            number = get_draft(db, self.study).number
            change = Change(lambda data: data.get("sources"), lambda data: with_sources(data, self.sources))
            if (saved := save_change(db, self.study, self.lead, number, change)).protocol is None:
                raise InvalidInputError(list(saved.problems))
            store_texts(db, self.study.id, texts.items, texts.responses)
            record_use(db, self.study.id)
            record_act(db, self.lead, self.study, "texts replaced", file=file.name, n_items=len(texts.items))


# Rows and characters of a table that are shown to describe its columns.
_N_SHOWN, _MAX_SHOWN = 5, 300


def _first_cells(table: Table) -> list[Column]:
    return [cells[:_N_SHOWN] for cells in table.columns.values()]


def _in_words(note: Problem) -> str:
    """A sentence with what was found and what was done about it, which is the last part of what a note allows."""
    return f"{note.found[:1].upper()}{note.found[1:]}: {note.allowed.rpartition('; ')[2]}."


def with_sources(data: dict[str, Any], sources: dict[str, Any]) -> dict[str, Any]:
    """The protocol's data with other sources.

    What names a source that is gone goes too, and so does what the protocol says about the texts there were.
    """
    there = data.get("sources")
    for key in there if isinstance(there, dict) else ():
        if key not in sources:
            data = with_entry_renamed(data, "sources", str(key), None)
    return {**{key: value for key, value in data.items() if key != "about_texts"}, "sources": sources}


def sources_of(columns: Columns, keys: Sequence[str], there: object) -> dict[str, Any]:
    """Each source of the sheet with its kind, otherwise as the protocol already describes it."""
    known = there if isinstance(there, dict) else {}
    kinds: dict[str, str] = {}
    for column in columns:
        if column["role"] == "response":
            kinds[str(column.get("source"))] = column["kind"]
        kinds |= column.get("kinds", {})
    described = {key: known[key] if isinstance(known.get(key), dict) else {} for key in keys}
    return {key: {**described[key], "kind": kinds.get(key) or kind_of(key)} for key in keys}


def _with_kinds(column: dict[str, Any], sources: Iterable[str]) -> dict[str, Any]:
    """The column that names the sources, with the kind of each: as the lead or the study says, otherwise guessed."""
    if column["role"] != "source":
        return column
    known = column.get("kinds", {})
    return {**column, "kinds": {key: known.get(key) or kind_of(key) for key in sources}}


def _like_the_study(columns: Columns, protocol: Protocol | None) -> Columns:
    """The columns, with guessed sources renamed to the study's sources: by name, then those of the same kind."""
    if protocol is None:
        return columns
    names = source_names(protocol)
    columns = [{**column, "source": names.key(column["source"]) or column["source"]} for column in columns]
    columns = [_named_after_a_source(column, protocol) for column in columns]
    of_study = {key: source.kind for key, source in protocol.sources.items()}
    columns = [{**column, "kinds": of_study} if column["role"] == "source" else column for column in columns]
    taken = {column.get("source") for column in columns if column["role"] == "response"}
    free = [(key, source.kind) for key, source in protocol.sources.items() if key not in taken]
    named = []
    for column in columns:
        if column["role"] == "response" and column["source"] in protocol.sources:
            named.append(column)
            continue
        match = next((pair for pair in free if column["role"] == "response" and pair[1] == column["kind"]), None)
        if match:
            free.remove(match)
        named.append({**column, "source": match[0]} if match else column)
    return named


def _named_after_a_source(column: dict[str, Any], protocol: Protocol) -> dict[str, Any]:
    """A column of words with the name of one of the study's sources holds its responses, even if they are short."""
    has_words = any(any(map(str.isalpha, example)) for example in column["examples"])
    if column["role"] not in {"attribute", "response"} or not has_words:
        return column
    for key, source in protocol.sources.items():
        if column["name"].casefold() in {key.casefold(), protocol.labels.source(key).casefold()}:
            return {**column, "role": "response", "source": key, "kind": source.kind}
    return column


def _sheet(db: Connection, study: StudyRow, columns: Columns, *, is_repaired: bool = True) -> TextSheet:
    upload = get_upload(db, study.id)
    if upload is None:
        raise TextsFixedError("Choose a spreadsheet first.")
    kept = upload.report
    content = get_content(db, study.id)
    return TextSheet(
        upload.file_name,
        content,
        columns,
        is_repaired,
        kept.get("sheet", 0),
        kept.get("choices"),
        kept.get("scales", {}),
        kept.get("read_as", {}),
    )
