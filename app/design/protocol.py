"""The study protocol: a whole study but its texts and ratings, as study.yaml says it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from app.design.composite import Composite, composite_fault
from app.design.question import ChoiceQuestion, Key, Question, RatingQuestion, ScaledQuestion, SliderQuestion

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$")]
Trials = Literal["pairs", "single", "set", "dialogue"]


class Source(BaseModel):
    """Who wrote responses. Whatever else the lead says of it (family, version, prompt ...) is kept as an attribute."""

    model_config = ConfigDict(frozen=True, extra="allow")
    kind: Literal["human", "model", "human+model"]

    @property
    def attributes(self) -> dict[str, Any]:
        """Everything but the kind."""
        return dict(self.model_extra or {})


class Design(BaseModel):
    """Who rates what."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    trials: Trials | None = None
    pairs: Literal["all", "reference"] = "all"
    raters_per_trial: int = Field(default=3, ge=1, le=100_000)
    trials_per_rater: int | None = Field(default=None, ge=1, le=100_000)
    same_item: bool | None = None
    blind: bool = True
    lease_minutes: int = Field(default=60, ge=1, le=60 * 24 * 60)
    seed: int = 0


class Analysis(BaseModel):
    """What the lead declares before the data. `responder` is the column of responses.csv that names who wrote it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    reference: str | None = None
    cut: dict[str, float] = {}
    composites: dict[Key, Composite] = {}
    responder: str | None = None


class Completion(BaseModel):
    """What a rater gets at the end."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    code: str = ""
    url: str = ""
    text: str = ""


class Protocol(BaseModel):
    """study.yaml, checked."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    attune: Literal[1]
    slug: Slug
    title: str = Field(min_length=1, max_length=500)
    description: str = ""
    instructions: str = ""
    language: str = "en"
    sources: dict[Key, Source] = {}
    questions: tuple[Question, ...] = Field(min_length=1)
    design: Design = Design()
    analysis: Analysis = Analysis()
    completion: Completion = Completion()

    @model_validator(mode="after")
    def _names_agree(self) -> Protocol:
        keys = [question.key for question in self.questions]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise ValueError(f"questions each with a key of its own, found twice: {', '.join(twice)}")
        if self.analysis.reference is not None and self.analysis.reference not in self.sources:
            raise ValueError(f"analysis.reference names one of the sources, found {self.analysis.reference}")
        unknown = sorted(set(self.analysis.cut) - {question.key for question in self.scaled_questions})
        if unknown:
            raise ValueError(f"analysis.cut names rating questions, found {', '.join(unknown)}")
        for name, composite in self.analysis.composites.items():
            if fault := composite_fault(name, composite, self.scaled_questions):
                raise ValueError(fault)
        return self

    def question(self, key: str) -> Question | None:
        """The question of that key."""
        return next((question for question in self.questions if question.key == key), None)

    @property
    def scaled_questions(self) -> tuple[ScaledQuestion, ...]:
        """The questions answered by a number."""
        return tuple(q for q in self.questions if isinstance(q, RatingQuestion | SliderQuestion))

    @property
    def choice_questions(self) -> tuple[ChoiceQuestion, ...]:
        """The forced choices."""
        return tuple(q for q in self.questions if isinstance(q, ChoiceQuestion))

    @property
    def reference(self) -> str | None:
        """The source that others are compared with: as declared, else the first human one, else the first."""
        human = (key for key, source in self.sources.items() if source.kind == "human")
        return self.analysis.reference or next(human, next(iter(self.sources), None))
