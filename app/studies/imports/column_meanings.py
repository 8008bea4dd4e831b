"""The meaning of each column of a ratings spreadsheet: as named by the lead, otherwise guessed if it is clear."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from app.base.files.table import Table
from app.base.problems import Problems
from app.base.words import and_list, or_list
from app.studies.folder.ratings.targets import Study
from app.studies.imports.name_matching import Names, plain, question_names, source_names, words_of
from app.studies.imports.patterns import AnswerColumn, Patterns, guessed, has_placeholder
from app.studies.imports.text_lookup import TextLookup

# The meaning of each column of a ratings spreadsheet, as named by the lead.


def named_columns(pairs: Iterable[str], form: str = "KEY=COLUMN") -> dict[str, str]:
    """The parts of pairs such as KEY=COLUMN, as commands and the API name columns.

    >>> named_columns(["warm=Column A", "sure = B=C"])
    {'warm': 'Column A', 'sure': ' B=C'}

    Raises:
        ValueError: a pair of another form, or a second one of the same key.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        key, sign, column = pair.partition("=")
        if not sign or not key.strip() or not column or key.strip() in found:
            raise ValueError(f'Expected {form}, each once; found "{pair[:100]}".')
        found[key.strip()] = column
    return found


@dataclass(frozen=True, slots=True)
class RatingLayout:
    """Columns by content; None means that the column is guessed from its name.

    `item` and `response` are columns of IDs or of texts. `rater` may contain {source} and {question}, for files that
    name the raters in several columns. `questions`: from question to the column with its answers, which may contain
    the placeholders {rater}, {source} and {item}. `value`: the column with the answers to all questions, which may
    contain {question} too. `recoded`: from question and cell to the value to read instead, empty for no answer.
    `missing`: cells that are not answers. `columns`: the columns with answers, if each is described by itself.
    """

    item: str | None = None
    response: str | None = None
    source: str | None = None
    rater: str | None = None
    question: str | None = None
    value: str | None = None
    questions: Mapping[str, str] = field(default_factory=dict)
    recoded: Mapping[tuple[str, str], str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    columns: tuple[AnswerColumn, ...] = ()

    def named_for(self, others: str) -> set[str]:
        """Return the columns that are named for another part of an answer than this one."""
        parts = ("item", "response", "source", "rater", "question", "value")
        named = {getattr(self, part) for part in parts if part != others}
        return {*named, *self.questions.values(), *(one.column for one in self.columns)} - {None}


@dataclass(frozen=True, slots=True)
class NewRaters:
    """The raters of the imported ratings.

    `rater`: the only rater of a file that does not name raters. `kind` and `pool`: of raters who are new.
    `are_welcome`: whether new raters may be added to a study that already names raters.
    """

    rater: str | None = None
    kind: str | None = None
    pool: str | None = None
    are_welcome: bool = False


# Common column names in ratings from any origin.
_RATERS = ["rater", "annotator", "evaluator", "participant", "worker", "judge"]
COMMON = {
    "item": ("item", "item id", "itemid"),
    "response": ("response", "response id", "responseid"),
    "source": ("source", "system", "model"),
    "rater": tuple(f"{name}{end}" for end in ("", " id", "id") for name in _RATERS),
    "question": ("question", "dimension"),
    "value": ("value", "rating", "score", "answer"),
}

OPTION = "--question"


def rater_columns(columns: Iterable[str], sources: Names) -> dict[str, str]:
    """Return the columns that name the raters of one source each, and their sources.

    >>> names = Names.of({"gpt": ["GPT-4"], "nurse": ["Nurse"]})
    >>> rater_columns(["annotator_gpt", "Rater ID (Nurse)", "annotator", "rating_gpt"], names)
    {'annotator_gpt': 'gpt', 'Rater ID (Nurse)': 'nurse'}
    """
    return _common_beside_source("rater", columns, sources)


def value_columns(columns: Iterable[str], sources: Names) -> dict[str, str]:
    """Return the columns of answers to a question that their names do not say, and their sources.

    >>> value_columns(["rating_gpt", "Score (Nurse)", "rating"], Names.of({"gpt": [], "nurse": []}))
    {'rating_gpt': 'gpt', 'Score (Nurse)': 'nurse'}
    """
    return _common_beside_source("value", columns, sources)


def _common_beside_source(part: str, columns: Iterable[str], sources: Names) -> dict[str, str]:
    found = {}
    for column in columns:
        words = words_of(column)
        source = sources.in_words(words)
        if (
            source is not None
            and plain(" ".join([*words[: source[1].start], *words[source[1].stop :]])) in COMMON[part]
        ):
            found[column] = source[0]
    return found


@dataclass(frozen=True, slots=True)
class Columns:
    """The column for each part of an answer; None if there is none. `answers` are the columns with answers.

    `rater` is None too if each column of answers has a column of raters of its own.
    """

    item: str | None
    response: str | None
    source: str | None
    rater: str | None
    question: str | None
    answers: tuple[AnswerColumn, ...]

    @property
    def used(self) -> tuple[str, ...]:
        """All columns that are read, without repeats."""
        named = (self.item, self.response, self.source, self.rater, self.question)
        all_names = (*named, *(name for one in self.answers for name in (one.column, one.rater_column)))
        return tuple(dict.fromkeys(name for name in all_names if name is not None))


def columns_of(
    sheet: Table, layout: RatingLayout, new_raters: NewRaters, study: Study, problems: Problems
) -> Columns | None:
    """Return the columns of this spreadsheet; None, with problems, if one is missing."""
    finder = _Finder(sheet, layout, study, problems)
    is_pattern = has_placeholder(layout.rater)
    named = {name: finder.column(name) for name in ("item", "response", "source")}
    named["rater"] = None if is_pattern else finder.column("rater")
    names_raters = is_pattern or named["rater"] is not None or new_raters.rater is not None
    of_source = {} if names_raters or layout.columns else finder.raters_of_sources()
    taken = {name for name in (*named.values(), *of_source.values()) if name}
    question, answers = finder.answers(taken, names_raters=names_raters or bool(of_source))
    answers = [replace(one, rater_column=of_source.get(one.source or "", one.rater_column)) for one in answers]
    if is_pattern:
        answers = finder.with_raters(answers)
    elif not names_raters and any(column.rater is column.rater_column is None for column in answers):
        without = next(column.column for column in answers if column.rater is column.rater_column is None)
        allowed = "a column of raters (--rater), {rater} in the column names, or a single rater (--rater-id)"
        problems.add(sheet.file, 1, without, and_list(sheet.columns, 40), allowed)
    if named["item"] is None and named["response"] is None and not any(column.item for column in answers):
        named["item"] = finder.item_by_content(
            {column.column for column in answers}, required=named["rater"] is not None
        )
    is_wrong = problems.of(sheet.file) or problems.of(OPTION)
    return None if is_wrong else Columns(**named, question=question, answers=tuple(answers))


class _Finder:
    def __init__(self, sheet: Table, layout: RatingLayout, study: Study, problems: Problems) -> None:
        self._sheet, self._layout, self._study, self._problems = sheet, layout, study, problems
        self._plain = {plain(column): column for column in reversed(sheet.columns)}
        self._sources, self._questions = source_names(study.protocol), question_names(study.protocol)

    def column(self, name: str) -> str | None:
        """Return the column named by the lead for this part, otherwise one with a common name."""
        asked: str | None = getattr(self._layout, name)
        if asked is not None:
            if asked not in self._sheet.columns:
                self._problems.add(
                    self._sheet.file, 1, asked, and_list(self._sheet.columns, 40), f"a column named {asked}"
                )
            return asked
        taken = self._layout.named_for(name)
        common = (self._plain[common] for common in COMMON[name] if common in self._plain)
        return next((column for column in common if column not in taken and self._fits(name, column)), None)

    def raters_of_sources(self) -> dict[str, str]:
        """Return the column that names the raters of each source, recognized by its name."""
        return {source: column for column, source in rater_columns(self._sheet.columns, self._sources).items()}

    def _fits(self, name: str, column: str) -> bool:
        """Return whether a column with a common name has any cell of this kind; add a note if it has none."""
        study = self._study
        if name == "source":
            wanted, is_known = "sources of the study", self._is_source
        elif name in {"item", "response"}:
            table = study.items if name == "item" else study.responses
            wanted, is_known = f"IDs or texts of the study's {name}s", TextLookup(table, name).holds
        else:
            return True
        fits = any(is_known(cell) for cell in self._sheet.factor(column)[1] if cell.strip())
        if not fits and len(self._sheet):
            allowed = f"{wanted} in a column of this name; it was ignored"
            self._problems.note(self._sheet.file, 1, column, column, allowed)
        return fits

    def _is_source(self, cell: str) -> bool:
        return self._sources.key(cell) is not None

    def with_raters(self, answers: list[AnswerColumn]) -> list[AnswerColumn]:
        """Return the columns of answers, each with the column that names its raters."""
        pattern = str(self._layout.rater)
        patterns = Patterns(self._sheet, self._sources, self._questions, self._problems)
        columns = patterns.found(pattern)
        found = []
        for one in answers:
            of_it = [
                column.column
                for column in columns
                if column.source in {None, one.source} and column.question in {None, one.question}
            ]
            if columns and len(of_it) != 1:
                allowed = f"one column of raters like {pattern} for the answers in {one.column}"
                self._problems.add(self._sheet.file, 1, one.column, and_list(of_it) or "none", allowed)
            found.append(replace(one, rater_column=next(iter(of_it), None)))
        return found

    def answers(self, taken: set[str], *, names_raters: bool) -> tuple[str | None, list[AnswerColumn]]:
        """Return the column with the questions, if any, and the columns with the answers."""
        patterns = Patterns(self._sheet, self._sources, self._questions, self._problems)
        layout = self._layout
        if layout.columns:
            in_rows = any(one.question is None for one in layout.columns)
            return self.column("question") if in_rows else None, list(layout.columns)
        if layout.questions:
            named = (patterns.found(pattern, key) for key, pattern in layout.questions.items() if self._asks(key))
            return None, [column for columns in named for column in columns]
        if layout.value is not None and "{question}" in layout.value:
            return None, patterns.found(layout.value)
        question, value = self.column("question"), self.column("value")
        if value is not None and (question is not None or layout.value is not None):
            only = [one.key for one in self._study.protocol.questions]
            if question is None and len(only) > 1:
                self._problems.add(
                    self._sheet.file,
                    1,
                    None,
                    "no column of questions",
                    "a column that names the question (--question-column)",
                )
            return question, patterns.found(value, None if question else only[0])
        found = guessed(self._sheet, taken, self._sources, self._questions, names_raters=names_raters)
        if not found and len(self._questions.keys) == 1:
            by_source = value_columns((name for name in self._sheet.columns if name not in taken), self._sources)
            found = [AnswerColumn(column, self._questions.keys[0], source) for column, source in by_source.items()]
        if not found:
            allowed = "columns of answers, named with --question KEY=COLUMN or --value COLUMN"
            self._problems.add(self._sheet.file, 1, None, and_list(self._sheet.columns, 40), allowed)
        return None, found

    def _asks(self, key: str) -> bool:
        if key not in self._questions.keys:
            self._problems.add(OPTION, None, None, key, f"a question in study.yaml: {or_list(self._questions.keys)}")
        return key in self._questions.keys

    def item_by_content(self, taken: set[str], *, required: bool) -> str | None:
        """Return the only other column that contains just item IDs; add a problem if it is required and missing."""
        known = set(self._study.items["item"])
        columns = [name for name in self._sheet.columns if name not in taken]
        fitting = [name for name in columns if len(self._sheet) and known.issuperset(self._sheet.stripped(name))]
        if len(fitting) > 1:
            self._problems.add(self._sheet.file, 1, None, and_list(fitting), "a single column of item IDs (--item)")
        if not fitting and required and any(one.target != "rater" for one in self._study.protocol.questions):
            allowed = "a column of item IDs (--item) or response IDs (--response)"
            self._problems.add(self._sheet.file, 1, None, and_list(self._sheet.columns, 40), allowed)
        return fitting[0] if len(fitting) == 1 else None
