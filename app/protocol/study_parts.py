"""The parts of the study protocol, as written in study.yaml."""

import ast
import inspect
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from textwrap import dedent
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat, StringConstraints

from app.base.problem import BrokenRuleError
from app.protocol.checks import Checks
from app.protocol.completion import Completion
from app.protocol.composite import Composite
from app.protocol.conditions import Factor, Name
from app.protocol.conversation import Conversation
from app.protocol.declared_contrasts import Change, EmpathicAccuracy
from app.protocol.draft import Draft
from app.protocol.flow import Flow
from app.protocol.labels import Attribute
from app.protocol.preregistration import Monitoring, Preregistration, Privacy
from app.protocol.primary import PrimaryContrast
from app.protocol.questions.of_set import SetQuestion
from app.protocol.questions.question import Key, Prose
from app.protocol.questions.registry import OrderQuestion, PreferenceQuestion, Question, ScaledQuestion
from app.protocol.questions.scale import Label
from app.protocol.study_design import Design
from app.protocol.waves import Wave

# Where raters come from, and what they are paid for how many minutes.


Platform = Literal["prolific", "mturk", "sona", "link"]
Currency = Literal["GBP", "USD", "EUR", "CHF"]


class Recruitment(BaseModel):
    """How raters are recruited. Personal links are `design.links: personal` instead of a platform."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    platform: Platform | None = None
    """Where raters come from: `prolific`, `mturk`, `sona`, or `link`, one link for all that needs no participant ID:
    each browser that opens it is one rater.
    """
    pay: FiniteFloat | None = Field(default=None, ge=0)
    """What each rater who finishes gets."""
    currency: Currency = "GBP"
    """The currency of the pay: `GBP` (default), `USD`, `EUR` or `CHF`."""
    minutes: FiniteFloat | None = Field(default=None, gt=0)
    """How long a rater takes, as raters are told; default: estimated from the texts and the questions."""

    def per_hour(self, minutes: float) -> float | None:
        """The pay for an hour, if a rater takes this long; None if no pay is set.

        >>> Recruitment(pay=3).per_hour(20)
        9.0
        """
        return None if self.pay is None else self.pay * 60 / (self.minutes or minutes)


def _free(slug: str) -> str:
    if slug == "new":
        raise ValueError("a slug other than new, which is reserved for the page that creates studies")
    return slug


def control_character(text: str) -> str | None:
    """The first control character or line break in a text, such as `U+0007`; None if there is none."""
    odd = next((character for character in text if unicodedata.category(character) in {"Cc", "Zl", "Zp"}), None)
    return f"U+{ord(odd):04X}" if odd else None


def _one_line(title: str) -> str:
    if odd := control_character(title):
        raise BrokenRuleError("a title must be on one line, without control characters", odd)
    if title and not title.strip():
        raise BrokenRuleError("the title must not be blank", "only spaces")
    return title


Title = Annotated[str, AfterValidator(_one_line)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$"), AfterValidator(_free)]


class Source(BaseModel):
    """Who wrote responses. Other fields that the lead adds (family, version, prompt ...) are kept as attributes.

    `label` is shown to the lead and to readers of the results, `shown_label` to raters in studies that tell them the
    source.
    """

    model_config = ConfigDict(frozen=True, extra="allow")
    kind: Literal["human", "model", "human+model"]
    """`human`, `model` or `human+model`."""
    label: Label | None = None
    """The source's name on the lead's pages and in charts, such as *GPT-4*."""
    shown_label: str = Field(default="", max_length=500)
    """What raters read in studies that tell them who wrote a response; default: *Written by a person*, *Written by an
    AI*, or *Written by a person with the help of an AI*.
    """

    @property
    def attributes(self) -> dict[str, Any]:
        """The additional fields."""
        return dict(self.model_extra or {})


def swapped_source(sources: Mapping[str, Source], factor: Factor, source: str) -> str | None:
    """The source whose label a swapped response carries: the declared one, otherwise the first of the other kind."""
    if source in factor.swaps:
        return factor.swaps[source]
    other = {"human": "model", "model": "human"}.get(sources[source].kind)
    return next((key for key, value in sources.items() if value.kind == other), None)


class BelievedSource(BaseModel):
    """The question that asks who wrote a response, and the sources that each of its codes stands for."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    question: Key
    """A category question."""
    means: dict[Key, tuple[Key, ...]] = Field(min_length=1)
    """For each code, the sources it stands for."""
    confidence: Key | None = None
    """The question that asks how sure the rater is."""


ListedWord = Annotated[str, Field(pattern=r"^[^\s*]+\*?$", max_length=60)]


# before the name of a declared word list, where it is a measure of texts
WORD_SHARE = "word_share."


class Analysis(BaseModel):
    """Analysis decisions that the lead declares before data collection."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    reference: str | None = None
    """The source that others are compared with; default: the first human source."""
    cut: dict[str, FiniteFloat] = {}
    """For rating questions, the cut-off value: the report gives the share of ratings at or above it."""
    margin: dict[str, Annotated[float, Field(gt=0)]] = {}
    """For rating questions, the largest difference in means that is too small to matter, for equivalence and
    non-inferiority.
    """
    primary: tuple[PrimaryContrast, ...] = ()
    """The contrasts the study was designed to answer, each with its one test."""
    composites: dict[Key, Composite] = {}
    """Scores computed from several questions."""
    responder: str | None = None
    """The column of responses.csv that names the person or system, within a source, who wrote the response."""
    believed_source: BelievedSource | None = None
    """The question that asks who wrote a response."""
    covariates: tuple[str, ...] = ()
    """Scores to compare with the ratings: numeric columns of raters.csv, items.csv or responses.csv, or rating
    questions. Questions about the rater and composites of them need not be named.
    """
    word_lists: dict[Key, Annotated[tuple[ListedWord, ...], Field(min_length=1)]] = {}
    """Lists of words, such as those of moral foundations: the share of a text's words that are in a list is one of its
    measures. An asterisk at the end of a word stands for any ending: `kind*`.
    """
    matched_items: str | None = None
    """The column of items.csv that names what several items are versions of: versions are compared with each other."""
    conjoint: tuple[str, ...] = ()
    """Columns of responses.csv whose levels were varied at random. The report gives the average marginal component
    effect of each level.
    """
    changes: tuple[Change, ...] = ()
    """Scores measured before and after."""
    empathic_accuracy: EmpathicAccuracy | None = None
    """Whose own account perceivers are compared with."""
    rater_groups: tuple[str, ...] = ()
    """Columns of raters.csv, or `pool`, for whose groups differential item functioning is tested."""
    many_facet: bool = False
    """Also report each rater's severity on the log-odds scale of the ordinal mixed model; default: no."""

    def margin_of(self, key: str) -> float | None:
        """The margin of a question or composite: from `margin`, otherwise from its primary contrast."""
        of_primary = (contrast.margin for contrast in self.primary if contrast.question == key)
        return self.margin.get(key) or next((margin for margin in of_primary if margin is not None), None)


class Raters(BaseModel):
    """What is known about the raters. `unknown`: ratings from a file whose raters are slots, not people."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    identity: Literal["known", "unknown"] = "known"
    """`known` (default), or `unknown` if the ratings come from a file that does not say which person gave which rating.
    Intervals then generalize to new items only, and nothing is reported about single raters.
    """


class ProtocolParts(BaseModel):
    """The contents of study.yaml, with each part validated separately."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    attune: Literal[1]
    slug: Slug
    """The study's name in addresses: lowercase letters, digits and hyphens between them, at most 64 characters."""
    title: Title = Field(min_length=1, max_length=500)
    """Title for the study lead, and for raters if there is no `rater_title`."""
    rater_title: Title = Field(default="", max_length=500)
    """Title for raters, when `title` would reveal what they should not know. The check of a blind study warns if it
    names a model.
    """
    description: Prose = ""
    """What the study is about, for leads."""
    about_texts: Prose = ""
    """Where the situations and responses come from, for readers of the report. Removed when other texts are imported in
    the browser.
    """
    template: str = Field(default="", max_length=64)
    """The [study template](templates.md) that the study was started from. Reports name it only while the design is
    unchanged.
    """
    instructions: Prose = ""
    """What raters read before they start, in Markdown."""
    language: str = "en"
    """Language of your texts, as in HTML: `en`, `de`, `ar-EG`; see [languages](languages.md)."""
    layout: Literal["matrix", "separate"] = "matrix"
    """Three or more consecutive questions with one scale as a `matrix` with the labels once, or `separate`."""
    render: Literal["plain", "markdown"] = "plain"
    """Show responses as written (`plain`, the default) or with their `markdown`, for all sources alike. HTML is shown
    as text, links lose their address, and an image becomes its description. Raters cannot mark words in such responses
    (`highlight`); model judges read them as written.
    """
    sources: dict[Key, Source] = {}
    """Who wrote the responses."""
    questions: tuple[Question, ...] = Field(min_length=1)
    """What raters are asked."""
    design: Design = Design()
    """Which raters rate what."""
    conditions: dict[Name, Factor] = {}
    """What the design varies."""
    conversation: Conversation | None = None
    """The conversations that raters have, each before the questions about it."""
    draft: Draft | None = None
    """The texts that raters write, each before the questions about it."""
    flow: Flow = Flow()
    """What comes before and after the trials."""
    waves: tuple[Wave, ...] = ()
    """Later parts of the study, in which raters answer questions about themselves again; see [waves](waves.md)."""
    checks: Checks = Checks()
    """Attention checks, comprehension checks, and gold trials."""
    raters: Raters = Raters()
    """What is known about the raters."""
    analysis: Analysis = Analysis()
    """Analysis decisions declared before data collection."""
    monitoring: Monitoring = Monitoring()
    """Looks at the data before the end."""
    preregistration: Preregistration = Preregistration()
    """What a preregistration says beyond the design."""
    privacy: Privacy = Privacy()
    """What raters and an ethics board are told about the data."""
    recruitment: Recruitment = Recruitment()
    """Where raters come from, and what they are paid."""
    completion: Completion = Completion()
    """What raters get at the end."""
    attributes: dict[str, Attribute] = {}
    """Labels for columns of your files."""

    @property
    def writing(self) -> Conversation | Draft | None:
        """What raters write before the questions about it; None if they read texts that are there."""
        return self.conversation or self.draft

    @property
    def shows_one_text(self) -> bool:
        """Whether pages show one text to rate, which has no side and nothing beside it."""
        return self.writing is not None or self.design.trials in {"single", "dialogue"}

    def question(self, key: str) -> Question | None:
        """The question with this key, or None."""
        return next((question for question in self.questions if question.key == key), None)

    @property
    def title_for_raters(self) -> str:
        """The title shown to raters: `rater_title` or, if there is none, `title`."""
        return self.rater_title or self.title

    @property
    def scaled_questions(self) -> tuple[ScaledQuestion, ...]:
        """The questions that are answered by a number."""
        return tuple(q for q in self.questions if isinstance(q, ScaledQuestion))

    @property
    def choice_questions(self) -> tuple[PreferenceQuestion, ...]:
        """The forced-choice questions."""
        return tuple(q for q in self.questions if isinstance(q, PreferenceQuestion))

    @property
    def has_highlights(self) -> bool:
        """Whether there are questions that ask raters to mark passages."""
        return any(q.measure == "passages" for q in self.questions)

    @property
    def order_questions(self) -> tuple[OrderQuestion, ...]:
        """The questions that ask raters to order responses."""
        return tuple(q for q in self.questions if isinstance(q, OrderQuestion))

    @property
    def set_questions(self) -> tuple[SetQuestion, ...]:
        """The questions about the responses that are shown together."""
        return tuple(q for q in self.questions if isinstance(q, SetQuestion))

    @property
    def reference(self) -> str | None:
        """The source that others are compared with: the declared one, else the first human one, else the first one."""
        human = (key for key, source in self.sources.items() if source.kind == "human")
        return self.analysis.reference or next(human, next(iter(self.sources), None))


# Descriptions of protocol fields, taken from the docstrings below the fields.


def description_of(model: type[BaseModel], name: str) -> str:
    """The description of a field, inherited from the parent class if the class itself has none.

    >>> from app.protocol.questions.text import TextQuestion
    >>> description_of(TextQuestion, "key"), description_of(TextQuestion, "required")[:18]
    ("The question's name in files.", 'Whether an answer ')
    """
    described = (_described(parent).get(name) for parent in _parents(model))
    return next((description for description in described if description), "")


def _parents(model: type[BaseModel]) -> list[type[BaseModel]]:
    return [parent for parent in model.__mro__ if hasattr(parent, "model_fields")]


@cache
def _described(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstrings below the fields of a class itself, read from its source on first use.

    Pydantic's `use_attribute_docstrings` reads the source of every model on import, which delays every command by a
    tenth of a second.
    """
    if "__pydantic_fields__" not in vars(model) or model.__module__.startswith("pydantic."):
        return {}
    tree = ast.parse(dedent(inspect.getsource(model))).body[0]
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    return {name: text for field, below in pairwise(body) for name, text in _documented(field, below)}


def _documented(field: ast.stmt, below: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield name and docstring if a string follows the field."""
    if (
        isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    ):
        yield field.target.id, inspect.cleandoc(below.value.value)
