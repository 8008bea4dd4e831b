"""The sign-in page, with a form for passwords, a button for OpenID Connect, or both."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from app.web.errors import ForbiddenError
from app.web.lead.session import local_path
from app.web.rendering.pages import page


def sign_in_page(request: Request, path: str, *, status: int = 200, email: str = "", error: str = "") -> Response:
    """The page; after signing in, the lead is sent to `path`."""
    more = ways_in(request)
    return page(request, "lead/sign_in.html", status=status, next=local_path(path), email=email, error=error, **more)


def ways_in(request: Request) -> dict[str, object]:
    """The ways in that this server has, for templates: `provider` with its name, and whether there are passwords."""
    return {"provider": request.app.state.openid, "has_passwords": request.app.state.has_local_passwords}


def check_has_passwords(request: Request) -> None:
    """Refuse what is about passwords if leads sign in by OpenID Connect only.

    Raises:
        ForbiddenError: this server accepts no passwords.
    """
    if not request.app.state.has_local_passwords:
        name = request.app.state.openid.name
        raise ForbiddenError(f"This server does not accept passwords. Sign in with {name} instead.")
