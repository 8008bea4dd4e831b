"""The rater's cookie: one for each study, readable by no script."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

_MAX_AGE_S = 180 * 24 * 60 * 60


def cookie_name(request: Request, slug: str) -> str:
    """Bound to this host where the connection is safe; browsers refuse that name on plain http."""
    return f"__Host-rater-{slug}" if request.url.scheme == "https" else f"rater-{slug}"


def get_token(request: Request, slug: str) -> str | None:
    """The rater's token, if the browser has one for this study."""
    return request.cookies.get(cookie_name(request, slug))


def set_token(request: Request, response: Response, slug: str, token: str) -> None:
    """Hand the token over."""
    response.set_cookie(
        cookie_name(request, slug), token, max_age=_MAX_AGE_S, path="/", httponly=True, samesite="lax",
        secure=request.url.scheme == "https",
    )  # fmt: skip
