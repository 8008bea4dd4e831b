"""The rater's way: what comes before the trials and after them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from app.design.questions.question import Key
from app.design.questions.scale import number_text

Share = Annotated[float, Field(ge=0, le=1)]


def values_as_text(data: Any) -> Any:  # noqa: ANN401 - whatever the lead wrote
    """Accepted answers as text, one or several: 4 is `4`, as ratings.csv writes it.

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
    """What a rater agrees to. The version, the hash of the text and the time are kept with the agreement.

    An empty `agree` or `refuse` stands for the page's own words, in the language of the study.
    """

    version: str = Field(min_length=1)
    text: str = Field(min_length=1)
    agree: str = ""
    refuse: str = ""


class Eligibility(_Part):
    """Answers to questions about the rater that let in; who gives another one is thanked and sees `text`, if any."""

    accept: dict[Key, Accepted] = Field(min_length=1)
    text: str = ""


class Questionnaire(_Part):
    """Questions about the rater on a page of their own, for raters of some pools or of all.

    `shuffle` gives each rater an order of their own.
    """

    title: str = ""
    text: str = ""
    questions: tuple[Key, ...] = Field(min_length=1)
    shuffle: bool = False
    pools: tuple[Key, ...] = ()


class PracticeTrial(_Part):
    """A trial to practise on: an item, a response or the pair of all, the accepted answers, and what is said then."""

    item: Key
    responses: tuple[Key, ...] = ()
    expect: dict[Key, Accepted] = {}
    feedback: str = ""


class Practice(_Part):
    """Trials with feedback before the real ones. Who is right too rarely tries again, then ends or goes on."""

    trials: tuple[PracticeTrial, ...] = Field(min_length=1)
    text: str = ""
    pass_share: Share = 0
    attempts: int = Field(default=2, ge=1, le=10)
    on_fail: Literal["go_on", "end"] = "go_on"


class Debrief(_Part):
    """What the study was about, said at the end; with the true sources, and the offer to take the ratings back."""

    text: str = Field(min_length=1)
    show_sources: bool = False
    offer_deletion: bool = False


class Flow(_Part):
    """The parts of the rater's way that this study has; without any, a rater sees instructions, trials and the end."""

    consent: Consent | None = None
    eligibility: Eligibility | None = None
    before: tuple[Questionnaire, ...] = ()
    practice: Practice | None = None
    revisit: tuple[Key, ...] = ()
    after: tuple[Questionnaire, ...] = ()
    debrief: Debrief | None = None
    help: str = ""
    exposure_cap: int | None = Field(default=None, ge=1)
    skip_reasons: tuple[str, ...] = ()
