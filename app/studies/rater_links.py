"""The links that a lead gives to raters, in the format of each platform."""

from __future__ import annotations

from typing import NamedTuple


class RaterLink(NamedTuple):
    """What the link is for, the address, and instructions."""

    words: str
    address: str
    hint: str


def rater_links(base: str, rater_token: str, *, is_personal: bool = False) -> list[RaterLink]:
    """Return one link per platform; none if raters need personal links.

    Args:
        base: the address of the server, without a slash at the end.
        rater_token: stands for the study in the addresses of raters.
        is_personal: whether only raters with a personal link are admitted.

    Parts in braces or percent signs are filled in by the platform.
    """
    if is_personal:
        return []
    study = f"{base}/s/{rater_token}"
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
