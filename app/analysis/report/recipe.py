"""How a figure can be got again: from which data, which of them, by which formula, seed and software."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields, replace
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from app.analysis.report.statistics_registry import page_of
from app.analysis.report.wording import scope_filter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from app.analysis.data.encoded_study import Codes
    from app.analysis.data.frames import Frames
    from app.analysis.report.estimate import Figure
    from app.design.protocol.study import Protocol


def data_hash(codes: Codes, frames: Frames, protocol: Protocol) -> str:
    """SHA-256 of sources, questions, declared analysis, ids and every answer that counts, of the
    responses' texts too; not of times.

    It depends on the codes, not on how the frames store their columns: the database and a folder give the same.
    """
    declared = protocol.model_dump(mode="json", include={"sources", "questions", "analysis"})
    digest = hashlib.sha256(json.dumps(declared, sort_keys=True).encode())
    for part in (codes.responses, codes.raters, codes.rows):
        for field in fields(part):
            value = getattr(part, field.name)
            if isinstance(value, np.ndarray):
                digest.update(np.ascontiguousarray(value).tobytes())
    beside = codes.kept[["condition", "shown_label", "codes"]]
    checks = [] if frames.checks is None else [frames.checks[["rater", "check", "is_passed"]]]
    for table in (frames.items, frames.responses, frames.raters, beside, *checks):
        for name in table.columns:
            number, texts = pd.factorize(table[name].astype(object))
            digest.update(f"{name}\0{texts.tolist()}\1".encode() + number.astype(np.int64).tobytes())
    return digest.hexdigest()


def with_recipes(figures: Iterable[Figure], data: str, *, full: bool) -> Iterator[Figure]:
    """The figures, each with its `recipe`.

    data, answers: the first 16 digits of the SHA-256 of the study's data, and of a hash of the answers in scope;
    filter: those answers as a condition on ratings.csv (of a figure about texts, on responses.csv); formula: the page
    and heading of the documentation; seed, where something was drawn; full, where `--full` was asked for.
    """
    for figure in figures:
        recipe: dict[str, Any] = {
            "data": data[:16],
            "answers": figure.recipe.get("answers"),
            "filter": filter_of(figure),
            "formula": f"{page_of(figure.statistic)}, {figure.statistic}",
            "seed": figure.recipe.get("seed"),
            "software": software(),
        }
        yield replace(figure, recipe=recipe | {"full": True} if full else recipe)


def filter_of(figure: Figure) -> str:
    """Which rows the figure is computed from.

    Raters' figures hold one against all others, so do those of judges: the rows are those of the others too.
    """
    if figure.section == "text" and figure.question is None:
        return " and ".join(["responses.csv", *scope_filter(figure.scope)])
    asked = [] if figure.question is None else [f"question = {figure.question.partition('=')[0]}"]
    is_again = figure.section == "judge" or figure.statistic.startswith("intra_rater")
    kind = "rater kind = " + ("model" if figure.scope.get("rater_kind") == "model" else "person")
    kinds = "raters of both kinds" if figure.section == "judge" else kind
    counted = ["exclude is empty", *([] if is_again else ["repeat = 0"])]
    return " and ".join([*asked, kinds, *scope_filter(figure.scope), *counted])


@cache
def software() -> str:
    """What computed it, with the versions that its last digits depend on."""
    parts = (f"{name} {version(name)}" for name in ("numpy", "scipy", "pandas", "krippendorff", "statsmodels"))
    return f"attune {version('attune')} ({', '.join(parts)})"
