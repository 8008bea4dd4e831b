"""The participant flow: what comes before and after the trials."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from app.base.words import number_text
from app.protocol.questions.question import Key, Prose

Share = Annotated[float, Field(ge=0, le=1)]


def values_as_text(data: Any) -> Any:  # noqa: ANN401 - whatever the lead wrote
    """One or several accepted answers as text, written as in ratings.csv: 4 is `4`.

    >>> values_as_text(4.0), values_as_text(["yes", 2])
    (('4',), ('yes', '2'))
    """
    values = data if isinstance(data, list | tuple) else [data]
    is_number = (isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return tuple(number_text(value) if number else str(value) for value, number in zip(values, is_number, strict=True))


Accepted = Annotated[tuple[str, ...], BeforeValidator(values_as_text), Field(min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Consent(_Part):
    """The consent form. Its version, the hash of its text and the time are stored with each agreement.

    If `agree` or `refuse` is empty, the button has the built-in label in the language of the study.
    """

    version: str = Field(min_length=1)
    """Version of the text."""
    text: Prose = Field(min_length=1)
    """The consent form, in Markdown."""
    agree: str = ""
    """Label of the button to agree."""
    refuse: str = ""
    """Label of the button to decline."""
    records_typing: bool = False
    """The text tells raters that keys pressed and characters pasted are counted. A study with `typing_rhythm` can be
    opened only with it; Attune does not look for it in the text.
    """
    records_keystrokes: bool = False
    """The text tells raters that each change of their drafts is recorded. The page adds a sentence that says so.
    """
    sends_to_model: bool = False
    """The text tells raters that what they write is sent to a language model. A study in which models reply can be
    opened only with it.
    """
    sends_to_rater: bool = False
    """The text tells raters that another participant reads what they write. A study in which raters write with each
    other can be opened only with it.
    """
    shows_to_others: bool = False
    """The text tells raters that other people may read what they write. Only then can a study be made in which others
    rate it.
    """


class Eligibility(_Part):
    """The answers that make a rater eligible; raters who answer otherwise are thanked and see `text`, if any."""

    accept: dict[Key, Accepted] = Field(min_length=1)
    """Questions about the rater, each with the answers that make a rater eligible."""
    text: Prose = ""
    """Message for raters who are not eligible."""


class Questionnaire(_Part):
    """Questions about the rater on a separate page, for raters of some pools or of all.

    `shuffle` gives each rater a different random order.
    """

    title: str = ""
    """Title of the page."""
    text: Prose = ""
    """Text above the questions, in Markdown."""
    questions: tuple[Key, ...] = Field(min_length=1)
    """Keys of questions about the rater."""
    shuffle: bool = False
    """Whether each rater gets the questions in a different random order."""
    pools: tuple[Key, ...] = ()
    """The pools that get this questionnaire; default: all."""


class PracticeTrial(_Part):
    """A practice trial: the item, the responses to show, the accepted answers, and the feedback."""

    item: Key
    """The item's ID in items.csv."""
    responses: tuple[Key, ...] = ()
    """The responses to show; default: as in the other trials."""
    expect: dict[Key, Accepted] = {}
    """Questions with the answers that count as correct, written as in ratings.csv. If the page asks a question about
    several responses or turns, all answers must be correct.
    """
    feedback: Prose = ""
    """Text shown after the trial, in Markdown."""


class Practice(_Part):
    """Practice trials with feedback. Raters with too few correct answers try again, then end or continue."""

    trials: tuple[PracticeTrial, ...] = Field(min_length=1)
    """The practice trials."""
    text: Prose = ""
    """Text above the first trial."""
    pass_share: Share = 0
    """Share of expected answers needed to pass, 0 to 1."""
    attempts: int = Field(default=2, ge=1, le=10)
    """Maximum number of attempts."""
    on_fail: Literal["go_on", "end"] = "go_on"
    """What happens after the last failed attempt: `go_on` with the study, or `end` as `failed_checks`."""


class Debrief(_Part):
    """The debriefing at the end, optionally with the true sources and the offer to delete the answers."""

    text: Prose = Field(min_length=1)
    """The debriefing, in Markdown."""
    show_sources: bool = False
    """Whether to show the true source of each response."""
    offer_deletion: bool = False
    """Whether the debriefing offers raters to delete their answers, as the link at the bottom of every page always
    does. It does not affect their completion.
    """


class Flow(_Part):
    """The optional steps of a rater's path; without any, a rater sees the instructions, the trials and the end page."""

    consent: Consent | None = None
    """The consent form."""
    eligibility: Eligibility | None = None
    """Who can take part."""
    before: tuple[Questionnaire, ...] = ()
    """Questionnaires before the instructions."""
    practice: Practice | None = None
    """Practice trials with feedback."""
    revisit: tuple[Key, ...] = ()
    """Questions about a response or an item to ask only after the last trial, such as who wrote it. Each rated trial
    is then shown once more with only these questions.
    """
    after: tuple[Questionnaire, ...] = ()
    """Questionnaires after the trials; any question about the rater that is not listed elsewhere is asked here too.
    """
    debrief: Debrief | None = None
    """Debriefing at the end."""
    help: Prose = ""
    """Where raters can find help, shown on every page, in Markdown."""
    exposure_cap: int | None = Field(default=None, ge=1)
    """Maximum number of trials with a content note per rater, who then gets a shorter list. A hidden repeat may show
    one once more.
    """
    skip_reasons: tuple[str, ...] = ()
    """Reasons raters may give for skipping a trial. Skipping frees the place for another rater and discards the answers
    on that page. Trials with a content note can always be skipped for that reason.
    """
