"""Columns that contain answers: the question, source, rater and item of each."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from app.base.files.cells import faulty
from app.base.files.table import Table
from app.base.problems import Problems
from app.base.words import and_list, or_list
from app.studies.imports.name_matching import Names, words_of

PLACEHOLDERS = ("rater", "source", "question", "item")
_PLACEHOLDER = re.compile(rf"\{{({'|'.join(PLACEHOLDERS)})\}}")


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """A column of answers; fields that are None have a column of their own.

    `rater_column` names the raters of these answers alone.
    """

    column: str
    question: str | None = None
    source: str | None = None
    rater: str | None = None
    item: str | None = None
    rater_column: str | None = None


class Patterns:
    """Finds the columns of one spreadsheet that match the lead's patterns."""

    def __init__(self, sheet: Table, sources: Names, questions: Names, problems: Problems) -> None:
        self._sheet, self._sources, self._questions, self._problems = sheet, sources, questions, problems

    def found(self, pattern: str, question: str | None = None) -> list[AnswerColumn]:
        """Return every column that matches the pattern; if there is none, add a problem.

        Args:
            pattern: a column name in which {rater}, {source}, {question} and {item} match any words.
            question: the question that the column is about, if the pattern does not contain it.
        """
        expression = _expression(pattern)
        columns = [column for column in self._sheet.columns if column == pattern or expression.fullmatch(column)]
        if not columns:
            found, kind = and_list(self._sheet.columns, 40), "like" if has_placeholder(pattern) else "named"
            self._problems.add(self._sheet.file, 1, pattern, found, f"a column {kind} {pattern}")
        return [answers for column in columns for answers in self._of(column, expression, question)]

    def _of(self, column: str, expression: re.Pattern[str], question: str | None) -> Iterator[AnswerColumn]:
        match = expression.fullmatch(column)
        words = match.groupdict() if match else {}
        if "question" in words:
            question = self._questions.key(words["question"])
            if question is None:
                return  # a similar column without answers
        source = self._source(column, words["source"]) if "source" in words else None
        if "source" not in words or source is not None:
            yield AnswerColumn(column, question, source, words.get("rater"), words.get("item"))

    def _source(self, column: str, word: str) -> str | None:
        source = self._sources.key(word)
        if source is None:
            allowed = f"a source in study.yaml: {or_list(self._sources.keys)}"
            self._problems.add(self._sheet.file, 1, column, word, allowed)
        return source


def has_placeholder(name: str | None) -> bool:
    """Return whether a column is named by a pattern.

    >>> has_placeholder("annotator_{source}"), has_placeholder("annotator"), has_placeholder(None)
    (True, False, False)
    """
    return name is not None and bool(_PLACEHOLDER.search(name))


def _expression(pattern: str) -> re.Pattern[str]:
    """Return the expression that matching column names must satisfy.

    >>> bool(_expression("Eval {rater} ({source})").fullmatch("Eval 1 (Physician)"))
    True
    """
    seen: set[str] = set()
    parts = []
    for place, part in enumerate(_PLACEHOLDER.split(pattern)):
        if place % 2 == 0:
            parts.append(re.escape(part))
        else:
            parts.append(f"(?P={part})" if part in seen else f"(?P<{part}>.+?)")
            seen.add(part)
    return re.compile("".join(parts))


def guessed(
    sheet: Table, taken: set[str], sources: Names, questions: Names, *, names_raters: bool
) -> list[AnswerColumn]:
    """Return the columns whose names consist of a question and optionally a source and a rater.

    Args:
        sheet: the spreadsheet.
        taken: columns with other content.
        sources: of the study.
        questions: of the study.
        names_raters: whether raters have a column of their own; column names with further words are then not answers.
    """
    found = []
    for column in sheet.columns:
        if column not in taken and (answers := guessed_column(column, sources, questions)) is not None:
            if names_raters and answers.rater:
                continue
            found.append(answers)
    return found


def guessed_column(column: str, sources: Names, questions: Names) -> AnswerColumn | None:
    """Return what the name of a column says; None if it names no question."""
    words = words_of(column)
    question = questions.in_words(words)
    if question is None:
        return None
    rest = [word for place, word in enumerate(words) if not question[1].start <= place < question[1].stop]
    source = sources.in_words(rest)
    if source is not None:
        del rest[source[1]]
    return AnswerColumn(column, question[0], source[0] if source else None, " ".join(rest) or None)


# Detect files whose rows were written in two encodings, so that some characters are read incorrectly.


def check_one_encoding(sheet: Table, columns: Iterable[str], problems: Problems) -> None:
    """Add a problem for each UTF-8 cell in a file that is not UTF-8; its names and answers would not be recognized.

    Args:
        sheet: the spreadsheet as read.
        columns: the columns that are used; other columns are not checked.
        problems: collects the cells.
    """
    if sheet.is_utf8:
        return
    for name in columns:
        mixed = sheet.mapped(name, _was_utf8).astype(bool)
        allowed = "the same encoding in the whole file; save it as UTF-8 and check this cell"
        faulty(sheet, np.asarray(mixed), name, sheet.column(name), allowed, problems)


def _was_utf8(text: str) -> bool:
    r"""Return whether a text that was read as Windows-1252 was UTF-8.

    >>> _was_utf8("JosÃ©"), _was_utf8("José"), _was_utf8("Jose")
    (True, False, False)
    """
    try:
        return not text.isascii() and bool(text.encode("cp1252").decode("utf-8"))
    except UnicodeError:
        return False
