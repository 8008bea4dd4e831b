"""Why a sign-in by OpenID Connect ended. The sentence is for the visitor, the detail for the log."""

from __future__ import annotations


class OpenIdError(Exception):
    """A sign-in that did not succeed. Neither text contains anything that the visitor or the provider chose freely."""

    status = 403

    def __init__(self, sentence: str, detail: str) -> None:
        """`sentence` is shown to the visitor, `detail` is logged for the administrator."""
        super().__init__(sentence)
        self.sentence, self.detail = sentence, detail


class RefusedError(OpenIdError):
    """The visitor may not sign in, or the response of the provider is not valid."""


class ProviderError(OpenIdError):
    """The provider cannot be reached, or does not answer as it should."""

    status = 503

    def __init__(self, detail: str) -> None:
        """All these problems have one sentence: the visitor can only try again."""
        super().__init__(
            "The sign-in service did not respond as expected. Try again in a minute. If this continues, ask the "
            "administrator of this server.",
            detail,
        )
