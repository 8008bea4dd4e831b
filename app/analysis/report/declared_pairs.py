"""Primary contrasts that compare a source with another reference than that of the analysis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.analysis.estimate import Estimate
from app.analysis.report.effects import effect_behind
from app.analysis.report.primary import places_of
from app.analysis.sections.all_sections import estimates_for
from app.analysis.sections.study_data import StudyData
from app.protocol.primary import PrimaryContrast
from app.protocol.primary_default import primary_contrasts


def in_declared_directions(estimates: Sequence[Estimate], study: StudyData) -> list[Estimate]:
    """Return the estimates with those of the contrasts whose direction, or pair of sources, is not among them.

    The analysis compares every source with its own reference. The contrasts that declare another one are computed by
    the same sections with that reference, so that each test is the declared one, also if it is one-sided.
    """
    found = list(estimates)
    made: dict[tuple[str, str | None, str | None], list[Estimate]] = {}
    for contrast in _against_another(study):
        other = study.against(contrast.reference)
        key = (contrast.question, contrast.reference, contrast.test)
        if key not in made:
            made[key] = list(estimates_for(other, [contrast]))
        known = [found[place].scope for place in places_of(contrast, found, study.protocol)]
        for place in places_of(contrast, made[key], other.protocol):
            one = made[key][place]
            if one.scope not in known:
                found += [new for new in (one, effect_behind(one, made[key])) if new is not None and new not in found]
    return found


def _against_another(study: StudyData) -> Iterator[PrimaryContrast]:
    """Yield the contrasts, and their published tests, with a reference that is a source but not the analysis's."""
    for contrast in primary_contrasts(study.protocol):
        if contrast.reference in study.protocol.sources and contrast.reference != study.protocol.reference:
            yield from (one for one in (contrast, contrast.as_published) if one is not None)
