"""What a lead gets whose session has ended: the sign-in page, or first a page that keeps what they entered."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.web.rendering.pages import is_htmx, language_in

if TYPE_CHECKING:
    from starlette.requests import Request

URLENCODED = "application/x-www-form-urlencoded"
STUDIES = "/studies"
# The name of every password field on the pages of studies; those of accounts have other names, and are not kept at all.
PASSWORD = "password"  # noqa: S105 - a name


async def signed_out(request: Request) -> Response:
    """The answer to a request for a lead's page without a lead's session."""
    # With htmx, the sign-in page would be inserted into the current page.
    if is_htmx(request):
        return Response(status_code=403)
    if entered := await _entered(request):
        context = {"request": request, "entered": entered, "address": _address(request)}
        html = request.app.state.pages.render("lead/signed_out.html", context, language_in(request))
        return HTMLResponse(html, status_code=403)
    asked = _address(request) if request.method == "GET" else STUDIES
    return RedirectResponse(f"/sign-in?next={quote(asked, safe='/')}", status_code=303)


def _address(request: Request) -> str:
    path, query = request.url.path, request.url.query
    return f"{path}?{query}" if query else path


async def _entered(request: Request) -> list[tuple[str, str]]:
    """The fields of a study's form, for another try; none if they are empty, or if one is a password or a file."""
    if not request.url.path.startswith(f"{STUDIES}/"):
        return []
    if request.method != "POST" or not request.headers.get("content-type", "").startswith(URLENCODED):
        return []
    form = await request.form()
    fields = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
    if any(name == PASSWORD for name, _ in fields) or not any(value.strip() for _, value in fields):
        return []
    return fields
