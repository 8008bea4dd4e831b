"""Differences in percent of the reference's mean, and of its share at or above the cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.analysis.data.questions.scopes import groups
from app.analysis.data.questions.source_contrast import Contrast
from app.stats.comparison.percent import percent_change

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.data.questions.question_data import ScaledData
    from app.analysis.estimate import Estimate, Scope

SECTION = "contrast"
_ROUNDING = 1e-9


def percent(data: ScaledData) -> Iterator[Estimate]:
    """Yield each source against the reference, for human raters; nothing on scales with negative values."""
    answers = groups(data.codes)[0].of(data.answers)
    if data.reference is None or (len(answers.value) and answers.value.min() < 0):
        return
    for source in data.sources:
        if source == data.reference:
            continue
        scope: Scope = {"source": source, "reference": data.reference}
        contrast = Contrast.of(data, answers, scope)
        values = [(contrast.answers.value, scope)]
        if data.cut is not None:
            reaches = np.asarray(contrast.answers.value >= data.cut - _ROUNDING, dtype=np.float64)
            values.append((reaches, {**scope, "cut": data.cut}))
        for value, of in values:
            found = percent_change(value, contrast.is_mine, **contrast.answers.where)
            yield data.record(
                found, contrast.answers, section=SECTION, scope=of, statistic="percent_change", unit="rating"
            )
