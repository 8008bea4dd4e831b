"""Forms with files, and the process that reads the files. All are closed in the end, even if a form breaks off."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from app.studies.creation.upload_process import UploadReader


def upload_reader(request: Request) -> UploadReader:
    """The process that reads uploaded files."""
    reader: UploadReader = request.app.state.uploads
    return reader


@asynccontextmanager
async def upload_form(request: Request, *, max_files: int, max_fields: int = 1000) -> AsyncIterator[FormData]:
    """The form of a request.

    Starlette closes the files of complete forms and of forms with errors. If a form breaks off, it would leave the file
    of its last part open.
    """
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        async with request.form(max_files=max_files, max_fields=max_fields) as form:
            yield form
        return
    parser = MultiPartParser(request.headers, request.stream(), max_files=max_files, max_fields=max_fields)
    try:
        yield await parser.parse()
    except MultiPartException as error:
        raise HTTPException(400, error.message) from None
    finally:
        for file in parser._files_to_close_on_error:  # noqa: SLF001 - Starlette offers no other way to them
            file.close()
