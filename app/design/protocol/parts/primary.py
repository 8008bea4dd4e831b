"""Primary contrasts: the comparisons that a study is about, each with its one test. All others are exploratory."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.design.protocol.parts.conditions import level_name
from app.design.protocol.parts.primary_tests import PARTS
from app.design.questions.question import Key


class PrimaryContrast(BaseModel):
    """One question, one test, and what is compared. In study.yaml a plain key means its default contrast.

    A part that is left out means all of them: without a `source`, each source against the reference is a separate
    contrast. `test` is a key of `TESTS`; if it is None, `test_of` determines it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    question: Key
    """A question or a composite."""
    test: str | None = None
    """The test or estimate, from the table below."""
    source: str | None = None
    """The source that is compared; default: each source but the reference."""
    reference: str | None = None
    """The source that it is compared with; default: `reference` of `analysis`."""
    factor: str | None = None
    """The condition whose effect is estimated, or `shown_label` for what raters were told about the source."""
    level: str | None = None
    """The level of the factor; default: each level against the first."""
    attribute: str | None = None
    """The attribute of the sources or responses whose effect is estimated."""
    code: str | None = None
    """The code of a category question; default: each code."""
    pool: str | None = None
    """The pool of raters; default: all persons."""
    reference_pool: str | None = None
    """The pool that it is compared with."""
    covariate: str | None = None
    """A question or composite about the rater, or one of `covariates` of `analysis`."""
    margin: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """For `equivalence` and `non_inferiority`, the largest difference that is too small to matter; default: `margin`
    of `analysis`.
    """
    published: str | None = None
    """A test of the same contrast that a publication reports: shown beside the result for comparison, decides nothing.
    """

    @model_validator(mode="before")
    @classmethod
    def _from_key(cls, data: Any) -> Any:  # noqa: ANN401 - whatever the lead wrote
        if isinstance(data, dict):
            level = data.get("level")
            return data if level is None else {**data, "level": level_name(level)}
        return {"question": data}

    def with_test(self, name: str) -> Self:
        """The same contrast with this test."""
        return self.model_copy(update={"test": name})

    @property
    def as_published(self) -> Self | None:
        """The same contrast with the test of the publication; None without one."""
        return None if self.published is None else self.with_test(self.published)

    @property
    def named(self) -> dict[str, Any]:
        """The parts that are set, by name."""
        return {part: value for part in PARTS if (value := getattr(self, part)) is not None}
