"""Conditions: what the design varies in what raters see or are told, as factors whose levels are crossed into cells."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from app.base.problem import BrokenRuleError
from app.protocol.questions.scale import Label

Kind = Literal["shown_label", "instruction", "profile", "layout", "reveal", "scale_direction", "source"]
# A cell is written `label=true; instruction=objective` in trials and in ratings.csv: its parts must not contain ; or =.
Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\s;=|]([^;=|]*[^\s;=|])?$")]

LEVELS: dict[str, tuple[str, ...]] = {
    "shown_label": ("none", "true", "swapped", "unknown"),
    "profile": ("hidden", "shown"),
    "layout": ("single", "side_by_side"),
    "reveal": ("whole", "turns"),
    "scale_direction": ("as_written", "turned"),
}
TWO = 2


class Factor(BaseModel):
    """One thing that is varied.

    `levels` are those of the kind; for `instruction` a mapping from level to the text shown, for `source` names of
    sources. `between` raters: each has one level throughout. `within`: each rater has every level, on different items;
    `blocks` presents one level after the other.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: Kind
    """`shown_label`, `instruction`, `profile`, `layout`, `reveal`, `scale_direction` or `source`."""
    label: Label | None = None
    """The factor's name on the lead's pages and in charts."""
    levels: dict[Name, str] = {}
    """The levels in use, by default all. `shown_label`: `none`, `true`, `swapped`, `unknown`. `profile`: `hidden`,
    `shown`. `layout`: `single`, `side_by_side`. `reveal`: `whole`, `turns`. `scale_direction`: `as_written`, `turned`.
    `instruction`: your own names, each with the text raters read. `source`: names of sources; each rater rates the
    responses of one.
    """
    level_labels: dict[Name, Label] = {}
    """The same for its levels."""
    reference_level: Name | None = None
    """The level that the other levels are compared with; default: the first."""
    assign: Literal["between", "within"] = "between"
    """`between` raters, each with one level throughout; or `within` raters, each with every level, on different items.
    """
    blocks: bool = False
    """For a factor within raters, present the levels one after another in counterbalanced order."""
    weights: dict[Name, Annotated[int, Field(ge=1, le=1000)]] = {}
    """For a factor between raters, the relative number of raters per level."""
    caps: dict[Name, Annotated[int, Field(ge=0)]] = {}
    """For a factor between raters, the maximum number of raters per level."""
    swaps: dict[str, str] = {}
    """Which source's label each source gets when labels are swapped; default: the first source of the other kind."""

    @model_validator(mode="before")
    @classmethod
    def _levels_as_mapping(cls, data: Any) -> Any:  # noqa: ANN401 - whatever the lead wrote
        if not isinstance(data, dict):
            return data
        levels = data.get("levels") or LEVELS.get(str(data.get("kind")), ())
        if isinstance(levels, list | tuple):
            levels = {level_name(level): "" for level in levels}
        elif isinstance(levels, dict):
            levels = {level_name(level): words for level, words in levels.items()}
        by_level = {
            part: {level_name(level): value for level, value in data[part].items()}
            for part in ("weights", "caps", "level_labels")
            if isinstance(data.get(part), dict)
        }
        reference = data.get("reference_level")
        named = {} if reference is None else {"reference_level": level_name(reference)}
        return {**data, "levels": levels, **by_level, **named}

    @model_validator(mode="after")
    def _levels_fit(self) -> Self:
        if len(self.levels) < TWO:
            raise BrokenRuleError("a factor must have at least two levels", ", ".join(self.levels) or "none")
        known = LEVELS.get(self.kind)
        if known and (other := [level for level in self.levels if level not in known]):
            raise BrokenRuleError(f"the levels of {self.kind} must be {', '.join(known)}", ", ".join(other))
        if self.kind == "instruction" and not all(self.levels.values()):
            raise BrokenRuleError("each level of an instruction must have the text to show")
        return self

    @model_validator(mode="after")
    def _labels_fit(self) -> Self:
        if other := [level for level in self.level_labels if level not in self.levels]:
            raise BrokenRuleError("level_labels must name levels of the factor", ", ".join(other))
        if self.reference_level is not None and self.reference_level not in self.levels:
            raise BrokenRuleError("reference_level must be one of the levels of the factor", self.reference_level)
        return self

    @model_validator(mode="after")
    def _assignment_fits(self) -> Self:
        for part, values in (("weights", self.weights), ("caps", self.caps)):
            if values and self.assign == "within":
                raise BrokenRuleError(f"{part} can be set only for a factor that varies between raters")
            if other := [level for level in values if level not in self.levels]:
                raise BrokenRuleError(f"{part} must name levels of the factor", ", ".join(other))
        if self.blocks and self.assign == "between":
            raise BrokenRuleError("blocks can be set only for a factor that varies within raters")
        if self.kind == "source" and self.assign == "within":
            rule = "a factor of kind source must vary between raters, because otherwise each rater sees every source"
            raise BrokenRuleError(rule)
        if self.swaps and self.kind != "shown_label":
            raise BrokenRuleError("swaps can be set only for a factor of kind shown_label")
        return self


def level_name(level: object) -> str:
    """A level as text: YAML reads `true` as a Boolean and `~` as null.

    >>> level_name(True), level_name(None), level_name("swapped")
    ('true', 'none', 'swapped')
    """
    if level is None:
        return "none"
    return str(level).lower() if isinstance(level, bool) else str(level)
