"""What a preregistration says beyond the design: hypotheses, sample size, stopping rule, exclusions."""

import math
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator

from app.base.problem import BrokenRuleError
from app.protocol.questions.question import Prose

Sd = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class SizePlan(BaseModel):
    """What a sample size was planned with, in points of the scale or as shares of answers; see *Plan*."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    difference: FiniteFloat | None = None
    """The smallest difference of interest; of tests against a margin, the assumed difference."""
    mean: FiniteFloat | None = None
    """The mean of the reference."""
    item: Sd | None = None
    """The standard deviation of items, over both sides of the contrast."""
    item_source: Sd | None = None
    """The standard deviation of the difference, from item to item."""
    rater: Sd | None = None
    """The standard deviation of raters' severity."""
    rater_source: Sd | None = None
    """The standard deviation of the difference, from rater to rater."""
    residual: Sd | None = None
    """The standard deviation of single ratings."""
    n_raters: int | None = Field(default=None, ge=2)
    """The number of raters who start. Default: as many as the design needs."""
    attrition: float = Field(default=0.0, ge=0, lt=1)
    """The share of raters who leave before their last trial."""
    power: float = Field(default=0.8, ge=0.5, lt=1)
    """The power that was aimed at."""

    @property
    def stated(self) -> dict[str, float]:
        """The stated mean, difference and standard deviations, by name.

        >>> SizePlan(difference=0.3, attrition=0.1).stated
        {'difference': 0.3}
        """
        own = self.model_dump(exclude={"n_raters", "attrition", "power"})
        return {name: value for name, value in own.items() if value is not None}


class Preregistration(BaseModel):
    """The lead's own words for the forms of OSF and AsPredicted. All else is written from the other parts."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    hypotheses: tuple[Prose, ...] = ()
    """What you expect to find, one statement each, with its direction."""
    sample_size: Prose = ""
    """Why this many items and raters; the power of the plan is added to it."""
    plan: SizePlan | None = None
    """What the sample size was planned with: forecasts and the registration take it."""
    stopping_rule: Prose = ""
    """When data collection ends. Default: when every trial has its number of raters."""
    exclusions: Prose = ""
    """Which raters or ratings will be left out, by which rule. Default: none; flagged raters are kept, and the
    estimates are repeated without them.
    """
    existing_data: Prose = ""
    """Which data exist already and who has seen them. Default: whether the study had ratings at registration.
    """
    other: Prose = ""
    """Anything else, such as secondary analyses."""


# Looks at the data before the end: which are declared, and whether estimates are hidden until the study closes.

Look = Annotated[float, Field(gt=0, le=1)]

MAX_LOOKS = 20


class Monitoring(BaseModel):
    """A group-sequential plan for the primary contrast."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    blind_interim: bool = False
    """Whether estimates, and downloads that tell ratings by source, are hidden until the study closes."""
    looks: tuple[Look, ...] = Field(default=(), max_length=MAX_LOOKS)
    """When the primary contrast is tested before the end, as shares of `n_ratings`, ascending; the last one is 1."""
    n_ratings: int | None = Field(default=None, ge=1)
    """The planned number of answers to the question of the primary contrast; required with `looks`."""
    spending: Literal["obrien_fleming", "pocock"] = "obrien_fleming"
    """How the error rate is spent over the looks: `obrien_fleming`, little at first (default), or `pocock`, evenly."""
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    """The two-sided error rate of all looks together; default: 0.05."""

    @model_validator(mode="after")
    def _looks_ascend(self) -> Self:
        if not self.looks:
            return self
        if list(self.looks) != sorted(set(self.looks)) or self.looks[-1] != 1:
            raise BrokenRuleError("looks must ascend and end at 1", ", ".join(f"{look:g}" for look in self.looks))
        if self.n_ratings is None:
            raise BrokenRuleError("n_ratings must be the planned number of ratings if looks are declared", "nothing")
        return self

    @property
    def ratings_at_looks(self) -> tuple[int, ...]:
        """How many ratings each look is due at: the first number that reaches its share."""
        # 0.55 of 100 is a little more than 55 in floating point
        return tuple(math.ceil(round(look * (self.n_ratings or 0), 6)) for look in self.looks)


# What raters and an ethics board are told about the data, beyond what follows from the design.


class Privacy(BaseModel):
    """The words of the privacy page and of the ethics document; all else is written from the other parts."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    controller: str = ""
    """The institution that is responsible for the data, with its address."""
    contact: str = ""
    """Whom raters can ask about their data: a name, an e-mail address, a data protection officer."""
    purpose: Prose = ""
    """What the data are used for. Default: to compare the responses that raters read."""
    recipients: Prose = ""
    """Who gets the data besides the research team, such as an archive, and in which form. Default: no one."""
    storage: Prose = ""
    """Where the server stands and who runs it, such as "a server of the university in Zurich"."""
    delete_at_retention: bool = False
    """Whether the study is deleted with all its data two days after its retention date (*Settings*), once it is
    closed; the deletion is announced a day before. By default the lead is only reminded.
    """
