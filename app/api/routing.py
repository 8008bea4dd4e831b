"""What all parts of the API have in common: addresses, names of operations, the errors that each can report, ETags."""

from collections.abc import Callable, Coroutine, Iterator
from hashlib import sha256
from typing import Any

from fastapi import APIRouter, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.responses import FileResponse, Response

from app.base.web.error_responses import PROBLEM_TYPE
from app.base.web.errors import UnprocessableError

FAILURES: dict[int | str, dict[str, Any]] = {
    status: {"description": words, "content": {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    for status, words in {
        400: "The request could not be read",
        401: "No token, or a wrong one",
        403: "The role of the token does not allow this, or the estimates are hidden until the study closes",
        404: "No such study for this token, or no such row",
        409: "The study cannot change like this now, or the idempotency key belongs to another request",
        422: "A field or parameter is missing, not known, or has a value that is not allowed",
        429: "Too many requests; Retry-After says how many seconds to wait",
        503: "The server cannot read or store anything right now; Retry-After says when to try again",
    }.items()
}


class ConditionalRoute(APIRoute):
    """What is read has an ETag: sent back as `If-None-Match`, it gets 304 as long as nothing has changed."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler of the route, whose answers are compared with what the program has."""
        handle = super().get_route_handler()

        async def compared(request: Request) -> Response:
            answer = await handle(request)
            if request.method != "GET" or isinstance(answer, FileResponse):
                return answer
            answer.headers["ETag"] = f'"{sha256(answer.body).hexdigest()[:32]}"'
            known = [one.strip().removeprefix("W/") for one in request.headers.get("If-None-Match", "").split(",")]
            if answer.headers["ETag"] not in known:
                return answer
            kept = {name: value for name, value in answer.headers.items() if name in {"etag", "last-modified"}}
            return Response(status_code=304, headers=kept)

        return compared


def api_router(tag: str) -> APIRouter:
    """A router for addresses of one study."""
    return APIRouter(
        prefix="/api/v1/studies/{slug}",
        tags=[tag],
        responses=FAILURES,
        route_class=ConditionalRoute,
        generate_unique_id_function=_operation,
    )


def refuse_unknown_parameters(request: Request) -> None:
    """A parameter that is misspelled would otherwise be ignored, and the answer taken for what was asked.

    Raises:
        UnprocessableError: the address takes no such parameter.
    """
    taken = list(dict.fromkeys(_read_by(request.scope["route"].dependant)))
    for name in request.query_params:
        if name not in taken:
            allowed = f"it takes {', '.join(taken)}" if taken else "it takes none"
            raise UnprocessableError(f"This address has no parameter {name[:100]!r}: {allowed}.")


def _read_by(dependant: Dependant) -> Iterator[str]:
    """The names of the query parameters that a handler and its dependencies read."""
    yield from (one.alias for one in dependant.query_params)
    for one in dependant.dependencies:
        yield from _read_by(one)


def _operation(route: APIRoute) -> str:
    """The name of an operation in OpenAPI, from which generators of clients make the name of a function."""
    return route.name.removeprefix("api_")
