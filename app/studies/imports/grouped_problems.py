"""Problems of a ratings spreadsheet, one for each kind instead of one for each cell, with the option that helps."""

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from app.base.files.table import Table
from app.base.problem import Problem
from app.base.problems import Problems
from app.base.words import and_list, counted
from app.studies.imports.column_meanings import Columns

# What differs between rows with the same problem.
_ROW = re.compile(r"\brow \d+")
_MAX_FOUND, _MAX_COLUMNS, _MAX_VALUES = 3, 3, 40
_OPTIONS = {
    "item": "If another column holds the IDs or the texts of the items, name it with --item COLUMN.",
    "response": "If another column holds the IDs or the texts of the responses, name it with --response COLUMN.",
    "source": "If another column names the sources, name it with --source COLUMN.",
    "rater": "If another column names the raters, name it with --rater COLUMN.",
}


@dataclass(frozen=True, slots=True)
class GroupedProblem(Problem):
    """A problem of all cells of a kind.

    `question` and `values`: for answers that could not be read, what was found, most frequent first.
    """

    question: str | None = None
    values: tuple[str, ...] = ()


def grouped(problems: Problems, columns: Columns, table: Table) -> list[Problem]:
    """Return one problem for each kind, in the order of the file.

    Args:
        problems: collected while the table was checked.
        columns: the columns of the spreadsheet by meaning.
        table: one row per answer.
    """
    kinds: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems.errors:
        kinds.setdefault((problem.file, _ROW.sub("row", problem.allowed)), []).append(problem)
    options = _Options(columns, table)
    found = [options.group(kind, *problems.n_of(kind)) for kind in kinds.values()]
    return sorted(found, key=lambda problem: problem.row or 0)


class _Options:
    def __init__(self, columns: Columns, table: Table) -> None:
        self._table = table
        self._parts = {getattr(columns, name): name for name in _OPTIONS if getattr(columns, name)}
        self._parts |= {answers.rater_column: "rater" for answers in columns.answers if answers.rater_column}
        self._answers = {answers.column: answers.question for answers in columns.answers}

    def group(self, kind: list[Problem], n: int, found: Counter[str]) -> Problem:
        first = min(kind, key=lambda problem: problem.row or 0)
        names = dict.fromkeys(problem.column for problem in kind if problem.column)
        question = self._question(first)
        values = tuple(value for value, _ in found.most_common(_MAX_VALUES)) if question else ()
        return GroupedProblem(
            first.file,
            first.row,
            and_list(names, _MAX_COLUMNS) or None,
            first.found if n == 1 else _in_words(found),
            first.allowed,
            is_rule=first.is_rule,
            n=n,
            option=self._option(first, question),
            n_columns=len(names),
            question=question,
            values=values,
        )

    def _question(self, problem: Problem) -> str | None:
        """The question whose answers could not be read; None for other problems."""
        if problem.column not in self._answers or problem.row is None or problem.found == "":
            return None
        for place in np.flatnonzero(self._table.rows == problem.row):
            if self._table.header("value", place) == problem.column and _is_cell(self._table, place, problem.found):
                return str(self._table.column("question")[place])
        return None

    def _option(self, problem: Problem, question: str | None) -> str:
        if question is not None:
            found = problem.found
            return (
                f'If it stands for an answer, use --recode "{question}:{found}=VALUE"; '
                f'if it means no answer, use --missing "{found}".'
            )
        return _OPTIONS.get(self._parts.get(problem.column or "", ""), "")


def _is_cell(table: Table, place: int | np.intp, found: str) -> bool:
    return str(table.column("value")[place]).strip() == found.strip()


def _in_words(found: Counter[str]) -> str:
    """What was found, and in how many cells unless each was found once.

    >>> from collections import Counter
    >>> _in_words(Counter({"0.0": 9, "1.0": 3}))
    '"0.0" (9 cells) and "1.0" (3 cells)'
    >>> _in_words(Counter("abcde"))
    '"a", "b", "c" and 2 more values'
    """
    is_once = found.total() == len(found)
    some = found.most_common(_MAX_FOUND)
    most = [f'"{value}"' if is_once else f'"{value}" ({counted(n, "cell")})' for value, n in some]
    n_more = len(found) - len(most)
    return and_list([*most, f"{counted(n_more, 'more value')}"] if n_more else most)
