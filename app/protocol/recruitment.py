"""Where raters come from, and what they are paid for how many minutes."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

Platform = Literal["prolific", "mturk", "sona", "link"]
Currency = Literal["GBP", "USD", "EUR", "CHF"]


class Recruitment(BaseModel):
    """How raters are recruited. Personal links are `design.links: personal` instead of a platform."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    platform: Platform | None = None
    """Where raters come from: `prolific`, `mturk`, `sona`, or `link`, one link for all that needs no participant ID."""
    pay: FiniteFloat | None = Field(default=None, ge=0)
    """What each rater who finishes gets."""
    currency: Currency = "GBP"
    """The currency of the pay."""
    minutes: FiniteFloat | None = Field(default=None, gt=0)
    """How long a rater takes, as raters are told; default: estimated from the texts and the questions."""

    def per_hour(self, minutes: float) -> float | None:
        """The pay for an hour, if a rater takes this long; None if no pay is set.

        >>> Recruitment(pay=3).per_hour(20)
        9.0
        """
        return None if self.pay is None else self.pay * 60 / (self.minutes or minutes)
