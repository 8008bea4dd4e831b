"""Settings from environment variables. Read only where the program starts (main, cli, migrations)."""

import os
import re
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from ipaddress import ip_network
from pathlib import Path
from typing import Literal, Self
from urllib.parse import quote, urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.accounts.openid.provider import is_allowed
from app.base.header_values import fits_header
from app.base.limits import Bounds, Limits
from app.base.words import allowed_in_words

# Files with secrets. Environment variables are visible to every child process and to anyone who inspects a container.
SECRET_FILES = ("DATABASE_URL_FILE", "DATABASE_PASSWORD_FILE")
_PACKAGE = Path(__file__).resolve().parent
_ORIGIN = re.compile(r"https?://(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d+)?/?", re.ASCII)
# SQLAlchemy's names of drivers too, as in DATABASE_URL.
_DATABASE = re.compile(r"postgres(ql)?(\+\w+)?://")
# Any name, all subdomains of a name, a name, or an address; never a port or a scheme.
_HOST = re.compile(r"\*|(\*\.)?[\w.-]+|\[?[0-9a-f]*:[0-9a-f:.]+\]?|", re.ASCII | re.IGNORECASE)


class Settings(BaseSettings):
    """DATABASE_URL and ATTUNE_*; all of them have working defaults."""

    model_config = SettingsConfigDict(
        env_prefix="ATTUNE_", extra="ignore", populate_by_name=True, hide_input_in_errors=True
    )
    database_url: str | None = Field(default=None, validation_alias="DATABASE_URL")
    database_replica_url: str | None = Field(default=None, validation_alias="DATABASE_REPLICA_URL")
    max_replica_lag_s: float = Field(default=10, ge=0)
    database_url_file: Path | None = Field(default=None, validation_alias="DATABASE_URL_FILE")
    database_password_file: Path | None = Field(default=None, validation_alias="DATABASE_PASSWORD_FILE")
    # Set by `attune serve` for its processes, whose DATABASE_URL may name the embedded database.
    embedded: bool = False
    data_dir: Path | None = None
    backup_dir: Path | None = None
    daily_backups: bool = True
    metrics_token_file: Path | None = None
    breached_passwords_file: Path | None = None
    public_url: str | None = None
    allowed_hosts: str = ""
    trusted_proxies: str | None = None
    log_format: Literal["text", "json"] = "text"
    log_level: Literal["debug", "info", "warning", "error"] = "warning"
    max_arrivals_per_minute: int = Field(default=300, ge=1)
    max_upload_mb: int = Field(default=100, ge=1)
    max_upload_cells: int = Field(default=20_000_000, ge=1_000)
    max_upload_columns: int = Field(default=1_000, ge=10)
    upload_seconds: int = Field(default=60, ge=1)
    upload_memory_mb: int = Field(default=2_000, ge=100)
    report_seconds: int = Field(default=1_800, ge=10)
    report_memory_mb: int = Field(default=4_000, ge=100)
    n_threads: int = Field(default=16, ge=2)
    # Networks that webhooks may reach although they are not public, such as 127.0.0.1 in development.
    webhook_networks: str = ""
    prolific_token: SecretStr | None = None
    prolific_token_file: Path | None = None
    model_endpoint: str | None = None
    model_key: SecretStr | None = None
    model_key_file: Path | None = None
    model_servers_file: Path | None = None
    # Sign-in of leads by OpenID Connect.
    openid_issuer: str | None = None
    openid_client_id: str | None = None
    openid_client_secret: SecretStr | None = None
    openid_client_secret_file: Path | None = None
    openid_name: str = Field(default="your institution", min_length=1, max_length=60)
    openid_acr: str = ""
    local_passwords: bool = True

    @field_validator(
        "database_url",
        "database_url_file",
        "database_password_file",
        "data_dir",
        "public_url",
        "trusted_proxies",
        "metrics_token_file",
        "breached_passwords_file",
        "database_replica_url",
        "backup_dir",
        "prolific_token",
        "prolific_token_file",
        "model_endpoint",
        "model_key",
        "model_key_file",
        "model_servers_file",
        "openid_issuer",
        "openid_client_id",
        "openid_client_secret",
        "openid_client_secret_file",
        mode="before",
    )
    @classmethod
    def _empty_is_unset(cls, value: object) -> object:
        """Treat empty values as unset, because Compose passes unset variables as empty ones."""
        return None if value == "" else value

    @field_validator("breached_passwords_file")
    @classmethod
    def _is_readable(cls, value: Path | None) -> Path | None:
        if value is not None and not (value.is_file() and os.access(value, os.R_OK)):
            raise ValueError(f"a file that can be read, found {value}")
        return value

    @field_validator("public_url", "model_endpoint")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        if value is not None and not _names_a_host(value):
            raise ValueError(f"a complete address such as https://rate.example.org, found {value}")
        return value

    @field_validator("public_url")
    @classmethod
    def _is_origin(cls, value: str | None) -> str | None:
        """Refuse more than an origin: the pages are not served below a path, and links would lead nowhere."""
        if value is not None and not _ORIGIN.fullmatch(value):
            raise ValueError(f"an address without a path, such as https://rate.example.org, found {value}")
        return value

    @field_validator("database_replica_url")
    @classmethod
    def _is_database(cls, value: str | None) -> str | None:
        if value is not None and not _DATABASE.match(value.strip()):
            raise ValueError("postgresql://USER:PASSWORD@HOST:PORT/DATABASE")  # not quoted: it may have a password
        return value

    @field_validator("allowed_hosts")
    @classmethod
    def _are_hosts(cls, value: str) -> str:
        for word in value.split(","):
            if not _HOST.fullmatch(word.strip()):
                raise ValueError(f"host names separated by commas, such as rate.example.org, found {word.strip()}")
        return value

    @field_validator("openid_issuer")
    @classmethod
    def _is_issuer(cls, value: str | None) -> str | None:
        parts = urlsplit(value or "")
        if value is not None and (not is_allowed(value) or parts.query or parts.fragment or parts.username):
            raise ValueError(f"an https address such as https://id.example.org/realms/lab, found {value}")
        return value

    @field_validator("webhook_networks")
    @classmethod
    def _are_networks(cls, value: str) -> str:
        _check_networks(value)
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _are_proxies(cls, value: str | None) -> str | None:
        if value not in {None, "*"}:
            _check_networks(value or "")
        return value

    @model_validator(mode="after")
    def _read_secrets(self) -> Self:
        """Read the secrets that are in files, and put the password into the address of the database."""
        self.model_key = _for_header(self.model_key, self.model_key_file, "ATTUNE_MODEL_KEY")
        self.prolific_token = _for_header(self.prolific_token, self.prolific_token_file, "ATTUNE_PROLIFIC_TOKEN")
        self.openid_client_secret = _hidden(
            self.openid_client_secret, self.openid_client_secret_file, "ATTUNE_OPENID_CLIENT_SECRET"
        )
        self.database_url = _from_one(self.database_url, self.database_url_file, "DATABASE_URL")
        if self.database_password_file is not None:
            password = _secret(self.database_password_file, "DATABASE_PASSWORD_FILE")
            self.database_url = _with_password(self.database_url, password)
        if self.metrics_token_file is not None:
            _secret(self.metrics_token_file, "ATTUNE_METRICS_TOKEN_FILE")
        return self

    @model_validator(mode="after")
    def _check_openid(self) -> Self:
        """Refuse to start if settings for OpenID Connect are missing: leads could not sign in, or only by password."""
        needed = {
            "ATTUNE_OPENID_ISSUER": self.openid_issuer,
            "ATTUNE_OPENID_CLIENT_ID": self.openid_client_id,
            "ATTUNE_OPENID_CLIENT_SECRET or ATTUNE_OPENID_CLIENT_SECRET_FILE": self.openid_client_secret,
        }
        missing = [name for name, value in needed.items() if value is None]
        if len(missing) == len(needed):
            if not self.local_passwords:
                raise ValueError(
                    "ATTUNE_LOCAL_PASSWORDS=false needs sign-in by OpenID Connect: set ATTUNE_OPENID_ISSUER"
                )
            return self
        missing += [] if self.public_url else ["ATTUNE_PUBLIC_URL"]
        if missing:
            raise ValueError(f"Sign-in by OpenID Connect also needs {', '.join(missing)}")
        if find_spec("authlib") is None:
            raise ValueError("Sign-in by OpenID Connect needs its packages: pip install 'attune-studies[openid]'")
        return self

    def backups_folder(self, default_data_dir: Callable[[], Path]) -> Path:
        """The folder of backups and of the list of deletions."""
        return self.backup_dir or (self.data_dir or default_data_dir()) / "backups"

    @property
    def metrics_token(self) -> str | None:
        """The token that /metrics asks for, or None: then only this machine may read them."""
        file = self.metrics_token_file
        return None if file is None else _secret(file, "ATTUNE_METRICS_TOKEN_FILE")

    @property
    def proxies(self) -> str:
        """The proxies that are trusted: by default one on this machine, and none once there is a public URL.

        Every program on the machine could otherwise state any visitor's address, which limits and logs go by.
        """
        return self.trusted_proxies or ("" if self.public_url else "127.0.0.1")

    @property
    def upload_bounds(self) -> Bounds:
        """Maximum size of an upload, and maximum resources for reading it."""
        limits = Limits(cells=self.max_upload_cells, columns=self.max_upload_columns)
        return Bounds(self.upload_seconds, self.upload_memory_mb, limits)


def _names_a_host(address: str) -> bool:
    """Whether this is an http or https address with a host and, if any, a possible port."""
    try:
        parts = urlsplit(address)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _check_networks(words: str) -> None:
    try:
        for word in words.split(","):
            ip_network(word.strip() or "127.0.0.1")
    except ValueError as error:
        raise ValueError(f"networks separated by commas, such as 10.2.0.0/16: {error}") from None


def _hidden(value: SecretStr | None, file: Path | None, name: str) -> SecretStr | None:
    text = _from_one(value.get_secret_value() if value else None, file, name)
    return None if text is None else SecretStr(text)


def _for_header(value: SecretStr | None, file: Path | None, name: str) -> SecretStr | None:
    """Return a secret that is sent in a header; an error of a request would quote one that does not fit."""
    secret = _hidden(value, file, name)
    if secret is not None and not fits_header(secret.get_secret_value()):
        raise ValueError(f"{name if file is None else f'{name}_FILE'} must have one line of ASCII characters")
    return secret


def _from_one(value: str | None, file: Path | None, name: str) -> str | None:
    """Return the value of a variable, or the text of the file that `{name}_FILE` names; both may not be set."""
    if file is None:
        return value
    if value is not None:
        raise ValueError(f"{name} and {name}_FILE are both set; set one of them")
    return _secret(file, f"{name}_FILE")


def _secret(file: Path, name: str) -> str:
    try:
        text = file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ValueError(f"{name} names {file}, which cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{name} names {file}, which is not text in UTF-8") from None
    if not text:
        raise ValueError(f"{name} names {file}, which is empty")
    return text


def _with_password(url: str | None, password: str) -> str:
    parts = urlsplit(url or "")
    if not parts.username or parts.password is not None:
        raise ValueError(
            "DATABASE_PASSWORD_FILE needs a DATABASE_URL with a user name and without a password, such as "
            "postgresql://attune@db:5432/attune"
        )
    user, _, place = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user}:{quote(password, safe='')}@{place}").geturl()


class SettingsError(ValueError):
    """An environment variable has a value that is not allowed; the message names it."""


@cache
def settings() -> Settings:
    """The settings of this process.

    Raises:
        SettingsError: a variable has a value that is not allowed.
    """
    try:
        return Settings()
    except ValidationError as error:
        raise SettingsError(" ".join(_sentence(one["loc"], allowed_in_words(one)) for one in error.errors())) from None


def _sentence(location: tuple[int | str, ...], allowed: str) -> str:
    if not location:  # the problem is about several variables, and names them
        return f"{allowed}."
    name = str(location[0])
    variable = name if name.isupper() else f"ATTUNE_{name.upper()}"
    return f"The environment variable {variable} is not valid; expected {allowed}."


def folder(name: str) -> Path:
    """The folder `templates`, `static`, `docs` or `migrations`: in the installed package, or at the checkout's top."""
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name
