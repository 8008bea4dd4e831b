"""What API requests and responses contain."""

from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator

from app.protocol.rating_columns import COLUMNS
from app.studies.studies import GivenStatus, Status

Row = TypeVar("Row", bound=BaseModel)


class Sent(BaseModel):
    """The body of a request: fields that are not known are an error, and texts that the database does not take."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    @field_validator("*")
    @classmethod
    def _is_storable(cls, value: object) -> object:
        texts = value if isinstance(value, list) else [value]
        if any("\0" in one for one in texts if isinstance(one, str)):
            raise ValueError("text without the character NUL")
        return value


class WrongField(BaseModel):
    """What is wrong with a field or parameter."""

    field: str
    problem: str


class Problem(BaseModel):
    """The body of every response that reports an error: a problem document (RFC 9457)."""

    type: str = Field(description="Always about:blank: the status says what kind of problem it is.")
    title: str = Field(description="The name of the status.")
    status: int
    detail: str = Field(description="What is wrong, and what to do.")
    problems: list[WrongField] = Field(default=[], description="For 422: what is wrong, field by field.")
    request_id: str = Field(default="", description="For 500 and 503: the request's ID in the server's log.")


class Progress(BaseModel):
    """How far the study is."""

    n_items: int
    n_trials: int
    n_seats: int = Field(description="How many times trials are to be rated in total, as the design asks.")
    n_rated: int = Field(description="How many of them are rated.")
    n_raters: int = Field(description="People; without simulated raters and model judges.")
    n_simulated: int = Field(description="Simulated raters.")
    n_judges: int = Field(description="Model judges.")
    n_ratings: int = Field(description="Number of stored answers.")
    n_active: int = Field(description="Rating sessions that were active within the last two minutes.")
    n_finished: int = Field(description="Finished rating sessions.")
    last_rating_at: datetime | None


class Study(BaseModel):
    """A study."""

    slug: str
    title: str
    status: Status
    protocol_version: int
    is_demo: bool
    created_at: datetime
    opened_at: datetime | None
    closed_at: datetime | None
    rater_link: str = Field(description="The address for raters.")
    progress: Progress


class ProtocolDocument(BaseModel):
    """The protocol of a study."""

    version: int
    sha256: str = Field(description="SHA-256 of the protocol's text.")
    yaml: str = Field(description="The text of study.yaml.")


class StatusChange(Sent):
    """The status that the study should have, and placeholders that raters should read as they are written."""

    status: GivenStatus
    as_written: tuple[str, ...] = ()


class NewStatus(BaseModel):
    """The status that the study has now."""

    status: Status


class NewStudy(BaseModel):
    """A study that was made."""

    slug: str
    token: str = Field(description="A token for this study. It is not shown again.")
    rater_link: str = Field(description="The address for raters.")
    notes: list[str] = Field(description="What was corrected or ignored.")


class Imported(BaseModel):
    """What a file contained."""

    n_items: int = 0
    n_responses: int = 0
    n_ratings: int = 0
    n_raters: int = Field(default=0, description="Number of new raters.")
    is_stored: bool = Field(description="False after a dry run.")
    notes: list[str] = Field(description="What was corrected or ignored.")


class Deleted(BaseModel):
    """A study that was deleted, with what it contained."""

    slug: str
    n_items: int
    n_responses: int
    n_raters: int
    n_ratings: int


class Item(BaseModel):
    """A situation that raters read."""

    item: str
    text: str | None
    turns: list[dict[str, Any]] | None
    profile: str | None
    content_note: str | None
    attributes: dict[str, Any]


class Response(BaseModel):
    """A response to an item."""

    response: str
    item: str
    source: str
    text: str | None
    turns: list[dict[str, Any]] | None
    attributes: dict[str, Any]


class Rater(BaseModel):
    """A rater by pseudonym."""

    rater: str
    kind: str = Field(description="person or model")
    pool: str | None
    is_simulated: bool
    is_imported: bool
    attributes: dict[str, Any]
    state: str | None = Field(description="State of the last rating session; null if there was none.")
    arrived_at: datetime | None
    finished_at: datetime | None
    n_done: int = Field(description="Number of rated trials.")
    is_excluded: bool
    exclusion_reason: str | None


class Rows(BaseModel, Generic[Row]):
    """One page of a list."""

    rows: list[Row]
    next: str | None = Field(description="The cursor of the next page; null on the last page.")


_JSON_TYPES: dict[str, Any] = {"number": float, "whole": int, "count": int, "time": datetime}
# One field for each column of ratings.csv. "exclude" is the reason why an answer is left out.
_COLUMNS: dict[str, Any] = {
    column.name: (_JSON_TYPES.get(column.type, str) | None, Field(description=column.meaning))
    for column in COLUMNS
    if column.in_file
}
Rating = create_model("Rating", __doc__="An answer, with the columns of ratings.csv.", **_COLUMNS)


class Exclusion(Sent):
    """Whether a rater's answers are left out of all estimates, and why."""

    exclude: bool
    reason: str = Field(min_length=1, max_length=500)


class Decision(BaseModel):
    """The decision about a rater that applies now."""

    rater: str
    is_excluded: bool
    reason: str


class Invitation(Sent):
    """Raters to make personal links for."""

    raters: list[str] = Field(min_length=1, max_length=1000, description="Names, which become their pseudonyms.")
    pool: str | None = None


class Link(BaseModel):
    """A personal link, which is not shown again."""

    rater: str
    link: str


class Links(BaseModel):
    """Personal links, in the order of the request."""

    links: list[Link]


Event = Literal["session.finished", "study.full"]


class WebhookRequest(Sent):
    """An address to tell about events of the study."""

    address: str = Field(min_length=1, max_length=1000, description="Must begin with https:// and be public.")
    events: list[Event] = Field(min_length=1, max_length=2)


class Webhook(BaseModel):
    """An address that is told about events of the study."""

    id: int
    address: str
    events: list[Event]
    created_at: datetime
    n_failures: int = Field(description="Number of failed attempts since the last success.")
    paused_at: datetime | None = Field(description="When deliveries were paused, after many failures.")


class WebhookWithSecret(BaseModel):
    """A new webhook, with the secret that its receiver needs. The secret is not shown again."""

    id: int
    secret: str


class Webhooks(BaseModel):
    """All webhooks of the study."""

    webhooks: list[Webhook]


class Delivery(BaseModel):
    """An event on its way to a webhook."""

    webhook_id: int
    event: Literal["session.finished", "study.full", "webhook.test"]
    message_id: str = Field(description="webhook-id of the request; the same in every attempt.")
    state: Literal["waiting", "delivered", "given up"]
    created_at: datetime
    n_attempts: int
    attempted_at: datetime | None
    next_attempt_at: datetime | None
    delivered_at: datetime | None
    status: int | None = Field(description="The HTTP status of the last answer; null if there was none.")
    answer: str | None = Field(description="The beginning of the last answer, or what went wrong.")


class Deliveries(BaseModel):
    """The last deliveries, newest first."""

    deliveries: list[Delivery]


class Done(BaseModel):
    """The request was carried out."""

    done: bool = True
