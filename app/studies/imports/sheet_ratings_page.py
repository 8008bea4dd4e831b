"""Import the ratings in the spreadsheet of a study's texts: describe its columns, check them, import them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.session import SignedIn
from app.base.problem import InvalidInputError, Problem
from app.base.rendering.pages import page
from app.base.web.deps import Db
from app.base.words import and_list
from app.studies.creation.upload_form import upload_reader
from app.studies.imports.text_uploads import TextUpload, get_upload, has_answers
from app.studies.imports.texts_page import MAX_PROBLEMS, Sent
from app.studies.own_study import LeadAndStudy, Own
from app.studies.protocols import get_protocol

if TYPE_CHECKING:
    from app.studies.imports.sheet_ratings import RatingColumns

router = APIRouter()
KINDS = (("person", "People"), ("model", "Language models"))
TEXTS_FIRST = "Use the texts of a spreadsheet first. Then the ratings in the same spreadsheet can be imported."
# Values of the form's choice of what a value stands for.
NO_ANSWER, STANDS_FOR = "skip", "as:"
NO_COLUMN = "Choose the question of at least one column."
NO_RATER = "Say who gave the ratings: enter a rater for each column, or choose the column that names the raters."
TWO_RATERS = "Only one column can name the raters of the same ratings: {}."
# What the form says of a column instead of a question; no key of a question has a colon.
NAMES_RATERS = "names:raters"
IN_ROW = "named:row"


@router.get("/studies/new/{slug}/ratings")
def show_sheet_ratings(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    return _page(request, db, LeadAndStudy(lead, study))


@router.post("/studies/new/{slug}/ratings")
def submit_sheet_ratings(request: Request, sent: Sent) -> Response:
    """Check the ratings; if the form says so, import them too."""
    from app.studies.imports.pipeline import StudyChangedError
    from app.studies.imports.sheet_ratings import check_sheet_ratings, import_sheet_ratings

    own, begin, reader = sent.own, request.app.state.begin, upload_reader(request)
    with begin() as db:
        upload = get_upload(db, own.study.id)
        if upload is None or not upload.used_at:
            return _page(request, db, own)
        columns = _said(upload, sent.fields)
    counted: list[Any] = []
    problems = _missing(columns)
    try:
        if not problems and "import" in sent.fields:
            import_sheet_ratings(begin, reader, own.study, own.lead, upload, columns)
            return RedirectResponse(request.app.url_path_for("show_sheet_ratings", slug=own.study.slug), 303)
        counted = [] if problems else check_sheet_ratings(begin, reader, own.study, upload, columns)
    except InvalidInputError as error:
        problems = error.problems
    except StudyChangedError as error:
        problems = [Problem("the study", None, None, "", str(error))]
    with begin() as db:
        return _page(request, db, own, columns=columns, counted=counted, problems=problems)


def _said(upload: TextUpload, fields: dict[str, list[str]]) -> RatingColumns:
    """The description of the columns in the form; a column without a question is left out."""
    from app.studies.imports.patterns import AnswerColumn
    from app.studies.imports.sheet_ratings import RatingColumns, rating_columns

    def said(name: str) -> str:
        return next(iter(fields.get(name, ())), "").strip()

    found = rating_columns(upload)
    asked = [(number, column["name"], said(f"question.{number}")) for number, column in enumerate(found)]
    raters = {name: said(f"source.{number}") for number, name, question in asked if question == NAMES_RATERS}
    answers = tuple(
        AnswerColumn(
            name,
            None if question == IN_ROW else question,
            said(f"source.{number}") or None,
            said(f"rater.{number}") or None,
        )
        for number, name, question in asked
        if question and name not in raters
    )
    return RatingColumns(answers, raters, "model" if said("kind") == "model" else "person", _recoded(fields))


def _recoded(fields: dict[str, list[str]]) -> dict[tuple[str, str], str]:
    """What each value stands for, where the form says so; an empty text for no answer."""
    recoded: dict[tuple[str, str], str] = {}
    for number in range(len(fields)):
        question, found, value, entered = (
            next(iter(fields.get(f"recode.{number}.{part}", ())), "")
            for part in ("question", "found", "value", "entered")
        )
        if question and (value or entered.strip()):
            recoded[question, found] = "" if value == NO_ANSWER else value.removeprefix(STANDS_FOR) or entered.strip()
    return recoded


def _missing(columns: RatingColumns) -> list[Problem]:
    if not columns.answers:
        return [Problem("the form", None, None, "", NO_COLUMN)]
    if any(one.rater is columns.rater_column(one.source) is None for one in columns.answers):
        return [Problem("the form", None, None, "", NO_RATER)]
    twice = [name for name, of in columns.raters.items() if list(columns.raters.values()).count(of) > 1]
    return [Problem("the form", None, None, "", TWO_RATERS.format(and_list(twice)))] if twice else []


def _page(
    request: Request,
    db: Db,
    own: LeadAndStudy,
    *,
    columns: RatingColumns | None = None,
    counted: list[Any] | None = None,
    problems: list[Problem] | None = None,
) -> Response:
    from app.studies.imports.sheet_ratings import guess_rating_columns, rating_columns, unread_values

    protocol, upload = get_protocol(db, own.study.id, own.study.protocol_version), get_upload(db, own.study.id)
    is_used = upload is not None and upload.used_at is not None
    described = columns or (guess_rating_columns(upload, protocol) if upload and is_used else None)
    return page(
        request,
        "studies/imports/sheet_ratings.html",
        status=422 if problems else 200,
        lead=own.lead,
        study=own.study,
        upload=upload,
        refusal="" if is_used else TEXTS_FIRST,
        found=rating_columns(upload) if upload else [],
        answers={one.column: one for one in described.answers} if described else {},
        described=described,
        questions=[(one.key, protocol.labels.question(one.key)) for one in protocol.questions],
        sources=[(key, protocol.labels.source(key)) for key in protocol.sources],
        kinds=KINDS,
        names_raters=NAMES_RATERS,
        in_row=IN_ROW,
        names_questions=any(column["role"] == "question" for column in upload.columns) if upload else False,
        counted=counted or [],
        unread=unread_values(protocol, described, problems or ()) if described else [],
        labels=protocol.labels,
        has_ratings=has_answers(db, own.study.id),
        problems=[one for one in problems or [] if one.severity == "error"][:MAX_PROBLEMS],
    )
