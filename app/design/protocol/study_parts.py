"""The parts of the study protocol, as study.yaml says them."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat, StringConstraints

from app.design.protocol.checks import Checks
from app.design.protocol.composite import Composite
from app.design.protocol.conditions import Factor, Name
from app.design.protocol.flow import Flow
from app.design.protocol.labels import Attribute
from app.design.protocol.primary import PrimaryContrast
from app.design.protocol.study_design import Design
from app.design.questions.choice import ChoiceQuestion
from app.design.questions.kinds import Question, ScaledQuestion
from app.design.questions.question import Key
from app.design.questions.ranking import RankingQuestion
from app.design.questions.rating import RatingQuestion
from app.design.questions.scale import Label
from app.design.questions.slider import SliderQuestion


def _free(slug: str) -> str:
    if slug == "new":
        raise ValueError("a slug other than new, which is the address of the page for new studies")
    return slug


Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$"), AfterValidator(_free)]


class Source(BaseModel):
    """Who wrote responses. Whatever else the lead says of it (family, version, prompt ...) is kept as an attribute.

    `label` is what the lead and readers of the results read, `shown_label` what raters are told where they are told.
    """

    model_config = ConfigDict(frozen=True, extra="allow")
    kind: Literal["human", "model", "human+model"]
    label: Label | None = None
    shown_label: str = Field(default="", max_length=500)

    @property
    def attributes(self) -> dict[str, Any]:
        """Everything that has no field of its own."""
        return dict(self.model_extra or {})


class BelievedSource(BaseModel):
    """The question on who wrote a response, and which sources each of its codes means."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    question: Key
    means: dict[Key, tuple[Key, ...]] = Field(min_length=1)
    confidence: Key | None = None


class Analysis(BaseModel):
    """What the lead declares before the data. `responder` is the column of responses.csv that names who wrote it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    reference: str | None = None
    cut: dict[str, FiniteFloat] = {}
    margin: dict[str, Annotated[float, Field(gt=0)]] = {}
    primary: tuple[PrimaryContrast, ...] = ()
    composites: dict[Key, Composite] = {}
    responder: str | None = None
    believed_source: BelievedSource | None = None

    def margin_of(self, key: str) -> float | None:
        """The margin of a question or composite: of `margin`, else of its primary contrast."""
        of_primary = (contrast.margin for contrast in self.primary if contrast.question == key)
        return self.margin.get(key) or next((margin for margin in of_primary if margin is not None), None)


class Raters(BaseModel):
    """What is known about the raters. `unknown`: ratings from a file whose raters are slots, not people."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    identity: Literal["known", "unknown"] = "known"


Outcome = Literal["no_consent", "screened_out", "failed_checks", "full", "withdrew"]


def _web_address(url: str) -> str:
    """Refuse what no browser could open: the rater would find out at the very end."""
    expected = f"an address such as https://example.org/done, found {url}"
    try:
        parts = urlsplit(url)
        is_open = parts.scheme in {"https", "http"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        raise ValueError(expected) from None
    if url and not is_open:
        raise ValueError(expected)
    return url


WebAddress = Annotated[str, AfterValidator(_web_address)]


class Ending(BaseModel):
    """What a rater gets who leaves: a code for the platform, an address, words."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    code: str = ""
    url: WebAddress = ""
    text: str = ""


class Completion(Ending):
    """What a rater gets at the end, and what those get who end otherwise."""

    otherwise: dict[Outcome, Ending] = {}

    def of(self, outcome: Outcome) -> Ending:
        """What a rater gets who ends otherwise; nothing where the study says nothing."""
        return self.otherwise.get(outcome, Ending())


class ProtocolParts(BaseModel):
    """study.yaml, each part checked by itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    attune: Literal[1]
    slug: Slug
    title: str = Field(min_length=1, max_length=500)
    rater_title: str = Field(default="", max_length=500)
    description: str = ""
    instructions: str = ""
    language: str = "en"
    sources: dict[Key, Source] = {}
    questions: tuple[Question, ...] = Field(min_length=1)
    design: Design = Design()
    conditions: dict[Name, Factor] = {}
    flow: Flow = Flow()
    checks: Checks = Checks()
    raters: Raters = Raters()
    analysis: Analysis = Analysis()
    completion: Completion = Completion()
    attributes: dict[str, Attribute] = {}

    def question(self, key: str) -> Question | None:
        """The question of that key."""
        return next((question for question in self.questions if question.key == key), None)

    @property
    def title_for_raters(self) -> str:
        """What raters read as the title: `rater_title`, so that the lead's own need not hide who wrote what."""
        return self.rater_title or self.title

    @property
    def scaled_questions(self) -> tuple[ScaledQuestion, ...]:
        """The questions answered by a number."""
        return tuple(q for q in self.questions if isinstance(q, RatingQuestion | SliderQuestion))

    @property
    def choice_questions(self) -> tuple[ChoiceQuestion, ...]:
        """The forced choices."""
        return tuple(q for q in self.questions if isinstance(q, ChoiceQuestion))

    @property
    def ranking_questions(self) -> tuple[RankingQuestion, ...]:
        """The rankings."""
        return tuple(q for q in self.questions if isinstance(q, RankingQuestion))

    @property
    def reference(self) -> str | None:
        """The source that others are compared with: as declared, else the first human one, else the first."""
        human = (key for key, source in self.sources.items() if source.kind == "human")
        return self.analysis.reference or next(human, next(iter(self.sources), None))
