"""What the embedded store says when it cannot run."""

from __future__ import annotations


class EmbeddedError(Exception):
    """The embedded database cannot be used; the message is one clear sentence for who started the program."""


class UnreachableError(EmbeddedError):
    """The server's account cannot reach the folder."""
