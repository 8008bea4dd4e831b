"""The recipe to reproduce an estimate: data, filter, formula, seed and software."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

from app import __version__
from app.analysis.data.encoded_study import Codes, Ints
from app.analysis.data.frames import Frames, is_missing
from app.analysis.data.participants import ended_raters
from app.analysis.data.report_filters import Filters
from app.analysis.estimate import Estimate
from app.analysis.statistic import declared
from app.analysis.wording.formatting import scope_filter
from app.protocol.study import Protocol

# Labels do not change any estimate.
LABELS: dict[str, Any] = {
    "sources": {"__all__": {"label"}},
    "questions": {"__all__": {"label"}},
    "analysis": {"composites": {"__all__": {"label"}}},
}


def data_hash(codes: Codes, frames: Frames, protocol: Protocol) -> str:
    """Return the SHA-256 of sources, questions, declared analysis, IDs, response texts and all answers in use.

    Times are not included. The hash is computed from the codes, not from how the frames store their columns, so that
    the database and a folder give the same hash.
    """
    parts = {"sources", "questions", "analysis"} | (set() if codes.raters.are_known else {"raters"})
    declared = protocol.model_dump(mode="json", include=parts, exclude=LABELS)
    digest = hashlib.sha256(json.dumps(declared, sort_keys=True).encode())
    for part in (codes.responses, codes.raters, codes.rows):
        for field in fields(part):
            value = getattr(part, field.name)
            if isinstance(value, np.ndarray):
                digest.update(np.ascontiguousarray(value).data)
    beside = codes.kept[["condition", "shown_label", "codes", *(["text"] if protocol.has_highlights else [])]]
    checks = [] if frames.checks is None else [frames.checks[["rater", "check", "is_passed"]]]
    ended = ended_raters(frames, protocol)
    for table in (frames.items, frames.responses, frames.raters, beside, *checks, *([] if ended is None else [ended])):
        for name in table.columns:
            number, texts = _factorized(table[name])
            digest.update(f"{name}\0{texts.tolist()}\1".encode())
            digest.update(np.ascontiguousarray(number).data)
    return digest.hexdigest()


def _factorized(column: pd.Series[Any]) -> tuple[Ints, pd.Index[Any]]:
    if is_missing(column):
        return np.broadcast_to(np.int64(-1), len(column)), pd.Index([], dtype=object)
    number, texts = pd.factorize(column.astype(object))
    return number.astype(np.int64, copy=False), texts


def with_recipes(
    estimates: Iterable[Estimate], data: str, *, full: bool, filters: Filters, without_simulated: bool
) -> Iterator[Estimate]:
    """Yield the estimates, each with its `recipe`.

    data, answers: the first 16 digits of the SHA-256 of the study's data, and a hash of the answers in scope; filter:
    those answers as a condition on ratings.csv (for estimates about texts, on responses.csv); formula: page and heading
    of the documentation; seed: if random numbers were drawn; full: if `--full` was used; filters: if the reader
    restricted the answers. `without_simulated`: simulated raters were left out.
    """
    simulated = ["is_simulated is false"] if without_simulated else []
    asked = {**({"full": True} if full else {}), **({"filters": filters.as_document()} if filters else {})}
    for estimate in estimates:
        recipe: dict[str, Any] = {
            "data": data[:16],
            "answers": estimate.recipe.get("answers"),
            "filter": " and ".join([filter_of(estimate), *simulated, *filters.as_conditions()]),
            "formula": f"{declared(estimate.statistic).formula}, {estimate.statistic}",
            "seed": estimate.recipe.get("seed"),
            "software": software(),
        }
        yield replace(estimate, recipe=recipe | asked)


def filter_of(estimate: Estimate) -> str:
    """Return the rows that an estimate is computed from.

    Estimates of raters and of judges compare one rater with all others, so their rows include those of the others.
    """
    if estimate.section == "text" and estimate.question is None:
        return " and ".join(["responses.csv", *scope_filter(estimate.scope)])
    asked = [] if estimate.question is None else [f"question = {estimate.question}"]
    about = declared(estimate.statistic)
    is_again = estimate.section == "judge" or about.has_repeats
    kind = "rater kind = " + ("model" if estimate.scope.get("rater_kind") == "model" else "person")
    kinds = {"rater_kind", "reference_rater_kind"}
    is_of_both = estimate.section == "judge" or (about.is_of_pools and bool(kinds & estimate.scope.keys()))
    of_kinds = "raters of both kinds" if is_of_both else kind
    counted = ["exclude is empty", *([] if is_again else ["repeat = 0"])]
    return " and ".join([*asked, of_kinds, *scope_filter(estimate.scope), *counted])


@cache
def software() -> str:
    """Return the version of Attune and of the packages on which the last digits depend."""
    parts = (f"{name} {version(name)}" for name in ("numpy", "scipy", "pandas", "krippendorff"))
    return f"attune {__version__} ({', '.join(parts)})"
