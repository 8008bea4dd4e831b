"""The addresses that a lead hands to raters, as each platform wants them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from starlette.requests import Request


class RaterLink(NamedTuple):
    """Whom it is for, the address, and what to do with it."""

    words: str
    address: str
    hint: str


def rater_links(request: Request, slug: str, *, is_personal: bool = False) -> list[RaterLink]:
    """One address per platform; none where raters come by personal links only.

    What stands in braces or percent signs is filled in by the platform.
    """
    if is_personal:
        return []
    base = str(request.app.state.public_url or request.base_url).rstrip("/")
    study = f"{base}/s/{slug}"
    prolific = "&".join(f"{name}={{{{%{name}%}}}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"))
    return [
        RaterLink("Prolific", f"{study}?{prolific}", "Paste it as the study link; Prolific fills the braces in."),
        RaterLink(
            "Mechanical Turk",
            study,
            "The ExternalURL of an external question, over https; workers hand in from the last page.",
        ),
        RaterLink("SONA", f"{study}?survey_code=%SURVEY_CODE%", "Paste it as the study URL; SONA fills the code in."),
        RaterLink(
            "Anybody else", f"{study}?participant=ID", "Put an id of your own for each rater in the place of ID."
        ),
    ]
