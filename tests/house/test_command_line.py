"""docs/command-line.md documents every command with its arguments and options, and nothing that does not exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.cli.command_table import COMMANDS as TABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - typer's own classes are private
    """Yield every command that can be run, by its full name."""
    if hasattr(command, "commands"):
        for word, one in command.commands.items():
            if not one.hidden:
                yield from commands(one, f"{name} {word}")
    else:
        yield name, command


LOADED = {name: entry.load(name) for name, entry in TABLE.items()}
COMMANDS = {
    full: one
    for name, entry in TABLE.items()
    if not entry.is_hidden
    for full, one in commands(LOADED[name], f"attune {name}")
}


def names_of(command: Any) -> set[str]:  # noqa: ANN401 - see `commands`
    """Return the options, and the arguments by their metavar."""
    options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    arguments = {parameter.metavar for parameter in command.params if parameter.param_type_name == "argument"}
    return {name for name in options if name.startswith("--")} | {word.strip("[].") for word in arguments}


@pytest.mark.parametrize("name", TABLE)
def test_command_summary_matches_its_docstring(name: str) -> None:
    first = (LOADED[name].help or "").split("\n\n")[0]
    assert TABLE[name].summary == " ".join(first.split())


def test_command_headings_match_commands() -> None:
    assert set(re.findall(r"^### `(attune [^`]+)`$", PAGE, re.MULTILINE)) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_and_option_is_documented(name: str) -> None:
    part = re.search(rf"^### `{name}`$(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert part
    heads = re.findall(r"^- (`.*?`): ", part[1], re.MULTILINE | re.DOTALL)
    explained = {word for head in heads for word in re.findall(r"`([^` ]+)", head) if not word.startswith(",")}
    assert explained == names_of(COMMANDS[name]) - {"--help"}
