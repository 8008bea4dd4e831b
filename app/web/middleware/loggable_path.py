"""Paths for log lines, without secrets and personal data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SLUG = re.compile(r"[a-z0-9-]{1,64}")
_SLUG_FOLLOWS = frozenset({"s", "studies"})
_MAX_SEGMENTS = 8


class LoggablePath:
    """Keeps the words of our own routes and the slug of a study; everything else becomes `*`.

    A list of secrets to remove could miss new ones: sign-in tokens, rating tokens, and anything that a visitor types.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        """`paths` are the paths of all routes, such as `/s/{slug}/rate/{token}`."""
        self._words = frozenset(part for path in paths for part in path.split("/") if "{" not in part) | _SLUG_FOLLOWS

    def __call__(self, path: str) -> str:
        """The path as it may appear in a log line.

        >>> loggable = LoggablePath(["/s/{slug}/rate/{token}", "/sign-in/{token}"])
        >>> loggable("/s/demo/rate/4f9c"), loggable("/sign-in/secret"), loggable("/anna@example.org")
        ('/s/demo/rate/*', '/sign-in/*', '/*')
        """
        parts = path.split("/")[1 : _MAX_SEGMENTS + 1]
        return "/" + "/".join(self._part(parts, place) for place in range(len(parts)))

    def _part(self, parts: list[str], place: int) -> str:
        part = parts[place]
        is_slug = place == 1 and parts[0] in _SLUG_FOLLOWS and _SLUG.fullmatch(part)
        return part if is_slug or part in self._words else "*"
