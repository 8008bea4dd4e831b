"""Cookies: on https bound to the host by their name, on plain http (a laptop, the demo) without that; addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


def is_https(request: Request) -> bool:
    """Whether the browser came by https, as the server sees it or a trusted proxy reports."""
    return request.url.scheme == "https"


def address_of(request: Request) -> str:
    """The visitor's address on the network, which a trusted proxy reports."""
    return request.client.host if request.client else "nowhere"


def cookie_name(request: Request, name: str) -> str:
    """`__Host-` makes browsers refuse a cookie that another host, or plain http, tries to plant."""
    return f"__Host-attune-{name}" if is_https(request) else f"attune-{name}"


def get_cookie(request: Request, name: str) -> str | None:
    """What the browser sent."""
    return request.cookies.get(cookie_name(request, name))


def set_cookie(request: Request, response: Response, name: str, value: str, *, max_age: int) -> None:
    """Hand a cookie to the browser; scripts cannot read it."""
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
    """Take it back."""
    response.delete_cookie(
        cookie_name(request, name), path="/", secure=is_https(request), httponly=True, samesite="lax"
    )
