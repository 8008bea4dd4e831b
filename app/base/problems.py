"""Collect every problem of a folder, so that all of them can be corrected in one go."""

from collections import Counter
from typing import Literal

from app.base.limits import ON_THIS_COMPUTER, Limits
from app.base.problem import InvalidInputError, Problem

Severity = Literal["error", "warning"]


# A wrong scale makes every row a problem: up to this many rows are listed per kind, the others are counted.
MAX_OF_A_KIND = 10_000
# Up to this many different cells are counted per kind.
MAX_FOUND = 1_000
_LONGEST_FOUND = 100


def shown(text: str) -> str:
    r"""Return what was found, safe to print: shortened, with control characters escaped.

    >>> shown("a\u202eb\tc")
    'a\\u202eb\\tc'
    """
    return printable(text if len(text) <= _LONGEST_FOUND else f"{text[:_LONGEST_FOUND]}…")


def printable(text: str) -> str:
    """Escape every control and direction character, so that the text is safe in a terminal and on a page."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


class Problems:
    """The problems and notes found so far, and the limits that apply to the input."""

    def __init__(self, limits: Limits = ON_THIS_COMPUTER) -> None:
        """Start without problems."""
        self.limits = limits
        self._problems: list[Problem] = []
        self.notes: list[Problem] = []
        self._kinds: Counter[tuple[str, str | None, str]] = Counter()
        self._found: dict[tuple[str, str | None, str], Counter[str]] = {}
        self._listed: set[Problem] = set()

    def add(
        self, file: str, row: int | None, column: str | None, found: str, allowed: str, *, is_rule: bool = False
    ) -> None:
        """Add a problem; at most MAX_OF_A_KIND rows are listed per kind (file, column, what is allowed).

        One cell of a spreadsheet may be part of many answers: its problem is listed once.
        """
        problem = _problem(file, row, column, found, allowed, is_rule=is_rule)
        kind = _kind(problem)
        if problem in self._listed:
            return
        self._kinds[kind] += 1
        found_here = self._found.setdefault(kind, Counter())
        if problem.found in found_here or len(found_here) < MAX_FOUND:
            found_here[problem.found] += 1
        if self._kinds[kind] <= MAX_OF_A_KIND:
            self._problems.append(problem)
            self._listed.add(problem)

    def note(self, file: str, row: int | None, column: str | None, found: str, allowed: str) -> None:
        """Add a note about something that was corrected or ignored."""
        self.notes.append(_problem(file, row, column, found, allowed, severity="warning"))

    def of(self, file: str) -> bool:
        """Return whether the file has a problem."""
        return bool(self.list_of(file))

    def list_of(self, file: str) -> list[Problem]:
        """Return the problems of a file."""
        return [problem for problem in self._problems if problem.file == printable(file)]

    @property
    def errors(self) -> list[Problem]:
        """The problems that are listed, as found."""
        return list(self._problems)

    def n_of(self, problems: list[Problem]) -> tuple[int, Counter[str]]:
        """Return how many cells have these problems or another one of their kinds, listed or not, and what is in them.

        At most MAX_FOUND different cells of a kind are counted one by one.
        """
        kinds = list(dict.fromkeys(map(_kind, problems)))
        found: Counter[str] = Counter()
        for kind in kinds:
            found.update(self._found[kind])
        return sum(self._kinds[kind] for kind in kinds), found

    def raise_if_any(self) -> None:
        """Raise all problems, sorted by file and row, followed by the notes.

        Raises:
            InvalidInputError: there is at least one problem.
        """
        if not self._problems:
            return
        more = [
            _problem(file, None, column, f"{n - MAX_OF_A_KIND} more rows with this problem", allowed)
            for (file, column, allowed), n in self._kinds.items()
            if n > MAX_OF_A_KIND
        ]
        order: dict[str, int] = {}
        for problem in self._problems:
            order.setdefault(problem.file, len(order))
        self._problems.sort(key=lambda problem: (order[problem.file], problem.row or 0))
        raise InvalidInputError([*self._problems, *more, *self.notes])


def _kind(problem: Problem) -> tuple[str, str | None, str]:
    return problem.file, problem.column, problem.allowed


def _problem(
    file: str,
    row: int | None,
    column: str | None,
    found: str,
    allowed: str,
    severity: Severity = "error",
    *,
    is_rule: bool = False,
) -> Problem:
    name = None if column is None else shown(column)
    return Problem(printable(file), row, name, shown(found), printable(allowed), severity, is_rule)
