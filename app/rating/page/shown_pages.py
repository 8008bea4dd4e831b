"""The page that each rater saw last, so that its answers can be stored without reading what was known then."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from starlette.requests import Request

from app.base.web.cookies import get_cookie
from app.rating.deps import rater_cookie
from app.rating.seats.assignment_view import AssignmentView
from app.rating.sessions import RatingSession

if TYPE_CHECKING:
    from app.rating.answers.at_once_page import ShownPage

# About as many as a process has raters at once. With texts of 500 words, each takes 5 kB.
MAX_KEPT = 1000


class ShownPages:
    """One page per rater and browser, by the address of the study and the cookie."""

    def __init__(self) -> None:
        """Begin without any pages."""
        self._pages: OrderedDict[tuple[str, str], ShownPage] = OrderedDict()

    def find(self, request: Request) -> ShownPage | None:
        """The page whose address the request has, if its rater saw it last."""
        page = self._pages.get(_key(request))
        return page if page and str(page.view.token) == request.path_params["token"] else None

    def keep(self, request: Request, page: ShownPage) -> None:
        """Keep the page that is sent to a rater, instead of the one that they saw before."""
        key = _key(request)
        self._pages.pop(key, None)
        if page.is_kept:
            self._pages[key] = page
        if len(self._pages) > MAX_KEPT:
            self._pages.popitem(last=False)

    def read_again(self, request: Request, session: RatingSession, view: AssignmentView) -> None:
        """Renew what is known about the page of a request, which has been read in a transaction."""
        if page := self.find(request):
            self.keep(request, page.read_again(session, view))


def _key(request: Request) -> tuple[str, str]:
    slug = request.path_params["slug"]
    return slug, get_cookie(request, rater_cookie(slug)) or ""
