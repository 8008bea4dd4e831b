"""Looks at the data before the end: which are declared, and whether estimates are hidden until the study closes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.design.broken_rule import BrokenRuleError

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
    """How the error rate is spent over the looks: `obrien_fleming`, little at first, or `pocock`, evenly."""
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    """The two-sided error rate of all looks together."""

    @model_validator(mode="after")
    def _looks_ascend(self) -> Monitoring:
        if not self.looks:
            return self
        if list(self.looks) != sorted(set(self.looks)) or self.looks[-1] != 1:
            raise BrokenRuleError("looks must ascend and end at 1", ", ".join(f"{look:g}" for look in self.looks))
        if self.n_ratings is None:
            raise BrokenRuleError("n_ratings must be the planned number of ratings if looks are declared", "nothing")
        return self
