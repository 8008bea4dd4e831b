"""Endings: what raters get when they leave, by what became of them."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict

from app.protocol.questions.question import Prose

Outcome = Literal["no_consent", "screened_out", "failed_checks", "full", "withdrew"]


def _web_address(url: str) -> str:
    """Reject addresses that no browser could open; otherwise raters would only notice at the very end."""
    expected = "an address such as https://example.org/done"
    try:
        parts = urlsplit(url)
        is_open = parts.scheme in {"https", "http"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        raise ValueError(expected) from None
    if url and not is_open:
        raise ValueError(expected)
    return url


WebAddress = Annotated[str, AfterValidator(_web_address)]


class Ending(BaseModel):
    """What raters get when they leave: a code for the recruitment platform, an address, a message."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    code: str = ""
    """Code for the recruitment platform."""
    url: WebAddress = ""
    """Where the rater is sent; default: raters from Prolific return there with the code."""
    text: Prose = ""
    """Message for the rater."""


class Completion(Ending):
    """What raters get at the end, and what those get whose participation ends in another way."""

    code: str = ""
    """Completion code for the recruitment platform, shown only after the last answer is stored."""
    url: WebAddress = ""
    """Where raters are sent afterwards."""
    text: Prose = ""
    """Thank-you message."""
    otherwise: dict[Outcome, Ending] = {}
    """What raters get whose participation ends in another way."""

    def of(self, outcome: Outcome) -> Ending:
        """What raters with this outcome get; an empty ending if the study does not declare one."""
        return self.otherwise.get(outcome, Ending())
