"""Run the command line in this process, on a database of the test's own."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from app.cli import main
from app.settings import settings
from tests.kit.builder import TEMPLATE_WORDS

# Options of `attune study open` for a study that was made from a template and not edited.
AS_WRITTEN = tuple(part for words in TEMPLATE_WORDS for part in ("--as-written", words))


class Outcome(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Attune = Callable[..., Outcome]


@pytest.fixture
def attune_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Iterator[Attune]:
    """The command `attune` without a database: the data folder cannot be made, so none may be asked for."""
    blocked = tmp_path / "blocked"
    blocked.touch()
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("ATTUNE_DATA_DIR", str(blocked / "data"))
    settings.cache_clear()
    yield lambda *arguments: _outcome(monkeypatch, capsys, arguments)
    settings.cache_clear()


def _outcome(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[object, ...]
) -> Outcome:
    monkeypatch.setattr(sys, "argv", ["attune", *map(str, arguments)])
    with pytest.raises(SystemExit) as stopped:
        main()
    said = capsys.readouterr()
    return Outcome(int(stopped.value.code or 0), said.out, said.err)


@pytest.fixture
def attune(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    new_database: Callable[[str | None], str],
    migrated_template: str,
) -> Iterator[Attune]:
    """The command `attune` with these arguments."""
    monkeypatch.setenv("DATABASE_URL", new_database(migrated_template))
    settings.cache_clear()

    yield lambda *arguments: _outcome(monkeypatch, capsys, arguments)
    settings.cache_clear()
