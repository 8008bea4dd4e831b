"""The servers that leads may use in the browser, from a file of the installation: no form takes an address or a key."""

import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from app.base.header_values import can_be_headers, fits_header
from app.base.words import allowed_in_words
from app.llm.client.budget import Prices
from app.llm.client.endpoint import Endpoint


class ServersFileError(ValueError):
    """The file of servers cannot be used; the message says why."""


class ModelServer(BaseModel):
    """A server, its models, and how much one run may use. `max_tokens` limits all tokens of a run.

    `batches`: it has a batch endpoint.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, protected_namespaces=())
    name: str = Field(min_length=1, max_length=100)
    base_url: str
    models: tuple[str, ...] = Field(min_length=1)
    max_tokens: int = Field(ge=1)
    key: SecretStr = Field(default=SecretStr(""), repr=False)
    price_in: float = Field(default=0, ge=0)
    price_out: float = Field(default=0, ge=0)
    at_once: int = Field(default=4, ge=1, le=1000)
    timeout_s: float = Field(default=120, gt=0, le=3600)
    per_minute: float | None = Field(default=None, gt=0)
    batches: bool = False
    extra_body: dict[str, Any] = Field(default_factory=dict)
    headers: dict[str, str] = Field(default_factory=dict, repr=False)

    @field_validator("base_url")
    @classmethod
    def _is_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None:
            raise ValueError("an address such as http://127.0.0.1:8000/v1, without a user name")
        return value

    @field_validator("key")
    @classmethod
    def _is_key(cls, value: SecretStr) -> SecretStr:
        if not fits_header(value.get_secret_value()):
            raise ValueError("one line of ASCII characters")
        return value

    @field_validator("headers")
    @classmethod
    def _are_headers(cls, value: dict[str, str]) -> dict[str, str]:
        if not can_be_headers(value):
            raise ValueError("names and values in one line of ASCII characters")
        return value

    @property
    def prices(self) -> Prices:
        """Prices per million tokens."""
        return Prices(self.price_in, self.price_out)

    def endpoint(self, model: str) -> Endpoint:
        """The endpoint of one of its models."""
        return Endpoint(
            self.base_url,
            model,
            self.key.get_secret_value(),
            self.timeout_s,
            self.extra_body,
            self.headers,
            self.per_minute,
        )


def read_servers(path: Path | None) -> tuple[ModelServer, ...]:
    """The servers of a file (TOML, `[[server]]`); none without a file. A server's `key_file` is read here.

    Raises:
        ServersFileError: the file, or a file with a key, cannot be read, or has a value that is not allowed.
    """
    if path is None:
        return ()
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("server", [])
        servers = tuple(ModelServer.model_validate(_with_key(table)) for table in tables)
    except OSError as error:
        raise ServersFileError(f"{error.filename} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        said = "; ".join(
            f"{'.'.join(map(str, one['loc']))}: expected {allowed_in_words(one)}" for one in error.errors()
        )
        raise ServersFileError(f"{path}: {said}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, AttributeError, TypeError) as error:
        raise ServersFileError(f"{path} is not a list of [[server]] in TOML: {error}.") from None
    if len({server.name for server in servers}) < len(servers):
        raise ServersFileError(f"{path}: two servers have the same name.")
    return servers


def _with_key(table: dict[str, object]) -> dict[str, object]:
    """A table with the key of the file that it names."""
    rest = {name: value for name, value in table.items() if name != "key_file"}
    if "key_file" not in table:
        return rest
    with open(str(table["key_file"]), encoding="utf-8") as file:  # noqa: PTH123 - a name from the file, not a Path
        return {**rest, "key": file.read().strip()}
