"""Who comes to a study, and what the form of their platform asks for."""

import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape

from app.base.words import counted, number_text
from app.protocol.completion import Outcome
from app.protocol.study import Protocol
from app.studies.editor.nodes import Data
from app.studies.editor.sections import value_at, with_value
from app.studies.rater_links import PLAIN_LINK

PERSONAL = "personal"
# Without letters and digits that are easily taken for each other.
_LETTERS, _N_LETTERS = "ABCDEFGHJKLMNPQRTUVWXY346789", 8
# What Prolific asks to pay at least, and advises to pay, for an hour.
PER_HOUR = {"GBP": (6, 9), "USD": (8, 12)}
SYMBOLS = {"GBP": "£", "USD": "$", "EUR": "€"}
# What a platform takes of the pay, in percent: Prolific of academics, Mechanical Turk below ten assignments of a task.
FEES = {"prolific": 33.3, "mturk": 20.0}


@dataclass(frozen=True, slots=True)
class Channel:
    """One answer to *Where do your raters come from?*; `key` is a platform of study.yaml, or `personal`."""

    key: str
    title: str
    words: str


CHANNELS = (
    Channel("prolific", "Prolific", "Participants with an account there"),
    Channel("mturk", "Mechanical Turk", "Workers, by an external question"),
    Channel("sona", "SONA", "Students, for credit"),
    Channel(PERSONAL, "Personal links", "People you know, one secret link each"),
    Channel("link", PLAIN_LINK, "Anyone who opens it, such as from a mailing list"),
)


@dataclass(frozen=True, slots=True)
class PlatformField:
    """One field of a platform's form: its label there, what to enter, and a hint. It is chosen there, not typed, if it
    `is_choice`.
    """

    label: str
    value: str
    hint: str = ""
    is_choice: bool = False

    @property
    def is_long(self) -> bool:
        """Whether the value has several lines."""
        return "\n" in self.value


Form = dict[str, tuple[PlatformField, ...]]
# What Mechanical Turk calls an external question: our page, in a frame of this height.
_QUESTION = """\
<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd">
  <ExternalURL>{link}</ExternalURL>
  <FrameHeight>600</FrameHeight>
</ExternalQuestion>"""
# How many times as long as expected a worker may take.
_MOST_TIMES = 3


def channel_of(protocol: Protocol) -> str:
    """Who comes, as a key of `CHANNELS`; empty if it has not been said."""
    return PERSONAL if protocol.design.links == "personal" else protocol.recruitment.platform or ""


def with_channel(data: Data, key: str) -> Data:
    """The content of study.yaml once it is said who comes. Raters from Prolific get codes, if they have none."""
    data = with_value(data, "design.links", "personal" if key == PERSONAL else None)
    data = with_value(data, "recruitment.platform", None if key == PERSONAL else key)
    if key == "prolific":
        for path in ("code", *(f"otherwise.{outcome}.code" for outcome in _OTHERWISE)):
            if not value_at(data, f"completion.{path}"):
                data = with_value(data, f"completion.{path}", new_code())
        data = _with_codes_of_waves(data, lambda wave: not value_at(wave, "completion.code"))
    return data


def _with_codes_of_waves(data: Data, needs_code: Callable[[Data], bool]) -> Data:
    """The content of study.yaml with new codes for some of the later waves, which are studies of their own."""
    waves = data.get("waves")
    if not isinstance(waves, list):
        return data
    found = [
        with_value(one, "completion.code", new_code()) if isinstance(one, dict) and needs_code(one) else one
        for one in waves
    ]
    return {**data, "waves": found}


def with_own_codes(data: Data) -> Data:
    """The content of study.yaml in a copy: Prolific takes each code for one study only."""
    if value_at(data, "recruitment.platform") != "prolific":
        return data
    for path in ("completion.code", *(f"completion.otherwise.{outcome}.code" for outcome in _OTHERWISE)):
        if value_at(data, path):
            data = with_value(data, path, new_code())
    return _with_codes_of_waves(data, lambda wave: bool(value_at(wave, "completion.code")))


def new_code() -> str:
    """A completion code that nobody guesses."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_N_LETTERS))


_OTHERWISE: Mapping[Outcome, tuple[str, str]] = {
    "no_consent": ("No consent", "for participants who do not agree to the consent form"),
    "screened_out": ("Screened out", "for participants who are not eligible"),
    "failed_checks": ("Failed checks", "for participants who do not pass the practice or the comprehension check"),
    "full": ("Study full", "for participants who arrive when all trials are taken"),
}


def platform_form(channel: str, protocol: Protocol, link: str, n_raters: int, n_trials: int, minutes: int) -> Form:
    """What the form of the platform asks for, in its order, by its headings; empty if there is no platform."""
    minutes = round(protocol.recruitment.minutes or minutes)
    forms = {"prolific": _prolific, "mturk": _mturk, "sona": _sona}
    return forms[channel](protocol, link, n_raters, n_trials, minutes) if channel in forms else {}


def _prolific(protocol: Protocol, link: str, n_raters: int, n_trials: int, minutes: int) -> Form:
    return {
        "Study details": (
            PlatformField("Title", protocol.title_for_raters),
            PlatformField("Internal name", protocol.title, "Participants do not see it."),
            PlatformField("Description", _description(protocol, n_trials, minutes)),
            PlatformField("Devices", "Mobile, tablet and desktop", is_choice=True),
        ),
        "Data collection": (
            PlatformField("Study link", link, "Prolific fills in the braces."),
            PlatformField("How to record Prolific IDs", "I'll use URL parameters", is_choice=True),
        ),
        "Completion paths": tuple(_codes(protocol)),
        "Participants": (
            PlatformField("Number of participants", str(n_raters) if n_raters else "", "As many as the design needs."),
        ),
        "Time and payment": (
            PlatformField("How long will your study take?", number_text(minutes), "In minutes."),
            PlatformField("Payment per participant", _pay(protocol), f"In {protocol.recruitment.currency}."),
        ),
    }


def _mturk(protocol: Protocol, link: str, n_raters: int, n_trials: int, minutes: int) -> Form:
    number = str(n_raters) if n_raters else ""
    return {
        "HIT type": (
            PlatformField("Title", protocol.title_for_raters),
            PlatformField("Description", _description(protocol, n_trials, minutes)),
            PlatformField("Reward per assignment", _pay(protocol), "In US dollars, whatever the currency above."),
            PlatformField(
                "Time allotted per assignment", str(_MOST_TIMES * minutes), "In minutes: three times the usual."
            ),
        ),
        "HIT": (
            PlatformField(
                "Question", _QUESTION.format(link=escape(link)), "An external question; the link needs https."
            ),
            PlatformField("Number of assignments", number, "One HIT with as many assignments as you need raters."),
        ),
        "Completion and approval": (
            PlatformField("Completion code", "None: workers submit from the last page", is_choice=True),
            PlatformField("No consent, screened out, study full", "Workers return the assignment", is_choice=True),
            PlatformField("Approvals", "Download decisions on the page Raters", is_choice=True),
        ),
    }


def _sona(protocol: Protocol, link: str, n_raters: int, n_trials: int, minutes: int) -> Form:
    url = protocol.completion.url
    ends = "Paste SONA's Completion URL (client-side) as Address to return to, left. Attune fills in XXXX"
    return {
        "Online External Study": (
            PlatformField("Study name", protocol.title_for_raters),
            PlatformField("Brief abstract", _description(protocol, n_trials, minutes)),
            PlatformField("Duration", str(minutes), "In minutes."),
            PlatformField("Study URL", link, "SONA fills in the survey code."),
        ),
        "Timeslots": (
            PlatformField("Number of participants", str(n_raters) if n_raters else "", "As many as the design needs."),
        ),
        "Credit": (
            PlatformField("Automatic", f"On, at {url}" if url else ends, is_choice=True),
            PlatformField("By hand", "Download credits on the page Raters", is_choice=True),
            PlatformField("No consent, screened out, study full", "No credit by itself", is_choice=True),
        ),
    }


def _description(protocol: Protocol, n_trials: int, minutes: int) -> str:
    """What raters do, in the first words of the instructions, and how much there is to do."""
    first = re.sub(r"[*_#`]+", "", protocol.instructions.strip().partition("\n\n")[0])
    pages = f"There are {n_trials} pages. " if n_trials > 1 else ""
    return f"{' '.join(first.split())}\n\n{pages}It takes about {counted(minutes, 'minute')}.".strip()


def _codes(protocol: Protocol) -> Iterator[PlatformField]:
    yield PlatformField("Completed", protocol.completion.code, "Action: approve, or review by hand.")
    checks = protocol.checks.comprehension or (protocol.flow.practice and protocol.flow.practice.on_fail == "end")
    happens = {
        "no_consent": protocol.flow.consent,
        "screened_out": protocol.flow.eligibility,
        "failed_checks": checks,
        "full": True,
    }
    for outcome, (label, words) in _OTHERWISE.items():
        if happens[outcome]:
            yield PlatformField(label, protocol.completion.of(outcome).code, f"Action: request a return; {words}.")


def _pay(protocol: Protocol) -> str:
    return "" if protocol.recruitment.pay is None else f"{protocol.recruitment.pay:.2f}"


def symbol_of(currency: str) -> str:
    """What stands before an amount, such as `£` or `CHF `."""
    return SYMBOLS.get(currency, f"{currency} ")


def pay_in_words(protocol: Protocol, minutes: int) -> tuple[str, bool]:
    """The pay for an hour beside what Prolific asks for, and whether it is too little there."""
    recruitment = protocol.recruitment
    symbol = symbol_of(recruitment.currency)
    minutes_now = recruitment.minutes or minutes
    is_prolific = channel_of(protocol) in {"prolific", ""}
    least, advised = PER_HOUR.get(recruitment.currency, (None, None)) if is_prolific else (None, None)
    at_least = f"Prolific asks for at least {symbol}{least} and advises {symbol}{advised}." if least else ""
    per_hour = recruitment.per_hour(minutes)
    if per_hour is None or least is None or advised is None:
        enough = f" {symbol}{minutes_now / 60 * advised:.2f} would be {symbol}{advised} an hour." if advised else ""
        said = "" if per_hour is None else f"{symbol}{per_hour:.2f} an hour."
        needed = f"{number_text(minutes_now)} minute{'' if minutes_now == 1 else 's'}"
        return said or f"Raters need about {needed}.{enough}", False
    return f"{symbol}{per_hour:.2f} an hour. {at_least}", per_hour < least
