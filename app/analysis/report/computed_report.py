"""Compute the report of a study."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from app.analysis.data.earlier_words import earlier_sentences, earlier_words
from app.analysis.data.encoded_study import codes_of
from app.analysis.data.filter_options import filtered_protocol
from app.analysis.data.filters import filtered
from app.analysis.data.frame_evidence import rater_flags
from app.analysis.data.frames import Frames, for_items_only, with_own_texts, with_slots
from app.analysis.data.report_filters import ALL, Filters
from app.analysis.data.simulated import counted_frames
from app.analysis.estimate import Estimate
from app.analysis.report.explored import DIFFERENCES
from app.analysis.report.notes import notes
from app.analysis.report.primary import declared_first, mirrors_of, places_of, primary_results, with_roles
from app.analysis.report.recipe import data_hash, with_recipes
from app.analysis.report.report import SECTIONS, Report
from app.analysis.report.sample import sample_of
from app.analysis.report.verdicts import effect_behind, with_verdicts
from app.analysis.sections.all_sections import estimates_for, estimates_of
from app.analysis.sections.study_data import StudyData
from app.analysis.sections.texts import at_equal_length
from app.analysis.statistic import declared
from app.protocol.primary import PrimaryContrast
from app.protocol.primary_default import primary_contrasts
from app.protocol.study import Protocol
from app.stats.arrays import one_thread
from app.stats.multiplicity import Adjustment, adjusted
from app.stats.remembered import remembering

# Primary contrasts that compare a source with another reference than that of the analysis.


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
            made[key] = [*estimates_for(other, [contrast]), *at_equal_length(other, contrast.question)]
        known = [found[place].scope for place in places_of(contrast, found, study.protocol)]
        for place in places_of(contrast, made[key], other.protocol):
            one = made[key][place]
            behind = effect_behind(one, made[key])
            news = (one, behind) if one.scope not in known else ()
            for new in (*news, _at_equal(behind, made[key])):
                if new is not None and new not in found:
                    found.append(new)
    return found


def _at_equal(estimate: Estimate, among: Sequence[Estimate]) -> Estimate | None:
    """The same difference at equal length, which tells whether length could explain it."""
    name, scope = declared(estimate.statistic).at_equal_length, {**estimate.scope, "covariate": "length"}
    same = (one for one in among if (one.measured, one.statistic) == (estimate.measured, name))
    return next((one for one in same if one.scope == scope), None)


def _against_another(study: StudyData) -> Iterator[PrimaryContrast]:
    """Yield the contrasts, and their published tests, with a reference that is a source but not the analysis's."""
    for contrast in primary_contrasts(study.protocol):
        if contrast.reference in study.protocol.sources and contrast.reference != study.protocol.reference:
            yield from (one for one in (contrast, contrast.as_published) if one is not None)


# Adjust p-values for multiple testing: the primary contrasts as one family, all others by kind of test.

ADJUSTED = ("comparison", "choice", "ranking", "belief", "subgroup", "contrast")


def with_adjusted_p(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return the estimates with `p_adjusted`: Holm over the primary contrasts, Benjamini-Hochberg over the others.

    The primary contrasts are one family, whatever their tests. An exploratory family consists of one kind of test over
    questions and sources, including pairs of sources without the reference: the same statistic, unit and raters, and
    the same position among the records of that statistic (the first method, the second ...). Several tests of one
    difference do not count as several differences, nor does a difference that is reported in both directions. A test
    that is alone in its family is not adjusted.
    """
    mirrors = mirrors_of(estimates)
    is_test = [one.p_value is not None and at not in mirrors for at, one in enumerate(estimates)]
    primary = [at for at, one in enumerate(estimates) if one.role == "primary" and is_test[at]]
    found = _with_p(list(estimates), primary, "holm")
    for members in _families(estimates, is_test).values():
        found = _with_p(found, members, "benjamini_hochberg")
    for mirror, test in mirrors.items():
        found[mirror] = replace(found[mirror], p_adjusted=found[test].p_adjusted)
    return found


def _families(estimates: Sequence[Estimate], is_test: Sequence[bool]) -> dict[tuple[object, ...], list[int]]:
    """The positions of the exploratory tests by family."""
    families: dict[tuple[object, ...], list[int]] = defaultdict(list)
    places: Counter[tuple[object, ...]] = Counter()
    for at, estimate in enumerate(estimates):
        if estimate.section in ADJUSTED:
            record = (estimate.section, estimate.measured, str(estimate.scope), estimate.statistic, estimate.unit)
            if estimate.role != "primary" and is_test[at]:
                families[_family(estimate, places[record])].append(at)
            places[record] += 1
    return families


def _with_p(estimates: list[Estimate], members: Sequence[int], method: Adjustment) -> list[Estimate]:
    """Return the list, with the adjusted p-values of one family filled in, if it has several tests."""
    if len(members) == 1:
        return estimates
    for at, p in zip(members, adjusted([estimates[k].p_value for k in members], method), strict=True):
        estimates[at] = replace(estimates[at], p_adjusted=p)
    return estimates


def _family(estimate: Estimate, place: int) -> tuple[object, ...]:
    raters = tuple((key, value) for key, value in estimate.scope.items() if key in {"pool", "rater_kind"})
    section = DIFFERENCES[0] if estimate.section in DIFFERENCES else estimate.section
    return section, estimate.statistic, estimate.unit, place, tuple(estimate.scope), raters


@remembering()
def report_of(
    frames: Frames,
    protocol: Protocol,
    *,
    full: bool,
    only_primary: bool = False,
    filters: Filters = ALL,
    watch: Callable[[int, int], None] = lambda _done, _all: None,
    first: Callable[[Report], None] | None = None,
) -> Report:
    """See `app.analysis.analyze`. With `only_primary`, only the sections of the primary contrasts are computed."""
    if first:
        first(report_of(frames, protocol, full=full, only_primary=True, filters=filters))
    is_known = protocol.raters.identity == "known"
    frames, n_simulated = counted_frames(frames)
    earlier = earlier_words(frames)
    frames = frames if is_known else with_slots(frames)
    frames = with_own_texts(frames) if protocol.writing else frames
    # From all answers, before filtering: the same raters are flagged in every part of the results.
    flagged = {} if only_primary and not filters.without_flagged else rater_flags(frames, protocol)
    frames, protocol = filtered(frames, filters, flagged), filtered_protocol(protocol, filters)
    codes = codes_of(frames, protocol)
    study = StudyData(codes, protocol, full, frames, flagged, earlier_words=earlier)
    made_of = estimates_for(study, primary_contrasts(protocol)) if only_primary else estimates_of(study, watch)
    with one_thread():
        found = in_declared_directions(list(made_of), study)
        estimates = sorted(found, key=lambda estimate: SECTIONS.index(estimate.section))
    estimates = estimates if is_known else list(for_items_only(estimates))
    roled, places = with_roles(declared_first(estimates, protocol), protocol)
    adjusted = with_verdicts(with_adjusted_p(roled))
    data = data_hash(codes, frames, protocol)
    sample = sample_of(frames, codes, protocol, earlier)
    by_version = earlier_sentences(sample.by_version, protocol.labels)
    told = (*by_version, *notes(codes, frames, () if only_primary else adjusted, protocol, n_simulated=n_simulated))
    made = tuple(with_recipes(adjusted, data, full=full, filters=filters, without_simulated=n_simulated > 0))
    primary = primary_results(made, places, protocol)
    return Report(protocol.slug, data, told, made, primary, filters, sample)
