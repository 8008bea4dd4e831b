"""The command that prints the numbers of a report again."""

from __future__ import annotations

import shlex

from app.analysis.report.report import Report


def command_of(report: Report, study: str) -> str:
    """Return the command that prints the estimates of a report again, with all their digits and with its filters.

    `study` is what the command names: the slug of a stored study or the path of a folder.
    """
    full = ["--full"] if any(estimate.recipe.get("full") for estimate in report.estimates) else []
    return shlex.join(["attune", "analyze", study, *full, *report.filters.as_options(), "--json"])
