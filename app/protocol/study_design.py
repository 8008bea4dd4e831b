"""The design: trials, number of raters, order, and pools."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.base.problem import BrokenRuleError
from app.protocol.questions.question import Key, Prose
from app.protocol.questions.scale import Label

Trials = Literal["pairs", "single", "set", "dialogue", "conversation", "draft"]
Count = Annotated[int, Field(ge=1, le=100_000)]


class Pool(BaseModel):
    """Raters of one pool: number of raters per trial, number of trials per rater, and which items they rate.

    `own`: items whose column `rater` in items.csv names the rater. `pool`: items whose column `pool` names the pool.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    raters_per_trial: Count | None = None
    """Number of raters from this pool per trial; default: as in `design`."""
    trials_per_rater: Count | None = None
    """Maximum number of trials per rater in this pool; default: as in `design`."""
    items: Literal["all", "own", "pool"] = "all"
    """`all` items; `own` items, where the column `rater` of items.csv names the rater; or items of the `pool`, where
    the column `pool` names it.
    """
    label: Label | None = None
    """The pool's name on the lead's pages and in charts."""


class Repeats(BaseModel):
    """Trials that a rater gets a second time without being told, to measure intra-rater agreement."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    n: int = Field(ge=1, le=1000)
    """Number of trials each rater gets twice."""
    min_distance: int = Field(default=5, ge=1)
    """Minimum number of positions between a trial and its repeat."""
    swap_sides: bool = True
    """Whether the sides are swapped in the repeat."""


class Blocks(BaseModel):
    """Trials in blocks with a break between them: of a fixed size, or by a counterbalanced column of items.csv."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    size: int | None = Field(default=None, ge=1)
    """Number of trials per block."""
    column: str | None = None
    """The column of items.csv whose values define the blocks; block order is counterbalanced across raters."""
    pause: Prose = ""
    """Text shown between blocks."""

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.size is None) == (self.column is None):
            raise BrokenRuleError("blocks must have either a size or a column, not both")
        return self


class HumanSample(BaseModel):
    """People rate a random part of the items, and model judges all: estimates then use both."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    share: float = Field(gt=0, lt=1)
    """The share of the items that people rate."""
    stratify: tuple[str, ...] = ()
    """Columns of items.csv: the share is drawn from the items of each combination of their values."""
    grows_to: float | None = Field(default=None, gt=0, le=1)
    """The share that people rate in the end, if items are added later where judges and people are likely to disagree
    (*Add items*).
    """

    @model_validator(mode="after")
    def _larger(self) -> Self:
        if self.grows_to is not None and self.grows_to <= self.share:
            raise BrokenRuleError("human_sample: grows_to must be larger than share")
        return self


class Design(BaseModel):
    """Which raters rate what."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    trials: Trials | None = None
    """What one page shows: `pairs`, `single` responses, the whole `set` of responses to an item, a `dialogue` that
    is itself rated, or a `conversation` or a `draft` that the rater writes first. Default: set if a question ranks
    responses; pairs if every item has two responses; otherwise single.
    """
    pairs: Literal["all", "reference"] = "all"
    """`all` pairs of an item's responses, or only pairs that include the `reference`."""
    listed: tuple[tuple[Key, ...], ...] = ()
    """An explicit list of trials, each a list of response IDs."""
    adaptive: Key | None = None
    """The choice question by which pairs are selected adaptively, in studies of three or more sources with too few
    raters for all pairs: when a rater starts, each pair is the one that tells most about the strengths of the sources.
    `raters_per_trial` is then an upper limit.
    """
    human_sample: HumanSample | None = None
    """The random sample of the items that people rate, drawn with `seed` when the study opens; model judges rate all
    items. Each item's probability is stored and exported (`sampling_probability`). Items that are added later are
    drawn from by themselves; a larger share in a later version, or *Add items* on the page *Human sample*, adds to the
    sample.
    """
    raters_per_trial: Count = 3
    """Number of raters per trial."""
    trials_per_rater: Count | None = None
    """Maximum number of trials per rater; default: all."""
    same_item: bool | None = None
    """Whether a rater may get two trials with the same item; default: only for single responses."""
    blind: bool = True
    """Whether raters are told nothing about the source."""
    profile: Literal["shown", "hidden"] = "shown"
    """Whether the person's profile is `shown` or `hidden`."""
    reveal: Literal["whole", "turns"] = "whole"
    """Show a dialogue as a `whole`, or its `turns` one at a time, each with the questions whose target is `turn`; other
    questions follow at the end. Responses that are dialogues are revealed side by side; otherwise the item's dialogue
    is.
    """
    order: Literal["random", "latin_square", "fixed"] = "random"
    """Order of a rater's trials: `random`, a balanced `latin_square` across raters, or `fixed` as in items.csv."""
    blocks: Blocks | None = None
    """Divides the trials into blocks with a break between them."""
    repeats: Repeats | None = None
    """Trials that each rater gets a second time."""
    pools: dict[Key, Pool] = {}
    """Groups of raters."""
    open_pool: Key | None = None
    """The pool of raters who arrive by the open link. With pools but no open pool, only invited raters can take part.
    """
    links: Literal["any", "personal"] = "any"
    """`any`, or `personal` to admit only raters with a personal link (`attune study invite SLUG NAME ...`); see
    [Security](security.md#raters).
    """
    quotas: dict[Key, dict[Key, int]] = {}
    """How many raters to admit with each value of an answer about the rater, a column of raters.csv, or a parameter of
    the rater's link (`?site=north`). Raters with other values are not admitted.
    """
    max_raters: Count | None = None
    """Maximum number of raters in total. If a rater leaves before the end, or has no partner, another is admitted."""
    lease_minutes: int = Field(default=60, ge=1, le=60 * 24 * 60)
    """How long places are kept for an inactive rater."""
    seed: int = 0
    """Random seed for all orders."""

    @model_validator(mode="after")
    def _pools_agree(self) -> Self:
        if self.open_pool is not None and self.open_pool not in self.pools:
            raise BrokenRuleError("design.open_pool must be one of design.pools", self.open_pool)
        if self.open_pool is not None and self.pools[self.open_pool].items == "own":
            raise BrokenRuleError("design.open_pool must be a pool whose raters have no items of their own")
        if self.open_pool is not None and self.links == "personal":
            rule = "design.open_pool must not be set with design.links: personal, because there is no open link"
            raise BrokenRuleError(rule)
        if self.repeats and self.trials_per_rater and self.repeats.n > self.trials_per_rater:
            raise BrokenRuleError("design.repeats.n must be at most design.trials_per_rater", self.repeats.n)
        return self

    def raters_of(self, pool: str | None) -> int:
        """Number of raters from a pool per trial of that pool."""
        return (self.pools[pool].raters_per_trial if pool in self.pools else None) or self.raters_per_trial

    def trials_of(self, pool: str | None) -> int | None:
        """Maximum number of trials per rater in a pool; None if there is no limit."""
        return (self.pools[pool].trials_per_rater if pool in self.pools else None) or self.trials_per_rater
