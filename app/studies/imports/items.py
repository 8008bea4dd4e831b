"""Import items and responses from a spreadsheet with one row per item, into a study folder or the database."""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pandas as pd
from sqlalchemy import Connection

from app.analysis.data.study_folder import StudyFolder
from app.base.database.engine import Begin
from app.base.files.cells import one_of
from app.base.files.spreadsheet import read_spreadsheet
from app.base.files.table import Table
from app.base.limits import ON_THIS_COMPUTER, Limits
from app.base.problem import Problem
from app.base.problems import Problems
from app.protocol.study import Protocol
from app.protocol.yaml.study_yaml import FILE, protocol_from_bytes
from app.studies.folder.designs import check_rankable, note_unpaired
from app.studies.folder.raters import named_in
from app.studies.folder.ratings.ratings import no_ratings
from app.studies.folder.texts import check_items, check_responses
from app.studies.folder.write import write_texts
from app.studies.imports.column_roles import guess_columns
from app.studies.imports.name_matching import question_names, source_names
from app.studies.imports.patterns import guessed
from app.studies.imports.wide_table import Layout, unfold
from app.studies.load import known_keys, store_texts
from app.studies.protocols import get_protocol
from app.studies.studies import StudyMissingError, get_study

# Names of columns that are read as the texts of items even if the texts are short.
_SITUATIONS = ("text", "question", "post", "message", "situation", "prompt", "scenario")
_TEXTS = ("items.csv", "items.jsonl", "responses.csv", "responses.jsonl")


class TextsInTheWayError(FileExistsError):
    """The folder already has items."""


@dataclasses.dataclass(frozen=True, slots=True)
class TextsFile:
    """A spreadsheet of texts with all that is needed to read it, in this process or in another one."""

    file: Path
    layout: Layout
    protocol: Protocol
    yaml: str


def read_file(job: TextsFile, limits: Limits = ON_THIS_COMPUTER) -> StudyFolder:
    """Read the items and responses of a spreadsheet within these limits, as a study without raters.

    Raises:
        InvalidInputError: every problem of the spreadsheet.
    """
    return read_texts(job.file, job.layout, job.protocol, job.yaml, Problems(limits))


def import_into_folder(
    folder: Path,
    file: Path,
    layout: Layout,
    out: Path,
    *,
    replace: bool = False,
    read_job: Callable[[TextsFile], StudyFolder] = read_file,
) -> StudyFolder:
    """Write items.csv and responses.csv next to the study.yaml of a folder.

    Args:
        folder: a folder with study.yaml.
        file: the spreadsheet.
        layout: the meaning of its columns.
        out: the folder to write to; if it is not `folder`, study.yaml is copied there.
        replace: whether existing items may be replaced.
        read_job: reads the spreadsheet.

    Returns:
        The written study, with notes.

    Raises:
        InvalidInputError: every problem of the protocol and of the spreadsheet. Nothing was written.
        TextsInTheWayError: the folder already has items.
    """
    there = [name for name in _TEXTS if (out / name).exists()]
    if there and not replace:
        raise TextsInTheWayError(f"{out} already contains {' and '.join(there)}. Nothing was written.")
    protocol, yaml, notes = _protocol_in(folder)
    study = read_job(TextsFile(file, layout, protocol, yaml))
    study = dataclasses.replace(study, notes=(*notes, *study.notes))
    out.mkdir(parents=True, exist_ok=True)
    if not (out / FILE).exists():
        shutil.copyfile(folder / FILE, out / FILE)
    with tempfile.TemporaryDirectory(dir=out, prefix=".items-") as half:
        write_texts(Path(half), study)
        for name in there:
            (out / name).unlink()
        for written in Path(half).iterdir():
            written.replace(out / written.name)
    return study


def _protocol_in(folder: Path) -> tuple[Protocol, str, list[Problem]]:
    """The protocol of a folder, its text, and notes about it."""
    source, problems = folder / FILE, Problems()
    if not source.is_file():
        problems.add(str(source), None, None, "no such file", "a study protocol")
        problems.raise_if_any()
    protocol, yaml = protocol_from_bytes(source.read_bytes(), problems)
    problems.raise_if_any()
    if protocol is None:
        raise AssertionError("a protocol that cannot be read is a problem")
    return protocol, yaml, problems.notes


def import_into_store(
    begin: Begin, slug: str, file: Path, layout: Layout, *, read_job: Callable[[TextsFile], StudyFolder] = read_file
) -> StudyFolder:
    """Append the spreadsheet's items and responses to a study in the database.

    The file is read by `read_job`, outside of a transaction. If the study is open, it gets trials for them when it is
    opened again.

    Returns:
        The added items and responses, with notes.

    Raises:
        StudyMissingError: the study does not exist.
        InvalidInputError: every problem of the spreadsheet, including IDs that the study already has. Nothing was
            saved.
    """
    with begin() as db:
        row = get_study(db, slug)
        if row is None:
            raise StudyMissingError(f"No study has the slug {slug}.")
        protocol = get_protocol(db, row.id, row.protocol_version)
    study = read_job(TextsFile(file, layout, protocol, ""))
    with begin() as db:
        _hold_against_store(db, row.id, file.name, study)
        store_texts(db, row.id, study.items, study.responses)
    return study


def read_texts(file: Path, layout: Layout, protocol: Protocol, yaml: str, problems: Problems) -> StudyFolder:
    """The spreadsheet's items and responses as a study without raters.

    Raises:
        InvalidInputError: every problem of the spreadsheet.
    """
    _check_sources(layout, protocol, problems)
    problems.raise_if_any()
    sheet = read_spreadsheet(file, problems)
    if sheet is None:
        problems.raise_if_any()
        raise AssertionError("a spreadsheet that cannot be read is a problem")
    layout = _with_text(sheet, layout, problems)
    return texts_of_table(sheet, _without_answers(sheet, layout, protocol), protocol, yaml, problems)


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
    return dataclasses.replace(layout, text=found[0])


def _without_answers(sheet: Table, layout: Layout, protocol: Protocol) -> Layout:
    """The layout without columns that contain ratings, so that they do not become attributes of the items."""
    taken = {*layout.named.values(), *layout.responses.values()}
    found = guessed(sheet, taken, source_names(protocol), question_names(protocol), names_raters=False)
    return dataclasses.replace(layout, answers=[answers.column for answers in found])


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
    _name_known(file, name, keys, known_keys(db, study_id, f"{name}s"), problems)
    problems.raise_if_any()


def _hold_against_store(db: Connection, study_id: int, file: str, study: StudyFolder) -> None:
    problems = Problems()
    for table, name, keys in (
        ("items", "item", study.items["item"]),
        ("responses", "response", study.responses["response"]),
    ):
        _name_known(file, name, keys, known_keys(db, study_id, table), problems)
    problems.raise_if_any()


def _name_known(file: str, name: str, keys: pd.Series[str], known: set[str], problems: Problems) -> None:
    for key in keys[keys.isin(known)]:
        problems.add(file, None, name, key, f"an ID that no {name} of the study has yet")
