"""attune analyze: the figures of a study, without the browser."""

from __future__ import annotations


def analyze() -> None:
    """The figures of a study or of a study folder."""
