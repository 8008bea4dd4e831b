"""Cookies, bound to the host by their name on https but not on plain http (local use, demo); client addresses."""

from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

_ONCE, _ONCE_WITHIN_S = "shown-once", 60


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


# What a page shows once, such as a new token. It comes with a redirect, so that a reload does not send the form again.


def redirect_showing(request: Request, path: str, words: str) -> Response:
    """Redirect to a page of this site that shows these words once."""
    response = RedirectResponse(path, status_code=303)
    set_cookie(request, response, _ONCE, quote(f"{path} {words}"), max_age=_ONCE_WITHIN_S)
    return response


def shown_once(request: Request) -> str:
    """The words that this page shows now and not again; empty if there are none."""
    path, _, words = unquote(get_cookie(request, _ONCE) or "").partition(" ")
    return words if request.method == "GET" and path == request.url.path else ""


def after_showing(request: Request, response: Response) -> Response:
    """The page that has shown its words once."""
    if shown_once(request):
        drop_cookie(request, response, _ONCE)
    return response
