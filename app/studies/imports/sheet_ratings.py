"""Ratings in the spreadsheet of a study's texts: guess what each column holds, check them, import them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from app.accounts.leads import Lead
from app.base.database.engine import Begin
from app.base.numbers import with_minus
from app.base.problem import Problem
from app.protocol.questions.registry import SCALED, Question
from app.protocol.questions.scaled import CANNOT_JUDGE
from app.protocol.study import Protocol
from app.studies.audit import record_act
from app.studies.creation.upload_process import UploadReader
from app.studies.imports.column_meanings import COMMON, NewRaters, RatingLayout, rater_columns, value_columns
from app.studies.imports.grouped_problems import GroupedProblem
from app.studies.imports.name_matching import Names, plain, question_names, source_names, words_of
from app.studies.imports.patterns import AnswerColumn, guessed_column
from app.studies.imports.pipeline import InStore, import_ratings
from app.studies.imports.read_ratings import Ratings, ReadRatings
from app.studies.imports.text_uploads import TextUpload, get_content
from app.studies.studies import StudyRow

Kind = Literal["person", "model"]
_MAYBE_RATINGS = ("rating", "rater", "attribute", "ignore")


@dataclass(frozen=True, slots=True)
class RatingColumns:
    """The description of the columns: those with answers, those that name the raters, and who the raters are.

    `raters`: from column to the source whose responses they rated, empty for all. `recoded`: from question and cell to
    the value to read instead, empty for no answer.
    """

    answers: tuple[AnswerColumn, ...]
    raters: Mapping[str, str] = field(default_factory=dict)
    kind: Kind = "person"
    recoded: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def rater_column(self, source: str | None) -> str | None:
        """The column that names the raters of a source, or of all."""
        found = {of: column for column, of in self.raters.items()}
        return found.get(source or "") or found.get("")


@dataclass(frozen=True, slots=True)
class Unread:
    """A value in the file that is no answer to its question, and the answers that it may stand for.

    `value` is the answer that was chosen, empty for no answer; None until one is chosen. `allowed` says what may be
    entered instead, if the answers are too many to choose from, such as those of a slider.
    """

    question: str
    found: str
    choices: list[tuple[str, str]]
    allowed: str = ""
    value: str | None = None

    @property
    def entered(self) -> str:
        """The answer that was entered."""
        return self.value or "" if self.value not in {value for value, _ in self.choices} else ""


@dataclass(frozen=True, slots=True)
class RatingCount:
    """The answers to one question in the file; `lowest` and `highest` of numbers, None for other answers."""

    question: str
    n_answers: int
    n_raters: int
    n_items: int
    lowest: float | None
    highest: float | None


def rating_columns(upload: TextUpload) -> list[dict[str, Any]]:
    """The columns of the file that may hold ratings or name the raters."""
    return [column for column in upload.columns if column["role"] in _MAYBE_RATINGS]


def guess_rating_columns(upload: TextUpload, protocol: Protocol) -> RatingColumns:
    """What the names of the columns say; answers to an unnamed one of several questions have only a source.

    A column named after one rater has this rater's answers to the first question about responses.
    """
    sources, questions = _source_names(upload, protocol), question_names(protocol)
    recoded = _no_answers(upload, protocol)
    names = [column["name"] for column in rating_columns(upload)]
    named = {plain(name): name for name in names}
    rater = next((named[name] for name in COMMON["rater"] if name in named), None)
    rater = _column_of(upload, "rater") or rater
    raters = ({rater: ""} if rater else {}) | rater_columns(names, sources)
    columns = [column for column in upload.columns if column["role"] == "rating" and column["name"] not in raters]
    if _column_of(upload, "question") is not None:
        return RatingColumns(
            tuple(AnswerColumn(column["name"], None, None) for column in columns[:1]), raters, recoded=recoded
        )
    only = questions.keys[0] if len(questions.keys) == 1 else None
    values = value_columns([column["name"] for column in columns], sources)
    rated = next((one.key for one in protocol.questions if one.target == "response" and one.type in SCALED), only)
    found = (
        _described(column, sources, questions, rated)
        or guessed_column(name := column["name"], sources, questions)
        or (AnswerColumn(name, only, values.get(name)) if name in values or only else None)
        for column in columns
    )
    of_one = _column_of(upload, "source") is None and len(protocol.sources) == 1
    about = {one.key for one in protocol.questions if one.target == "response"} if of_one else ()
    answers = (
        replace(one, source=next(iter(protocol.sources))) if one.question in about else one for one in found if one
    )
    return RatingColumns(tuple(answers), raters, recoded=recoded)


def _no_answers(upload: TextUpload, protocol: Protocol) -> dict[tuple[str, str], str]:
    """The values that are no answers: as the lead has said, or codes that are no answers to the study's question."""
    asked = {question.key: question for question in protocol.questions}
    return {
        (key, value["found"]): ""
        for one in upload.report.get("rated", ())
        for value in one["odd"]
        if (key := one["question"]["key"]) in asked and not value["is_answer"]
        if value["is_decided"] or asked[key].read_cell(value["found"]) is None
    }


def _described(column: dict[str, Any], sources: Names, questions: Names, rated: str | None) -> AnswerColumn | None:
    """The answers of a column with the rater, the question or both that are said of it; None if neither is."""
    rater, asked = column.get("rater"), column.get("question")
    question = questions.key(asked) if asked else rated if rater else None
    if question is None:
        return None
    source = sources.in_words(words_of(column["name"]))
    return AnswerColumn(column["name"], question, source and source[0], rater or None)


def unread_values(protocol: Protocol, columns: RatingColumns, problems: Iterable[Problem]) -> list[Unread]:
    """The values that are recoded, and those that could not be read."""
    choices = {question.key: _choices(question, protocol) for question in protocol.questions}
    allowed = {question.key: _allowed(question) for question in protocol.questions}
    known: dict[tuple[str, str], str | None] = dict(columns.recoded)
    for problem in problems:
        if isinstance(problem, GroupedProblem) and problem.question in choices:
            known |= {key: None for value in problem.values if (key := (problem.question, value)) not in known}
    return [
        Unread(question, found, choices[question], allowed[question], value)
        for (question, found), value in known.items()
        if question in choices
    ]


def _choices(question: Question, protocol: Protocol) -> list[tuple[str, str]]:
    """The answers to choose from, with their words; see `_allowed` for questions with too many."""
    if question.measure == "preference":
        sources = [(key, protocol.labels.source(key)) for key in protocol.sources]
        return [*sources, *((word, word.capitalize()) for word in question.other_words())]
    points = [
        (value, with_minus(value) if words in {"", value} else f"{with_minus(value)} – {words}")
        for value, words in question.meanings()
        if value
    ]
    can_skip = CANNOT_JUDGE in question.other_words()
    return [*points, (CANNOT_JUDGE, "Cannot judge")] if can_skip else points


def _allowed(question: Question) -> str:
    """What may be entered as the answer, for questions whose answers are no list."""
    if question.measure == "preference":
        return ""
    return next((words for value, words in question.meanings() if not value), "")


def check_sheet_ratings(
    begin: Begin, reader: UploadReader, study: StudyRow, upload: TextUpload, columns: RatingColumns
) -> list[RatingCount]:
    """The ratings that the file holds. Nothing is saved.

    Raises:
        InvalidInputError: every problem of the ratings.
    """
    return _counted(_read(begin, reader, study, upload, columns, is_dry_run=True))


def import_sheet_ratings(
    begin: Begin, reader: UploadReader, study: StudyRow, lead: Lead, upload: TextUpload, columns: RatingColumns
) -> None:
    """Add the ratings of the file to the study.

    Raises:
        InvalidInputError: every problem of the ratings. Nothing was saved.
        StudyChangedError: someone else imported ratings at the same time. Nothing was saved.
    """
    read = _read(begin, reader, study, upload, columns, is_dry_run=False)
    with begin() as db:
        record_act(db, lead, study, "ratings imported", file=upload.file_name, n_ratings=len(read.ratings))


def _read(
    begin: Begin,
    reader: UploadReader,
    study: StudyRow,
    upload: TextUpload,
    columns: RatingColumns,
    *,
    is_dry_run: bool,
) -> ReadRatings:
    has_rows = any(_column_of(upload, role) for role in ("source", "rater"))
    layout = RatingLayout(
        # Without IDs, rows of responses or of raters name their item by its text.
        item=_column_of(upload, "item") or (_column_of(upload, "text") if has_rows else None),
        source=_column_of(upload, "source"),
        question=_column_of(upload, "question"),
        rater=columns.rater_column(None),
        columns=tuple(
            one if one.rater else replace(one, rater_column=columns.rater_column(one.source)) for one in columns.answers
        ),
        recoded=columns.recoded,
    )
    with begin() as db:
        content = get_content(db, study.id)
    new_raters = NewRaters(kind=columns.kind, are_welcome=True)
    ratings = Ratings(Path(upload.file_name), layout, new_raters, content, sheet=upload.report.get("sheet", 0))
    return import_ratings(InStore(begin, study.slug), ratings, reader.read, is_dry_run=is_dry_run)


def _column_of(upload: TextUpload, role: str) -> str | None:
    return next((column["name"] for column in upload.columns if column["role"] == role), None)


def _source_names(upload: TextUpload, protocol: Protocol) -> Names:
    """The sources by key and label, and by the words that tell the columns of their responses apart."""
    known = source_names(protocol)
    responses = [
        (column["source"], words_of(column["name"])) for column in upload.columns if column["role"] == "response"
    ]
    n_uses = Counter(word.casefold() for _, words in responses for word in set(words))
    named: dict[str, list[str]] = {key: [] for key in known.keys}
    for source, words in responses:
        own = " ".join(word for word in words if n_uses[word.casefold()] == 1)
        if source in named and own:
            named[source].append(own)
    more = Names.of(named)
    return Names(known.keys, {**more.by_name, **known.by_name})


def _counted(read: ReadRatings) -> list[RatingCount]:
    """The answers of each question, in the order of the file."""
    return [
        RatingCount(
            str(question),
            len(own),
            own["rater"].nunique(),
            own["item"].nunique(),
            float(own["number"].min()) if own["number"].notna().any() else None,
            float(own["number"].max()) if own["number"].notna().any() else None,
        )
        for question, own in read.ratings.groupby("question", sort=False)
    ]
