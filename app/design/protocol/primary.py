"""Primary contrasts: what a study is about, each with its one test. Everything else in a report is exploratory."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.design.protocol.conditions import level_name
from app.design.protocol.primary_tests import PARTS
from app.design.questions.question import Key


class PrimaryContrast(BaseModel):
    """One question, one test, and what is compared. In study.yaml a plain key means its default contrast.

    A part that is left out means all of them: without a `source`, each source against the reference is a contrast of
    its own. `test` is a key of `TESTS`; it is known once `with_test` was asked.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    question: Key
    test: str | None = None
    source: str | None = None
    reference: str | None = None
    factor: str | None = None
    level: str | None = None
    attribute: str | None = None
    code: str | None = None
    pool: str | None = None
    reference_pool: str | None = None
    covariate: str | None = None
    margin: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_key(cls, data: Any) -> Any:  # noqa: ANN401 - whatever the lead wrote
        if isinstance(data, dict):
            return {**data, "level": level_name(data["level"])} if "level" in data else data
        return {"question": data}

    def with_test(self, name: str) -> Self:
        """The same contrast by that test."""
        return self.model_copy(update={"test": name})

    @property
    def named(self) -> dict[str, Any]:
        """The parts that are named, by name."""
        return {part: value for part in PARTS if (value := getattr(self, part)) is not None}
