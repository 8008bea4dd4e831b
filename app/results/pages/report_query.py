"""The parameters of results pages: filters, one question, and the report that a page was shown from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

from fastapi import Depends, Query, Request

from app.analysis.data.report_filters import Filters
from app.base.web.errors import NotFoundError, PageError
from app.protocol.labels import Labels
from app.results.snapshots.deleted import refuse_deleted_snapshot

if TYPE_CHECKING:
    from app.analysis.estimate import Estimate
    from app.analysis.report.report import Report
    from app.results.reports.live_report import LiveReports
    from app.results.reports.outcomes import LiveReport
    from app.results.snapshots.snapshots import Opened
    from app.studies.own_study import LeadAndStudy

UNREADABLE = "This snapshot was saved by another version of Attune, and this version cannot read it."
MAX_VALUES, MAX_LENGTH = 50, 200
Values = Annotated[tuple[Annotated[str, Query(max_length=MAX_LENGTH)], ...], Query(max_length=MAX_VALUES)]
Text = Annotated[str, Query(max_length=MAX_LENGTH)]


@dataclass(frozen=True, slots=True)
class ReportQuery:
    """Filters on the answers, the selected question, the name of a report that was shown, and a snapshot's token.

    With `after`, a report whose ratings were read later than that is asked for.
    `x` and `y` are the questions on the axes of the chart that shows one question against another.
    """

    filters: Filters
    question: str
    of: str
    snapshot: str = ""
    x: str = ""
    y: str = ""
    after: datetime | None = None

    @property
    def axes(self) -> tuple[str, str] | None:
        """The two questions, None unless both are chosen."""
        return (self.x, self.y) if self.x and self.y else None

    @property
    def axis_pairs(self) -> list[tuple[str, str]]:
        """The parameters of the two questions."""
        return [("x", self.x), ("y", self.y)] if self.axes else []

    @property
    def query(self) -> str:
        """The query string for addresses that show the same answers, with question mark; empty without parameters."""
        found = urlencode(self.pairs)
        return f"?{found}" if found else ""

    @property
    def filter_query(self) -> str:
        """The same without the question: a report for a paper has all of them."""
        return replace(self, question="", x="", y="").query

    @property
    def filter_pairs(self) -> list[tuple[str, str]]:
        """The parameters of `filter_query`, for forms."""
        return replace(self, question="", x="", y="").pairs

    def of_question(self, key: str) -> str:
        """The query string for the same answers, of one question."""
        return replace(self, question=key, x="", y="").query

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The parameters of such an address."""
        filters = self.filters
        lists = (("source", filters.sources), ("condition", filters.conditions), ("pool", filters.pools))
        found = [(name, value) for name, values in lists for value in values]
        found += [("item", f"{name}:{value}") for name, value in filters.items]
        found += [("rater", f"{name}:{value}") for name, value in filters.raters]
        found += [("flagged", "without")] if filters.without_flagged else []
        found += [("until", filters.until.isoformat())] if filters.until else []
        found += [("snapshot", self.snapshot)] if self.snapshot else []
        return [*found, *([("question", self.question)] if self.question else []), *self.axis_pairs]

    @property
    def is_narrowed(self) -> bool:
        """Whether any answers or questions are left out."""
        return bool(self.filters) or bool(self.question)

    def in_words(self, labels: Labels) -> str:
        """A description of the selection; empty for everything."""
        of_question = [f"question {labels.question(self.question)}"] if self.question else []
        return "; ".join([*of_question, *filter(None, [self.filters.in_words(labels)])])

    def report(self, request: Request, own: LeadAndStudy) -> LiveReport:
        """The report that the page was shown from, or one of the current answers, with what belongs to the question."""
        made = self.whole_report(request, own)
        return replace(made, report=self.narrowed(made.report))

    def whole_report(self, request: Request, own: LeadAndStudy) -> LiveReport:
        """The same report with all questions; waits until it is available."""
        if self.snapshot:
            return self.opened(request, own).made
        reports: LiveReports = request.app.state.reports
        return reports.now(request.app.state.begin_reading, own.study, self.of or None, self.filters, self.after)

    def opened(self, request: Request, own: LeadAndStudy) -> Opened:
        """The snapshot.

        Raises:
            NotFoundError: the study has no such snapshot.
            GoneError: it belonged to a deleted study, whose short name this study has now.
            PageError: it cannot be read.
        """
        from app.analysis.report.stored_report import StoredReportError
        from app.results.snapshots.snapshots import NoSuchSnapshotError, open_snapshot

        try:
            return open_snapshot(request.app.state.begin, own.study, self.snapshot)
        except NoSuchSnapshotError:
            with request.app.state.begin() as db:
                refuse_deleted_snapshot(db, self.snapshot)
            raise NotFoundError from None
        except StoredReportError:
            raise PageError(UNREADABLE) from None

    def narrowed(self, report: Report) -> Report:
        """The report with what belongs to the selected question, and the estimates that belong to no question."""
        if not self.question:
            return report
        primary = tuple(one for one in report.primary if one.contrast.question == self.question)
        return replace(report, estimates=tuple(f for f in report.estimates if self._is_of(f)), primary=primary)

    def _is_of(self, estimate: Estimate) -> bool:
        return estimate.question is None or estimate.question == self.question


def report_query_of(  # noqa: PLR0913, PLR0917 - one parameter for each filter in the address
    source: Values = (),
    condition: Values = (),
    pool: Values = (),
    item: Values = (),
    rater: Values = (),
    flagged: Text = "",
    until: Text = "",
    question: Text = "",
    of: Text = "",
    snapshot: Text = "",
    x: Text = "",
    y: Text = "",
    after: Text = "",
) -> ReportQuery:
    """Parse the parameters. Forms send empty values for fields that are not set; they are ignored."""
    filters = Filters(
        sources=_chosen(source),
        conditions=_chosen(condition),
        pools=_chosen(pool),
        items=_pairs(item),
        raters=_pairs(rater),
        until=_day(until),
        without_flagged=flagged == "without",
    )
    return ReportQuery(filters, question, of, snapshot, x, y, _moment(after))


def _chosen(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({value for value in values if value}))


def _pairs(values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Attributes with their values, written `name:value`."""
    parts = (value.partition(":") for value in _chosen(values))
    return tuple((name, value) for name, colon, value in parts if colon and value)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise PageError(f"Enter the last day as YYYY-MM-DD, for example 2026-11-22. Found: {text}") from None


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError:
        example = "2026-11-22T09:30:00Z"
        raise PageError(f"Enter the time after which ratings were read, for example {example}. Found: {text}") from None
    if found is None:
        return None
    # HTTP tells times in whole seconds: without a fraction, the end of the second
    found = found if found.microsecond else found.replace(microsecond=999_999)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


OwnReportQuery = Annotated[ReportQuery, Depends(report_query_of)]
