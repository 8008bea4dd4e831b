"""docs/commands.md lists every command with its arguments and options, as `--help` explains them.

`python -m tests.house.test_command_line` writes it anew.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.cli.command_table import COMMANDS as TABLE

PAGE = Path(__file__).resolve().parents[2] / "docs" / "commands.md"
HEAD = """# Commands

Every command with its arguments and options, as `attune COMMAND --help` prints them.
[Command line](command-line.md) says how they go together.

## Options of several commands

{shared}

## All commands

{commands}
"""
# An option that as many commands explain in the same words is explained once.
N_SHARED = 3


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


def parameters(command: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - see `commands`
    """Yield each argument or option as it is written, and its explanation."""
    for one in command.params:
        if one.param_type_name == "argument":
            yield f"`{one.metavar.strip('[].{}')}`", one.help or ""
        elif "--help" not in one.opts:
            value = "" if one.is_flag else f" {one.metavar or 'VALUE'}"
            names = [name for name in (*one.opts, *one.secondary_opts) if name.startswith("--")]
            yield ", ".join(f"`{name}{value}`" for name in names), one.help or ""


def line(name: str, explanation: str) -> str:
    return f"- {name}: {' '.join(explanation.split()).removesuffix('.')}"


def written() -> str:
    """The page as the commands explain themselves."""
    found = Counter(one for command in COMMANDS.values() for one in parameters(command))
    shared = {one for one, n in found.items() if n >= N_SHARED}
    parts = []
    for full, command in COMMANDS.items():
        own = [one for one in parameters(command) if one not in shared]
        also = [name for name, explanation in parameters(command) if (name, explanation) in shared]
        told = " ".join((command.help or "").split())
        lines = [*(line(*one) for one in own), *([f"- As above: {', '.join(also)}"] if also else [])]
        parts.append("\n\n".join([f"### `{full}`", told, *(["\n".join(lines)] if lines else [])]))
    return HEAD.format(shared="\n".join(line(*one) for one in found if one in shared), commands="\n\n".join(parts))


@pytest.mark.parametrize("name", TABLE)
def test_command_summary_matches_its_docstring(name: str) -> None:
    first = (LOADED[name].help or "").split("\n\n")[0]
    assert TABLE[name].summary == " ".join(first.split())


def test_page_lists_commands_as_they_explain_themselves() -> None:
    assert PAGE.read_text(encoding="utf-8") == written(), "python -m tests.house.test_command_line writes it anew"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_argument_and_option_is_explained(name: str) -> None:
    assert (COMMANDS[name].help or "").strip()
    assert [one for one, explanation in parameters(COMMANDS[name]) if not explanation.strip()] == []


def unknown(told: str) -> str:
    """What is wrong with a command as a page writes it: the part that does not exist; empty if nothing is."""
    words = told.split()
    full = next((" ".join(words[:n]) for n in (3, 2) if " ".join(words[:n]) in COMMANDS), "")
    if not full:
        is_group = len(words) < 3 and any(name.startswith(f"{' '.join(words)} ") for name in COMMANDS)
        return "" if is_group or words[1].isupper() or words[1].startswith("--") else told
    known = {name for one in COMMANDS[full].params for name in (*one.opts, *one.secondary_opts)} | {"--help"}
    return " ".join(word for word in words if word.startswith("--") and word.partition("=")[0] not in known)


def test_commands_in_sentences_exist() -> None:
    found = [
        (page.name, told)
        for page in [*PAGE.parent.rglob("*.md"), PAGE.parents[1] / "README.md", PAGE.parents[1] / "CONTRIBUTING.md"]
        for told in re.findall(r"`(attune [^`]+)`", page.read_text(encoding="utf-8"))
    ]
    assert len(found) > 50
    assert [(page, told, unknown(told)) for page, told in found if unknown(told)] == []
    assert unknown("attune simulate x --rater 3") == "--rater"
    assert unknown("attune ask x")


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
