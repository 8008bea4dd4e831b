"""Expected errors are classes with a status; `error_responses` turns them into responses."""

from collections.abc import Mapping

from app.base.language.message import Message, message

WORDS = {
    400: message("The request could not be read."),
    404: message("Check the address. The page may have been deleted, or you may not have access to it."),
    405: message("This address does not accept this kind of request."),
    413: message("This upload is too large."),
    422: message("The request is missing something or has a value that is not allowed."),
}


class PageError(Exception):
    """An error that is explained to the visitor in one sentence."""

    status = 400
    title: Message | str = message("This did not work")

    def __init__(self, sentence: Message | str) -> None:
        """`sentence` is shown to the visitor; it must not reveal internals."""
        super().__init__(sentence.text if isinstance(sentence, Message) else sentence)
        self.sentence = sentence

    @property
    def more(self) -> Mapping[str, object]:
        """Additional context for the error page."""
        return {}

    @property
    def headers(self) -> Mapping[str, str]:
        """Additional headers of the response."""
        return {}


class NotFoundError(PageError):
    """The page does not exist, or this visitor may not see it: both look the same."""

    status = 404
    title = message("Page not found")

    def __init__(self, sentence: Message | str = WORDS[404]) -> None:
        """Use the standard sentence by default."""
        super().__init__(sentence)


class NoStudyError(NotFoundError):
    """A rater's link leads to no study: it was deleted, is not open at its short name, or the link is incomplete."""

    title = message("Study not found")

    def __init__(self) -> None:
        """Tell raters what they can do: the link is all they have."""
        super().__init__(
            message(
                "There is no study at this address. It may have ended, or part of the link may be missing. Please open "
                "the link again where you found it. If that does not help, ask the person who sent it to you. If you "
                "came from a recruitment platform, return the task there."
            )
        )


class UnauthorizedError(PageError):
    """A program sent no valid token."""

    status = 401
    title = message("Not allowed")

    @property
    def headers(self) -> Mapping[str, str]:
        """The scheme that is asked for."""
        return {"WWW-Authenticate": "Bearer"}


class ConflictError(PageError):
    """The request contradicts the present state."""

    status = 409


class UnprocessableError(PageError):
    """A value in the request is not allowed."""

    status = 422


class ForbiddenError(PageError):
    """The visitor is not allowed to do this."""

    status = 403
    title = message("Not allowed")


class GoneError(PageError):
    """The page existed but is no longer available, such as a closed study or a used link."""

    status = 410
    title = message("No longer available")


class TooManyError(PageError):
    """Too many requests."""

    status = 429
    title = message("Too many attempts")

    def __init__(self, sentence: Message | str, *, retry_after_s: int) -> None:
        """`retry_after_s`: seconds after which to try again."""
        super().__init__(sentence)
        self.retry_after_s = retry_after_s

    @property
    def headers(self) -> Mapping[str, str]:
        """The Retry-After header."""
        return {"Retry-After": str(self.retry_after_s)}


class BusyError(PageError):
    """All turns were taken for longer than a visitor should wait."""

    status = 503


class SignInError(Exception):
    """A lead's page was requested without a lead's session."""


class RedirectError(Exception):
    """The visitor is redirected to another page; scripts, which cannot be redirected, get the reason."""

    def __init__(self, address: str, sentence: Message) -> None:
        """`address` is within this application."""
        super().__init__(sentence.text)
        self.address, self.sentence = address, sentence
