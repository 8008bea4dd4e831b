"""How a report can be got again: the hash of its data, and what was left out, in sentences."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.analysis.codes import Codes
    from app.analysis.figure import Figure
    from app.analysis.frames import Frames
    from app.design.protocol import Protocol


def data_hash(codes: Codes, frames: Frames, protocol: Protocol) -> str:
    """SHA-256 of sources, questions, declared analysis, ids and every answer that counts; not of texts and times.

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


def notes(codes: Codes, frames: Frames, figures: Sequence[Figure]) -> Iterator[str]:
    """What a reader must know before the figures."""
    if codes.n_excluded:
        yield f"{_rows(codes.n_excluded)} carry a reason to be left out (`exclude`) and are in no figure."
    if codes.n_repeats:
        yield f"{_rows(codes.n_repeats)} are planned repeats: they count only where a rater is held against himself."
    n_splits = sum(figure.section == "subgroup" and "reference" in figure.scope for figure in figures)
    if n_splits:
        chance = "of twenty such tests one is below .05 by chance alone"
        yield f"{n_splits} figures compare by condition or subgroup: {chance}."
    if "is_simulated" in frames.raters:
        n_simulated = int(frames.raters["is_simulated"].fillna(False).astype(bool).sum())
        if n_simulated:
            yield f"{n_simulated} of {len(frames.raters)} raters are simulated, not people."
    if codes.raters.is_model.any():
        n_models = int(codes.raters.is_model.sum())
        yield f"{n_models} of the raters are models: they stand apart and are in no figure about people."


def _rows(n: int) -> str:
    return "1 answer" if n == 1 else f"{n:,} answers"
