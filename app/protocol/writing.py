"""What raters write before the questions about it, alone or with a model: its bounds, and how it is kept safe."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.base.problem import BrokenRuleError
from app.protocol.help_lines import HelpLine
from app.protocol.questions.question import Prose

Minutes = Annotated[float, Field(gt=0, le=24 * 60)]
Tokens = Annotated[int, Field(ge=1, le=10_000_000_000)]
# A word of the rater's texts; an asterisk at its end stands for any ending.
AlertWord = Annotated[str, Field(pattern=r"^[^\s*][^*]*\*?$", max_length=60)]


class WritingWords(NamedTuple):
    """How a kind of writing is called in sentences: `kind` in study.yaml, one and several, and that raters do it."""

    kind: Literal["conversation", "draft"]
    one: str
    several: str
    done: str


class Partner(BaseModel):
    """Whom raters write with in the texts of one source."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())
    replies: Literal["model", "person", "none"] = "model"
    model: str = Field(default="", max_length=200)
    """The model's name on the server."""
    server: str = Field(default="", max_length=100)
    """The server's name in the installation's [file of servers](models.md); default: the first that has the model."""
    prompt: Prose = ""
    """What the model is told first (its system prompt). `{item}` stands for the item's text."""
    name: str = Field(default="", max_length=60)
    """The partner's name as raters see it; default: *Partner*."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """The temperature of the model; default: the server's."""
    reply_tokens: int = Field(default=500, ge=1, le=20_000)
    """The maximum number of tokens of a reply."""


class SafeWriting(BaseModel):
    """What holds for whatever raters write with a model. Each kind adds its `partners` and its bounds."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    words: ClassVar[WritingWords]
    patience_seconds: int = Field(default=60, ge=5, le=600)
    """After so many seconds without a reply, the rater can have it tried again or go on without it."""
    max_tokens: Tokens | None = None
    """The budget of the study in tokens of prompts and replies; default: that of the server."""
    max_tokens_per_rater: Tokens | None = None
    """The budget of each rater in tokens; default: no limit of its own."""
    alert_words: tuple[AlertWord, ...] = ()
    """Words that show `alert` when a rater writes them, and mark the text for the lead. An asterisk at the end of a
    word stands for any ending.
    """
    alert: Prose = ""
    """What raters then read first, in Markdown: whom they can turn to."""
    help_lines: tuple[HelpLine, ...] = ()
    """Help lines, shown below `alert` under the name of each country. A study opens only if each was checked within the
    last year.
    """
    ethics: Prose = ""
    """If raters are told another partner than they have (labels are `swapped`): who approved it, and under which
    number.
    """

    @property
    @abstractmethod
    def all_partners(self) -> Mapping[str, Partner]:
        """Whom raters write with, by source; declared by each kind as `partners`."""

    @property
    def shows_pieces(self) -> bool:
        """Whether raters see a reply while it is written."""
        return False

    @model_validator(mode="after")
    def _alert_has_words(self) -> Self:
        if self.alert_words and not self.alert.strip():
            raise BrokenRuleError("alert words must have a text that they show", "nothing")
        if self.help_lines and not self.alert_words:
            raise BrokenRuleError("help lines must have alert words that show them", "nothing")
        return self
