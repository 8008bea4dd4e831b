"""The addresses that a lead gives to raters, in the format of each platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from starlette.requests import Request


class RaterLink(NamedTuple):
    """What the link is for, the address, and instructions."""

    words: str
    address: str
    hint: str


def base_address(request: Request) -> str:
    """The address of the server as others write it, without a slash at the end."""
    return str(request.app.state.public_url or request.base_url).rstrip("/")


def rater_links(request: Request, rater_token: str, *, is_personal: bool = False) -> list[RaterLink]:
    """One address per platform; empty if raters need personal links.

    Parts in braces or percent signs are filled in by the platform.
    """
    if is_personal:
        return []
    study = f"{base_address(request)}/s/{rater_token}"
    prolific = "&".join(f"{name}={{{{%{name}%}}}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"))
    return [
        RaterLink("Prolific", f"{study}?{prolific}", "Paste this as the study link. Prolific fills in the braces."),
        RaterLink(
            "Mechanical Turk",
            study,
            "Use this as the ExternalURL of an external question (https only). Workers submit from the last page.",
        ),
        RaterLink("SONA", f"{study}?survey_code=%SURVEY_CODE%", "Paste this as the study URL. SONA fills in the code."),
        RaterLink(
            "Any other participants",
            f"{study}?participant=ID",
            "Replace ID with a participant ID of your own for each rater.",
        ),
    ]
