"""Files that programs send: a new study, and the items and ratings of a spreadsheet."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_urlsafe
from typing import Annotated, Any, NamedTuple

from fastapi import Depends, Query, Request
from fastapi.concurrency import run_in_threadpool

from app.accounts.roles import weaker_of
from app.api.access import TokenAndStudy, limited, token_and_study
from app.api.routing import api_router
from app.api.schemas import Imported, NewStudy
from app.base.files.file_names import safe_file_name
from app.base.problem import InvalidInputError
from app.base.web.errors import ConflictError, UnprocessableError
from app.base.web.links import base_address
from app.base.words import counted
from app.studies.audit import record_act
from app.studies.creation.upload_form import upload_reader
from app.studies.members.api_tokens import PREFIX, record_api_token
from app.studies.studies import get_study

router = api_router("files")
MAX_NAMED = 20
FileName = Annotated[str, Query(max_length=100, description="The name of the file: its ending says what it is.")]
DryRun = Annotated[bool, Query(description="Only check the file; nothing is stored.")]
Pairs = Annotated[tuple[str, ...], Query(max_length=50, description="KEY=COLUMN, as on the command line.")]
Name = Annotated[str | None, Query(max_length=200)]


class SentFile(NamedTuple):
    """A file that was sent as the body of a request, and by whom. It is deleted when the request is answered."""

    own: TokenAndStudy
    path: Path


async def sent_file(
    request: Request, slug: str, secret: Annotated[str, Depends(limited)], file: FileName = "study.zip"
) -> AsyncIterator[SentFile]:
    """The body of the request, on disk because another process reads it; a slow sender takes no turn of others."""
    own = await run_in_threadpool(token_and_study, request, slug, secret)
    with tempfile.TemporaryDirectory(prefix="attune-upload-") as folder:
        path = Path(folder) / safe_file_name(file)
        with path.open("wb") as copy:
            async for part in request.stream():
                await asyncio.to_thread(copy.write, part)
        async with request.app.state.long_turns.turn(secret):
            yield SentFile(own, path)


Sent = Annotated[SentFile, Depends(sent_file, scope="function")]


def _body(kind: str) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {kind: {"schema": {"type": "string", "format": "binary"}}}}}


@router.post("/studies", status_code=201, summary="Make another study", openapi_extra=_body("application/octet-stream"))
def api_new_study(request: Request, sent: Sent) -> NewStudy:
    """A new study of the token's lead from a zip file with a study folder, and a token for it, which is shown once.

    The token has the role and the end of the one that is used. The same folder sent again is the same study.
    """
    from app.studies.creation.read_new_study import store_study

    own, begin = sent.own, request.app.state.begin
    try:
        folder = upload_reader(request).read_files({sent.path.name: sent.path})
        with begin() as db:
            study = get_study(db, store_study(db, folder, own.lead.id), own.lead.id)
            if study is None or study.role is None:
                raise AssertionError("the lead owns the study, or it would not have been stored")
            token, valid = PREFIX + token_urlsafe(32), own.token.expires_at - datetime.now(UTC)
            role = weaker_of(own.token.role, study.role)
            record_api_token(db, study.id, own.lead.id, token=token, name=own.token.name, role=role, valid=valid)
            record_act(db, own.lead, study, "study made", api_token=own.token.name)
    except InvalidInputError as error:
        raise _wrong(error) from error
    link = f"{base_address(request)}/s/{study.rater_token}"
    return NewStudy(slug=study.slug, token=token, rater_link=link, notes=[one.sentence() for one in folder.notes])


@router.post("/items", status_code=201, summary="Add items", openapi_extra=_body("application/octet-stream"))
def api_new_items(
    request: Request,
    sent: Sent,
    response: Pairs = (),
    item: Name = None,
    text: Name = None,
    turns: Name = None,
    dry_run: DryRun = False,  # noqa: FBT002
) -> Imported:
    """Items with their responses from a spreadsheet with one row per item, as `attune items import` reads it."""
    from app.studies.imports.pipeline import InStore, import_texts
    from app.studies.imports.read_texts import Texts
    from app.studies.imports.wide_table import Layout

    own, state = sent.own, request.app.state
    layout = Layout(_pairs(response), item=item, text=text or "text", turns=turns)
    texts = Texts(sent.path, layout)
    try:
        found = import_texts(
            InStore(state.begin, own.study.slug), texts, upload_reader(request).read, is_dry_run=dry_run
        )
    except InvalidInputError as error:
        raise _wrong(error) from error
    counts = {"n_items": len(found.items), "n_responses": len(found.responses)}
    _record(request, own, "items imported", sent.path, is_dry_run=dry_run, **counts)
    return Imported(**counts, is_stored=not dry_run, notes=[one.sentence() for one in found.notes])


@router.post("/ratings", status_code=201, summary="Add ratings", openapi_extra=_body("application/octet-stream"))
def api_new_ratings(  # noqa: PLR0913, PLR0917 - one parameter for each in the address
    request: Request,
    sent: Sent,
    question: Pairs = (),
    item: Name = None,
    response: Name = None,
    source: Name = None,
    rater: Name = None,
    new_raters: bool = False,  # noqa: FBT001, FBT002
    dry_run: DryRun = False,  # noqa: FBT002
) -> Imported:
    """Ratings that were collected elsewhere, as `attune ratings import` reads them."""
    from app.studies.imports.column_meanings import NewRaters, RatingLayout
    from app.studies.imports.pipeline import InStore, StudyChangedError, import_ratings
    from app.studies.imports.read_ratings import Ratings

    own, state = sent.own, request.app.state
    layout = RatingLayout(item=item, response=response, source=source, rater=rater, questions=_pairs(question))
    ratings = Ratings(sent.path, layout, NewRaters(are_welcome=new_raters))
    place = InStore(state.begin, own.study.slug)
    try:
        found = import_ratings(place, ratings, upload_reader(request).read, is_dry_run=dry_run)
    except InvalidInputError as error:
        raise _wrong(error) from error
    except StudyChangedError as error:
        raise ConflictError(str(error)) from error
    counts = {"n_ratings": len(found.ratings), "n_raters": len(found.raters)}
    _record(request, own, "ratings imported", sent.path, is_dry_run=dry_run, **counts)
    return Imported(**counts, is_stored=not dry_run, notes=[one.sentence() for one in found.notes])


def _record(request: Request, own: TokenAndStudy, action: str, path: Path, *, is_dry_run: bool, **counts: int) -> None:
    if not is_dry_run:
        with request.app.state.begin() as db:
            own.record(db, action, file=path.name, **counts)


def _pairs(named: Sequence[str]) -> dict[str, str]:
    from app.studies.imports.column_meanings import named_columns

    try:
        return named_columns(named)
    except ValueError as error:
        raise UnprocessableError(str(error)) from None


def _wrong(error: InvalidInputError) -> UnprocessableError:
    """What is wrong with the file; the first problems, as there may be one in each row."""
    said = [one.sentence() for one in error.problems if one.severity == "error"]
    more = [f"{counted(len(said) - MAX_NAMED, 'more problem')}."] if len(said) > MAX_NAMED else []
    return UnprocessableError(" ".join([*said[:MAX_NAMED], *more]))
