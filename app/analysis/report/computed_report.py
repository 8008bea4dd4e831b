"""Compute the report of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.data.encoded_study import codes_of
from app.analysis.data.filters.filter_options import filtered_protocol
from app.analysis.data.filters.filtering import filtered
from app.analysis.data.filters.report_filters import ALL
from app.analysis.data.frame_evidence import rater_flags
from app.analysis.data.simulated import counted_frames
from app.analysis.data.unknown_raters import for_items_only, with_slots
from app.analysis.report.counted_sample import sample_of
from app.analysis.report.multiple_testing import with_adjusted_p
from app.analysis.report.notes import notes
from app.analysis.report.primary import declared_first, primary_results, with_roles
from app.analysis.report.recipe import data_hash, with_recipes
from app.analysis.report.report import SECTIONS, Report
from app.analysis.report.verdicts import with_verdicts
from app.analysis.sections.all_sections import estimates_of
from app.analysis.sections.primary_sections import estimates_for
from app.analysis.sections.study_data import StudyData
from app.design.protocol.primary_default import primary_contrasts
from app.stats.core.one_thread import one_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.analysis.data.filters.report_filters import Filters
    from app.analysis.data.frames import Frames
    from app.design.protocol.study import Protocol


def report_of(
    frames: Frames,
    protocol: Protocol,
    *,
    full: bool,
    only_primary: bool = False,
    filters: Filters = ALL,
    watch: Callable[[int, int], None] = lambda _done, _all: None,
) -> Report:
    """See `app.analysis.analyze`. With `only_primary`, only the sections of the primary contrasts are computed."""
    is_known = protocol.raters.identity == "known"
    frames, n_simulated = counted_frames(frames)
    frames = frames if is_known else with_slots(frames)
    # From all answers, before filtering: the same raters are flagged in every part of the results.
    flagged = {} if only_primary and not filters.without_flagged else rater_flags(frames, protocol)
    frames, protocol = filtered(frames, filters, flagged), filtered_protocol(protocol, filters)
    codes = codes_of(frames, protocol)
    study = StudyData(codes, protocol, full, frames, flagged)
    made_of = estimates_for(study, primary_contrasts(protocol)) if only_primary else estimates_of(study, watch)
    with one_thread():
        estimates = sorted(made_of, key=lambda estimate: SECTIONS.index(estimate.section))
    estimates = estimates if is_known else list(for_items_only(estimates))
    roled, places = with_roles(declared_first(estimates, protocol), protocol)
    adjusted = with_verdicts(with_adjusted_p(roled))
    data = data_hash(codes, frames, protocol)
    told = tuple(notes(codes, frames, () if only_primary else adjusted, protocol, n_simulated=n_simulated))
    made = tuple(with_recipes(adjusted, data, full=full, filters=filters, without_simulated=n_simulated > 0))
    primary = primary_results(made, places, protocol)
    return Report(protocol.slug, data, told, made, primary, filters, sample_of(frames, codes, protocol))
