"""The table of commands.

The module of a command is loaded when the command is called: `attune --help` and the web process do without pandas and
scipy, which take seconds to load.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup


@dataclass(frozen=True, slots=True)
class Entry:
    """A command, or a group of commands if `attribute` is a Typer, in a module of `app.cli`.

    `summary` is shown by `attune --help`: the first sentence of the command, whose module is not loaded yet.
    """

    module: str
    attribute: str
    summary: str
    is_hidden: bool = False

    def load(self, name: str) -> Any:  # noqa: ANN401 - typer's own classes are private
        """Import the module and create the command with this name."""
        found = getattr(import_module(f"app.cli.{self.module}"), self.attribute)
        if isinstance(found, typer.Typer):
            command: Any = typer.main.get_group(found)
        else:
            alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
            alone.command(name)(found)
            command = typer.main.get_command(alone)
        command.name = name
        return command


COMMANDS = {
    "serve": Entry(
        "serve",
        "serve",
        "Start the web application for raters and leads; Ctrl-C stops it. The database is upgraded first.",
    ),
    "worker": Entry(
        "worker",
        "worker",
        "Do background jobs, such as webhooks and runs of models; Ctrl-C stops it. `attune serve` does the same.",
    ),
    "demo": Entry(
        "demo",
        "demo",
        "Start the web application with an example study and simulated ratings; Ctrl-C stops it.",
    ),
    "make-demo": Entry("make_demo", "make_demo", "Fill a database with the demo study.", is_hidden=True),
    "analyze": Entry("analyze", "analyze", "Compute the estimates of a study. A study folder needs no database."),
    "report": Entry(
        "report",
        "report",
        "Write the report of a study for a paper: methods, results, limits, and the way to compute each number again.",
    ),
    "preregister": Entry(
        "preregister",
        "preregister",
        "Preregister a study: freeze its protocol and the power of its plan with a time and a hash.",
    ),
    "ethics": Entry(
        "ethics",
        "ethics",
        "Write the document for an ethics board: purposes, procedure, data, recipients, retention and rights.",
    ),
    "plan": Entry(
        "plan",
        "plan",
        "Forecast interval widths and power before data collection, by simulating the design of the study.",
    ),
    "simulate": Entry("simulate", "simulate", "Send simulated raters through the design of a study."),
    "reproduce": Entry("reproduce", "reproduce", "Compute a published study again, and compare each printed number."),
    "judge": Entry(
        "judge",
        "judge",
        "Let a language model judge the responses of a study, under the same protocol as its raters.",
    ),
    "respond": Entry(
        "respond",
        "respond",
        "Let a language model write a response to each item of a study, from a prompt file with a name and a version.",
    ),
    "compare-prompts": Entry(
        "compare_prompts",
        "compare_prompts",
        "Compare two prompts: the prompt files and the texts of both runs, side by side.",
    ),
    "score": Entry(
        "score",
        "score",
        "Score each response of a study with a program or an endpoint, such as an emotion classifier.",
    ),
    "backup": Entry(
        "database",
        "backup",
        "Back up the whole database, and check the backup by restoring it into a scratch database.",
    ),
    "restore": Entry(
        "database",
        "restore",
        "Restore a backup into an empty database, upgrade it to this version, and repeat deletions made since.",
    ),
    "doctor": Entry(
        "doctor",
        "doctor",
        "Check this installation and its studies, and say what to do. Exit code 1 for a problem, 3 for warnings only.",
    ),
    "study": Entry("study", "cli", "Create, check, load, open, close and export studies."),
    "items": Entry("items", "cli", "Import items and responses from a spreadsheet."),
    "ratings": Entry("ratings", "cli", "Import ratings that were collected elsewhere."),
    "snapshot": Entry("snapshot", "cli", "Save results under a name, and show them again with the same digits."),
    "lead": Entry("lead", "cli", "Add study leads, and give them access."),
    "db": Entry("database", "cli", "Maintain the database."),
}


class NotLoaded(TyperCommand):
    """A command of which only the name and summary are known; its module is loaded when it is called."""

    def __init__(self, name: str, entry: Entry) -> None:
        """Import nothing yet."""
        super().__init__(name, help=entry.summary, hidden=entry.is_hidden)
        self._entry = entry

    def load(self) -> Any:  # noqa: ANN401 - typer's own classes are private
        """Return the actual command."""
        return self._entry.load(self.name or "")

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:  # noqa: ANN401 - as in typer
        """Return the context of the actual command, so that it parses its own arguments and runs."""
        return self.load().make_context(info_name, args, parent=parent, **extra)


class CommandTable(TyperGroup):
    """The top-level group `attune`."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - as in typer
        """Add all commands of the table without loading them."""
        commands = {name: NotLoaded(name, entry) for name, entry in COMMANDS.items()}
        super().__init__(**settings | {"commands": commands})
