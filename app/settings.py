"""What the environment says. Read where the program is put together (main, cli, migrations), nowhere else."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

_PACKAGE = Path(__file__).resolve().parent


class Settings(BaseSettings):
    """DATABASE_URL and ATTUNE_*; every one has a default that works."""

    model_config = SettingsConfigDict(env_prefix="ATTUNE_", extra="ignore", populate_by_name=True)
    database_url: str | None = Field(default=None, validation_alias="DATABASE_URL")
    data_dir: Path | None = None
    public_url: str | None = None
    trusted_proxies: str = "127.0.0.1"
    max_upload_mb: int = Field(default=100, ge=1)
    n_threads: int = Field(default=16, ge=2)


@cache
def settings() -> Settings:
    """The settings of this process."""
    return Settings()


def folder(name: str) -> Path:
    """Where `templates`, `static` or `migrations` stand: in the installed package, or at the top of the checkout."""
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name
