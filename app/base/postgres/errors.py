"""Errors of the embedded database."""


class EmbeddedError(Exception):
    """The embedded database cannot be used; the message is one clear sentence for the user who started the program."""


class UnreachableError(EmbeddedError):
    """The server's account cannot reach the folder."""
