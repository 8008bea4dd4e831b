"""Cookies, bound to the host by their name on https but not on plain http (local use, demo); client addresses."""

from starlette.requests import Request
from starlette.responses import Response


def is_https(request: Request) -> bool:
    """Whether the browser uses https, as seen by the server or reported by a trusted proxy."""
    return bool(request.scope["scheme"] == "https")


def address_of(request: Request) -> str:
    """The client's IP address, which a trusted proxy may report."""
    return request.client.host if request.client else "nowhere"


def cookie_name(request: Request, name: str) -> str:
    """The full name of a cookie; browsers reject a `__Host-` cookie that another host or plain http tries to set."""
    return f"__Host-attune-{name}" if is_https(request) else f"attune-{name}"


def get_cookie(request: Request, name: str) -> str | None:
    """The value of a cookie sent by the browser, or None."""
    return request.cookies.get(cookie_name(request, name))


def set_cookie(request: Request, response: Response, name: str, value: str, *, max_age: int) -> None:
    """Set a cookie that scripts cannot read."""
    response.set_cookie(
        cookie_name(request, name),
        value,
        max_age=max_age,
        path="/",
        secure=is_https(request),
        httponly=True,
        samesite="lax",
    )


def drop_cookie(request: Request, response: Response, name: str) -> None:
    """Delete a cookie."""
    response.delete_cookie(
        cookie_name(request, name), path="/", secure=is_https(request), httponly=True, samesite="lax"
    )
