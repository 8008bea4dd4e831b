"""Import a spreadsheet of texts or of ratings into a study. Whoever asks, a page or a command, the steps are the same.

1. Read the table, and find the role of each column: as the lead names it, otherwise guessed.
2. Check every cell. Both steps are `read` of `Texts` and of `Ratings`; they run where `Read` says: in this process, or
   for uploads in one with limits, but never inside a transaction.
3. Preview: what was read is returned with its notes. A dry run ends here.
4. Store it where the study is: in a folder, in the database, or as a draft's texts. It is stored whole or not at all.
"""

import shutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import pandas as pd
from sqlalchemy import Connection

from app.analysis.data.study_folder import StudyFolder
from app.base.database.engine import Begin
from app.base.files.csv_cells import write_csv
from app.base.files.new_folder import new_files
from app.base.files.yaml_tree import read_yaml
from app.base.limits import ON_THIS_COMPUTER, Limits
from app.base.problem import Problem
from app.base.problems import Problems
from app.protocol.study import Protocol as StudyProtocol
from app.protocol.yaml.edited_yaml import edited_yaml
from app.protocol.yaml.study_yaml import FILE, protocol_from_bytes, read_protocol
from app.studies.export import study_folder
from app.studies.folder.read import read_folder
from app.studies.folder.write import write_texts
from app.studies.folder.written_tables import tables_of
from app.studies.imports.name_matching import source_names
from app.studies.imports.read_ratings import Ratings, ReadRatings
from app.studies.imports.read_texts import Texts, name_known
from app.studies.load import count_answers, known_keys, list_raters_with_sessions, store_imported, store_texts
from app.studies.protocols import get_protocol
from app.studies.studies import StudyMissingError, StudyRow, get_study

_TEXTS = ("items.csv", "items.jsonl", "responses.csv", "responses.jsonl")
# Calls a function with a file and limits, in this process or in another one.
Read = Callable[[Callable[[Any, Limits], Any], Any], Any]


class TextsInTheWayError(FileExistsError):
    """The folder already has items."""


class StudyChangedError(Exception):
    """Someone else imported ratings at the same time. Nothing was saved."""


def read_file(file: Texts | Ratings, limits: Limits) -> StudyFolder | ReadRatings:
    """Read and check a spreadsheet within these limits."""
    return file.read(limits)


def read_here(read: Callable[[Any, Limits], Any], file: object) -> Any:  # noqa: ANN401 - see Read
    """Read in this process, within the limits of this computer."""
    return read(file, ON_THIS_COMPUTER)


class TextPlace(Protocol):
    """A study that takes texts."""

    def protocol(self) -> tuple[StudyProtocol, str, list[Problem]]:
        """The protocol, its text, and notes about it."""

    def add_texts(self, file: Path, texts: StudyFolder) -> None:
        """Store the texts of this file."""


class Place(TextPlace, Protocol):
    """A study that takes texts and ratings."""

    def study(self) -> tuple[StudyFolder, Collection[str]]:
        """The whole study, and the raters who have rated in Attune."""

    def add_ratings(self, before: StudyFolder, found: ReadRatings) -> None:
        """Store ratings that were read against this study."""


def import_texts(place: TextPlace, texts: Texts, read: Read = read_here, *, is_dry_run: bool = False) -> StudyFolder:
    """Import the items and responses of a spreadsheet, or only check them.

    Returns:
        The added items and responses, with notes.

    Raises:
        StudyMissingError: the study does not exist.
        TextsInTheWayError: the folder already has items.
        InvalidInputError: every problem of the protocol and of the spreadsheet. Nothing was stored.
    """
    protocol, yaml, notes = place.protocol()
    found: StudyFolder = read(read_file, replace(texts, protocol=protocol, yaml=yaml))
    if not is_dry_run:
        place.add_texts(texts.file, found)
    return replace(found, notes=(*notes, *found.notes))


def import_ratings(place: Place, ratings: Ratings, read: Read = read_here, *, is_dry_run: bool = False) -> ReadRatings:
    """Import the ratings of a spreadsheet, or only check them.

    Raises:
        StudyMissingError: the study does not exist.
        InvalidInputError: every problem of the study folder or of the spreadsheet. Nothing was stored.
        StudyChangedError: ratings of these raters were stored while the spreadsheet was read.
    """
    study, rated_here = place.study()
    found: ReadRatings = read(read_file, replace(ratings, study=study, rated_here=rated_here))
    if not is_dry_run:
        place.add_ratings(study, found)
    return found


@dataclass(frozen=True, slots=True)
class InFolder:
    """A study folder. `out`: the folder that texts are written to, to which study.yaml is copied; None for the same.

    `replaces`: whether existing items may be replaced. `kinds`: sources with their kinds; those that study.yaml lacks
    are added to it together with the texts.
    """

    folder: Path
    out: Path | None = None
    replaces: bool = False
    kinds: Mapping[str, str] = field(default_factory=dict)

    def protocol(self) -> tuple[StudyProtocol, str, list[Problem]]:
        """See TextPlace."""
        if (there := self._there()) and not self.replaces:
            raise TextsInTheWayError(f"{self._out} already contains {' and '.join(there)}. Nothing was written.")
        source, problems = self.folder / FILE, Problems()
        if not source.is_file():
            problems.add(str(source), None, None, "no such file", "a study protocol")
            problems.raise_if_any()
        protocol, yaml = protocol_from_bytes(source.read_bytes(), problems)
        problems.raise_if_any()
        if protocol is None:
            raise AssertionError("a protocol that cannot be read is a problem")
        known = source_names(protocol)
        if new := {name: {"kind": kind} for name, kind in self.kinds.items() if known.key(name) is None}:
            tree = read_yaml(FILE, yaml, problems)
            data = tree.data if tree else {}
            yaml = edited_yaml(yaml, {**data, "sources": {**data["sources"], **new}})
            protocol = read_protocol(yaml, problems)
            problems.raise_if_any()
            if protocol is None:
                raise AssertionError("a source that is not allowed is a problem")
        return protocol, yaml, problems.notes

    def add_texts(self, file: Path, texts: StudyFolder) -> None:  # noqa: ARG002 - problems do not name it here
        """Write items.csv and responses.csv next to study.yaml, and new sources into that."""
        out = self._out
        out.mkdir(parents=True, exist_ok=True)
        if not (out / FILE).exists():
            shutil.copyfile(self.folder / FILE, out / FILE)
        with new_files(out) as half:
            write_texts(half, texts)
            if self.kinds:
                (half / FILE).write_text(texts.yaml, encoding="utf-8")
            for name in self._there():
                (out / name).unlink()

    def study(self) -> tuple[StudyFolder, Collection[str]]:
        """The study in the folder, and none of its raters: nobody rates in a folder."""
        return read_folder(self.folder), ()

    def add_ratings(self, before: StudyFolder, found: ReadRatings) -> None:
        """Add the answers to ratings.csv, and their raters to raters.csv."""
        tables = tables_of(with_ratings(before, found))
        with new_files(self.folder) as half:
            for name in ("raters", "ratings"):
                write_csv(half / f"{name}.csv", tables[name])
        for name in ("raters", "ratings"):
            (self.folder / f"{name}.jsonl").unlink(missing_ok=True)

    @property
    def _out(self) -> Path:
        return self.out or self.folder

    def _there(self) -> list[str]:
        return [name for name in _TEXTS if (self._out / name).exists()]


def with_ratings(study: StudyFolder, read: ReadRatings) -> StudyFolder:
    """The study with the imported answers added."""
    is_marked = study.raters["rater"].isin(read.marked)
    raters = study.raters.assign(is_imported=study.raters["is_imported"] | is_marked)
    parts = [raters, read.raters.reindex(columns=raters.columns)] if len(read.raters) else [raters]
    several = pd.concat(parts, ignore_index=True) if len(raters) or not len(read.raters) else read.raters
    ratings = pd.concat([study.ratings, read.ratings], ignore_index=True) if len(study.ratings) else read.ratings
    return replace(study, raters=several, ratings=ratings)


@dataclass(frozen=True, slots=True)
class InStore:
    """A study in the database. If it is open, added items get trials when it is opened again."""

    begin: Begin
    slug: str

    def protocol(self) -> tuple[StudyProtocol, str, list[Problem]]:
        """See TextPlace."""
        with self.begin() as db:
            row = self._row(db)
            return get_protocol(db, row.id, row.protocol_version), "", []

    def add_texts(self, file: Path, texts: StudyFolder) -> None:
        """Append the texts, if the study has none of their IDs."""
        problems = Problems()
        with self.begin() as db:
            study_id = self._row(db).id
            for name, keys in (("item", texts.items["item"]), ("response", texts.responses["response"])):
                name_known(file.name, name, keys, known_keys(db, study_id, f"{name}s"), problems)
            problems.raise_if_any()
            store_texts(db, study_id, texts.items, texts.responses)

    def study(self) -> tuple[StudyFolder, Collection[str]]:
        """The stored study, and its raters who have rated in Attune."""
        with self.begin() as db:
            study_id = self._row(db).id
            return study_folder(db, study_id), list_raters_with_sessions(db, study_id)

    def add_ratings(self, before: StudyFolder, found: ReadRatings) -> None:
        """Append the answers, unless answers of the same raters were stored while the file was read."""
        named = set(found.ratings["rater"]) & set(before.raters["rater"])
        n_before = int(before.ratings["rater"].isin(named).sum())
        with self.begin() as db:
            study_id = self._row(db).id
            is_same = count_answers(db, study_id, sorted(named)) == n_before
            if not is_same or known_keys(db, study_id, "raters") & set(found.raters["rater"]):
                raise StudyChangedError("The study was changed while the file was read. Nothing was saved. Try again.")
            store_imported(db, study_id, found.raters, found.marked, found.ratings)

    def _row(self, db: Connection) -> StudyRow:
        row = get_study(db, self.slug)
        if row is None:
            raise StudyMissingError(f"No study has the slug {self.slug}.")
        return row
