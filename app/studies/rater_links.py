"""The links that a lead gives to raters, in the format of each platform."""

from typing import NamedTuple

PLAIN_LINK = "A plain link"


class RaterLink(NamedTuple):
    """What the link is for, the address, and instructions. `platform` is its key in study.yaml."""

    platform: str
    words: str
    address: str
    hint: str


def rater_links(base: str, rater_token: str, *, platform: str | None, wave: int = 1) -> list[RaterLink]:
    """Return one link per platform.

    Args:
        base: the address of the server, without a slash at the end.
        rater_token: stands for the study in the addresses of raters.
        platform: where raters come from, if the study says so; only with `link`, a link without an ID admits raters.
        wave: the wave that the links are for; links of a later one never start the study for somebody new.

    Parts in braces or percent signs are filled in by the platform.
    """
    study = f"{base}/s/{rater_token}"
    prolific = "&".join(f"{name}={{{{%{name}%}}}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"))
    plain = (PLAIN_LINK, study, "The same for everyone. Each browser that opens it is one rater.")
    own_id = (
        "Any other participants",
        f"{study}?participant=ID",
        "Replace ID with a participant ID of your own for each rater.",
    )
    links = [
        RaterLink(
            "prolific",
            "Prolific",
            f"{study}?{prolific}",
            "Paste this as the study link. Prolific fills in the braces.",
        ),
        RaterLink(
            "mturk",
            "Mechanical Turk",
            study,
            "Use this as the ExternalURL of an external question (https only). Workers submit from the last page.",
        ),
        RaterLink(
            "sona", "SONA", f"{study}?survey_code=%SURVEY_CODE%", "Paste this as the study URL. SONA fills in the code."
        ),
        RaterLink("link", *(plain if platform == "link" else own_id)),
    ]
    return [one._replace(address=of_wave(one.address, wave)) for one in links]


def of_wave(address: str, wave: int) -> str:
    """The address that raters open for a wave.

    >>> of_wave("https://example.org/s/x", 2), of_wave("https://example.org/s/x?participant=ID", 2)
    ('https://example.org/s/x?wave=2', 'https://example.org/s/x?participant=ID&wave=2')
    """
    return address if wave == 1 else f"{address}{'&' if '?' in address else '?'}wave={wave}"
