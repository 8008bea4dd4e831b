"""A template driven from simulated ratings to its sentences, and what the tests assert about these."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pandas as pd

from app.analysis import analyze_primary
from app.analysis.data.study_folder import frames_of
from app.analysis.report.sentences import primary_answers
from app.studies.folder.read import read_folder
from tests.analysis.headlines.simulated_ratings import Effect, Seen, simulate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from app.analysis.report.sentences import PrimaryAnswer, Sentence


def by_source(**points: float) -> Callable[[str, Seen], float]:
    """Return a `lean` that adds these points for each source, on every question about responses."""
    return lambda _question, seen: points.get(seen.source, 0.0)


def drive(name: str, folder: Path, effect: Effect) -> tuple[list[Sentence], pd.DataFrame]:
    """Return the sentences of the primary contrasts, and the ratings that they are computed from."""
    answers, table = driven(name, folder, effect)
    return [sentence for answer in answers for sentence in answer.sentences], table


def driven(name: str, folder: Path, effect: Effect) -> tuple[list[PrimaryAnswer], pd.DataFrame]:
    """Return the answers to the primary contrasts, and the ratings that they are computed from."""
    rows = simulate(name, folder, effect)
    study = read_folder(folder)
    report = analyze_primary(frames_of(study), study.protocol)
    answers = primary_answers(report, study.protocol)
    assert [answer.result.is_declared for answer in answers] == [True] * len(answers)
    assert all(answer.sentences for answer in answers), [answer.result.contrast for answer in answers]
    table = pd.DataFrame(rows)
    table["source"] = table.get("response", pd.Series("", table.index)).fillna("").str.rpartition(":")[2]
    return answers, table


def means(table: pd.DataFrame, question: str, by: str = "source") -> dict[str, float]:
    """Return the mean of each source, condition or label, computed independently of the report."""
    own = table[table["question"] == question]
    return {str(key): float(value) for key, value in own["value"].astype(float).groupby(own[by]).mean().items()}


def says(sentence: Sentence, pattern: str, value: float) -> None:
    """Assert that the claim contains `pattern` with `value` in place of `#`, to the printed precision."""
    words = "(-?[0-9.]+)".join(re.escape(part) for part in pattern.split("#"))
    found = re.search(words, sentence.claim)
    assert found, sentence.claim
    decimals = len(found[1].partition(".")[2])
    assert abs(float(found[1]) - value) <= 0.5001 * 10**-decimals, (sentence.claim, value)


def covers(sentence: Sentence, truth: float, *, either_sign: bool = False) -> None:
    """Assert that the interval of the sentence contains the true effect."""
    estimate = sentence.estimate
    assert estimate.ci_low is not None, sentence.text
    assert estimate.ci_high is not None
    truths = (truth, -truth) if either_sign else (truth,)
    assert any(estimate.ci_low <= one <= estimate.ci_high for one in truths), sentence.text


def is_difference(
    sentence: Sentence, table: pd.DataFrame, question: str, source: str, reference: str, truth: float = 0.8
) -> None:
    """Assert that the sentence reports the difference of means in the file, with interval, test and counts."""
    own = means(table, question)
    says(sentence, "is rated # points higher than", own[source] - own[reference])
    assert sentence.interval.startswith("95% CI ")
    assert re.search(r"p [<=]", sentence.test)
    assert re.search(r"\d+ ratings, \d+ items, \d+ raters", sentence.counts)
    assert abs((own[source] - own[reference]) - truth) < 0.5


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
