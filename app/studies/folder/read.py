"""Read a study folder into a StudyFolder, or report all of its problems."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from app.analysis.data.study_folder import StudyFolder
from app.base.files.images import ALLOWED, ImageError, StoredImage
from app.base.files.input_limits import MEBIBYTE
from app.base.files.read_image import read_image
from app.base.files.records import read_table
from app.base.files.table import Table
from app.base.limits import ON_THIS_COMPUTER, Limits
from app.base.problems import Problems
from app.base.progress import Progress, quiet
from app.base.words import or_list
from app.protocol.questions.registry import Question
from app.protocol.study import Protocol
from app.protocol.yaml.study_yaml import FILE, protocol_from_bytes
from app.studies.folder.designs import check_rankable, note_unpaired
from app.studies.folder.raters import check_arrivals, check_checks, check_raters, named_in
from app.studies.folder.ratings.answers import beyond, passages_of
from app.studies.folder.ratings.ratings import check_ratings, check_without_protocol, no_ratings
from app.studies.folder.ratings.targets import Study
from app.studies.folder.texts import check_items, check_responses, no_responses

# Check the `correct_column` of questions: the column exists and contains valid answers.


def check_correct_columns(
    protocol: Protocol,
    items: pd.DataFrame,
    responses: pd.DataFrame,
    rows: Mapping[str, Sequence[int]],
    problems: Problems,
) -> None:
    """Check that each `correct_column` exists and contains codes of its question, or passages of its text.

    `rows` are the numbers of the rows of `items` and of `responses` in their files.
    """
    for number, question in enumerate(protocol.questions, start=1):
        column = question.key_column()
        if column is None:
            continue
        tables = {"item": items, "response": responses}
        if not any(column in texts.columns for texts in tables.values()):
            where = f"questions.{number}.correct_column"
            problems.add(FILE, None, where, column, "a column of items.csv or responses.csv")
        for name, texts in tables.items():
            if column in texts.columns:
                for row, answer, words in _wrong(question, name, texts, column):
                    problems.add(f"{name}s.csv", int(rows[f"{name}s"][row]), column, answer, words)


def _wrong(question: Question, name: str, texts: pd.DataFrame, column: str) -> Iterator[tuple[int, str, str]]:
    """Yield each answer that the question cannot have, with its position and what is allowed."""
    for row, answer in enumerate(texts[column]):
        if answer is None:
            continue
        if question.read_cell(answer) is None:
            codes = question.code_words()
            words = or_list(codes) if codes else question.allowed_words()
            yield row, answer, words
        elif question.measure == "passages" and _is_of(question, name):
            passages = passages_of(texts["text"].iloc[row], texts["turns"].iloc[row])
            if passages is not None and (words := beyond(answer.strip(), *passages)):
                yield row, answer, words


def _is_of(question: Question, name: str) -> bool:
    """Whether the question marks this kind of text; the turns of a dialogue may be those of either."""
    return question.target in {name, "turn"}


# The folder of the images that items.csv names.
IMAGES = "images"
TABLES = ("items", "responses", "raters", "ratings")
# Written by an export for people and other programs; ignored when a folder is read.
WRITTEN_ONLY = (
    "scores.csv",
    "events.csv",
    "changes.csv",
    "assignments.csv",
    "reported_problems.csv",
    "preregistration.json",
    "requests.jsonl",
    "turns.csv",
    "transcripts.jsonl",
    "keystrokes.csv",
    "agreement.csv",
    "comparisons.csv",
    "codebook.csv",
    "datapackage.json",
)
READ = (FILE, "checks.csv", "rating_sessions.csv", *(f"{name}.{kind}" for name in TABLES for kind in ("csv", "jsonl")))


def read_folder(path: Path, progress: Progress = quiet, limits: Limits = ON_THIS_COMPUTER) -> StudyFolder:
    """Read the study in a folder.

    Raises:
        InvalidInputError: with every problem of every file.
    """
    problems = Problems(limits)
    if not path.is_dir():
        problems.add(
            str(path), None, None, "no such folder", "a folder that contains study.yaml, items.csv, responses.csv ..."
        )
        problems.raise_if_any()
    _check_size(path, problems)
    names = _names(path)
    return _Reading(names, lambda name: (path / name).read_bytes(), problems, progress).study()


def _names(path: Path) -> list[str]:
    """The files of a folder and of its folder of images."""
    images = path / IMAGES
    within = images.iterdir() if images.is_dir() else ()
    return [
        *(file.name for file in path.iterdir() if file.is_file()),
        *(f"{IMAGES}/{file.name}" for file in within if file.is_file()),
    ]


def _check_size(path: Path, problems: Problems) -> None:
    names = {name for name in _names(path) if name in READ or name.startswith(f"{IMAGES}/")}
    n_bytes = sum((path / name).stat().st_size for name in names)
    if n_bytes > problems.limits.unpacked_mb * MEBIBYTE:
        found = f"{n_bytes / MEBIBYTE:,.0f} MiB"
        problems.add(str(path), None, None, found, f"a folder of at most {problems.limits.unpacked_mb} MiB")
        problems.raise_if_any()


def read_files(files: dict[str, bytes], problems: Problems | None = None) -> StudyFolder:
    """Read the study in these files, given as a mapping from file name to content.

    Raises:
        InvalidInputError: with every problem of every file.
    """
    return _Reading(files, files.__getitem__, problems or Problems(), quiet).study()


class _Reading:
    """One pass over the files; each file is loaded only when it is needed and released afterwards."""

    def __init__(
        self, names: Collection[str], load: Callable[[str], bytes], problems: Problems, progress: Progress
    ) -> None:
        self._names, self._load, self._problems, self._progress = names, load, problems, progress
        self._rows: dict[str, Sequence[int]] = {}

    def study(self) -> StudyFolder:
        problems = self._problems
        protocol, yaml = self._protocol()
        items, responses = self._texts(protocol)
        ratings_table = self._table("ratings")
        raters = self._raters(ratings_table)
        if protocol is None or items is None or responses is None or raters is None:
            if ratings_table is not None:
                check_without_protocol(ratings_table, items, responses, raters, problems)
            if raters is not None:
                self._checks(raters)
                self._arrivals(raters)
            problems.raise_if_any()
            raise AssertionError("a table that cannot be read is a problem")
        check_correct_columns(protocol, items, responses, self._rows, problems)
        study = Study(protocol, items, responses, raters)
        images = self._images(items)
        self._progress("Checking the ratings", 0, 1)
        ratings = no_ratings() if ratings_table is None else check_ratings(ratings_table, study, problems)
        self._progress("Checking the ratings", 1, 1)
        checks, arrivals = self._checks(raters), self._arrivals(raters)
        problems.raise_if_any()
        if ratings is None:
            raise AssertionError("a table that cannot be read is a problem")
        notes = tuple(problems.notes)
        return StudyFolder(protocol, yaml, items, responses, raters, ratings, notes, checks, arrivals, images)

    def _protocol(self) -> tuple[Protocol | None, str]:
        if FILE not in self._names:
            self._problems.add(FILE, None, None, "no such file", "a study protocol in study.yaml")
            return None, ""
        return protocol_from_bytes(self._load(FILE), self._problems)

    def _texts(self, protocol: Protocol | None) -> tuple[pd.DataFrame | None, pd.DataFrame | None]:
        table = self._table("items", required="items.csv or items.jsonl")
        items = None if table is None else check_items(table, self._problems)
        # In studies of conversations and drafts, raters write the responses.
        asked = (
            protocol is not None
            and protocol.writing is None
            and any(q.target in ("response", "pair", "set") for q in protocol.questions)
        )
        required = "responses.csv or responses.jsonl, because the protocol asks about responses" if asked else None
        responses_table = self._table("responses", required=required)
        if responses_table is None:
            return items, None if self._has("responses") else no_responses()
        responses = check_responses(responses_table, items, protocol, self._problems)
        if table is not None and responses is not None and protocol is not None:
            check_rankable(table, responses, protocol, self._problems)
            note_unpaired(table, responses, protocol, self._problems)
        return items, responses

    def _images(self, items: pd.DataFrame) -> dict[str, StoredImage]:
        """The images that items name."""
        found: dict[str, StoredImage] = {}
        rows: dict[str, int] = {}
        for name, row in zip(items["image"], self._rows["items"], strict=True):
            if name is not None:
                rows.setdefault(name, int(row))
        for number, (name, row) in enumerate(rows.items()):
            self._progress("Reading images", number, len(rows))
            file = f"{IMAGES}/{name}"
            if file not in self._names:
                self._problems.add("items.csv", row, "image", name, f"a file in the folder {IMAGES}")
                continue
            try:
                found[name] = read_image(self._load(file))
            except ImageError as error:
                self._problems.add(file, None, None, str(error), ALLOWED)
        for file in sorted(self._names):
            if file.startswith(f"{IMAGES}/") and file.removeprefix(f"{IMAGES}/") not in rows:
                allowed = "an image that the column image of items.csv names; the file was ignored"
                self._problems.note(file, None, None, file, allowed)
        return found

    def _raters(self, ratings: Table | None) -> pd.DataFrame | None:
        if not self._has("raters"):
            return named_in(ratings, self._problems)
        table = self._table("raters")
        return None if table is None else check_raters(table, self._problems)

    def _checks(self, raters: pd.DataFrame) -> pd.DataFrame | None:
        table = self._table("checks")
        return None if table is None else check_checks(table, raters, self._problems)

    def _arrivals(self, raters: pd.DataFrame) -> pd.DataFrame | None:
        table = self._table("rating_sessions")
        return None if table is None else check_arrivals(table, raters, self._problems)

    def _has(self, name: str) -> bool:
        return any(f"{name}.{kind}" in self._names for kind in ("csv", "jsonl"))

    def _table(self, name: str, required: str | None = None) -> Table | None:
        files = [file for kind in ("csv", "jsonl") if (file := f"{name}.{kind}") in self._names]
        if not files:
            if required is not None:
                self._problems.add(f"{name}.csv", None, None, "no such file", required)
            return None
        if len(files) > 1:
            self._problems.add(files[1], None, None, f"both {files[0]} and {files[1]}", "only one of the two files")
        table = read_table(files[0], self._load(files[0]), self._problems, self._progress)
        self._rows[name] = [] if table is None else table.rows.tolist()
        return table
