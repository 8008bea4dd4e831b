"""One log line per request, if the log level includes it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from app.web.middleware.observed_requests import ObservedRequests

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Scope

log = logging.getLogger("attune.access")


class AccessLog(ObservedRequests):
    """Logs method, path without secrets, status and milliseconds, but no user or IP address."""

    def __init__(self, app: ASGIApp, *, loggable: Callable[[str], str]) -> None:
        """Log requests to `app`; `loggable` removes secrets from a path."""
        super().__init__(app)
        self.loggable = loggable

    def note(self, scope: Scope, status: int, seconds: float, *, has_failed: bool) -> None:
        """Log a request that was answered; errors are logged by `UnexpectedErrors`."""
        if not has_failed:
            log.info("%s %s %d %.1f ms", scope["method"], self.loggable(scope["path"]), status, seconds * 1000)
