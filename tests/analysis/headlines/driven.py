"""A template driven from simulated ratings to its sentences, and what the tests assert about these."""

import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pandas as pd
import pytest

from app.analysis import analyze_primary
from app.analysis.data.study_folder import frames_of
from app.analysis.findings.main_contrasts import signed
from app.analysis.report.report import Report
from app.protocol.study import Protocol
from app.studies.folder.read import read_folder
from tests.analysis.headlines.simulated_ratings import Effect, Seen, simulate
from tests.kit.told import Told, told


def by_source(**points: float) -> Callable[[str, Seen], float]:
    """Return a `lean` that adds these points for each source, on every question about responses."""
    return lambda _question, seen: points.get(seen.source, 0.0)


def drive(name: str, folder: Path, effect: Effect) -> tuple[list[Told], pd.DataFrame]:
    """Return what is told of the primary contrasts, and the ratings that it is computed from."""
    report, protocol, table = driven(name, folder, effect)
    return [one for contrast in told(report, protocol) for one in contrast], table


def driven(name: str, folder: Path, effect: Effect) -> tuple[Report, Protocol, pd.DataFrame]:
    """Return the report on the primary contrasts, and the ratings that it is computed from."""
    rows = simulate(name, folder, effect)
    study = read_folder(folder)
    report = analyze_primary(frames_of(study), study.protocol)
    assert all(result.is_declared for result in report.primary)
    assert all(result.estimates for result in report.primary), [result.contrast for result in report.primary]
    table = pd.DataFrame(rows)
    source = table.get("response", pd.Series("", table.index)).fillna("").str.rpartition(":")[2]
    table["source"] = source.str.replace(r"-\d+$", "", regex=True)  # the number of a copy
    return report, study.protocol, table


def means(table: pd.DataFrame, question: str, by: str = "source") -> dict[str, float]:
    """Return the mean of each source, condition or label, computed independently of the report."""
    own = table[table["question"] == question]
    return {str(key): float(value) for key, value in own["value"].astype(float).groupby(own[by]).mean().items()}


def says(one: Told, pattern: str, value: float) -> None:
    """Assert that the answer contains `pattern` with `value` in place of `#`, to the printed precision."""
    words = "([+\N{MINUS SIGN}]?[0-9.]+)".join(re.escape(part) for part in pattern.split("#"))
    found = re.search(words, one.said)
    assert found, one.said
    decimals = len(found[1].partition(".")[2])
    assert abs(float(found[1].replace("\N{MINUS SIGN}", "-")) - value) <= 0.5001 * 10**-decimals, (one.said, value)


def covers(one: Told, truth: float, *, either_sign: bool = False) -> None:
    """Assert that the interval of the estimate contains the true effect."""
    assert one.shown.ci_low is not None, one.said
    assert one.shown.ci_high is not None
    truths = (truth, -truth) if either_sign else (truth,)
    assert any(one.shown.ci_low <= each <= one.shown.ci_high for each in truths), one.said


def is_difference(
    one: Told, table: pd.DataFrame, question: str, source: str, reference: str, truth: float = 0.8
) -> None:
    """Assert that the answer has the difference of means in the file, with interval, test and counts."""
    own = means(table, question)
    gap = own[source] - own[reference]
    assert one.shown.estimate == pytest.approx(gap)
    assert re.search(rf"{signed(gap, 'points')}, 95% CI .*?, (adjusted )?p [=<]".replace("+", r"\+"), one.said)
    assert re.search(r"; \d+ raters, \d+ items\)\.$", one.said)
    assert abs(gap - truth) < 0.5


def right_by(share: float) -> Callable[[str, Seen, Random], str]:
    """Return a `code` that is correct with this probability, else the first other code; any code without a key."""

    def code(question: str, seen: Seen, rng: Random) -> str:
        keys = {
            "belief": ("belief_key", "abcd"),
            "emotion": ("emotion_key", ("disappointed", "hurt")),
            "verdict": ("true_verdict", ("no_error", "error")),
            "harm": ("", ("yes", "no")),
            "factuality": ("", ("no", "minor", "yes")),
        }
        column, codes = keys[question]
        right = {**seen.item, **seen.response}.get(column, codes[0])
        return right if rng.random() < share else next(one for one in codes if one != right)

    return code
