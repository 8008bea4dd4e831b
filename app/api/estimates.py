"""Results of a study through the API: estimates, and files."""

from collections.abc import Collection
from datetime import UTC
from email.utils import format_datetime
from typing import Annotated, Any, Literal

from fastapi import Depends, Query, Request
from starlette.responses import Response

from app.api.access import OwnApiExport, OwnApiForLong
from app.api.routing import api_router
from app.base.web.errors import UnprocessableError
from app.protocol.cells import cells
from app.protocol.study import Protocol
from app.results.downloads.page import archive
from app.results.making.page import sent_once
from app.results.pages.report_query import MAX_LENGTH, MAX_VALUES, ReportQuery, Text, Values, report_query_of
from app.results.reports.live_report import LiveReports
from app.studies.protocols import get_protocol

router = api_router("results")
# An attribute and its value; anything else would select all answers.
Pairs = Annotated[
    tuple[Annotated[str, Query(max_length=MAX_LENGTH, pattern="^([^:]+:.+)?$")], ...],
    Query(max_length=MAX_VALUES, description="NAME:VALUE, an attribute and its value."),
]


def estimates_query(  # noqa: PLR0913, PLR0917 - one parameter for each filter in the address
    source: Values = (),
    condition: Values = (),
    pool: Values = (),
    item: Pairs = (),
    rater: Pairs = (),
    flagged: Literal["without"] | None = None,
    until: Text = "",
    question: Text = "",
    after: Text = "",
) -> ReportQuery:
    """The parameters of results pages that select what estimates are made from."""
    return report_query_of(
        source, condition, pool, item, rater, flagged or "", until=until, question=question, after=after
    )


def refuse_unknown_keys(protocol: Protocol, asked: ReportQuery) -> None:
    """A key that is misspelled would leave a report of no answers, which could be taken for the result.

    Raises:
        UnprocessableError: the study has no such source, condition, pool or question.
    """
    filters, labels = asked.filters, protocol.labels
    known: dict[str, tuple[Collection[str], Collection[str]]] = {
        "source": (filters.sources, labels.sources),
        "condition": (filters.conditions, [cell.text for cell in cells(protocol.conditions)]),
        "pool": (filters.pools, labels.pools),
        "question": ([asked.question] if asked.question else [], labels.questions),
    }
    for kind, (keys, has) in known.items():
        for key in keys:
            if key not in has:
                raise UnprocessableError(f"This study has no {kind} {key[:100]!r}.")


def _file(kind: str, description: str) -> dict[int | str, dict[str, Any]]:
    content: dict[str, Any] = {kind: {"schema": {"type": "string"}}}
    return {200: {"description": description, "content": content}}


@router.get(
    "/estimates",
    response_class=Response,
    responses={
        200: {
            "description": "The study's report, as `attune analyze --json` prints it",
            "content": {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "required": ["study", "estimates"],
                        "properties": {
                            "study": {"type": "string"},
                            "estimates": {"type": "array", "items": {"type": "object"}},
                        },
                    }
                }
            },
        },
    },
    summary="Estimates",
)
def api_estimates(
    request: Request, own: OwnApiForLong, asked: Annotated[ReportQuery, Depends(estimates_query)]
) -> Response:
    """All estimates with intervals. The filters are those of the results pages; the first call may take seconds.

    `Last-Modified` says when the ratings were read; `after` asks for ratings that were read later than that.
    """
    from app.analysis.findings.findings_document import findings_document
    from app.analysis.report.report_tables import report_json

    with request.app.state.begin() as db:
        refuse_unknown_keys(get_protocol(db, own.study.id, own.study.protocol_version), asked)
    reports: LiveReports = request.app.state.reports
    made = reports.now(request.app.state.begin_reading, own.study, None, asked.filters, asked.after)
    headers = {"Last-Modified": format_datetime(made.read_at.astimezone(UTC), usegmt=True)}
    text = report_json(asked.narrowed(made.report), findings_document(made.report, made.protocol), made.read_at)
    return Response(text, media_type="application/json", headers=headers)


@router.get(
    "/ratings.csv",
    response_class=Response,
    responses=_file("text/csv", "Every answer as a row of ratings.csv"),
    summary="All answers as CSV",
)
def api_ratings_csv(request: Request, own: OwnApiExport) -> Response:
    """All answers in one file, which is faster than page by page."""
    from app.results.downloads.ratings_export import ratings_file

    return sent_once(ratings_file(request.app.state.begin_reading, own.study), f"{own.study.slug}-ratings.csv")


@router.get(
    "/study.zip",
    response_class=Response,
    responses=_file("application/zip", "The study folder: protocol, texts, raters, ratings, estimates, codebook"),
    summary="The whole study as a folder",
)
def api_study_zip(request: Request, own: OwnApiExport) -> Response:
    """The whole study as a folder, which `attune analyze` and `attune study load` read."""
    return archive(request, own.study)
