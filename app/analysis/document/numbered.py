"""Numbers for the estimates that a document shows, so that each can be found in its list of recipes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase

from app.analysis.document.design_words import HOW
from app.analysis.estimate import Estimate
from app.analysis.findings.main_contrasts import caption_of
from app.analysis.report.labelled import labelled_estimate, with_telling_interval
from app.analysis.wording.formatting import (
    adjustment_note,
    ci_cell,
    ci_heading,
    estimate_text,
    interval_text,
    name_text,
    of_text,
    p_cell,
    statistic_text,
    why_text,
)
from app.base.documents.blocks import DataTable
from app.base.numbers import whole
from app.protocol.labels import Labels

MAX_ROWS = 80
HEADER = ("No.", "Question", "Statistic", "Comparison or group", "Estimate ({ci})", "p", "{items}", "Raters", "Ratings")


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why a table has no estimate in some rows: footnotes with letters, each reason once.

    >>> reasons = Reasons()
    >>> reasons.letter("only one item"), reasons.letter("no ratings"), reasons.letter("only one item"), reasons.notes
    ('a', 'b', 'a', ('a: only one item.', 'b: no ratings.'))
    """

    found: dict[str, str] = field(default_factory=dict)

    def letter(self, reason: str) -> str:
        """The letter of a reason: a to z, then aa, ab and so on."""
        letters, n = ascii_lowercase, len(self.found)
        tens, ones = divmod(n, len(letters))
        return self.found.setdefault(reason, f"{letters[tens - 1] if tens else ''}{letters[ones]}")

    @property
    def notes(self) -> tuple[str, ...]:
        """The footnotes, in the order of their letters."""
        return tuple(f"{letter}: {reason}." for reason, letter in self.found.items())


@dataclass(frozen=True, slots=True)
class Numbered:
    """The estimates that were shown so far, in the order of their numbers; they are kept as `labelled`."""

    labels: Labels
    are_raters_known: bool = True
    shown: dict[tuple[object, ...], Estimate] = field(default_factory=dict)

    def number(self, estimate: Estimate) -> int:
        """The number of an estimate, from 1; the same estimate has one number wherever it stands."""
        key = _identity(labelled_estimate(estimate, self.labels))
        self.shown.setdefault(key, estimate)
        return list(self.shown).index(key) + 1

    def has(self, estimate: Estimate) -> bool:
        """Whether an estimate has been shown."""
        return _identity(labelled_estimate(estimate, self.labels)) in self.shown

    def table(self, caption: str, estimates: Iterable[Estimate]) -> DataTable:
        """A row for each estimate; a long table says how many more the record has."""
        found, reasons = list(estimates), Reasons()
        shown = found[:MAX_ROWS]
        heading = ci_heading(estimate for estimate in shown if not statistic_text(estimate))
        rows = tuple(self._row(estimate, heading, reasons) for estimate in shown)
        n_more = len(found) - MAX_ROWS
        more = (f"{whole(n_more)} more rows are in report.json.",) if n_more > 0 else ()
        items = self.labels.items.several.capitalize()
        header = tuple(name.format(ci=heading, items=items) for name in HEADER)
        notes = filter(None, (*reasons.notes, adjustment_note(shown), *more))
        return DataTable(f"{caption}: estimates with {heading}s.", header, rows, tuple(notes))

    def caption(self, words: str, estimates: Iterable[Estimate]) -> str:
        """A caption that stands alone."""
        return caption_of(words, estimates, self.labels.items, are_raters_known=self.are_raters_known)

    def _row(self, estimate: Estimate, heading: str, reasons: Reasons) -> tuple[str, ...]:
        said = labelled_estimate(estimate, self.labels)
        counts = (estimate.n_items, estimate.n_raters, estimate.n_ratings)
        return (
            str(self.number(estimate)),
            self.labels.question(estimate.question, estimate.category) if estimate.question else "",
            _statistic(estimate),
            of_text(said),
            value_cell(estimate, heading, reasons),
            p_cell(estimate) or "–",
            *(whole(n) for n in counts),
        )


def _statistic(estimate: Estimate) -> str:
    """Its name, with the method where a published test estimates the same by another one."""
    name = f"{estimate.statistic}_{estimate.procedure}"
    return ", ".join((name_text(estimate), *(how for test, how in HOW.items() if name.startswith(test))))


def _identity(estimate: Estimate) -> tuple[object, ...]:
    scope = str(sorted((name, str(value)) for name, value in estimate.scope.items()))
    return estimate.section, estimate.measured, scope, estimate.statistic, estimate.unit, estimate.method


def value_cell(estimate: Estimate, heading: str, reasons: Reasons) -> str:
    """The estimate with its interval, and the level if the heading does not say it; or a dash with a footnote."""
    estimate = with_telling_interval(estimate)
    if estimate.estimate is None:
        known = f" ({ci_cell(estimate, heading)})" if estimate.ci_low is not None else ""
        return f"–{known} [{reasons.letter(why_text(estimate).rstrip('.'))}]"
    if test := statistic_text(estimate):
        return test
    if estimate.ci_low is None and estimate.ci_reason:
        return f"{estimate_text(estimate)} [{reasons.letter(interval_text(estimate))}]"
    words = ci_cell(estimate, heading)
    return f"{estimate_text(estimate)} ({words})" if words else estimate_text(estimate)


def with_numbers(text: str, numbers: Sequence[int]) -> str:
    """A sentence with the numbers of its estimates.

    >>> with_numbers("A is higher.", [3, 4])
    'A is higher. [3, 4]'
    """
    return f"{text} [{', '.join(map(str, numbers))}]" if numbers else text
