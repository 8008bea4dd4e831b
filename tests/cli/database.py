"""Run the command line in this process, on a database of the test's own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from app.cli import main
from app.settings import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Outcome(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def attune(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    new_database: Callable[[str | None], str],
    migrated_template: str,
) -> Iterator[Callable[..., Outcome]]:
    """The command `attune` with these arguments."""
    monkeypatch.setenv("DATABASE_URL", new_database(migrated_template))
    settings.cache_clear()

    def run(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["attune", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capsys.readouterr()
        return Outcome(int(stopped.value.code or 0), said.out, said.err)

    yield run
    settings.cache_clear()
