"""Allocation: trials, how many raters, in which order, from which pool."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.design.questions.question import Key
from app.design.questions.scale import Label

Trials = Literal["pairs", "single", "set", "dialogue"]
Count = Annotated[int, Field(ge=1, le=100_000)]


class Pool(BaseModel):
    """Raters of one pool: how many rate a trial, how many trials each has, and of which items.

    `own`: items whose column `rater` in items.csv names the rater. `pool`: items whose column `pool` names the pool.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    raters_per_trial: Count | None = None
    trials_per_rater: Count | None = None
    items: Literal["all", "own", "pool"] = "all"
    label: Label | None = None


class Repeats(BaseModel):
    """Trials that a rater gets a second time without being told, to see how far the rater agrees with themselves."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    n: int = Field(ge=1, le=1000)
    min_distance: int = Field(default=5, ge=1)
    swap_sides: bool = True


class Blocks(BaseModel):
    """Trials in blocks with a pause between: of a size, or by a column of items.csv, whose order is counterbalanced."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    size: int | None = Field(default=None, ge=1)
    column: str | None = None
    pause: str = ""

    @model_validator(mode="after")
    def _one_of_two(self) -> Blocks:
        if (self.size is None) == (self.column is None):
            raise ValueError("blocks have either a size or a column")
        return self


class Design(BaseModel):
    """Who rates what."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    trials: Trials | None = None
    pairs: Literal["all", "reference"] = "all"
    listed: tuple[tuple[Key, ...], ...] = ()
    adaptive: Key | None = None
    raters_per_trial: Count = 3
    trials_per_rater: Count | None = None
    same_item: bool | None = None
    blind: bool = True
    profile: Literal["shown", "hidden"] = "shown"
    reveal: Literal["whole", "turns"] = "whole"
    order: Literal["random", "latin_square", "fixed"] = "random"
    blocks: Blocks | None = None
    repeats: Repeats | None = None
    pools: dict[Key, Pool] = {}
    open_pool: Key | None = None
    links: Literal["any", "personal"] = "any"
    quotas: dict[Key, dict[Key, int]] = {}
    max_raters: Count | None = None
    lease_minutes: int = Field(default=60, ge=1, le=60 * 24 * 60)
    seed: int = 0

    @model_validator(mode="after")
    def _pools_agree(self) -> Design:
        if self.open_pool is not None and self.open_pool not in self.pools:
            raise ValueError(f"design.open_pool names one of design.pools, found {self.open_pool}")
        if self.open_pool is not None and self.pools[self.open_pool].items == "own":
            raise ValueError("design.open_pool is a pool whose raters have no items of their own")
        if self.open_pool is not None and self.links == "personal":
            raise ValueError("design.open_pool is for raters with an open link, which design.links: personal rules out")
        if self.repeats and self.trials_per_rater and self.repeats.n > self.trials_per_rater:
            raise ValueError(f"design.repeats.n is at most trials_per_rater, found {self.repeats.n}")
        return self

    def raters_of(self, pool: str | None) -> int:
        """How many raters of a pool rate each trial that is theirs."""
        return (self.pools[pool].raters_per_trial if pool in self.pools else None) or self.raters_per_trial

    def trials_of(self, pool: str | None) -> int | None:
        """How many trials a rater of a pool has; None where there is no limit."""
        return (self.pools[pool].trials_per_rater if pool in self.pools else None) or self.trials_per_rater
